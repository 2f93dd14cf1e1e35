"""Write the weekly tables of a feed: users, arrivals, ranking audit, and exact sums over all users."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.items import INJECTED
from openiir.kit.measures import kendall_tau, user_entropies
from openiir.kit.rankers import NONE, Shelf, ranker, row_lengths
from openiir.plugin import Lane, Stage, int_sum, order_by, quantise
from openiir.scenarios.curated_feed.behaviour.feed_state import FeedState
from openiir.scenarios.curated_feed.behaviour.platform import Platform

BINS = 21
"""Number of bins of the histogram of beliefs from -1 to 1. The outermost bins are half as wide."""
_GRID = 2.0**19
_ROWS = 4_096
"""Number of users summed at a time, small enough that sums of products are exact in float64."""


def write_arrivals(stage: Stage, platform: Platform, since: int) -> None:
    """Log the items that arrived after the first `since` ones."""
    catalogue, items = platform.shelf.catalogue, np.arange(since, len(platform.shelf.catalogue))
    stage.columns(
        "catalogue",
        {
            "item": items.astype(np.int32),
            "id": [catalogue.id_of(item) for item in items.tolist()],
            "week": catalogue.arrival[items].astype(np.int16),
            "injected": catalogue.numbers_of(items) >= INJECTED,
            "valence": catalogue.valence[items],
            "quality": catalogue.quality[items],
            **{f"topic_{j + 1}": catalogue.theta[items, j] for j in range(catalogue.k)},
        },
    )


def write_topics(stage: Stage, platform: Platform) -> None:
    """Log the table of topics."""
    stage.columns(
        "taxonomy",
        {
            "topic": np.arange(1, len(platform.topics) + 1, dtype=np.int16),
            "name": [topic.name for topic in platform.topics],
            "at_issue": [topic.at_issue for topic in platform.topics],
            "proposition": [topic.proposition for topic in platform.topics],
            "keywords": [", ".join(topic.keywords) for topic in platform.topics],
        },
    )


def write_users(stage: Stage, platform: Platform) -> None:
    """Log those users whose impressions are logged, with their initial beliefs."""
    kept = np.flatnonzero(platform.kept)
    beliefs = {f"belief_{j + 1}": platform.start[kept, j] for j in range(platform.start.shape[1])}
    stage.columns("users", {"user": kept.astype(np.int32), **beliefs})


def compare_with_oracle(platform: Platform, population: FeedState, session: int) -> tuple[float, int]:
    """Compare the ranker's order of the audit items with the oracle's by Kendall's tau.

    Returns the sum of tau over users and the number of users for whom it is defined.
    """
    coming, config = platform.coming, platform.config
    half = min(len(coming), max(2, len(coming) // 2))
    noise = platform.draw("audit").uniform(item=np.arange(half))
    chosen = np.sort(order_by(noise)[: config.audit_items])
    shelf = Shelf(coming.select(chosen))
    users = slice(0, min(config.audit_users, len(platform.start)))
    where = platform.shelf_indices(chosen)
    clicks, shown, chart = (
        np.where(where >= 0, counts[np.maximum(where, 0)], 0)
        for counts in (population.item_clicks, population.item_shown, population.chart)
    )
    draw = platform.draw("rank")
    seen = population.ranker_input(
        shelf, users, np.arange(len(chosen)), platform.week, session, draw, oracle=True
    )
    retrieved = None if platform.scores is None else platform.scores[:, chosen]
    view = replace(seen, all_clicks=clicks, all_shown=shown, chart=chart, retrieved=retrieved)
    orders = ranker(population.ranker)(view), view.cosine(population.belief[users])
    taus = kendall_tau(*map(quantise, orders))
    defined = ~np.isnan(taus)
    return float(quantise(taus[defined]).sum()), int(defined.sum())


class WeekSums:
    """Exact sums over one feed's week, the same for every block size."""

    def __init__(self) -> None:
        self.slates = self.shown = self.clicks = self.audited = 0
        self.tau = 0.0

    def add(self, items: Sequence[Ints], clicks: Sequence[Bools]) -> None:
        """Add the slates, impressions and clicks of a session."""
        self.slates += int_sum(int((item != NONE).any(axis=1).sum()) for item in items)
        self.shown += int_sum(int((item != NONE).sum()) for item in items)
        self.clicks += int_sum(int(click.sum()) for click in clicks)

    def write(self, lane: Lane, platform: Platform, population: FeedState) -> None:
        """Log the sums at the week's end."""
        moments = _sum_over_users(population, population.start)
        who = {"feed": population.feed, "ranker": population.ranker, "week": platform.week}
        lane.row(
            "weeks",
            **who,
            users=len(population.belief),
            items=len(platform.shelf.catalogue),
            slates=self.slates,
            shown=self.shown,
            clicks=self.clicks,
            drift_sum=moments["drift"],
            entropy_sum=moments["entropy"],
            entropy_users=moments["entropy_users"],
            tau_sum=float(quantise(self.tau)),
            tau_count=self.audited,
        )
        for table, columns in _tables(platform, population, moments).items():
            rows = len(next(iter(columns.values())))
            week = np.full(rows, platform.week, dtype=np.int16)
            lane.columns(table, {"feed": population.feed, "week": week, **columns})


