"""Visits to recommenders: the A/B test, with what can be varied about it (reviews, exposure, re-training)."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from functools import partial

import numpy as np

from openiir.kit.items import Ratings
from openiir.kit.measures.topn import top_n
from openiir.plugin import Agent, Lane, Stage, Step, int_sum
from openiir.scenarios.recommender.actions import RatedOffline
from openiir.scenarios.recommender.config import FIRST, LIKED, WARM_UP, SystemSpec
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.serving import Fitted, System, barred, systems_under_test
from openiir.scenarios.recommender.tasks import battery, judging
from openiir.scenarios.recommender.visit import Visit
from openiir.scenarios.recommender.visitor import Mind, Visitor


async def visits(stage: Stage, ground: Ground) -> AsyncIterator[Step]:
    """Every visitor goes to every system, each visit under the same noise and with a memory of its own."""
    if stage.config.visitors.memory == "sim":
        await _first_visits(stage, ground)
        yield Step("first visits")
    systems = _made(stage, ground, stage.config.systems)
    _ready(stage, ground, systems.values(), ground.split.train)
    _note_offline(stage, ground, systems)
    if stage.config.battery.pages:
        battery.name_genres(stage, ground)
    open_ = {
        f"{s.name}/{v.persona.id}": _visit(stage, s, v, ground)
        for s in systems.values()
        for v in ground.visitors
    }
    for until in boundaries(stage):
        await stage.lanes({name: partial(_go_on, visit, until) for name, visit in open_.items()})
        if until in stage.config.battery.pages:
            await battery.rate(stage, ground, open_, until)
        if _retrains(stage, until) and not all(visit.over for visit in open_.values()):
            for system in systems.values():
                own = [visit for visit in open_.values() if visit.system is system]
                _ready(stage, ground, [system], _with_new(ground.split.train, own))
        yield Step(f"up to page {until}")
    if stage.config.judge.visits:
        await judging.judge(stage, open_, ground.common.noun)
        yield Step("judged")


def boundaries(stage: Stage) -> list[int]:
    """Pages after which all visits pause: the last one, and those with something to do in between."""
    config = stage.config
    every = config.retrain_every
    pauses = set(range(every, config.page.most, every)) if every else set()
    return sorted({*pauses, *(page for page in config.battery.pages), config.page.most})


async def _first_visits(stage: Stage, ground: Ground) -> None:
    """Fill memories with a visit to one system, on which nothing that is held out is ever shown."""
    spec = SystemSpec(name=WARM_UP, by=stage.config.visitors.warm_up)
    system = _made(stage, ground, [spec])[WARM_UP]
    system.fit(ground.split.train)
    most = stage.config.visitors.warm_up_pages
    system.prepare(ground.users, ground.known_or_held_out, most * stage.config.page.items)
    first = {f"{WARM_UP}/{v.persona.id}": _visit(stage, system, v, ground) for v in ground.visitors}
    await stage.lanes({name: partial(_go_on, visit, most) for name, visit in first.items()})
    for visitor, visit in zip(ground.visitors, first.values(), strict=True):
        visitor.memory, visitor.graph = visit.mind.memory, visit.mind.graph


def _visit(stage: Stage, system: System, visitor: Visitor, ground: Ground) -> Visit:
    agent = Agent.of(visitor.persona)
    draw = stage.draw("recommender.page", agent=visitor.persona.id, step=0)
    return Visit(system, agent, Mind(ground.common, visitor, draw))


async def _go_on(visit: Visit, until: int, lane: Lane) -> None:
    """A visit's part of a step: pages, and when it ends the interview and what is logged of it."""
    if visit.over:
        return
    await visit.live(lane, until)
    if visit.left:
        await visit.close(lane)
        _write(lane, visit)
        visit.over = True


def _write(lane: Lane, visit: Visit) -> None:
    views = list(visit.views.values())
    who = visit.agent.id
    if views:
        lane.columns(
            "views",
            {
                "system": visit.system.name,
                "visitor": who,
                "page": np.array([v.page for v in views]),
                "position": np.array([v.position for v in views]),
                "item": [v.shown.by.item for v in views],
                "rating": np.array([v.rating or 0 for v in views]),
                "expected": np.array([v.shown.by.expected for v in views]),
                "pull": np.array([v.shown.by.pull for v in views]),
                "opened": np.array([v.opened for v in views]),
            },
        )
    ratings = [v.rating for v in views if v.rating is not None]
    lane.row(
        "visits",
        system=visit.system.name,
        visitor=who,
        pages=len(visit.pages),
        gone=visit.gone,
        shown=len(views),
        watched=len(ratings),
        likes=int_sum(rating >= LIKED for rating in ratings),
        rating_sum=int_sum(ratings),
        satisfaction=visit.interview or 0,
        failures=visit.failures,
        left=visit.left,
    )


def _made(stage: Stage, ground: Ground, specs: Sequence[SystemSpec]) -> dict[str, System]:
    never = barred(ground.split.train, ground.data.collection, stage.config.page.only)
    return systems_under_test(
        specs, ground.data.collection, ground.ids, never, stage.answering.seed, ground.folder
    )


def _ready(stage: Stage, ground: Ground, systems: Collection[System], train: Ratings) -> None:
    """Fit the systems, and have ready what each visitor may be shown."""
    page = stage.config.page
    again = 2 if stage.config.retrain_every else 1
    for system in systems:
        system.fit(train)
        system.prepare(
            ground.users, ground.known, min(max(FIRST, again * page.most * page.items), train.items)
        )


def _retrains(stage: Stage, until: int) -> bool:
    every = stage.config.retrain_every
    return bool(every) and until % every == 0 and until < stage.config.page.most


def _with_new(train: Ratings, visits: Collection[Visit]) -> Ratings:
    """The training ratings with what these visitors have rated since; no system learns from visits to another."""
    new = [
        (v.mind.visitor.user, item, view.rating)
        for v in visits
        for item, view in v.views.items()
        if view.rating is not None
    ]
    user, item, stars = np.array(new, dtype=np.int64).reshape(-1, 3).T
    low, high, _ = train.scale
    return train.extended(user, item, low + (stars - 1) / 4 * (high - low))


def _note_offline(stage: Stage, ground: Ground, systems: Mapping[str, System]) -> None:
    """Keep what the held-out ratings say of each system, for the comparison with what visitors say."""
    held_out = ground.split.test.seen[ground.users]
    for name, system in systems.items():
        if isinstance(system, Fitted):
            averages = top_n(system.listed(ground.users, FIRST), held_out).averages()
            measures = {
                key: mean.measure("no visitor has held-out items").as_json() for key, mean in averages.items()
            }
            stage.act(None, RatedOffline(system=name, at=FIRST, measures=measures))
