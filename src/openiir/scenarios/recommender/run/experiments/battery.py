"""Batteries: ratings of random items during visits, which show how exposure changes taste."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from openiir.plugin import Lane, Stage, order_by
from openiir.scenarios.recommender.run.actions import BatteryFailed
from openiir.scenarios.recommender.run.experiments.rating import rate_items
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.scenarios.recommender.run.visit import Visit


def log_item_genres(stage: Stage, study: StudyContext) -> None:
    """Log each item's genres, so that ratings can be grouped by genre."""
    of = study.data.collection
    stage.columns(
        "genres", {"item": list(of.ids), "genres": ["|".join(of.values("genre", n)) for n in range(len(of))]}
    )


async def rate_battery(stage: Stage, study: StudyContext, visits: Mapping[str, Visit], page: int) -> None:
    """Ask every visitor to rate random items, the same in each battery.

    Ratings depend on the present state of the visit.
    """
    every, draw = np.arange(len(study.data.collection)), stage.draw("recommender.battery", step=0)
    lives = {}
    for name, visit in visits.items():
        keys = draw.bits(agent=visit.agent.id, item=every)
        items = np.sort(order_by(keys)[: stage.config.battery.items]).tolist()
        lives[name] = partial(_rate_items, visit, items, page)
    await stage.lanes(lives)


async def _rate_items(visit: Visit, items: list[int], page: int, lane: Lane) -> None:
    ids = visit.state.context.collection.ids
    rows: list[tuple[str, int, float]] = []
    async for batch, expected, stars in rate_items(lane, visit.agent, visit.state, items):
        if stars:
            rows += zip((ids[item] for item in batch), stars, expected, strict=True)
    if rows:
        asked, ratings, expectations = zip(*rows, strict=True)
        lane.columns(
            "battery",
            {
                "system": visit.system.name,
                "visitor": visit.agent.id,
                "page": np.full(len(rows), page),
                "item": asked,
                "rating": np.array(ratings),
                "expected": np.array(expectations),
            },
        )
    if failed := len(items) - len(rows):
        lane.act(visit.agent, BatteryFailed(system=visit.system.name, page=page, items=failed))
