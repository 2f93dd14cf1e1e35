"""The tiered_capability type: do search agents of different tiers divide those who have them?"""

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
from openiir.scenarios.tiered_capability.config import TieredCapabilityConfig
from openiir.scenarios.tiered_capability.measures import TierMeasuring, tier_measures
from openiir.scenarios.tiered_capability.model.divide import GAP_DEFINITIONS
from openiir.scenarios.tiered_capability.model.outcomes import ARM_DEFINITIONS
from openiir.scenarios.tiered_capability.model.search import WEB
from openiir.scenarios.tiered_capability.model.visits import Opened
from openiir.scenarios.tiered_capability.run import MEMBER, TieredSearch
from openiir.scenarios.tiered_capability.views import SURFACES

_LINE = {"mode": "keyword", "depth": 5, "web": 2, "cost": 2.0}
_ALIKE = {"T0": {**_LINE, "share": 0.5}, "T1": {**_LINE, "share": 0.2}}
_BEST = {"mode": "rerank", "depth": 10, "web": 10}
_RANDOM = {"T0": {**_BEST, "mode": "random"}, "T3": _BEST}


class TieredCapability(Scenario):
    """Members look for what they need by search agents of several tiers, together and each tier for all."""

    name = "tiered_capability"
    Config = TieredCapabilityConfig
    Measuring = TierMeasuring
    definitions = {**ARM_DEFINITIONS, **GAP_DEFINITIONS}
    structural = frozenset("needs qrels members".split())
    remembers = shares = True
    step_word = "round"
    closing = "gaps"
    twins = Twins(("T0", "T1"), {"tiers": _ALIKE}, "arm")
    controls = (
        Control("one tier under two names", "T1/lead", {"tiers": _ALIKE}),
        Control("what others have, where documents have room for all", "mixed/spillover", {}),
        Control("the best tier against a random order", "T3/lead", {"tiers": _RANDOM}, least=0.2),
    )
    audited = {"members": 60, "rounds": 4, "tiers": _RANDOM}

    def actions(self) -> Sequence[type[Action]]:
        return (Opened,)

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        searching = [name for name, tier in config.tiers.items() if tier.web]
        web = {WEB: f"the web searches of tier {searching[0]}"} if searching else {}
        return {"main": f"a {self.name} study", **web}

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        Members(config.members, MEMBER, dict(enumerate(personas)))
        if isinstance(config.needs, int) == bool(config.qrels):
            given = (
                "a number of known items, which nobody judges; leave it out"
                if config.qrels
                else "queries; name theirs"
            )
            raise InputError(f"config.qrels = {config.qrels!r}, and config.needs are {given}")

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        search = TieredSearch(stage, self.folder)
        async for step in self.live_rounds(search.arms, search.live):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return tier_measures(log)

    def surfaces(self) -> Sequence[Surface]:
        return SURFACES
