"""Views of a run: feeds compared, week by week, topic by topic, and as ranked lists; interviews."""

from collections.abc import Iterator, Mapping
from functools import partial
from math import fsum

import numpy as np

from openiir.kit import measures
from openiir.kit.interviewing import look_back
from openiir.kit.prompting import bullet_lines, count_noun
from openiir.kit.text_tables import add_help, read_texts
from openiir.plugin import Column, EpisodicMemory, Interview, Log, Persona, Series, Surface, Table, order_by
from openiir.scenarios.curated_feed.behaviour.members import HALF_LIFE, SURVEY
from openiir.scenarios.curated_feed.config import MAIN, NO_FEED
from openiir.scenarios.curated_feed.measures.aggregates import Aggregates, CachedTables
from openiir.scenarios.curated_feed.measures.answerers import group_by_answerer
from openiir.scenarios.curated_feed.measures.slate_log import list_logged_users, ranking
from openiir.scenarios.curated_feed.questions import wording
from openiir.scenarios.curated_feed.questions.feed_questions import AfterFeed
from openiir.scenarios.curated_feed.questions.wording import TopicOutcome

FEED_MEASURES = read_texts("""
opinion variance | how far the users' opinions lie apart at the end
click rate | share of the shown items that were clicked, over all weeks
oracle tau | Kendall's tau between the ranker's order of items and that by users' true opinions; 1 for a
    ranker that sees them
entropy per user | how evenly what a user was shown is spread over the topics; 1 is evenly
item Gini | how unequally exposure is spread over the items, over all weeks; 0 is equally
drift | mean distance of users at the end from where they began
""")
"""Columns of the comparison of feeds with what they mean."""


def feeds(log: Log) -> Table:
    """Tabulate the measures of each feed up to the last week, also by answerer."""
    columns = ("feed", *(Column(name=name, help=help) for name, help in FEED_MEASURES.items()))
    tables = CachedTables(log)
    rows = [row for feed in tables.feeds for row in _rows(Aggregates(tables, feed))]
    return Table(columns=columns, rows=tuple(rows))


def _rows(sums: Aggregates) -> Iterator[tuple[str | float | None, ...]]:
    drift = round(float(sums.last("drift_sum")) / sums.users, 4)
    shown: list[float | None] = [None] * 4
    if sums.feed != NO_FEED:
        shown = [
            _share(sums.total("clicks"), sums.total("shown")),
            _share(sums.total("tau_sum"), sums.total("tau_count")),
            _share(float(sums.last("entropy_sum")), float(sums.last("entropy_users"))),
            round(measures.gini(sums.item_shown), 4) if sums.total("shown") else None,
        ]
    yield _name(sums), _variance(sums), *shown, drift
    for answerer, group in group_by_answerer(sums).items():
        variance, clicks, moved = (
            _round(group[name].value) for name in ("opinion_variance", "click_rate", "drift")
        )
        yield f"{_name(sums)}, answered by {answerer}", variance, clicks, None, None, None, moved


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def _name(sums: Aggregates) -> str:
    """Name a feed for readers: the one under study by its ranker, too."""
    if sums.feed == MAIN:
        return f"{MAIN} ({sums.last('ranker')})"
    return "no feed" if sums.feed == NO_FEED else sums.feed


def _variance(sums: Aggregates) -> float:
    return round(measures.opinion_variance(sums.topics["belief_sum"], np.diag(sums.products), sums.users), 4)


def variance(log: Log) -> Series:
    """Return the opinion variance of each feed's users at the end of each week."""
    tables, lines = CachedTables(log), {}
    for feed in tables.feeds:
        sums = Aggregates(tables, feed)
        weeks = [int(week) for week in sums.weeks["week"]]
        lines[_name(sums)] = {week: _variance(Aggregates(tables, feed, week)) for week in weeks}
    return _weekly("opinion variance", lines)


def clicks(log: Log) -> Series:
    """Return the click rate of each feed in each week; weeks in which nothing was shown are left out."""
    tables, lines = CachedTables(log), {}
    for feed in tables.feeds:
        sums = Aggregates(tables, feed)
        rows = zip(sums.weeks["week"], sums.weeks["clicks"], sums.weeks["shown"], strict=True)
        lines[_name(sums)] = {int(week): round(float(n / shown), 4) for week, n, shown in rows if shown}
    return _weekly("click rate", {feed: line for feed, line in lines.items() if line})


def _weekly(unit: str, lines: Mapping[str, Mapping[int, float]]) -> Series:
    """Build a series with a line for each feed and a value for each week, from 0 to the highest value."""
    highest = max((value for line in lines.values() for value in line.values()), default=0.0)
    points = {feed: tuple(line.items()) for feed, line in lines.items()}
    return Series(unit=unit, low=0.0, high=highest, lines=points)


