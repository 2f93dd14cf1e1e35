"""Thumbnails: which picture of the same item makes more people click (SimUSER, appendix F.6)."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from openiir.plugin import Agent, Lane, Stage, Step
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.questions.browse import MOST, Browse
from openiir.scenarios.recommender.tasks.posters import Posters, posters
from openiir.scenarios.recommender.visitor import Mind, Visitor


async def thumbnails(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """Every visitor decides on every item once a variant of its picture, under the same noise."""
    shown = await posters(stage, ground)
    yield Step("pictures put into words")
    await stage.lanes({v.persona.id: partial(_look, stage, ground, v, shown) for v in ground.visitors})
    yield Step("looked at")


async def _look(stage: Stage, ground: Ground, visitor: Visitor, pictures: Mapping[str, Posters], lane: Lane) -> None:
    agent, mind = Agent.of(visitor.persona), Mind(ground.common, visitor, stage.draw("recommender.page", step=0))
    for variant, made in pictures.items():
        for start in range(0, len(made.items), MOST):
            batch = made.items[start : start + MOST]
            looks = [
                replace(look, caption=made.captions[start + n], appeal=made.appeal[start + n])
                for n, look in enumerate(mind.shown(batch))
            ]
            question = Browse(
                ground.common.noun, start // MOST + 1, tuple(looks), visitor.temper, ground.common.scales
            )
            reply = await lane.ask(agent, question)
            if reply is not None:
                verdicts = sorted(reply.verdicts, key=lambda v: v.number)
                lane.columns(
                    "clicked",
                    {
                        "variant": variant,
                        "visitor": agent.id,
                        "item": [look.item for look in looks],
                        "click": np.array([v.watch == "yes" for v in verdicts]),
                    },
                )
