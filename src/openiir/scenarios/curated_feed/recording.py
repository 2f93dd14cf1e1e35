"""What a feed leaves behind: impressions of the users who are kept, and exact aggregates over everyone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.measures import kendall_tau, user_entropies
from openiir.kit.rankers import NONE, ORACLES, Shelf, best, lengths, propensities, ranker
from openiir.plugin import Draw, Lane, Stage, quantise
from openiir.scenarios.curated_feed.browsing import Browsed, agreement
from openiir.scenarios.curated_feed.platform import Offer, Platform
from openiir.scenarios.curated_feed.population import Population

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Columns = Mapping[str, Any]
BINS = 21
"""Of the histogram of beliefs, -1 to 1, the outer ones half as wide."""
_GRID = 2.0**19
_ROWS = 4_096
"""Users whose products are summed at a time: sums of so many are exact in float64."""


def impressions(
    platform: Platform, population: Population, offer: Offer, browsed: Browsed, before: Floats
) -> tuple[Columns, Columns]:
    """Columns of the impressions and the oracle table, for the kept users of a block; `before` are their beliefs."""
    rows = np.flatnonzero(platform.kept[offer.block])
    config, shelf, slates = platform.config, platform.shelf, offer.slates.of(rows)
    served = slates.items
    shape, there, item = served.shape, served != NONE, np.maximum(served, 0)
    ranks = np.maximum(slates.det_rank - 1, 0)
    per_slate = {
        "user": offer.view.users[rows].astype(np.int32),
        "session": np.full(len(rows), offer.view.session, dtype=np.int16),
        "shuffled": slates.found.astype(np.int32),
        "explored": slates.explored,
        "candidates": _set_hash(offer.ranked.items[rows]),
    }
    wanted, worth = _beside(platform, population, offer, rows, before)
    positions = np.broadcast_to(np.arange(1, shape[1] + 1, dtype=np.int16), shape)
    logged = {
        "feed": np.full(shape, population.feed),
        "ranker": np.full(shape, population.ranker),
        "week": np.full(shape, platform.week, dtype=np.int16),
        **{name: np.broadcast_to(column[:, None], shape) for name, column in per_slate.items()},
        "position": positions,
        "item": item.astype(np.int32),
        "topic": (shelf.catalogue.theta[item].argmax(axis=2) + 1).astype(np.int16),
        "score": np.take_along_axis(offer.ranked.scores[rows], ranks, axis=1),
        "oracle_score": quantise(agreement(before, shelf.unit[item])),
        "det_rank": slates.det_rank.astype(np.int32),
        "epsilon": np.full(shape, config.epsilon),
        **propensities(slates, config.epsilon),
        "click": browsed.clicks[rows],
        **{f"would_{name}": column.astype(np.int32) for name, column in wanted.items()},
    }
    oracle = {
        **{name: logged[name] for name in ("feed", "week", "user", "session", "position", "item")},
        "looked": browsed.looks[rows],
        **worth,
    }
    return _flat(logged, there), _flat(oracle, there)


def _beside(
    platform: Platform, population: Population, offer: Offer, rows: Ints, before: Floats
) -> tuple[dict[str, Ints], dict[str, Floats]]:
    """What other rankers would have put at each position of the same candidates, and what all that was worth.

    `p_click` is the true probability of a click on what was served, `p_click_ideal` on what the best order would
    have put there, `p_click_NAME` on what NAME would have; all as the users believed when the session began.
    """
    catalogue, slots = platform.shelf.catalogue, platform.config.slots
    candidates = np.sort(offer.ranked.items[rows], axis=1)
    missing, items = candidates == NONE, np.maximum(candidates, 0)
    attraction = platform.config.clicks.attraction(
        agreement(before, platform.shelf.unit[items]), catalogue.quality[items]
    )

    def of(chosen: Ints) -> Floats:
        place = np.minimum((candidates[:, None, :] < chosen[:, :, None]).sum(axis=2), candidates.shape[1] - 1)
        found = np.where(chosen == NONE, 0.0, np.take_along_axis(attraction, place, axis=1))
        return quantise(platform.config.clicks.expected(found))

    served = offer.slates.items[rows]
    ideal = best(attraction, items, missing, slots).items
    wanted: dict[str, Ints] = {}
    worth = {"p_click": of(served), "p_click_ideal": of(_as_wide(ideal, served))}
    for name in platform.config.evaluate:
        view = replace(
            offer.view,
            users=offer.view.users[rows],
            items=items,
            taste=offer.view.taste[rows],
            evidence=offer.view.evidence[rows],
            belief=before if name in ORACLES else None,
        )
        order = best(ranker(name)(view), items, missing, slots).items
        wanted[name] = _as_wide(order, served)
        worth[f"p_click_{name}"] = of(wanted[name])
    return wanted, worth


def _as_wide(order: Ints, served: Ints) -> Ints:
    return np.pad(order, ((0, 0), (0, served.shape[1] - order.shape[1])), constant_values=NONE)


def _set_hash(items: Ints) -> NDArray[np.uint64]:
    """64 bits for each row's set of items, whatever their order."""
    return np.asarray(Draw(0, "curated_feed.candidates").bits(item=items - NONE).sum(axis=1, dtype=np.uint64))


