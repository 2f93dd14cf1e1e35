"""Rating errors (RMSE, MAE) with their coverage, and distances between rating histograms."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.kit.measures.exposure import jensen_shannon
from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics.estimate import Estimate
from openiir.kit.statistics.resampling import cluster_bootstrap, divide_arrays
from openiir.plugin import InputError, Measure, undefined_measure


@dataclass(frozen=True)
class RatingErrors:
    """Errors of the simulated ratings, with the number of ratings asked for."""

    asked: int
    rated: int
    rmse_of_rated: Estimate
    """RMSE pooled over all rated pairs, with an interval over users; likewise `mae_of_rated`."""
    mae_of_rated: Estimate
    rmse_by_user: UserMean
    """Mean over users of each user's RMSE; likewise `mae_by_user`. Users without a rating are left out."""
    mae_by_user: UserMean
    whole: bool
    """Whether all ratings and predictions are whole numbers, in which case MSE >= MAE."""

    @property
    def coverage(self) -> Measure:
        """Share of the ratings asked for that were given."""
        if not self.asked:
            return undefined_measure("no rating was asked for")
        return Measure(self.rated / self.asked)

    def measures(self) -> dict[str, Measure]:
        """List coverage and errors by name.

        `rmse` and `mae` have a value only where everything asked was rated; `rmse_of_rated` and
        `mae_of_rated` cover the rated pairs, `rmse_by_user` and `mae_by_user` are means over users.
        """
        found = {"coverage": self.coverage}
        for name, of_rated in (("rmse", self.rmse_of_rated), ("mae", self.mae_of_rated)):
            value = Measure(of_rated.value, of_rated.reason if math.isnan(of_rated.value) else None)
            partial = f"{self.rated} of {self.asked} were rated; read {name}_of_rated beside coverage"
            found[name] = value if self.rated == self.asked else undefined_measure(partial)
            found[f"{name}_of_rated"] = value
        return found | {"rmse_by_user": self.rmse_by_user.measure, "mae_by_user": self.mae_by_user.measure}

    def __str__(self) -> str:
        if not self.rated:
            return f"no error: none of {self.asked} ratings asked for was given"
        return (
            f"RMSE {self.rmse_of_rated.value:.4f}, MAE {self.mae_of_rated.value:.4f} "
            f"on {self.rated} of {self.asked} asked ({self.rated / self.asked:.1%})"
        )


def rating_errors(user: ArrayLike, meant: ArrayLike, given: ArrayLike, level: float = 0.95) -> RatingErrors:
    """Compute rating errors from columns with a row for each rating asked for.

    `given` is NaN where no rating came.
    RMSE is the root of the mean squared error, MAE the mean absolute error, in units of the scale.
    """
    ids, truth, said = np.asarray(user), np.asarray(meant, np.float64), np.asarray(given, np.float64)
    if not ids.shape == truth.shape == said.shape or ids.ndim != 1:
        raise InputError(
            f"ratings are columns of one length, got {ids.shape}, {truth.shape} and {said.shape}"
        )
    if (wrong := ~np.isfinite(truth) | np.isinf(said)).any():
        raise InputError(
            f"row {int(wrong.argmax())} holds a rating that is no number; leave the row out, or give NaN "
            "where nothing was rated"
        )
    there = ~np.isnan(said)
    users, row = np.unique(ids, return_inverse=True)
    error = np.abs(said - truth)[there]
    n, absolute, squared = (
        np.bincount(row[there], w, len(users)).astype(np.float64)
        for w in (np.ones(len(error)), error, error * error)
    )
    why = "nothing was rated"
    return RatingErrors(
        asked=len(said),
        rated=len(error),
        rmse_of_rated=_pool(squared, n, lambda s, of: np.sqrt(divide_arrays(s, of)), level),
        mae_of_rated=_pool(absolute, n, divide_arrays, level),
        rmse_by_user=over_users(np.sqrt(divide_arrays(squared, n)), why, level, (0.0, math.inf)),
        mae_by_user=over_users(divide_arrays(absolute, n), why, level, (0.0, math.inf)),
        whole=bool((truth == np.round(truth)).all() and (said[there] == np.round(said[there])).all()),
    )


def _pool(sums: Floats, n: Floats, statistic: Any, level: float) -> Estimate:
    if not n.sum():
        return Estimate(math.nan, reason="nothing was rated")
    return cluster_bootstrap(sums, n, statistic=statistic, level=level)


class HistogramDistances(NamedTuple):
    """Two distances between two rating histograms; 0 where they are equal."""

    jensen_shannon: Measure
    """Jensen-Shannon divergence in bits: 1 where no rating is shared (Lin, IEEE TIT 1991)."""
    earth_mover: Measure
    """Wasserstein-1 distance in units of the scale (stars): how far ratings must move on average."""


def rating_difference(given: ArrayLike, real: ArrayLike, values: ArrayLike) -> HistogramDistances:
    """Compare the histogram of simulated ratings with that of real ones.

    Both are flat arrays (NaN left out) of the scale's `values`, such as 1 to 5.
    Raises InputError for a rating that is no value of the scale: round or quantile-match expectations first.
    """
    scale = np.unique(np.asarray(values, dtype=np.float64))
    one, two = _histogram("given", given, scale), _histogram("real", real, scale)
    if not one.sum() or not two.sum():
        return HistogramDistances(*[undefined_measure("one of the two holds no rating")] * 2)
    nats = jensen_shannon.measure(one, two)
    moved = np.abs(np.cumsum(one / one.sum() - two / two.sum())[:-1]) @ np.diff(scale)
    return HistogramDistances(Measure(nats.value / math.log(2), nats.reason), Measure(float(moved)))


def _histogram(name: str, ratings: ArrayLike, scale: Floats) -> Floats:
    array = np.asarray(ratings, dtype=np.float64).ravel()
    there = array[~np.isnan(array)]
    place = np.minimum(np.searchsorted(scale, there), len(scale) - 1)
    if (wrong := scale[place] != there).any():
        raise InputError(
            f"{name} holds the rating {there[wrong.argmax()]:g}, which is none of "
            f"{', '.join(f'{v:g}' for v in scale)}; "
            "round expectations to the scale first, and say so beside the result"
        )
    return np.bincount(place, minlength=len(scale)).astype(np.float64)
