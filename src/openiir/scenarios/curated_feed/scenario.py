"""The curated_feed type: users scroll feeds week by week, under the study's ranker and its controls."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from openiir.kit.rankers import RETRIEVAL, check_name
from openiir.plugin import (
    Action,
    Draw,
    InputError,
    Interview,
    Lane,
    Log,
    Measure,
    Persona,
    Population,
    Record,
    Scenario,
    Stage,
    Step,
    Surface,
)
from openiir.scenarios.curated_feed.auditing import ACTS_WITH, AUDITED, REFERENCE
from openiir.scenarios.curated_feed.checkpoint import checkpoint_arrays, restore_checkpoint
from openiir.scenarios.curated_feed.config import CuratedFeedConfig
from openiir.scenarios.curated_feed.definitions import DEFINITIONS
from openiir.scenarios.curated_feed.members import Cast
from openiir.scenarios.curated_feed.metrics import FeedMeasuring, feed_measures
from openiir.scenarios.curated_feed.model.feeds import weekly
from openiir.scenarios.curated_feed.model.feeds.feed_state import FeedState
from openiir.scenarios.curated_feed.model.feeds.impressions import concatenate_columns, impressions
from openiir.scenarios.curated_feed.model.feeds.platform import Platform
from openiir.scenarios.curated_feed.model.feeds.rules import MAIN, NO_FEED, Injection
from openiir.scenarios.curated_feed.setup import (
    USER,
    build_platform,
    check_cast,
    check_catalogue_lasts,
    complete_cast,
    search_world,
)
from openiir.scenarios.curated_feed.surfaces import SURFACES


class CuratedFeed(Scenario):
    """Users with numeric beliefs scroll a ranked feed, week by week, and their beliefs move with what they read."""

    name = "curated_feed"
    definitions = DEFINITIONS
    Config = CuratedFeedConfig
    structural = frozenset(
        {
            "users",
            "topics",
            "queries",
            "spread",
            "weeks",
            "slots",
            "items",
            "beside",
            "kept",
            "promoted",
            "evaluate",
        }
    )
    events: ClassVar[Mapping[str, type[Record]]] = {"inject": Injection}
    Measuring = FeedMeasuring
    remembers = True
    audited = AUDITED
    acts_with = ACTS_WITH
    reference = REFERENCE

    def actions(self) -> Sequence[type[Action]]:
        return ()

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        platform = build_platform(stage)
        users = stage.population(stage.config.users, USER)
        names = [MAIN, *stage.config.beside]
        feeds = [
            FeedState(name, name, platform.start.copy(), stage.config.slots, platform.start) for name in names
        ]
        casts = [Cast(stage, platform, users, population) for population in feeds]
        if stage.restored is None:
            weekly.topics(stage, platform)
            weekly.users(stage, platform)
        else:
            restore_checkpoint(stage.restored, stage.log, platform, feeds, casts)
        for week in range(platform.week + 1, stage.config.weeks + 1):
            platform.config = stage.config
            await search_world(stage, platform)
            since = len(platform.shelf.catalogue)
            platform.open_week(week, [event for event in stage.events if isinstance(event, Injection)])
            weekly.arrivals(stage, platform, since)
            feeds[0].ranker = stage.config.ranker
            weeks = {
                p.feed: partial(self._week, stage, platform, users, p, c)
                for p, c in zip(feeds, casts, strict=True)
            }
            await stage.lanes(weeks)
            platform.sessions += stage.config.sessions
            stage.keep(**checkpoint_arrays(platform, feeds, casts))
            yield Step(f"week {week}")

    async def _week(
        self,
        stage: Stage,
        platform: Platform,
        users: Population,
        population: FeedState,
        cast: Cast,
        lane: Lane,
    ) -> None:
        week, config = weekly.WeekSums(), stage.config
        rows: list[Any] = []
        population.grow(len(platform.shelf.catalogue))
        await cast.survey(lane, cast.open_week(lane), platform.week - 1)
        for n in range(config.sessions if population.ranker != NO_FEED else 0):
            session = platform.sessions + n
            tau, audited = weekly.audit(platform, population, session)
            week.tau, week.audited = week.tau + tau, week.audited + audited
            answered = await cast.answers(lane, session)
            work = partial(browse_block, platform, population, session, population.usual(), answered)
            done = users.crowd.each(work)
            items, clicks = [d[0] for d in done], [d[1] for d in done]
            population.count(items, clicks)
            week.add(items, clicks)
            cast.count_exposure(items, clicks)
            rows += [d[2] for d in done]
        if rows:
            lane.columns("impressions", concatenate_columns([logged for logged, _ in rows]))
            lane.columns("oracle", concatenate_columns([oracle for _, oracle in rows]))
        await cast.survey(lane, population.stated.tolist(), platform.week)
        week.write(lane, platform, population)
        cast.write(lane)

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return feed_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        beside = [name for name in config.beside if name != NO_FEED]
        for key, names in (("ranker", [config.ranker]), ("beside", beside), ("evaluate", config.evaluate)):
            for name in names:
                check_name(name, f"config.{key}")
        topics, items = config.declared_topics, config.items
        if items.source == "synthetic":
            check_catalogue_lasts(config, items.per_week * config.weeks, items.per_week)
        if RETRIEVAL in config.rankers and items.source != "world":
            raise InputError(
                f"the ranker {RETRIEVAL!r} searches documents, but config.items.source = {items.source!r}; "
                'set config.items.source = "world", and name documents in [world]'
            )
        for topic in topics or ():
            if items.source == "world" and not topic.stems():
                raise InputError(f"config.topics: {topic.name!r} has no word to find it by; give it keywords")
        check_cast(config, personas)

    def planned_steps(self, config: Any) -> Sequence[str]:
        return [f"week {week}" for week in range(1, config.weeks + 1)]

    def check_events(
        self, config: Any, events: Sequence[tuple[int, Record]], personas: Sequence[Persona]
    ) -> None:
        for step, event in events:
            if isinstance(event, Injection) and event.topic > config.k:
                raise InputError(
                    f"inject in week {step}: topic = {event.topic} of {config.k} topics; they are numbered from 1"
                )

    def worlds_of(self, config: Any) -> Mapping[str, str]:
        return {"main": 'config.items.source = "world"'} if config.items.source == "world" else {}

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        return complete_cast(config, personas, Draw(seed, "curated_feed", step=0))


def browse_block(
    platform: Platform,
    population: FeedState,
    session: int,
    usual: Any,
    answered: Any,
    block: slice,
) -> tuple[Any, Any, Any]:
    """Simulate a session of a block of users; returns their slates, their clicks, and the rows to log."""
    offer = platform.offer(population, block, session)
    before = population.belief[block][platform.kept[block]]
    answers = answered[block] if answered is not None and block.start < len(answered) else None
    browsed = platform.browse(population, offer, answers, usual)
    logged = impressions(platform, population, offer, browsed, before)
    return offer.slates.items, browsed.clicks, logged
