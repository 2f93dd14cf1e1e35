"""Reference systems: conversational recommenders from a random one to an oracle."""

from collections.abc import Mapping
from typing import Any

from openiir.kit.options import options_of
from openiir.plugin import InputError
from openiir.scenarios.conversational.behaviour.systems.attribute import AttributeSystem, PromptedSystem
from openiir.scenarios.conversational.behaviour.systems.baselines import (
    NeighbourSystem,
    OracleSystem,
    PopularitySystem,
    RandomSystem,
    RetrievalSystem,
)
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import ReferenceSystem

REFERENCE_SYSTEMS: Mapping[str, type[ReferenceSystem]] = {
    one.name: one
    for one in (
        RandomSystem,
        PopularitySystem,
        AttributeSystem,
        NeighbourSystem,
        RetrievalSystem,
        OracleSystem,
        PromptedSystem,
    )
}


def reference_system(name: str, options: Mapping[str, Any], known: SystemKnowledge) -> ReferenceSystem:
    """Build a reference system by name; raises InputError for an unknown name or option, or missing data."""
    if (kind := REFERENCE_SYSTEMS.get(name)) is None:
        has = ", ".join(REFERENCE_SYSTEMS)
        raise InputError(f"no reference system is called {name!r}; known: {has}, or system:NAME for your own")
    return kind(known, options_of(kind.SystemOptions, f"the options of the system {name!r}", options))
