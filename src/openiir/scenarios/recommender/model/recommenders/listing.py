"""Top-k lists of a recommender's items for each user, without excluded items."""

from typing import Any, NamedTuple

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.rankers.serving import NONE, rank_items
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.recommenders.recommender import Recommender

BLOCK = 1_024
"""Number of users scored at a time."""


class TopItems(NamedTuple):
    """The k best items of each of B users, best first."""

    items: Ints
    """(B, k) item indices; NONE after the last."""
    scores: Floats
    """(B, k) scores on the grid of 2^-20; NaN where there is no item."""


def top_items(scores: Floats, k: int, exclude: Any = None) -> TopItems:
    """Select the k items of the highest scores in each row of (B, items), ties to the smaller index.

    `exclude` is a CSR array of the same shape: what is stored in it is never shown, nor is what scores minus
    infinity. Scores are rounded to the grid of 2^-20 first. Raises InputError for NaN, infinity, or scores
    too large to be ranked exactly.
    """
    found = np.array(scores, dtype=np.float64)
    blocked = np.isneginf(found)
    if exclude is not None:
        users = np.repeat(np.arange(len(found)), np.diff(exclude.indptr))
        blocked[users, exclude.indices] = True
    found[blocked] = 0.0
    if not np.isfinite(found).all():
        user, item = np.argwhere(~np.isfinite(found))[0].tolist()
        raise InputError(
            f"item {item} scores {found[user, item]} in row {user}; give finite scores, or minus infinity"
        )
    try:
        ranked = rank_items(found, np.arange(found.shape[1]), blocked, k)
    except ValueError as error:
        raise InputError(str(error)) from None
    missing = ((0, 0), (0, max(0, k - ranked.items.shape[1])))
    return TopItems(
        np.pad(ranked.items, missing, constant_values=NONE),
        np.pad(ranked.scores, missing, constant_values=np.nan),
    )


def list_top_items(
    recommender: Recommender, users: Ints, k: int, exclude: Any = None, block: int = BLOCK
) -> TopItems:
    """List the k best items of these users by a fitted recommender, `block` users at a time.

    `exclude` is a CSR array (all users, items), such as `Ratings.seen`. Errors as for `top`, naming the
    recommender.
    """
    parts = [TopItems(np.empty((0, k), dtype=np.int64), np.empty((0, k)))]
    for start in range(0, len(users), block):
        some = users[start : start + block]
        try:
            parts.append(top_items(recommender.scores(some), k, None if exclude is None else exclude[some]))
        except InputError as error:
            raise InputError(f"recommender {recommender.name!r}, users from {some[0]} on: {error}") from None
    return TopItems(*map(np.concatenate, zip(*parts, strict=True)))
