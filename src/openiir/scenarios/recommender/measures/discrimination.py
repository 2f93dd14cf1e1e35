"""Binary classification measures per user: accuracy, precision, recall, F1 and AUC."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Bools, Floats
from openiir.kit.measures.per_user import UserMean
from openiir.kit.statistics.resampling import divide_arrays
from openiir.plugin import InputError, Measure
from openiir.scenarios.recommender.measures.definitions import average_users

_MISSING = {
    "accuracy": "no item was judged",
    "balanced_accuracy": "positives and negatives are both needed",
    "precision": "yes was said to no item",
    "recall": "there is no positive item",
    "f1": "yes was said to no item and there is no positive one",
    "auc": "positives and negatives are both needed",
    "share": "no item was judged",
}
"""Reasons why a measure is undefined."""


@dataclass(frozen=True)
class Discrimination:
    """Per-user measures of judgements (accuracy, precision, ...); report `means` over users, not `pooled`."""

    users: NDArray[Any]
    """Ids of the users, ascending."""
    by_user: Mapping[str, Floats]
    """Arrays of each measure by user, NaN where undefined, for paired tests."""
    pooled: Mapping[str, Measure]
    """Measures over all users' judgements together (without AUC), and `share`, the share of positives.

    These are tied to each other exactly, as `consistency.check_discrimination` has it.
    """

    def means(self, level: float = 0.95) -> dict[str, UserMean]:
        """Average each measure over users, with an interval."""
        return {
            name: average_users(f"taste.{name}", column, _MISSING[name], level)
            for name, column in self.by_user.items()
        }


def discrimination(
    user: ArrayLike, positive: ArrayLike, chosen: ArrayLike, score: ArrayLike | None = None
) -> Discrimination:
    """Count the judgements of each user and compute AUC where scores are given.

    The arguments are columns with one row for each judged item. `user` holds ids, `positive` whether the user
    really took the item, `chosen` whether it was said so, `score` (higher for more likely) whatever the
    answer came from, for AUC. Raises InputError for columns of unequal length, and for scores that are no
    numbers.
    """
    ids, truth, said = np.asarray(user), _flags("positive", positive), _flags("chosen", chosen)
    scores = np.zeros(ids.shape) if score is None else np.asarray(score, dtype=np.float64)
    if not ids.shape == truth.shape == said.shape == scores.shape or ids.ndim != 1:
        shapes = f"{ids.shape}, {truth.shape}, {said.shape} and {scores.shape}"
        raise InputError(f"judgements are columns of one length, got {shapes}")
    if np.isnan(scores).any():
        raise InputError(
            f"the score of row {int(np.isnan(scores).argmax())} is NaN; give every judged item a score"
        )
    users, row = np.unique(ids, return_inverse=True)
    masks = (truth & said, ~truth & said, truth & ~said, ~truth & ~said)
    counts = [_count(row, mask, len(users)) for mask in masks]
    by_user = _compute_measures(*counts)
    if score is not None:
        by_user["auc"] = _auc(row, truth, scores, len(users))
    together = _compute_measures(*(column.sum(keepdims=True) for column in counts))
    together["share"] = divide_arrays(truth.sum(keepdims=True), np.array([len(truth)]))
    pooled = {name: float(value[0]) for name, value in together.items()}
    return Discrimination(
        users,
        by_user,
        {name: Measure(v, _MISSING[name] if np.isnan(v) else None) for name, v in pooled.items()},
    )


def _compute_measures(tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> dict[str, Floats]:
    """Compute measures from counts of true and false positives and negatives; NaN where undefined.

    F1 is 0 where the answer is always no, and NaN only if there is no positive item either; balanced accuracy
    is .5 for any constant answer.
    """
    recall = divide_arrays(tp, tp + fn)
    return {
        "accuracy": divide_arrays(tp + tn, tp + fp + fn + tn),
        "balanced_accuracy": (recall + divide_arrays(tn, tn + fp)) / 2,
        "precision": divide_arrays(tp, tp + fp),
        "recall": recall,
        "f1": divide_arrays(2 * tp, 2 * tp + fp + fn),
    }


def _auc(row: NDArray[np.intp], truth: Bools, score: Floats, users: int) -> Floats:
    """Compute each user's AUC by ranks: the share of correctly ordered pairs, ties half.

    Mann & Whitney 1947.
    """
    order = np.lexsort((score, row))
    owner, ordered, positive = row[order], score[order], truth[order]
    firsts = np.ones(len(order), dtype=np.bool_)
    firsts[1:] = (owner[1:] != owner[:-1]) | (ordered[1:] != ordered[:-1])
    tie = np.cumsum(firsts) - 1
    start = np.flatnonzero(firsts)
    size = np.diff(np.append(start, len(order)))
    begins = np.searchsorted(owner, np.arange(users))
    rank = (start + (size - 1) / 2)[tie] - begins[owner] + 1
    pos, neg, ranks = (_count(owner, weights, users) for weights in (positive, ~positive, rank * positive))
    return divide_arrays(ranks - pos * (pos + 1) / 2, pos * neg)


def _flags(name: str, values: ArrayLike) -> Bools:
    array = np.asarray(values)
    wrong = ~np.isin(array, (0, 1))
    if wrong.any():
        raise InputError(f"{name} is true or false in each row (1 or 0), got {array[wrong][0]!r}")
    return array.astype(np.bool_)


def _count(row: NDArray[np.intp], weights: NDArray[Any], users: int) -> Floats:
    return np.bincount(row, weights=weights, minlength=users).astype(np.float64)
