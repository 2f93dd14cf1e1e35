"""Content features of items, and a rating model from the content of the user's own ratings."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import order_by
from openiir.scenarios.recommender.model.taste.blocks import FactorProduct

_FEW = 40
"""Largest number of values of an attribute (such as genres) that keeps a dimension for each; others are
reduced together."""
_TEXTS = ("summaries", "descriptions", "captions")


def content_features(collection: Collection, rank: int = 32) -> Floats:
    """Compute content features of the items, (items, dimensions), from attributes and texts.

    The part of each kind of attribute has rows of length at most 1. Attributes with few values as they are,
    years as decades; attributes with many values (directors, actors, tags) and TF-IDF of the texts by latent
    semantic analysis (Deerwester et al., JASIS 1990) in `rank` dimensions. An item of which nothing is known
    has a row of zeros.
    """
    plain: list[Any] = []
    many: list[Any] = []
    for name, column in collection.attributes.items():
        values = tuple(map(_decades, column)) if name == "year" else column
        matrix = _attribute_matrix(values)
        if matrix is not None:
            (plain if matrix.shape[1] <= _FEW else many).append(matrix)
    words = _word_matrix(collection)
    if words is not None:
        many.append(words)
    dense = [matrix.toarray() for matrix in plain] + _reduce(many, rank)
    return np.hstack(dense) if dense else np.zeros((len(collection), 0))


@dataclass(frozen=True, eq=False)
class ContentRegression(FactorProduct):
    """Rating model that regresses a user's ratings on the items' content features.

    Other users' ratings enter only by their mean.
    Bayesian linear regression a user: own mean (shrunk towards the mean of all ratings) + features x a weight
    vector with a normal prior of variance `prior` in units of the noise.
    """

    mean: Floats
    """(users,) shrunken mean rating of each user."""

    @classmethod
    def fit(
        cls, train: Ratings, about: Floats, prior: float = 0.15, shrink: float = 3.0
    ) -> "ContentRegression":
        """Fit each user's regression; `about` are the items' features, (items, dimensions)."""
        rated = np.bincount(train.user, minlength=train.users)
        centre = train.mean if len(train) else (train.scale.low + train.scale.high) / 2
        above = np.bincount(train.user, train.value - centre, train.users) / (rated + shrink)
        mean = centre + above
        weights = np.zeros((train.users, about.shape[1]))
        ridge = np.eye(about.shape[1]) / prior
        for user in np.flatnonzero(rated).tolist():
            items, values = train.of(user)
            own = about[items]
            weights[user] = np.linalg.solve(own.T @ own + ridge, own.T @ (values - mean[user]))
        return cls(weights, about, mean)

    def block(self, users: Ints) -> Floats:
        """Predict the ratings of these users for all items, (len(users), items)."""
        return self.mean[users, None] + super().block(users)


def _decades(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{value[:3]}0s" for value in values if value.isdigit())


def _attribute_matrix(column: tuple[tuple[str, ...], ...]) -> Any:
    """Encode attribute values in a CSR matrix, items x values, with rare values weighing more.

    Rows have length 1; values of a single item are left out. None without any.
    """
    from scipy.sparse import csr_array

    counts = Counter(value for values in column for value in set(values))
    kept = {value: n for n, value in enumerate(sorted(v for v, count in counts.items() if count > 1))}
    if not kept:
        return None
    rarity = np.array([np.log(len(column) / counts[value]) + 1 for value in kept])
    pairs = [
        (item, kept[value])
        for item, values in enumerate(column)
        for value in sorted(set(values))
        if value in kept
    ]
    rows, columns = np.array(pairs).T
    return _normalise_rows(csr_array((rarity[columns], (rows, columns)), shape=(len(column), len(kept))))


def _word_matrix(collection: Collection) -> Any:
    """Compute the TF-IDF of the items' texts, items x words, CSR; None without any text."""
    columns = [column for name in _TEXTS if (column := getattr(collection, name))]
    texts = [" ".join(parts) for parts in zip(*columns, strict=True)]
    if not any(text.strip() for text in texts):
        return None
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(stop_words="english", min_df=2, max_df=0.5, sublinear_tf=True)
    try:
        return vectoriser.fit_transform(texts)
    except ValueError:  # No word is in two texts.
        return None


def _reduce(matrices: list[Any], rank: int) -> list[Floats]:
    from scipy.sparse import hstack
    from scipy.sparse.linalg import svds

    if not matrices:
        return []
    joined = hstack(matrices, format="csr")
    rank = min(rank, *(size - 1 for size in joined.shape))
    if rank < 1:
        return [joined.toarray()]
    left, values, _ = svds(joined, k=rank, v0=np.ones(min(joined.shape)))
    order = order_by(-values)
    return [left[:, order] * values[order]]


def _normalise_rows(matrix: Any) -> Any:
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
    matrix.data = matrix.data / np.repeat(np.maximum(lengths, 1e-12), np.diff(matrix.indptr))
    return matrix
