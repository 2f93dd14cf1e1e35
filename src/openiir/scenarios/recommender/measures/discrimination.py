"""Binary classification measures per user: accuracy, precision, recall, F1 and AUC."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Bools, Floats
from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics.resampling import ratio
from openiir.plugin import InputError, Measure

_MISSING = {
    "accuracy": "no item was judged",
    "balanced_accuracy": "positives and negatives are both needed",
    "precision": "yes was said to no item",
    "recall": "there is no positive item",
    "f1": "yes was said to no item and there is no positive one",
    "auc": "positives and negatives are both needed",
}


class Confusion(NamedTuple):
    """Confusion matrix counts, as arrays over users or as single numbers; undefined measures are NaN."""

    true_positives: Floats
    false_positives: Floats
    false_negatives: Floats
    true_negatives: Floats

    @property
    def judged(self) -> Floats:
        """Number of judged items."""
        return self.true_positives + self.false_positives + self.false_negatives + self.true_negatives

    @property
    def share(self) -> Floats:
        """Share of positives among the judged items."""
        return ratio(self.true_positives + self.false_negatives, self.judged)

    @property
    def accuracy(self) -> Floats:
        """Accuracy, (TP + TN) / all."""
        return ratio(self.true_positives + self.true_negatives, self.judged)

    @property
    def precision(self) -> Floats:
        """Precision, TP / (TP + FP); NaN without a positive answer."""
        return ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> Floats:
        """Recall, TP / (TP + FN); NaN without a positive item."""
        return ratio(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> Floats:
        """F1, 2 TP / (2 TP + FP + FN).

        0 for a user who always answers no; NaN only if there is no positive item either.
        """
        twice = 2 * self.true_positives
        return ratio(twice, twice + self.false_positives + self.false_negatives)

    @property
    def balanced_accuracy(self) -> Floats:
        """Mean of the true positive rate and the true negative rate; .5 for any constant answer."""
        negatives = self.true_negatives + self.false_positives
        return (self.recall + ratio(self.true_negatives, negatives)) / 2


@dataclass(frozen=True)
class Discrimination:
    """Confusion counts and AUC of each user; report `means` over users, not `pooled`."""

    users: NDArray[Any]
    """Ids of the users, ascending."""
    counts: Confusion
    auc: Floats | None
    """(users,) area under the ROC curve; None where no scores were given."""

    @property
    def by_user(self) -> dict[str, Floats]:
        """Arrays of each measure by user, NaN where undefined, for paired tests."""
        counts = self.counts
        columns = {name: getattr(counts, name) for name in _MISSING if name != "auc"}
        return columns if self.auc is None else columns | {"auc": self.auc}

    def means(self, level: float = 0.95) -> dict[str, UserMean]:
        """Average each measure over users, with an interval."""
        return {name: over_users(column, _MISSING[name], level) for name, column in self.by_user.items()}

    @property
    def pooled(self) -> dict[str, Measure]:
        """Measures over all users' judgements together (without AUC), and `share`, the share of positives.

        These are tied to each other exactly, as `consistency.check_discrimination` has it.
        """
        heap = Confusion(*(np.asarray(column.sum()) for column in self.counts))
        values = {name: float(getattr(heap, name)) for name in (*_MISSING, "share") if name != "auc"}
        return {
            name: Measure(value, _MISSING.get(name, "no item was judged") if np.isnan(value) else None)
            for name, value in values.items()
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
    scores = None if score is None else np.asarray(score, dtype=np.float64)
    lengths = {"user": ids.shape, "positive": truth.shape, "chosen": said.shape}
    if scores is not None:
        lengths["score"] = scores.shape
    if len(set(lengths.values())) > 1 or ids.ndim != 1:
        raise InputError(f"judgements are columns of one length, got {lengths}")
    if scores is not None and np.isnan(scores).any():
        raise InputError(
            f"the score of row {int(np.isnan(scores).argmax())} is NaN; give every judged item a score"
        )
    users, row = np.unique(ids, return_inverse=True)
    counts = Confusion(
        *(
            _count(row, mask, len(users))
            for mask in (truth & said, ~truth & said, truth & ~said, ~truth & ~said)
        )
    )
    return Discrimination(users, counts, None if scores is None else _auc(row, truth, scores, len(users)))


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
    return ratio(ranks - pos * (pos + 1) / 2, pos * neg)


def _flags(name: str, values: ArrayLike) -> Bools:
    array = np.asarray(values)
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise InputError(
            f"{name} is true or false in each row (1 or 0), got {array[~np.isin(array, (0, 1))][0]!r}"
        )
    return array.astype(np.bool_)


def _count(row: NDArray[np.intp], weights: NDArray[Any], users: int) -> Floats:
    return np.bincount(row, weights=weights, minlength=users).astype(np.float64)
