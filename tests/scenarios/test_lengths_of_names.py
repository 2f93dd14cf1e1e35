"""How long names may be that stand in tables, in keys of draws and in ids: as long as that, and no longer."""

from collections.abc import Callable
from typing import Any

import pytest

from openiir.kit.items import DataSpec
from openiir.plugin import Persona
from openiir.scenarios.conversational.config import ConversationalConfig
from openiir.scenarios.recommender.config import RecommenderConfig

NAMED: dict[str, tuple[int, Callable[[str], Any]]] = {
    "a recommender": (40, lambda name: RecommenderConfig(systems=[{"name": name, "by": "random"}])),
    "a conversational system": (
        40,
        lambda name: ConversationalConfig(systems=[{"name": name, "by": "random"}]),
    ),
    "a simulator": (40, lambda name: ConversationalConfig(simulators=[{"name": name, "by": "agenda"}])),
    "a data set": (40, lambda name: DataSpec(name=name)),
    "a persona's id": (64, lambda name: Persona(id=name, name="Ada", bio="Reads.")),
    "a persona": (120, lambda name: Persona(id="ada", name=name, bio="Reads.")),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_name_is_as_long_as_it_may_be(what: str) -> None:
    most, named = NAMED[what]
    assert named("x" * most) and named("x")
    for name in ("x" * (most + 1), ""):
        with pytest.raises(ValueError, match="should"):
            named(name)
