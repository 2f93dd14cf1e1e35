"""One week of one feed: surveys, sessions of browsing block by block, and what they log."""

from functools import partial
from typing import Any

from openiir.plugin import Lane, Population, Stage
from openiir.scenarios.curated_feed.behaviour.feed_state import FeedState
from openiir.scenarios.curated_feed.behaviour.members import FeedCast
from openiir.scenarios.curated_feed.behaviour.platform import Platform
from openiir.scenarios.curated_feed.config import NO_FEED
from openiir.scenarios.curated_feed.run.impressions import concatenate_columns, impressions
from openiir.scenarios.curated_feed.run.tables import WeekSums, compare_with_oracle


async def run_week(stage: Stage, platform: Platform, users: Population, cast: FeedCast, lane: Lane) -> None:
    """Run one week of one feed: surveys, sessions, and the rows that they log."""
    week, config, population = WeekSums(), stage.config, cast.population
    rows: list[Any] = []
    population.grow(len(platform.shelf.catalogue))
    await cast.survey(lane, cast.open_week(lane), platform.week - 1)
    for n in range(config.sessions if population.ranker != NO_FEED else 0):
        session = platform.sessions + n
        tau, audited = compare_with_oracle(platform, population, session)
        week.tau, week.audited = week.tau + tau, week.audited + audited
        answered = await cast.ask_clicks(lane, session)
        work = partial(
            _browse_block, platform, population, session, population.position_click_rates(), answered
        )
        items, clicks, logged = zip(*users.crowd.each(work), strict=True)
        population.count_session(items, clicks)
        week.add(items, clicks)
        cast.count_exposure(items, clicks)
        rows += logged
    if rows:
        lane.columns("impressions", concatenate_columns([logged for logged, _ in rows]))
        lane.columns("oracle", concatenate_columns([oracle for _, oracle in rows]))
    await cast.survey(lane, population.stated.tolist(), platform.week)
    week.write(lane, platform, population)
    cast.log_week(lane)


def _browse_block(
    platform: Platform, population: FeedState, session: int, usual: Any, answered: Any, block: slice
) -> tuple[Any, Any, Any]:
    """Simulate a session of a block of users; returns their slates, their clicks, and the rows to log."""
    offer = platform.offer(population, block, session)
    before = population.belief[block][platform.kept[block]]
    answers = answered[block] if answered is not None and block.start < len(answered) else None
    browsed = platform.browse(population, offer, answers, usual)
    logged = impressions(platform, population, offer, browsed, before)
    return offer.slates.items, browsed.clicks, logged
