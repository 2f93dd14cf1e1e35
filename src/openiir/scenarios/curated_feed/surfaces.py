"""Views of a run: feeds side by side, week by week, topic by topic, and as ranked lists."""

from collections.abc import Iterator, Mapping

import numpy as np

from openiir.kit import measures
from openiir.plugin import Column, Log, Series, Surface, Table, order_by
from openiir.scenarios.curated_feed.answerers import group_by_answerer
from openiir.scenarios.curated_feed.interviewing import INTERVIEW
from openiir.scenarios.curated_feed.model.feeds.aggregates import Aggregates, Tables
from openiir.scenarios.curated_feed.model.feeds.rules import MAIN, NO_FEED
from openiir.scenarios.curated_feed.model.feeds.slate_log import kept_users, ranking

FEED_MEASURES = {
    "opinion variance": "how far the users' opinions lie apart at the end",
    "click rate": "share of the shown items that were clicked, over all weeks",
    "oracle tau": "Kendall's tau between the ranker's order of items and that by users' true opinions; 1 for a ranker that sees them",
    "entropy per user": "how evenly what a user was shown is spread over the topics; 1 is evenly",
    "item Gini": "how unequally exposure is spread over the items, over all weeks; 0 is equally",
    "drift": "mean distance of users at the end from where they began",
}
"""Columns of the comparison of feeds with what they mean."""


def feeds(log: Log) -> Table:
    """Tabulate measures of each feed up to the last week, also separately by answerer."""
    columns = ("feed", *(Column(name=name, help=help) for name, help in FEED_MEASURES.items()))
    tables = Tables(log)
    rows = [row for feed in tables.feeds for row in _rows(Aggregates(tables, feed))]
    return Table(columns=columns, rows=tuple(rows))


def _rows(sums: Aggregates) -> Iterator[tuple[str | float | None, ...]]:
    yield (whole := _row(sums))
    for answerer, group in group_by_answerer(sums).items():
        variance, clicks, drift = (
            _round(one.value) for one in (group.variance, group.click_rate, group.drift)
        )
        yield f"{whole[0]}, answered by {answerer}", variance, clicks, None, None, None, drift


def _row(sums: Aggregates) -> tuple[str | float | None, ...]:
    name = _name(sums)
    variance = _variance(sums)
    drift = round(float(sums.last("drift_sum")) / sums.users, 4)
    if sums.feed == NO_FEED:
        return (name, variance, None, None, None, None, drift)
    shown, audited, entropic = sums.total("shown"), sums.total("tau_count"), float(sums.last("entropy_users"))
    return (
        name,
        variance,
        round(sums.total("clicks") / shown, 4) if shown else None,
        round(sums.total("tau_sum") / audited, 4) if audited else None,
        round(float(sums.last("entropy_sum")) / entropic, 4) if entropic else None,
        round(measures.gini(sums.item_shown), 4) if shown else None,
        drift,
    )


def _name(sums: Aggregates) -> str:
    """Name a feed for readers: the one under study by its ranker, too."""
    if sums.feed == MAIN:
        return f"{MAIN} ({sums.last('ranker')})"
    return "no feed" if sums.feed == NO_FEED else sums.feed


def _variance(sums: Aggregates) -> float:
    return round(measures.opinion_variance(sums.topics["belief_sum"], np.diag(sums.products), sums.users), 4)


def variance(log: Log) -> Series:
    """Return the opinion variance of each feed's users at the end of each week."""
    tables = Tables(log)
    lines = {
        _name(sums): {
            int(week): _variance(Aggregates(tables, feed, int(week))) for week in sums.weeks["week"]
        }
        for feed in tables.feeds
        for sums in [Aggregates(tables, feed)]
    }
    return _weekly("opinion variance", lines)


def clicks(log: Log) -> Series:
    """Return the click rate of each feed in each week; weeks in which nothing was shown are left out."""
    tables, lines = Tables(log), {}
    for feed in tables.feeds:
        sums = Aggregates(tables, feed)
        rows = zip(sums.weeks["week"], sums.weeks["clicks"], sums.weeks["shown"], strict=True)
        lines[_name(sums)] = {int(week): round(float(n / shown), 4) for week, n, shown in rows if shown}
    return _weekly("click rate", {feed: line for feed, line in lines.items() if line})


