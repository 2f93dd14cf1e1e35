"""Experiment on visits: an A/B test of recommenders, with reviews, exposure and re-training as options."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from functools import partial

import numpy as np

from openiir.kit.items import Ratings
from openiir.plugin import Agent, Lane, Stage, Step, int_sum
from openiir.scenarios.recommender.behaviour.systems import (
    FittedSystem,
    SystemUnderTest,
    barred_items,
    systems_under_test,
)
from openiir.scenarios.recommender.behaviour.visitor import Visitor, VisitState
from openiir.scenarios.recommender.config import (
    FIRST,
    LIKED,
    WARM_UP,
    RecommenderConfig,
    RecommenderSystemSpec,
)
from openiir.scenarios.recommender.model.topn import top_n
from openiir.scenarios.recommender.run.actions import OfflineListMeasures
from openiir.scenarios.recommender.run.experiments import battery, judging
from openiir.scenarios.recommender.run.setup import StudyContext
from openiir.scenarios.recommender.run.visit import Visit


async def visits(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: every visitor visits every system.

    Each visit has the same noise and its own memory.
    """
    if stage.config.visitors.memory == "sim":
        await _first_visits(stage, study)
        yield Step("first visits")
    systems = _build_systems(stage, study, stage.config.systems)
    _fit_and_prepare(stage, study, systems.values(), study.split.train)
    _note_offline(stage, study, systems)
    if stage.config.battery.pages:
        battery.name_genres(stage, study)
    open_ = {
        f"{s.name}/{v.persona.id}": _open_visit(stage, s, v, study)
        for s in systems.values()
        for v in study.visitors
    }
    for until in pause_pages(stage.config):
        await stage.lanes({name: partial(_continue_visit, visit, until) for name, visit in open_.items()})
        if until in stage.config.battery.pages:
            await battery.rate(stage, study, open_, until)
        if until in _retraining_pages(stage.config) and not all(visit.over for visit in open_.values()):
            for system in systems.values():
                own = [visit for visit in open_.values() if visit.system is system]
                _fit_and_prepare(stage, study, [system], _with_new_ratings(study.split.train, own))
        yield Step(f"up to page {until}")
    if stage.config.judge.visits:
        await judging.judge(stage, open_, study.visit_context.noun)
        yield Step("judged")


def most_steps_of_visits(config: RecommenderConfig) -> int:
    """Return the number of steps of this experiment."""
    return (config.visitors.memory == "sim") + len(pause_pages(config)) + bool(config.judge.visits)


def pause_pages(config: RecommenderConfig) -> list[int]:
    """List the pages after which all visits pause: before a battery or re-training, and at the end."""
    return sorted({*_retraining_pages(config), *config.battery.pages, config.page.most})


async def _first_visits(stage: Stage, study: StudyContext) -> None:
    """Fill memories with a visit to the `warm_up` system, which never shows held-out items."""
    spec = RecommenderSystemSpec(name=WARM_UP, by=stage.config.visitors.warm_up)
    system = _build_systems(stage, study, [spec])[WARM_UP]
    system.fit(study.split.train)
    most = stage.config.visitors.warm_up_pages
    system.prepare(study.users, study.known + study.split.test.seen, most * stage.config.page.items)
    first = {f"{WARM_UP}/{v.persona.id}": _open_visit(stage, system, v, study) for v in study.visitors}
    await stage.lanes({name: partial(_continue_visit, visit, most) for name, visit in first.items()})
    for visitor, visit in zip(study.visitors, first.values(), strict=True):
        visitor.memory, visitor.graph = visit.state.memory, visit.state.graph


def _open_visit(stage: Stage, system: SystemUnderTest, visitor: Visitor, study: StudyContext) -> Visit:
    agent = Agent.of(visitor.persona)
    draw = stage.draw("recommender.page", agent=visitor.persona.id, step=0)
    return Visit(system, agent, VisitState(study.visit_context, visitor, draw))


async def _continue_visit(visit: Visit, until: int, lane: Lane) -> None:
    """Continue a visit up to a page; if it ends, hold the exit interview and log it."""
    if visit.over:
        return
    await visit.browse_until(lane, until)
    if visit.left:
        await visit.ask_interview(lane)
        _log_visit(lane, visit)
        visit.over = True


def _log_visit(lane: Lane, visit: Visit) -> None:
    views = list(visit.record.views.values())
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
        pages=len(visit.record.pages),
        gone=visit.record.gone,
        shown=len(views),
        watched=len(ratings),
        likes=int_sum(rating >= LIKED for rating in ratings),
        rating_sum=int_sum(ratings),
        satisfaction=visit.interview or 0,
        failures=visit.failures,
        left=visit.left,
    )


def _build_systems(
    stage: Stage, study: StudyContext, specs: Sequence[RecommenderSystemSpec]
) -> dict[str, SystemUnderTest]:
    never = barred_items(study.split.train, study.data.collection, stage.config.page.only)
    return systems_under_test(
        specs, study.data.collection, study.ids, never, stage.answering.seed, study.folder
    )


def _fit_and_prepare(
    stage: Stage, study: StudyContext, systems: Collection[SystemUnderTest], train: Ratings
) -> None:
    """Fit the systems, and prepare the lists of each visitor."""
    page = stage.config.page
    again = 2 if stage.config.retrain_every else 1
    for system in systems:
        system.fit(train)
        system.prepare(study.users, study.known, min(max(FIRST, again * page.most * page.items), train.items))


def _retraining_pages(config: RecommenderConfig) -> range:
    """List the pages after which systems are fitted again: every `retrain_every`, except the last."""
    most = config.page.most
    every = config.retrain_every or most
    return range(every, most, every)


def _with_new_ratings(train: Ratings, visits: Collection[Visit]) -> Ratings:
    """Add the ratings of these visits, all to the same system, to the training ratings."""
    new = [
        (v.state.visitor.user, item, view.rating)
        for v in visits
        for item, view in v.record.views.items()
        if view.rating is not None
    ]
    user, item, stars = np.array(new, dtype=np.int64).reshape(-1, 3).T
    low, high, _ = train.scale
    return train.with_rows(user, item, low + (stars - 1) / 4 * (high - low))


def _note_offline(stage: Stage, study: StudyContext, systems: Mapping[str, SystemUnderTest]) -> None:
    """Log the offline measures of each fitted system, for comparison with the visits."""
    held_out = study.split.test.seen[study.users]
    for name, system in systems.items():
        if isinstance(system, FittedSystem):
            averages = top_n(system.top_items(study.users, FIRST), held_out).averages()
            measures = {
                key: mean.measure("no visitor has held-out items").as_json() for key, mean in averages.items()
            }
            stage.act(None, OfflineListMeasures(system=name, at=FIRST, measures=measures))
