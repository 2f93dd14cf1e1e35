"""Experiment on visits: an A/B test of recommenders, with reviews, exposure and re-training as options."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from openiir.kit.items import Ratings
from openiir.plugin import Agent, Lane, Stage, Step, int_sum, order_by
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
from openiir.scenarios.recommender.questions.judge import JudgedPage, JudgedTitle, VisitJudge
from openiir.scenarios.recommender.run.actions import BatteryFailed, OfflineListMeasures, VisitJudged
from openiir.scenarios.recommender.run.experiments.rating import rate_items
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.scenarios.recommender.run.visit import Visit


async def run_visits(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment: every visitor visits every system.

    Each visit has the same noise and its own memory.
    """
    if stage.config.visitors.memory == "sim":
        await _first_visits(stage, study)
        yield Step(FIRST_VISITS)
    arms = VisitedSystems(stage, study)
    _note_offline(stage, study, arms.systems)
    genres_named, reached = False, -1
    while reached < stage.config.page.most or not all(visit.left for visit in arms.visits.values()):
        arms.adapt()
        config = stage.config
        reached = min((page for page in list_pause_pages(config) if page > reached), default=reached)
        # Genres are logged before the first page where batteries are known of then.
        if config.battery.pages and config.battery.items and not genres_named:
            _log_item_genres(stage, study)
            genres_named = True
        continued = {name: partial(_continue_visit, visit, reached) for name, visit in arms.visits.items()}
        await stage.lanes(continued)
        if reached in config.battery.pages and config.battery.items:
            await _rate_battery(stage, study, arms.visits, reached)
        if reached in _retraining_pages(config) and not all(v.left for v in arms.visits.values()):
            arms.retrain()
        yield Step(_pause_label(reached))
    if stage.config.judge.visits:
        await _grade_visits(stage, arms.visits, study.visit_context.noun)
        yield Step(JUDGED)


FIRST_VISITS, JUDGED = "first visits", "judged"
"""Labels of the steps before and after those of the visits."""
JUDGE = "judge"
"""Role that grades how human visits look (SimUSER, table 4)."""


def _pause_label(page: int) -> str:
    return f"up to page {page}"


def label_visits(config: RecommenderConfig) -> list[str]:
    """List the labels of this experiment's steps."""
    first = [FIRST_VISITS] if config.visitors.memory == "sim" else []
    judged = [JUDGED] if config.judge.visits else []
    return [*first, *map(_pause_label, list_pause_pages(config)), *judged]


def list_pause_pages(config: RecommenderConfig) -> list[int]:
    """List page counts at which all visits pause: for a rating battery, re-training, or the end."""
    return sorted({*_retraining_pages(config), *config.battery.pages, config.page.most})


class VisitedSystems:
    """The systems under test with their visits, kept in step with changes of the configuration."""

    def __init__(self, stage: Stage, study: StudyContext) -> None:
        self.stage, self.study = stage, study
        self.config = stage.config
        """The configuration that the systems follow."""
        self.systems = _build_systems(stage, study, self.config.systems)
        for system in self.systems.values():
            system.fit(study.split.train)
        self._prepare()
        self.visits = {
            f"{system.name}/{visitor.persona.id}": _open_visit(system, visitor, study)
            for system in self.systems.values()
            for visitor in study.visitors
        }

    def adapt(self) -> None:
        """Apply a scheduled `[[change]]`: fit changed systems, and continue visits under the new rules."""
        config, before = self.stage.config, self.config
        if config == before:
            return
        self.config, former = config, self.systems
        self.systems = _build_systems(self.stage, self.study, config.systems)
        for spec, was in zip(config.systems, before.systems, strict=True):
            system, old = self.systems[spec.name], former[spec.name]
            if spec == was and isinstance(system, FittedSystem) and isinstance(old, FittedSystem):
                system.recommender = old.recommender
            else:
                system.fit(self._ratings(spec.name) if config.retrain_every else self.study.split.train)
        self._prepare()
        for visit in self.visits.values():
            visit.system = self.systems[visit.system.name]
            visit.state.context = self.study.visit_context
            visit.agent.persona = visit.state.visitor.persona

    def retrain(self) -> None:
        """Refit each system, adding the ratings from the visits to it."""
        for name, system in self.systems.items():
            system.fit(self._ratings(name))
        self._prepare()

    def _ratings(self, name: str) -> Ratings:
        """Add the ratings of the visits to a system to the training ratings."""
        train = self.study.split.train
        new = [
            (visit.state.visitor.user, item, view.rating)
            for visit in self.visits.values()
            for item, view in visit.record.views.items()
            if visit.system.name == name and view.rating is not None
        ]
        user, item, stars = np.array(new, dtype=np.int64).reshape(-1, 3).T
        low, high, _ = train.scale
        return train.with_rows(user, item, low + (stars - 1) / 4 * (high - low))

    def _prepare(self) -> None:
        """Prepare the lists of each visitor."""
        study, page = self.study, self.config.page
        again = 2 if self.config.retrain_every else 1
        most = min(max(FIRST, again * page.most * page.items), study.split.train.items)
        for system in self.systems.values():
            system.prepare(study.users, study.known, most)


