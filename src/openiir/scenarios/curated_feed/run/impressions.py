"""Build the impression log: items served, their propensities, and what other rankers would have shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.rankers import NONE, ORACLES, propensities, rank_items, ranker
from openiir.plugin import Draw, quantise
from openiir.scenarios.curated_feed.behaviour.feed_state import FeedState
from openiir.scenarios.curated_feed.behaviour.platform import FeedOffer, Platform
from openiir.scenarios.curated_feed.config import ranker_column
from openiir.scenarios.curated_feed.model.browsing import BrowseResult, cosine_to_items

Columns = Mapping[str, Any]


def impressions(
    platform: Platform, population: FeedState, offer: FeedOffer, browsed: BrowseResult, before: Floats
) -> tuple[Columns, Columns]:
    """Build the rows of the tables `impressions` and `oracle` for those users of a block who are logged.

    `before` holds the beliefs of these users at the start of the session.
    """
    rows = np.flatnonzero(platform.kept[offer.block])
    config, shelf, slates = platform.config, platform.shelf, offer.slates.of(rows)
    served = slates.items
    shape, there, item = served.shape, served != NONE, np.maximum(served, 0)
    ranks = np.maximum(slates.det_rank - 1, 0)
    per_slate: dict[str, Any] = {
        "user": offer.view.users[rows].astype(np.int32),
        "session": np.full(len(rows), offer.view.session, dtype=np.int32),
        "shuffled": slates.found.astype(np.int32),
        "explored": slates.explored,
        "candidates": _hash_sets(offer.ranked.items[rows]),
    }
    wanted, worth = _counterfactual_slates(platform, offer, rows, before)
    positions = np.broadcast_to(np.arange(1, shape[1] + 1, dtype=np.int16), shape)
    logged = {
        "feed": population.feed,
        "ranker": population.ranker,
        "week": np.full(shape, platform.week, dtype=np.int16),
        **{name: np.broadcast_to(column[:, None], shape) for name, column in per_slate.items()},
        "position": positions,
        "item": item.astype(np.int32),
        "topic": (shelf.main_topics[item] + 1).astype(np.int16),
        "score": np.take_along_axis(offer.ranked.scores[rows], ranks, axis=1),
        "oracle_score": quantise(cosine_to_items(before, shelf.unit[item])),
        "det_rank": slates.det_rank.astype(np.int32),
        "epsilon": np.full(shape, config.epsilon),
        **propensities(slates, config.epsilon),
        "click": browsed.clicks[rows],
        **{f"would_{ranker_column(name)}": column.astype(np.int32) for name, column in wanted.items()},
    }
    oracle = {
        **{name: logged[name] for name in ("feed", "week", "user", "session", "position", "item")},
        "looked": browsed.looks[rows],
        **worth,
    }
    return _flat(logged, there), _flat(oracle, there)


def _counterfactual_slates(
    platform: Platform, offer: FeedOffer, rows: Ints, before: Floats
) -> tuple[dict[str, Ints], dict[str, Floats]]:
    """Rank the same candidates by each ranker in `evaluate`, with the true click probabilities.

    `p_click` is the true probability of a click on what was served, `p_click_ideal` on what the best order
    would have put there, `p_click_NAME` on what NAME would have; all as the users believed when the session
    began.
    """
    catalogue, slots = platform.shelf.catalogue, platform.config.slots
    candidates = np.sort(offer.ranked.items[rows], axis=1)
    missing, items = candidates == NONE, np.maximum(candidates, 0)
    attraction = platform.config.clicks.attraction(
        cosine_to_items(before, platform.shelf.unit[items]), catalogue.quality[items]
    )

    def of(order: Ints, place: Ints) -> Floats:
        found = np.where(order == NONE, 0.0, np.take_along_axis(attraction, place, axis=1))
        return quantise(platform.config.clicks.click_chances(_as_wide(found, served, 0.0)))

    served = offer.slates.items[rows]
    place = np.minimum((candidates[:, None, :] < served[:, :, None]).sum(axis=2), candidates.shape[1] - 1)
    ideal = rank_items(attraction, items, missing, slots)
    wanted: dict[str, Ints] = {}
    worth = {"p_click": of(served, place), "p_click_ideal": of(ideal.items, ideal.place)}
    for name in platform.config.evaluate:
        view = replace(
            offer.view,
            users=offer.view.users[rows],
            items=items,
            taste=offer.view.taste[rows],
            evidence=offer.view.evidence[rows],
            belief=before if name in ORACLES else None,
        )
        order = rank_items(ranker(name)(view), items, missing, slots)
        wanted[name] = _as_wide(order.items, served, NONE)
        worth[f"p_click_{ranker_column(name)}"] = of(order.items, order.place)
    return wanted, worth


def _as_wide(found: NDArray[Any], served: Ints, nothing: float) -> NDArray[Any]:
    short = served.shape[1] - found.shape[1]
    return np.pad(found, ((0, 0), (0, short)), constant_values=nothing) if short else found


def _hash_sets(items: Ints) -> NDArray[np.uint64]:
    """Hash each row's set of items to 64 bits, independent of the items' order."""
    return np.asarray(Draw(0, "feed.candidates").bits(item=items - NONE).sum(axis=1, dtype=np.uint64))


def _flat(columns: Columns, there: Bools) -> dict[str, Any]:
    return {name: column if isinstance(column, str) else column[there] for name, column in columns.items()}


def concatenate_columns(parts: Sequence[Columns]) -> dict[str, Any]:
    """Concatenate the columns of several sessions and blocks of one feed into read-only arrays."""
    columns: dict[str, Any] = dict(parts[0])
    for name, first in parts[0].items():
        if not isinstance(first, str):
            columns[name] = np.concatenate([part[name] for part in parts])
            columns[name].flags.writeable = False
    return columns
