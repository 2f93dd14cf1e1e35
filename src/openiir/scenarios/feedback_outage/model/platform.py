"""A search platform that learns from clicks: its ranker, what it counts of its members, and what they do."""

import math
from typing import NamedTuple

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.clicks import ClickModel
from openiir.kit.signals import Channels, DecayedCounts
from openiir.plugin import CastArm, Draw, Own, Population, order_by, quantise
from openiir.scenarios.feedback_outage.model.material import GRADES

CONTROL, ONLY_READ, FAULT = ARMS = ("control", "readers", "fault")
CLICK, DWELL, QUERY_LOG, EXPLICIT = CHANNELS = ("click", "dwell", "query_log", "explicit")
RANKING = frozenset({CLICK, QUERY_LOG})
READERS = {
    "ndcg_head": RANKING,
    "ndcg_torso": RANKING,
    "ndcg_tail": RANKING,
    "ndcg": RANKING,
    "calibration": RANKING,
    "suggestions": frozenset({QUERY_LOG}),
    "freshness": RANKING,
    "spam": frozenset({CLICK, DWELL}),
    "price": RANKING,
}
"""The channels that each evaluator's numbers come from."""
READING = {**READERS, "report": frozenset({EXPLICIT})}
"""All that reads a channel: what members say explicitly is reported, and no evaluator reads it."""

PAGE = 10
"""Results on a page."""
CLICKS = ClickModel(intercept=-3.0, alignment=2.5)
"""Position-based clicks: position r is looked at with chance 1/r, and the log-odds of a click rise with
relevance (our numbers)."""
USUAL_RATE = 0.15
"""Click rate that the ranker expects of a document of which it knows nothing."""
FEEDBACK, DOUBT, PRIOR = 2.5, 5.0, 0.25
"""Weight of a click rate's log-odds in the ranker's score, the looks at which it has half its weight, and the
looks at USUAL_RATE that are counted beside those of a document, so that the log-odds stay finite."""
SPAM, SHORT, SHORT_SPAM, RATED = 0.1, 0.3, 0.8, 0.05
"""Share of documents that are spam, chances that a visit to another and to a spam document is short, and
share of visits that somebody rates."""


class ResultPages(NamedTuple):
    """The page of each query in a round."""

    order: Ints
    """(Q, PAGE) documents from the top."""
    grades: Ints
    attraction: Floats
    """(Q, PAGE) chance that each is opened once it is looked at."""
    taking: Floats
    """(Q,) chance that the page's own answer, where it gives one, ends the search."""


class SearchRound(NamedTuple):
    """What searchers did on one platform in a round."""

    query: Ints
    """(N,) number of the query that each asked."""
    pages: ResultPages
    taken: Floats
    """(Q,) chance that a searcher takes the answer off a query's page and opens nothing."""
    clicks: Bools
    """(N, PAGE) results opened."""
    held_back: Bools
    """(N, PAGE) results not opened because the page answered."""


class ClickPlatform(CastArm):
    """A platform with its searchers: what it has counted of their signals, in counts that fade."""

    clicks: Own[Floats]
    """(Q, D)"""
    looks: Own[Floats]
    """(Q, D) times shown, each by the chance that its position is looked at."""
    asked: Own[Floats]
    """(Q,)"""
    visits: Own[Floats]
    """(Q, D)"""
    short: Own[Floats]
    """(Q, D) visits that ended at once."""

    def __init__(self, name: str, people: Population, shape: tuple[int, int]) -> None:
        super().__init__(people)
        self.name, self.asked = name, np.zeros(shape[0])
        self.clicks, self.looks, self.visits, self.short = np.zeros((4, *shape))

    def receive(
        self, searches: "SearchRound", spam: Bools, channels: Channels, half_life: float, draw: Draw
    ) -> dict[str, tuple[int, int]]:
        """Let a round's signals arrive and count them; returns how many there were, and arrived, by channel.

        There were all that would have been if no page had answered. What is drawn of a result that somebody
        opens, and whether its signals arrive, is the same on all platforms.
        """
        pages, query, clicks = searches.pages, searches.query, searches.clicks
        rows, places = np.arange(len(query)), clicks.shape[1]
        pair, number = (
            query[:, None] * spam.shape[1] + pages.order[query],
            rows[:, None] * PAGE + np.arange(places),
        )
        ends = np.where(spam.ravel()[pair], SHORT_SPAM, SHORT)
        short = draw.at("short").chance(ends, item=number)
        rated = draw.at("rated").chance(RATED, item=number)
        clicked = clicks & channels.arriving("ndcg", CLICK, number, draw)
        visited = clicked & channels.arriving("spam", DWELL, number, draw)
        logged = channels.arriving("suggestions", QUERY_LOG, rows, draw)
        told = clicks & rated & channels.arriving("report", EXPLICIT, number, draw)
        looks = np.tile(position_chances(places), int(logged.sum()))
        for kind, at, amounts in (
            ("clicks", pair[clicked], 1.0),
            ("looks", pair[logged].ravel(), looks),
            ("asked", query[logged], 1.0),
            ("visits", pair[visited], 1.0),
            ("short", pair[visited & short], 1.0),
        ):
            counts = DecayedCounts(half_life, getattr(self, kind))
            counts.fade()
            counts.add(at, amounts)
            setattr(self, kind, counts.values)
        would = clicks | searches.held_back
        signals = ((would, clicked), (would, visited), (rows >= 0, logged), (would & rated, told))
        return {
            channel: (int(given.sum()), int(arrived.sum()))
            for channel, (given, arrived) in zip(CHANNELS, signals, strict=True)
        }


def taking_chances(grades: Ints, trust: float, judging: float) -> Floats:
    """Compute the chance that a page's answer, taken from a document of these grades, ends the search.

    `trust` for an answer of middling worth, and `judging` more log-odds for a full answer than for none.
    """
    with np.errstate(divide="ignore"):
        odds = np.log(np.float64(trust)) - np.log1p(-np.float64(trust))
    return np.asarray(quantise(1.0 / (1.0 + np.exp(-(odds + judging * (grades / len(GRADES) - 0.5))))))


def rank_documents(content: Floats, clicks: Floats, looks: Floats) -> Ints:
    """Rank each query's documents, (Q, PAGE): content, and clicks per look as far as there were looks.

    content + FEEDBACK (logit rate - logit USUAL_RATE) n / (n + DOUBT), n being the looks: times shown, each
    by the chance that its position is looked at.
    """
    rate = np.clip((clicks + PRIOR * USUAL_RATE) / (looks + PRIOR), 0.01, 0.99)
    evidence = np.log(rate / (1 - rate)) - math.log(USUAL_RATE / (1 - USUAL_RATE))
    score = content + FEEDBACK * evidence * looks / (looks + DOUBT)
    return order_by(-score, axis=1)[:, :PAGE]


def position_chances(slots: int) -> Floats:
    """Compute the chance that each position of a page is looked at."""
    return np.asarray(np.arange(1, slots + 1) ** -CLICKS.gamma)