def _weekly(unit: str, lines: Mapping[str, Mapping[int, float]]) -> Series:
    """Build a series with a line for each feed and a value for each week, scaled from 0 to the highest value."""
    highest = max((value for line in lines.values() for value in line.values()), default=0.0)
    points = {feed: tuple(line.items()) for feed, line in lines.items()}
    return Series(unit=unit, low=0.0, high=highest, lines=points)


def topics(log: Log) -> Table:
    """Tabulate the share of exposure and the mean belief by topic, for each feed."""
    tables = Tables(log)
    found = [Aggregates(tables, feed) for feed in tables.feeds]
    shown = [sums for sums in found if sums.feed != NO_FEED]
    columns = (
        "topic",
        "name",
        "catalogue",
        *(f"{_name(s)}: exposure" for s in shown),
        *(f"{_name(s)}: belief" for s in found),
    )
    if not found:
        return Table(columns=columns, rows=())
    shares = [
        measures.shares(found[0].topics["catalogue"]),
        *(measures.shares(s.topics["exposure"]) for s in shown),
    ]
    beliefs = [sums.topics["belief_sum"] / sums.users for sums in found]
    rows = (
        (
            named["topic"],
            named["name"],
            *(_round(column[named["topic"] - 1]) for column in (*shares, *beliefs)),
        )
        for named in log.table("taxonomy")
    )
    return Table(columns=columns, rows=tuple(rows))


def list_slates(log: Log, agent: str | None = None) -> Table:
    """List what the kept users of the feed under study were shown, from the top, and what they opened."""
    names = ("feed", "user", "week", "session", "position", "item", "topic", "click")
    columns = (Column(name="user", kind="agent"), "week", "session", "slot", "item", "topic", "opened")
    rows = log.columns("impressions", names)
    if not rows:
        return Table(columns=columns, rows=())
    mine = rows["feed"] == MAIN
    if agent is not None:
        mine &= rows["user"] == log.members.row(agent)
    order = order_by(rows["user"][mine], rows["session"][mine], rows["position"][mine])
    user, week, session, position, item, topic, click = (
        rows[name][mine][order].tolist() for name in names[1:]
    )
    ids, about = log.columns("catalogue", ("id",))["id"], [row["name"] for row in log.table("taxonomy")]
    name = log.members.id
    return Table(
        columns=columns,
        rows=tuple(
            (name(u), w, s + 1, p, ids[i], about[t - 1], "yes" if c else "")
            for u, w, s, p, i, t, c in zip(user, week, session, position, item, topic, click, strict=True)
        ),
    )


def _round(number: float) -> float | None:
    return None if np.isnan(number) else round(float(number), 4)


def _has_weeks(log: Log) -> bool | str:
    return bool(log.parts("weeks")) or "no week has ended yet"


def _has_impressions(log: Log) -> bool | str:
    return bool(log.parts("impressions")) or (
        "would show what was on users' pages, and this run kept no impressions; "
        "openiir run curated_feed --set config.kept=1.0 fills it"
    )


def _has_clicks(log: Log) -> bool | str:
    shown = log.columns("weeks", ("shown",)).get("shown", np.zeros(0))
    return bool(shown.any()) or "nothing was shown to anybody yet"


SURFACES = (
    Surface(
        "feeds",
        "table",
        "Feeds compared",
        feeds,
        help="Each feed after the last week: where opinions stand, and clicks and exposure over all weeks.",
        shows=_has_weeks,
    ),
    Surface(
        "variance",
        "series",
        "Opinion variance by week",
        variance,
        help="How far users' opinions lie apart at the end of each week, in this one run; `no feed` stays where all began.",
        shows=_has_weeks,
    ),
    Surface(
        "clicks",
        "series",
        "Click rate by week",
        clicks,
        help="Share of shown items that were clicked in each week.",
        shows=_has_clicks,
    ),
    Surface(
        "topics",
        "table",
        "Exposure and belief by topic",
        topics,
        help="Share of the catalogue and of what was shown by topic, and the users' mean belief.",
        shows=_has_weeks,
    ),
    Surface(
        "shown",
        "table",
        "What users were shown",
        list_slates,
        per_agent=True,
        agents=kept_users,
        help="Pages of the feed under study for the users whose impressions are kept, from the top, and what they opened.",
        shows=_has_impressions,
    ),
    Surface(
        "feed",
        "ranking",
        "Items shown, as a TREC run",
        ranking,
        per_agent=True,
        agents=kept_users,
        help="All items a user was shown, in the order in which each first came; scores count down that order.",
        group="data",
        shows=_has_impressions,
    ),
    INTERVIEW,
)