def _tables(platform: Platform, population: FeedState, moments: dict[str, Any]) -> dict[str, dict[str, Any]]:
    one, other = np.triu_indices(population.belief.shape[1])
    topic, place = np.nonzero(moments["bins"])
    item = np.flatnonzero(population.item_shown)
    return {
        "topics": {
            "topic": np.arange(1, len(moments["sums"]) + 1, dtype=np.int16),
            "belief_sum": moments["sums"],
            "exposure": population.exposure.sum(axis=0),
            "catalogue": platform.shelf.catalogue.theta.sum(axis=0),
        },
        "products": {
            "topic": (one + 1).astype(np.int16),
            "other": (other + 1).astype(np.int16),
            "product_sum": moments["products"][one, other],
        },
        "opinions": {
            "topic": (topic + 1).astype(np.int16),
            "belief": (place - BINS // 2) / (BINS // 2),
            "users": moments["bins"][topic, place],
        },
        "items": {
            "item": item.astype(np.int32),
            "shown": population.item_shown[item],
            "clicks": population.item_clicks[item],
        },
    }


def _sum_over_users(population: FeedState, start: Floats) -> dict[str, Any]:
    """Sum beliefs, their products, drift and exposure entropy over all users, block by block and exactly."""
    users, k = population.belief.shape
    sums, products = [0] * k, np.zeros((k, k), dtype=object)
    drift = entropy = entropy_users = 0
    bins = np.zeros((k, BINS), dtype=np.int64)
    for first in range(0, users, _ROWS):
        rows = slice(first, first + _ROWS)
        belief = population.belief[rows]
        whole = belief * _GRID
        sums = [total + int(more) for total, more in zip(sums, whole.sum(axis=0), strict=True)]
        products += (whole.T @ whole).astype(np.int64).astype(object)
        drift += _sum_exactly(row_lengths(belief - start[rows]))
        spread = user_entropies(population.exposure[rows])
        entropy += _sum_exactly(spread[~np.isnan(spread)])
        entropy_users += int((~np.isnan(spread)).sum())
        place = np.rint(belief * (BINS // 2)).astype(np.int64) + BINS // 2
        bins += np.stack([np.bincount(place[:, topic], minlength=BINS) for topic in range(k)])
    return {
        "sums": np.array([total / _GRID for total in sums]),
        "products": np.array([[cell / _GRID**2 for cell in row] for row in products.tolist()]),
        "drift": drift / 2.0**20,
        "entropy": entropy / 2.0**20,
        "entropy_users": entropy_users,
        "bins": bins,
    }


def _sum_exactly(numbers: Floats) -> int:
    """Sum numbers on the grid exactly, as an integer in units of 2^-20."""
    return int(np.rint(numbers * 2.0**20).astype(np.int64).sum())
