"""Taste discrimination tasks: which of some items did this user pick? Tasks, percentiles, thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import InputError, first_largest

Against = Literal["uniform", "popular"]
"""How to draw items that a user did not pick: uniformly, or in proportion to their popularity."""
AGAINST: tuple[Against, ...] = ("uniform", "popular")


@dataclass(frozen=True, eq=False)
class DiscriminationTasks:
    """Discrimination tasks, one per user: a list of items of which the first `picked` were rated."""

    users: Ints
    """(tasks,) user of each task."""
    items: Ints
    """(tasks, items of a task) item indices, picked ones first."""
    picked: int

    @property
    def truth(self) -> NDArray[np.bool_]:
        """(items of a task,) mask of the picked columns, the same for all tasks."""
        return np.arange(self.items.shape[1]) < self.picked


def draw_users(
    fold: Ratings, seed: int, most: int = 1_000, least: int = 10, besides: Ints | None = None
) -> Ints:
    """Draw users with at least `least` picks in a fold by seed, none of `besides`; ascending."""
    enough = np.flatnonzero(np.bincount(fold.user, minlength=fold.users) >= least)
    if besides is not None:
        enough = np.setdiff1d(enough, besides)
    return np.sort(np.random.default_rng(seed).permutation(enough)[:most])


def tasks(
    fold: Ratings,
    folds: Sequence[Ratings],
    users: Ints,
    ratio: int,
    against: Against,
    seed: int,
    items: int = 20,
) -> DiscriminationTasks:
    """Build a discrimination task for each user, with `ratio` unpicked items for each picked one.

    A task has `items` items in all. Others are items that somebody picked in training (the first of `folds`)
    and this user in none of the folds. A user's draws depend on the seed and the user alone. Raises
    InputError where a user has too few items.
    """
    picked = int(np.floor(items / (ratio + 1) + 0.5))
    rows = []
    for user in users.tolist():
        generator = np.random.default_rng([seed, user])
        own = fold.of(user)[0]
        known = np.concatenate([f.of(user)[0] for f in folds])
        others = draw_unpicked(generator, folds[0].counts, known, items - picked, against)
        if len(own) < picked or len(others) < items - picked:
            raise InputError(
                f"user {user} has {len(own)} held-out and {len(others)} other items, but a task takes "
                f"{picked} and {items - picked}; choose users with more, or smaller tasks"
            )
        rows.append(np.concatenate([generator.permutation(own)[:picked], others]))
    return DiscriminationTasks(users, np.array(rows, dtype=np.int64).reshape(len(users), items), picked)


def draw_unpicked(
    generator: np.random.Generator, counts: Ints, known: Ints, most: int, against: Against
) -> Ints:
    """Draw at most `most` distinct items that somebody picked in training and that are not in `known`."""
    weight = (counts > 0).astype(np.float64) if against == "uniform" else counts.astype(np.float64)
    weight[known] = 0
    number = min(most, int((weight > 0).sum()))
    return (
        generator.choice(len(counts), number, replace=False, p=weight / weight.sum()) if number else known[:0]
    )


def percentiles(scores: Floats, among: NDArray[np.bool_], items: Ints) -> Floats:
    """Compute each task item's score percentile among the user's candidates, (users, items of a task).

    It is the share of candidates that score below the item, ties half.
    `scores` and `among` (which items are candidates) are (users, all items).
    """
    found = np.empty(items.shape)
    for row, (score, candidate) in enumerate(zip(scores, among, strict=True)):
        ordered = np.sort(score[candidate])
        asked = score[items[row]]
        found[row] = (np.searchsorted(ordered, asked) + np.searchsorted(ordered, asked, side="right")) / 2
        found[row] /= max(len(ordered), 1)
    return found


def threshold(places: Floats, truth: NDArray[np.bool_], by: Literal["accuracy", "f1"]) -> float:
    """Fit the decision threshold with the best mean accuracy or F1 over users.

    The threshold is a percentile on a grid of 1/200.
    """
    grid = np.arange(1, 200) / 200
    return float(grid[int(first_largest([_score_answers(places >= at, truth, by).mean() for at in grid]))])


def _score_answers(said: NDArray[np.bool_], truth: NDArray[np.bool_], by: str) -> Floats:
    """Compute the accuracy or F1 of each user, (users,)."""
    if by == "accuracy":
        return np.asarray((said == truth).mean(axis=1))
    return np.asarray(2 * (said & truth).sum(axis=1) / (said.sum(axis=1) + int(truth.sum())))