async def _first_visits(stage: Stage, study: StudyContext) -> None:
    """Fill memories with a visit to the `warm_up` system, which never shows held-out items."""
    spec = RecommenderSystemSpec(name=WARM_UP, by=stage.config.visitors.warm_up)
    system = _build_systems(stage, study, [spec])[WARM_UP]
    system.fit(study.split.train)
    most = stage.config.visitors.warm_up_pages
    system.prepare(study.users, study.known + study.split.test.seen, most * stage.config.page.items)
    first = {f"{WARM_UP}/{v.persona.id}": _open_visit(system, v, study) for v in study.visitors}
    await stage.lanes({name: partial(_continue_visit, visit, most) for name, visit in first.items()})
    for visitor, visit in zip(study.visitors, first.values(), strict=True):
        visitor.memory, visitor.graph = visit.state.memory, visit.state.graph


def _open_visit(system: SystemUnderTest, visitor: Visitor, study: StudyContext) -> Visit:
    return Visit(system, Agent.of(visitor.persona), VisitState(study.visit_context, visitor))


async def _continue_visit(visit: Visit, until: int, lane: Lane) -> None:
    """Continue a visit up to a page; if it ends, hold the exit interview and log it."""
    if visit.left:
        return
    await visit.browse_until(lane, until)
    if visit.left:
        await visit.ask_interview(lane)
        _log_visit(lane, visit)


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


def _retraining_pages(config: RecommenderConfig) -> range:
    """List the pages after which systems are fitted again: every `retrain_every`, except the last."""
    most = config.page.most
    every = config.retrain_every or most
    return range(every, most, every)


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


def _log_item_genres(stage: Stage, study: StudyContext) -> None:
    """Log each item's genres, so that ratings can be grouped by genre."""
    of = study.data.collection
    stage.columns(
        "genres", {"item": list(of.ids), "genres": ["|".join(of.values("genre", n)) for n in range(len(of))]}
    )


async def _rate_battery(stage: Stage, study: StudyContext, visits: Mapping[str, Visit], page: int) -> None:
    """Ask every visitor to rate random items, the same in each battery.

    Ratings depend on the present state of the visit.
    """
    every, draw = np.arange(len(study.data.collection)), stage.draw("recommender.battery", step=0)
    lives = {}
    for name, visit in visits.items():
        keys = draw.bits(agent=visit.agent.id, item=every)
        items = np.sort(order_by(keys)[: stage.config.battery.items]).tolist()
        lives[name] = partial(_rate_battery_items, visit, items, page)
    await stage.lanes(lives)


async def _rate_battery_items(visit: Visit, items: list[int], page: int, lane: Lane) -> None:
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


async def _grade_visits(stage: Stage, visits: Mapping[str, Visit], noun: str) -> None:
    """Ask a judge to grade `judge.visits` visits of each system, by the same visitors for each."""
    by_system: dict[str, list[Visit]] = {}
    for visit in visits.values():
        by_system.setdefault(visit.system.name, []).append(visit)
    chosen = [visit for own in by_system.values() for visit in own[: stage.config.judge.visits]]
    questions = [
        VisitJudge(noun, tuple(_judged_pages(visit)), f"visit {n}") for n, visit in enumerate(chosen, 1)
    ]
    replies = await stage.ask_all([(JUDGE, question) for question in questions])
    for visit, reply in zip(chosen, replies, strict=True):
        if reply is not None:
            grade = VisitJudged(system=visit.system.name, grade=reply.grade, reason=reply.what_you_see)
            stage.act(visit.agent, grade)


def _judged_pages(visit: Visit) -> Iterator[JudgedPage]:
    for n, page in enumerate(visit.record.pages, 1):
        views = [visit.record.views[item] for item in page if item in visit.record.views]
        taken = tuple(JudgedTitle(v.title, v.rating, v.words) for v in views if v.rating is not None)
        passed = tuple(v.title for v in views if v.rating is None)
        yield JudgedPage(taken, passed, "left" if n == len(visit.record.pages) else "next page")
