"""Rating model of an agent: several models blended on validation ratings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from openiir.kit.items import Collection, Ratings, Scale
from openiir.kit.items.bias import BiasModel
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, quantise
from openiir.scenarios.recommender.model.taste.blocks import (
    ModelPart,
    at_pairs,
    check_disjoint,
    limit_blas_threads,
)
from openiir.scenarios.recommender.model.taste.content import ContentRegression, content_features
from openiir.scenarios.recommender.model.taste.factors import ResidualFactors, Spectrum
from openiir.scenarios.recommender.model.taste.neighbours import NeighbourModel

PARTS = ("bias", "neighbours", "factors", "content")
"""Names of the blended models. With `content` alone, an agent knows no other user's ratings but their mean.
"""
_PENALTY = 10.0
"""Strength of the shrinkage towards equal weights, in ratings."""


@dataclass(frozen=True, eq=False)
class RatingModel:
    """Blended rating model; predictions lie on the scale and on the grid of 2^-20.

    A prediction does not depend on what else is predicted with it.
    """

    parts: Mapping[str, ModelPart]
    """Fitted models by name; models of residuals come with the biases added."""
    weights: Mapping[str, float]
    intercept: float
    """Constant added to the mean rating."""
    mean: float
    scale: Scale
    items: int

    @classmethod
    def fit(
        cls,
        train: Ratings,
        validation: Ratings,
        collection: Collection,
        seed: int,
        parts: Sequence[str] = PARTS,
    ) -> "RatingModel":
        """Fit the parts on training ratings and their blend on validation ratings.

        Weights are a ridge regression that shrinks towards equal ones, which they are where there is no
        validation rating. Raises InputError for parts that do not exist, and without any.
        """
        if not parts or set(parts) - set(PARTS):
            raise InputError(f"a rating model is made of {', '.join(PARTS)}, some or all; got {list(parts)}")
        check_disjoint(train, validation)
        with limit_blas_threads():
            bias = BiasModel.fit(train)
            residuals = bias.residuals(train)
            makers: dict[str, Callable[[], ModelPart]] = {
                "bias": lambda: bias,
                "neighbours": lambda: _BiasCorrected(bias, NeighbourModel.fit(train, residuals)),
                "factors": lambda: _BiasCorrected(
                    bias, ResidualFactors.fit(residuals, Spectrum.fit(train), seed)
                ),
                "content": lambda: ContentRegression.fit(train, content_features(collection)),
            }
            fitted = {name: makers[name]() for name in PARTS if name in parts}
        return cls(fitted, {}, 0.0, bias.mean, train.scale, train.items).only(parts, validation)

    def only(self, names: Sequence[str], validation: Ratings) -> "RatingModel":
        """Select some of the parts, with weights fitted on these ratings."""
        parts = {name: part for name, part in self.parts.items() if name in names}
        equal = np.append(np.full(len(parts), 1 / len(parts)), 0.0)
        with limit_blas_threads():
            said = [at_pairs(part.block, validation.user, validation.item) for part in parts.values()]
            rows = np.column_stack([np.column_stack(said) - self.mean, np.ones(len(validation))])
            left = validation.value - self.mean - rows @ equal
            gram = rows.T @ rows + _PENALTY * np.eye(len(equal))
            *weights, intercept = quantise(equal + np.linalg.solve(gram, rows.T @ left)).tolist()
        return replace(self, parts=parts, weights=dict(zip(parts, weights, strict=True)), intercept=intercept)

    def block(self, users: Ints) -> Floats:
        """Predict the ratings of these users for all items, (len(users), items).

        Give some hundreds of users at a time.
        """
        with limit_blas_threads():
            total = np.full((len(users), self.items), self.mean + self.intercept)
            for name, part in self.parts.items():
                total += self.weights[name] * (part.block(users) - self.mean)
        return np.asarray(quantise(np.clip(total, self.scale.low, self.scale.high)))

    def predict(self, users: Ints, items: Ints) -> Floats:
        """Predict the ratings of (user, item) pairs, (pairs,), as in `block`."""
        return at_pairs(self.block, users, items)


@dataclass(frozen=True, eq=False)
class _BiasCorrected:
    """A model of residuals with the biases added."""

    bias: BiasModel
    model: ModelPart

    def block(self, users: Ints) -> Floats:
        return self.bias.block(users) + self.model.block(users)
