"""The twin_ecosystem type: does a policy on rankings help, in a world that responds to it?"""

from collections.abc import AsyncIterator, Mapping, Sequence
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
from openiir.scenarios.twin_ecosystem.config import TwinEcosystemConfig
from openiir.scenarios.twin_ecosystem.measures import ecosystem_measures
from openiir.scenarios.twin_ecosystem.model.outcomes import DEFINITIONS
from openiir.scenarios.twin_ecosystem.run import FREE, REGULATED, SEARCHER, Ecosystem, Used
from openiir.scenarios.twin_ecosystem.views import SURFACES

LAST = {"policy": {"by": "down_rank", "provider": "county-clinic", "factor": 0.0}}


class TwinEcosystem(Scenario):
    """Two worlds of searchers, a ranker and providers; a policy re-ranks what is found in one of them."""

    name = "twin_ecosystem"
    Config = TwinEcosystemConfig
    definitions = DEFINITIONS
    structural = frozenset("queries qrels providers trusted searchers slots margins".split())
    worlds = frozenset({FREE, REGULATED})
    remembers = shares = True
    step_word = "round"
    closing = "outcomes"
    twins = Twins((FREE, REGULATED), {"policy.by": "none"}, "arm")
    controls = (
        Control("the best provider put last", "free/utility", LAST, less="regulated/utility", least=0.05),
    )
    audited = {"searchers": 60, "rounds": 3}
    acts_with = {
        "providers": {"trusted": []},
        "policy.weight": {"policy.by": "mmr"},
        "policy.most": {"policy.by": "cap", "policy.most": 1},
        "policy.share": {"policy.by": "quota", "policy.provider": "home-weekly"},
    }

    def actions(self) -> Sequence[type[Action]]:
        return (Used,)

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        Members(config.searchers, SEARCHER, dict(enumerate(personas)))
        if config.policy.by == "quota" and not config.policy.provider:
            raise InputError("config.policy: a quota is some provider's; name it in config.policy.provider")

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        ecosystem = Ecosystem(stage, self.folder)
        async for step in self.live_rounds(ecosystem.worlds, ecosystem.live):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return ecosystem_measures(log)

    def surfaces(self) -> Sequence[Surface]:
        return SURFACES
