"""A round in all arms: agents ask sources, which serve up to their capacity, and learn from the answers."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from openiir.kit.access import grant_access
from openiir.plugin import Arms, Lane, Population, Stage
from openiir.scenarios.coordination_emergent.model import access
from openiir.scenarios.coordination_emergent.model.access import AccessArm, Requested
from openiir.scenarios.coordination_emergent.model.sources import InformationSources
from openiir.scenarios.coordination_emergent.questions import AskSources

VISITOR = "visitor"


class AccessRun:
    """The arms of a run, and the sources that they share."""

    def __init__(self, stage: Stage, people: Population, sources: InformationSources) -> None:
        self.stage, self.people, self.sources = stage, people, sources
        draw, self.words = stage.draw("coordination_emergent.start", step=0), list(sources.goals.values())
        rows, goal = people.rows, draw.at("goal").below(len(self.words), agent=people.rows)
        looks, tie = sources.looks[goal], draw.at("tie").uniform(agent=rows[:, None], item=rows)
        names = (access.HIDDEN, *stage.config.traces)
        self.arms = Arms(stage, {name: AccessArm(name, people, goal, looks, tie) for name in names})
        if stage.restored is None:
            words = [self.words[n] for n in goal.tolist()]
            stage.columns("goals", {"member": rows, "goal": goal, "words": words})
            stage.columns("sources", {"name": sources.names})

    async def live(self, arm: AccessArm, lane: Lane) -> None:
        """Let a round pass in one arm."""
        stage, config, draw = self.stage, self.stage.config, self.stage.draw("coordination_emergent")
        choice, free = config.choice, np.arange(len(arm.goal) - config.planted)
        recalled = arm.recall(np.arange(len(arm.goal)), stage.step, draw.at("recall"))
        value, social = arm.expect(recalled), access.relative(arm.others(config.watched))
        busy = np.tile(arm.busy, (len(free), 1))
        columns = {"value": value[free], "social": social[free], "busy": busy}

        def see(n: int) -> Mapping[str, Any]:
            known = arm.acquaintances(np.array([n]), config.watched)[0] if arm.sees == access.NAMES else ()
            people = {self.people.name(int(one)): int(one) for one in known}
            told = arm.describe_sources(self.sources, n, recalled, people)
            goal = self.words[arm.goal[n]]
            return {"goal": goal, "requests": choice.requests, "known": tuple(people), "sources": told}

        asked = await lane.ask_crowd(AskSources, arm.users, columns, see, rows=free, behaviour=choice)
        planted = choice.act_in_concert(arm.busy, config.planted, draw.at("concert"))
        source = np.concatenate([asked["asks"] - 1, planted])
        places = math.ceil(config.capacity * source.size / len(arm.busy))
        granted = grant_access(source, np.full(len(arm.busy), places), draw.at("queue"))
        answer = np.where(granted, self.sources.answer(arm.goal, source, draw.at("answer")), access.DENIED)
        agent, request = np.nonzero(source >= 0)
        done = {"source": source[agent, request], "answer": answer[agent, request]}
        lane.act_all(Requested, agent, arm=arm.sees, **done)
        lane.row("capacity", step=lane.step, arm=arm.sees, places=places)
        arm.learn(source, answer, config.half_life, stage.step)
