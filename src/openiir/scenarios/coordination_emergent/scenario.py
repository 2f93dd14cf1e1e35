"""The coordination_emergent type: agents with goals of their own share sources that turn people away."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from openiir.plugin import (
    Action,
    Control,
    InputError,
    Log,
    Measure,
    Members,
    Persona,
    Scenario,
    Stage,
    Step,
    Surface,
    Twins,
)
from openiir.scenarios.coordination_emergent.config import CoordinationEmergentConfig
from openiir.scenarios.coordination_emergent.measures import co_access_measures
from openiir.scenarios.coordination_emergent.model.access import COUNTS, HIDDEN, Requested
from openiir.scenarios.coordination_emergent.model.co_access import CoAccessMeasuring
from openiir.scenarios.coordination_emergent.model.record import DEFINITIONS
from openiir.scenarios.coordination_emergent.model.sources import find_sources
from openiir.scenarios.coordination_emergent.run import VISITOR, AccessRun
from openiir.scenarios.coordination_emergent.views import SURFACES

PLANTED: Mapping[str, Any] = {"planted": 6, "members": 240, "sources": 30, "rounds": 20, "traces": ["counts"]}
DOCUMENTS = {"study": "documents.toml"}


class CoordinationEmergent(Scenario):
    """Agents with independent goals ask limited sources, and see nothing, numbers or names of others."""

    name = "coordination_emergent"
    Config = CoordinationEmergentConfig
    Measuring = CoAccessMeasuring
    structural = frozenset("goals sources documents qrels members traces".split())
    remembers = True
    definitions = DEFINITIONS
    step_word = "round"
    closing = "arms"
    twins = Twins((HIDDEN, COUNTS), {"choice.social": 0.0}, "arm")
    controls = (
        Control("others' accesses seen, at no weight", "names/over_hidden", {"choice.social": 0.0}),
        Control("six agents who act in concert", "hidden/cartels", PLANTED, least=1.0),
    )
    audited = {"members": 60, "rounds": 10}
    acts_with = {
        "documents": DOCUMENTS,
        "qrels": DOCUMENTS,
        "measuring.lasting": {"planted": 8},
    }

    def actions(self) -> Sequence[type[Action]]:
        return (Requested,)

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        return {} if config.documents == "none" else {"main": f"config.documents = {config.documents!r}"}

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        Members(config.members, VISITOR, dict(enumerate(personas)))
        if len(personas) + config.planted > config.members:
            raise InputError(
                f"config.planted = {config.planted} of {config.members} members, {len(personas)} of them "
                "personas, who are not planted; let there be more members"
            )
        if config.choice.requests > config.sources:
            raise InputError(
                f"config.choice.requests = {config.choice.requests} of {config.sources} sources, each asked "
                "once a round; lower it"
            )

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        people = stage.population(stage.config.members, VISITOR)
        run = AccessRun(stage, people, await find_sources(stage, self.folder))
        async for step in self.live_rounds(run.arms, partial(run.arms.live, run.live)):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return co_access_measures(log)

    def surfaces(self) -> Sequence[Surface]:
        return SURFACES