def topics(log: Log) -> Table:
    """Tabulate the share of exposure and the mean belief by topic, for each feed."""
    tables = CachedTables(log)
    found = [Aggregates(tables, feed) for feed in tables.feeds]
    shown = [sums for sums in found if sums.feed != NO_FEED]
    by_feed = *(f"{_name(s)}: exposure" for s in shown), *(f"{_name(s)}: belief" for s in found)
    columns = ("topic", "name", "catalogue", *by_feed)
    if not found:
        return Table(columns=columns, rows=())
    counts = found[0].topics["catalogue"], *(sums.topics["exposure"] for sums in shown)
    numbers = *map(measures.row_shares, counts), *(sums.topics["belief_sum"] / sums.users for sums in found)
    rows = (
        (named["topic"], named["name"], *(_round(column[named["topic"] - 1]) for column in numbers))
        for named in log.table("taxonomy")
    )
    return Table(columns=columns, rows=tuple(rows))


def list_slates(log: Log, agent: str | None = None) -> Table:
    """List the slates of the users whose impressions are logged, top to bottom, with what they opened."""
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
    found = tuple(
        (name(u), w, s + 1, p, ids[i], about[t - 1], "yes" if c else "")
        for u, w, s, p, i, t, c in zip(user, week, session, position, item, topic, click, strict=True)
    )
    return Table(columns=columns, rows=found)


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


def topic_outcomes(log: Log, persona: str) -> tuple[int, tuple[TopicOutcome, ...]]:
    """Return a persona's number of weeks in the feed under study, and its exposure to each topic.

    Promoted users for whom behaviour models answered everything are not on record.
    """
    rows = [r for r in log.table("standings") if r["persona"] == persona and r["feed"] == MAIN]
    found = []
    for topic in log.table("taxonomy"):
        own = [row for row in rows if row["topic"] == topic["topic"]]
        if own:
            names, beliefs = (
                (topic["name"], topic["at_issue"] or topic["name"]),
                (own[0]["first"], own[-1]["belief"]),
            )
            counts = (fsum(row[what] for row in own) for what in ("shown", "clicked"))
            found.append(TopicOutcome(*names, *beliefs, *counts))
    return len({row["week"] for row in rows}), tuple(found)


def after_run_question(log: Log, persona: Persona, asked: str) -> AfterFeed:
    """Build the interview question to one user, from what it alone read, thought and believes.

    For a user whose pages nobody read, it holds the outcome of each topic.
    """
    weeks, found = topic_outcomes(log, persona.id)
    memory = EpisodicMemory(persona.memory, half_life=HALF_LIFE)
    rows = [row for row in log.table("memories") if row["persona"] == persona.id and row["feed"] == MAIN]
    for row in rows:
        memory.store(row["text"], float(row["session"] - 1 == SURVEY))
    for outcome in found if not rows else ():
        memory.store(wording.exposure_memory(outcome))
    part = "You have been reading a news feed."
    if found and memory.policy.span != 0:
        stood = bullet_lines([wording.belief_change(s) for s in found])
        part = (
            f"You have been reading a news feed for {count_noun(weeks, 'week')}. Where you stood when you "
            f"began, and where you stand now:\n{stood}"
        )
    return AfterFeed(part, look_back(memory, asked), asked, found)


def statements(log: Log, agent: str) -> list[tuple[str, str]]:
    """List a user's stance on each topic, for its participant to agree or disagree with."""
    _, found = topic_outcomes(log, agent)
    return [(f"topic-{n}", wording.word_topic_stance(s)) for n, s in enumerate(found, 1)]


INTERVIEW = Interview(
    "chat", "Ask a reader what the feed showed and did to them", after_run_question, statements
)
_HELP = """
feeds | Each feed after the last week: where opinions stand, and clicks and exposure over all weeks.
variance | How far users' opinions lie apart at the end of each week, in this one run; `no feed` stays where
    all began.
clicks | Share of shown items that were clicked in each week.
topics | Share of the catalogue and of what was shown by topic, and the users' mean belief.
shown | Pages of the feed under study for the users whose impressions are kept, from the top, and what they
    opened.
feed | All items a user was shown, in the order in which each first came; scores count down that order.
"""
_weekly_view = partial(Surface, shows=_has_weeks)
_of_users = partial(Surface, per_agent=True, agents=list_logged_users, shows=_has_impressions)
SURFACES: tuple[Surface | Interview, ...] = add_help(
    _HELP,
    _weekly_view("feeds", "table", "Feeds compared", feeds),
    _weekly_view("variance", "series", "Opinion variance by week", variance),
    Surface("clicks", "series", "Click rate by week", clicks, shows=_has_clicks),
    _weekly_view("topics", "table", "Exposure and belief by topic", topics),
    _of_users("shown", "table", "What users were shown", list_slates),
    _of_users("feed", "ranking", "Items shown, as a TREC run", ranking, group="data"),
    INTERVIEW,
)
