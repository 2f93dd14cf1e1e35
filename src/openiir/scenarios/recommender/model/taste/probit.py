"""Convert predicted ratings to whole ones by a calibrated ordered probit."""

from dataclasses import dataclass

import numpy as np

from openiir.kit.items.ratings import Floats, Ratings
from openiir.plugin import InputError, first_largest, quantise


def rating_shares(ratings: Ratings) -> tuple[Floats, Floats]:
    """List the rating values of the scale, ascending, and the share of each.

    Raises InputError for a rating between steps.
    """
    scale = ratings.scale
    values = scale.low + scale.step * np.arange(round((scale.high - scale.low) / scale.step) + 1)
    at = (ratings.value - scale.low) / scale.step
    if (at != np.round(at)).any():
        wrong = ratings.value[at != np.round(at)][0]
        raise InputError(f"a rating is {wrong:g}, but the scale has steps of {scale.step:g}; name its step")
    shares = np.bincount(at.astype(np.int64), minlength=len(values)) / max(len(ratings), 1)
    return np.asarray(values, dtype=np.float64), shares


def cutpoints(shares: Floats) -> Floats:
    """Compute the standard normal cut points, (values - 1,), that give these shares."""
    from scipy.special import ndtri

    return np.asarray(np.clip(ndtri(np.clip(np.cumsum(shares)[:-1], 0, 1)), -8, 8))


@dataclass(frozen=True, eq=False)
class Probit:
    """Ordered probit from a predicted rating to the probability of each whole rating.

    The rating is r where sqrt(r2) z + sqrt(1 - r2) e falls between the cut points around r. z is the
    predicted rating, standardised over the predictions it was fitted on; e is standard normal. The cut points
    are those of the training ratings' marginal, so that simulated ratings have that marginal.
    """

    values: Floats
    cuts: Floats
    centre: float
    spread: float
    r2: float
    """Share of the latent variable's variance explained by the prediction."""

    @classmethod
    def fit(cls, train: Ratings, predicted: Floats, held_out: Ratings) -> "Probit":
        """Fit cut points on training ratings and r2 by maximum likelihood on held-out ratings.

        The held-out ratings are the validation fold.
        `predicted` are the predictions of the held-out ratings, in the order of their rows.
        """
        from scipy.optimize import minimize_scalar

        values, shares = rating_shares(train)
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
        """Compute the probability of each rating, (..., values)."""
        from scipy.special import ndtr

        z = (np.asarray(predicted, dtype=np.float64)[..., None] - self.centre) / self.spread
        below = ndtr((self.cuts - np.sqrt(self.r2) * z) / np.sqrt(1 - self.r2))
        ends = np.zeros((*below.shape[:-1], 1)), np.ones((*below.shape[:-1], 1))
        return np.diff(np.concatenate([ends[0], below, ends[1]], axis=-1))

    def most_likely_rating(self, predicted: Floats) -> Floats:
        """Find the most likely rating; ties go to the lower one."""
        return np.asarray(self.values[first_largest(quantise(self.chances(predicted)), axis=-1)])
