"""From a predicted rating to the chances of each rating: a calibrated ordered probit, and quantile matching."""

from dataclasses import dataclass

import numpy as np

from openiir.kit.items.ratings import Floats, Ratings
from openiir.plugin import InputError, quantise


def marginal(ratings: Ratings) -> tuple[Floats, Floats]:
    """The ratings a scale has, ascending, and the share of each. Raises InputError for a rating between steps."""
    scale = ratings.scale
    values = scale.low + scale.step * np.arange(round((scale.high - scale.low) / scale.step) + 1)
    at = (ratings.value - scale.low) / scale.step
    if (at != np.round(at)).any():
        wrong = ratings.value[at != np.round(at)][0]
        raise InputError(f"a rating is {wrong:g}, but the scale has steps of {scale.step:g}; name its step")
    shares = np.bincount(at.astype(np.int64), minlength=len(values)) / max(len(ratings), 1)
    return np.asarray(values, dtype=np.float64), shares


def cutpoints(shares: Floats) -> Floats:
    """(values - 1,): where a standard normal variable is cut so that its pieces have these shares."""
    from scipy.special import ndtri

    return np.asarray(np.clip(ndtri(np.clip(np.cumsum(shares)[:-1], 0, 1)), -8, 8))


@dataclass(frozen=True, eq=False)
class Probit:
    """Ordered probit: rating r where sqrt(r2) z + sqrt(1 - r2) e falls between the cut points around r.

    z is the predicted rating, standardised over the predictions it was fitted on; e is standard normal. The cut
    points are those of the training ratings' marginal, so that simulated ratings have that marginal.
    """

    values: Floats
    cuts: Floats
    centre: float
    spread: float
    r2: float
    """The share of the latent variable's variance that the prediction explains."""

    @classmethod
    def fit(cls, train: Ratings, predicted: Floats, held_out: Ratings) -> "Probit":
        """Cut points from training ratings; r2 with the highest likelihood of held-out (validation) ratings.

        `predicted` are the predictions of the held-out ratings, in the order of their rows.
        """
        from scipy.optimize import minimize_scalar

        values, shares = marginal(train)
        centre, spread = float(predicted.mean()), float(predicted.std()) or 1.0
        at = np.searchsorted(values, held_out.value)

        def surprise(r2: float) -> float:
            chances = cls(values, cutpoints(shares), centre, spread, r2).chances(predicted)
            return float(-np.log(np.maximum(chances[np.arange(len(at)), at], 1e-12)).mean())

        best = minimize_scalar(surprise, bounds=(0.001, 0.98), method="bounded").x if len(at) else 0.41
        return cls(
            values,
            np.asarray(quantise(cutpoints(shares))),
            quantise(centre),
            quantise(spread),
            quantise(best),
        )

    def chances(self, predicted: Floats) -> Floats:
        """(..., values): the probability of each rating."""
        from scipy.special import ndtr

        z = (np.asarray(predicted, dtype=np.float64)[..., None] - self.centre) / self.spread
        below = ndtr((self.cuts - np.sqrt(self.r2) * z) / np.sqrt(1 - self.r2))
        ends = np.zeros((*below.shape[:-1], 1)), np.ones((*below.shape[:-1], 1))
        return np.diff(np.concatenate([ends[0], below, ends[1]], axis=-1))

    def mean_rating(self, predicted: Floats) -> Floats:
        """The mean rating."""
        return np.asarray(quantise(self.chances(predicted) @ self.values))

    def likeliest(self, predicted: Floats) -> Floats:
        """The most likely rating; ties go to the lower one."""
        return np.asarray(self.values[quantise(self.chances(predicted)).argmax(axis=-1)])

    def draw_rating(self, predicted: Floats, uniform: Floats) -> Floats:
        """A rating by inversion of its distribution at uniform draws, one a prediction."""
        below = np.cumsum(quantise(self.chances(predicted)), axis=-1)[..., :-1]
        return np.asarray(self.values[(np.asarray(uniform)[..., None] > below).sum(axis=-1)])


@dataclass(frozen=True, eq=False)
class QuantileMatching:
    """Whole ratings whose distribution is that of real ones: predictions cut at their own quantiles.

    No held-out rating is looked at. Compared with rounding it costs error: predictions vary less than ratings do.
    """

    values: Floats
    bounds: Floats

    @classmethod
    def fit(cls, train: Ratings, predicted: Floats) -> "QuantileMatching":
        """Bounds where these predictions (of pairs like those to come) reach the training ratings' cumulated shares."""
        values, shares = marginal(train)
        return cls(
            values, np.asarray(quantise(np.quantile(predicted, np.clip(np.cumsum(shares)[:-1], 0, 1))))
        )

    def ratings(self, predicted: Floats) -> Floats:
        """The rating of each prediction."""
        return np.asarray(self.values[np.searchsorted(self.bounds, predicted, side="left")])