def _flat(columns: Mapping[str, Any], there: NDArray[np.bool_]) -> dict[str, Any]:
    flat = {name: column[there] for name, column in columns.items()}
    for column in flat.values():
        column.flags.writeable = False
    return flat


def audit(platform: Platform, population: Population, session: int) -> tuple[float, int]:
    """Sum of Kendall's tau between the ranker's order of the audit set and the oracle's, and for how many users."""
    coming, config = platform.coming, platform.config
    half = max(2, len(coming) // 2)
    noise = platform.draw("curated_feed.audit").uniform(item=np.arange(half))
    chosen = np.sort(np.argsort(noise, kind="stable")[: config.audit_items])
    shelf = Shelf(coming.chosen(chosen))
    users = slice(0, min(config.audit_users, len(platform.start)))
    where = platform.place_of(chosen)
    clicks, shown, chart = (
        np.where(where >= 0, counts[np.maximum(where, 0)], 0)
        for counts in (population.item_clicks, population.item_shown, population.chart)
    )
    draw = platform.draw("curated_feed.rank")
    seen = population.view(shelf, users, np.arange(len(chosen)), platform.week, session, draw, oracle=True)
    view = replace(
        seen, all_clicks=clicks, all_shown=shown, chart=chart, keys=np.where(where >= 0, where, chosen)
    )
    taus = kendall_tau(quantise(ranker(population.ranker)(view)), quantise(view.cosine(population.belief[users])))
    defined = ~np.isnan(taus)
    return float(quantise(taus[defined]).sum()), int(defined.sum())


def arrivals(stage: Stage, platform: Platform, since: int) -> None:
    """Write the items that came onto the shelf after the first `since`."""
    catalogue, items = platform.shelf.catalogue, np.arange(since, len(platform.shelf.catalogue))
    stage.columns(
        "catalogue",
        {
            "item": items.astype(np.int32),
            "id": [catalogue.id_of(item) for item in items.tolist()],
            "week": catalogue.arrival[items].astype(np.int16),
            "valence": catalogue.valence[items],
            "quality": catalogue.quality[items],
            **{f"topic_{j + 1}": catalogue.theta[items, j] for j in range(catalogue.k)},
        },
    )


def users(stage: Stage, platform: Platform) -> None:
    """Write whom the run starts with: the kept users and their first beliefs."""
    kept = np.flatnonzero(platform.kept)
    beliefs = {f"belief_{j + 1}": platform.start[kept, j] for j in range(platform.start.shape[1])}
    stage.columns("users", {"user": kept.astype(np.int32), **beliefs})


class Week:
    """A week of one feed, summed up exactly: integers and numbers on the grid, so that no block size shows."""

    def __init__(self) -> None:
        self.slates = self.shown = self.clicks = self.audited = 0
        self.tau = 0.0

    def add(self, items: Sequence[Ints], clicks: Sequence[NDArray[np.bool_]]) -> None:
        """Count a session."""
        self.slates += sum(int((item != NONE).any(axis=1).sum()) for item in items)
        self.shown += sum(int((item != NONE).sum()) for item in items)
        self.clicks += sum(int(click.sum()) for click in clicks)

    def write(self, lane: Lane, platform: Platform, population: Population) -> None:
        """Write the aggregates of the week that ends."""
        moments = _moments(population, platform.start)
        users, k = population.belief.shape
        who = {"feed": population.feed, "ranker": population.ranker, "week": platform.week}
        lane.row(
            "weeks",
            **who,
            users=users,
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
        columns = {"feed": np.full(k, population.feed), "week": np.full(k, platform.week)}
        lane.columns(
            "topics",
            {
                **columns,
                "topic": np.arange(1, k + 1),
                "belief_sum": moments["sums"],
                "exposure": population.exposure.sum(axis=0),
                "catalogue": platform.shelf.catalogue.theta.sum(axis=0),
            },
        )
        one, other = np.triu_indices(k)
        lane.columns(
            "products",
            {
                **{name: np.resize(column, len(one)) for name, column in columns.items()},
                "topic": one + 1,
                "other": other + 1,
                "product_sum": moments["products"][one, other],
            },
        )
        topic, bin_ = np.nonzero(moments["bins"])
        lane.columns(
            "opinions",
            {
                "feed": np.full(len(topic), population.feed),
                "week": np.full(len(topic), platform.week),
                "topic": topic + 1,
                "belief": (bin_ - BINS // 2) / (BINS // 2),
                "users": moments["bins"][topic, bin_],
            },
        )
        item = np.flatnonzero(population.item_shown)
        lane.columns(
            "items",
            {
                "feed": np.full(len(item), population.feed),
                "week": np.full(len(item), platform.week),
                "item": item.astype(np.int32),
                "shown": population.item_shown[item],
                "clicks": population.item_clicks[item],
            },
        )


def _moments(population: Population, start: Floats) -> dict[str, Any]:
    """Sums over all users, a few thousand at a time, each exact."""
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
        drift += _total(lengths(belief - start[rows]))
        spread = user_entropies(population.exposure[rows])
        entropy += _total(spread[~np.isnan(spread)])
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


def _total(numbers: Floats) -> int:
    """The sum of numbers on the grid, as an integer: exact, so that no order shows."""
    return int(np.rint(numbers * 2.0**20).astype(np.int64).sum())
