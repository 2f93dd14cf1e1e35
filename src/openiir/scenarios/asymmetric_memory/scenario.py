"""The asymmetric_memory type: members ask sources, in worlds where nobody, some or all remember."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from openiir.kit.memory import name_policies
from openiir.plugin import (
    Action,
    Arms,
    Control,
    Log,
    Measure,
    Scenario,
    Stage,
    Step,
    Surface,
    Twins,
)
from openiir.scenarios.asymmetric_memory.config import MEMORY, MIXED, STATELESS, AsymmetricMemoryConfig
from openiir.scenarios.asymmetric_memory.measures import DEFINITIONS, memory_measures
from openiir.scenarios.asymmetric_memory.model import Goals, draw_share, find_sources, open_round
from openiir.scenarios.asymmetric_memory.run import MemoryWorld, live_round
from openiir.scenarios.asymmetric_memory.views import SURFACES

_FREE = {"members": 400, "rounds": 30, "capacity": 0.0, "new_goal": 0.0, "drift": 0.0}
_REPEATED = {**_FREE, "rounds": 60, "answer_noise": 0.0, "cue_noise": 0.4}


class AsymmetricMemory(Scenario):
    """Members ask sources, some of them remembering what they got, in three worlds side by side."""

    name = "asymmetric_memory"
    Config = AsymmetricMemoryConfig
    structural = frozenset("members rounds share memory needs sources qrels".split())
    remembers = shares = True
    step_word = "round"
    closing = "effects"
    definitions = DEFINITIONS
    twins = Twins((MIXED, MEMORY), {"share": 1.0}, "arm")
    controls = (
        Control("worlds where nobody remembers anything", "total", {"memory": "none"}),
        Control("memories of others", "advantage", {**_FREE, "exchanged": True}, within=0.02),
        Control("one goal for ever, answered without noise", "advantage", _REPEATED, least=0.02),
    )
    audited = {"members": 60, "rounds": 8}
    acts_with = {"qrels": {"study": "audit/study.toml"}}

    def actions(self) -> Sequence[type[Action]]:
        return ()

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        return {} if config.sources else {"main": "a study without config.sources"}

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        config, draw = stage.config, stage.draw(self.name, step=0)
        users, everybody = stage.population(config.members), np.arange(config.members)
        sources = await find_sources(config, stage, self.folder, draw.at("sources"))
        goal, place = draw.below(len(sources.needs), agent=everybody), np.arange(len(sources.names))
        some = draw_share(goal, config.share, draw)
        worlds = {
            name: MemoryWorld(name, users, name_policies(users, config.memory, who), len(place))
            for name, who in ((STATELESS, some & ~some), (MIXED, some), (MEMORY, some | ~some))
        }
        goals = Goals(goal, place, np.zeros_like(place))
        arms = Arms(stage, worlds, goals)
        if stage.restored is None:
            stage.columns("members", {"member": everybody, "remembers": some})
            for name, ids in (("sources", sources.names), ("needs", sources.ids)):
                stage.columns(name, {"name": np.array(ids, dtype=object)})

        async def live() -> None:
            config, draw = stage.config, stage.draw(self.name)
            turned = goals.change(stage.step, len(sources.needs), config.new_goal, config.drift, draw)
            now = open_round(sources, goals, turned, config.cue_noise, config.answer_noise, draw)
            await arms.live(partial(live_round, stage, now))

        async for step in self.live_rounds(arms, live):
            yield step

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return memory_measures(log)

    def surfaces(self) -> Sequence[Surface]:
        return SURFACES
