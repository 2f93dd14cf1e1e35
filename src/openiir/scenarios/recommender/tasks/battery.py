"""Ratings asked for in the middle of visits, of items drawn for each visitor: how a taste moves (exposure effect)."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from openiir.plugin import Lane, Stage
from openiir.scenarios.recommender.actions import BatteryFailed
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.questions.page import MOST
from openiir.scenarios.recommender.questions.rate import Rate, RateDispositions, RateFacts
from openiir.scenarios.recommender.visit import Visit


def name_genres(stage: Stage, ground: Ground) -> None:
    """Enter each item's genres in the log, once, so that ratings can be told apart by them."""
    of = ground.data.collection
    stage.columns(
        "genres", {"item": list(of.ids), "genres": ["|".join(of.values("genre", n)) for n in range(len(of))]}
    )


async def rate(stage: Stage, ground: Ground, visits: Mapping[str, Visit], page: int) -> None:
    """Have every visitor rate random items, the same ones each time it is asked, in the mind that it has by now."""
    size = min(stage.config.battery.items, len(ground.data.collection))
    draw = stage.draw("recommender.battery", step=0)
    lives = {}
    for name, visit in visits.items():
        keys = draw.bits(agent=visit.agent.id, item=np.arange(len(ground.data.collection)))
        items = np.sort(np.argsort(keys, kind="stable")[:size]).tolist()
        lives[name] = partial(_rated, visit, items, page)
    await stage.lanes(lives)


async def _rated(visit: Visit, items: list[int], page: int, lane: Lane) -> None:
    common = visit.mind.common
    asked: list[str] = []
    ratings: list[int] = []
    expected: list[float] = []
    failed = 0
    for start in range(0, len(items), MOST):
        batch = items[start : start + MOST]
        shown = visit.mind.shown(batch)
        expectations = tuple(look.by.expected for look in shown)
        facts = RateFacts(
            common.noun, tuple(look.facts for look in shown), visit.mind.before(batch, shown)[0]
        )
        question = Rate(facts, RateDispositions(expectations, start // MOST + 1))
        reply = await lane.ask(visit.agent, question)
        if reply is None:
            failed += len(batch)
            continue
        asked += [look.by.item for look in shown]
        ratings += [g.stars for g in sorted(reply.grades, key=lambda g: g.number)]
        expected += expectations
    if asked:
        lane.columns(
            "battery",
            {
                "system": visit.system.name,
                "visitor": visit.agent.id,
                "page": np.full(len(asked), page),
                "item": asked,
                "rating": np.array(ratings),
                "expected": np.array(expected),
            },
        )
    if failed:
        lane.act(visit.agent, BatteryFailed(system=visit.system.name, page=page, items=failed))
