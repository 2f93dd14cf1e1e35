"""Held-out checks: predictions of data that a fit has not seen, beside a named baseline."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.errors import InputError
from openiir.kit.arrays import Floats
from openiir.kit.statistics import Estimate, cluster_bootstrap


class HeldOutLoss(NamedTuple):
    """Loss of a prediction on held-out units; smaller is better."""

    loss: Estimate
    """Mean over units, with a percentile bootstrap interval."""
    saving: Estimate
    """Mean of the baseline's loss minus this one, over the same units; above 0 where this one is better."""


def compare_held_out(losses: Mapping[str, ArrayLike], baseline: str) -> dict[str, HeldOutLoss]:
    """Compare the losses (n,) of several predictions on the same held-out units with those of a baseline.

    Losses are such as `crps`, or negative log-likelihoods by unit. Raises InputError without the baseline.
    """
    columns = {name: np.asarray(loss, dtype=np.float64) for name, loss in losses.items()}
    if baseline not in columns or len({column.shape for column in columns.values()}) > 1:
        raise InputError(
            f"losses of {', '.join(columns)}; give the baseline {baseline} among them, and a loss a unit for "
            f"each"
        )
    ones = np.ones(len(columns[baseline]))
    return {
        name: HeldOutLoss(
            cluster_bootstrap(column, ones), cluster_bootstrap(columns[baseline] - column, ones)
        )
        for name, column in columns.items()
    }


def crps(observed: ArrayLike, predicted: ArrayLike) -> Floats:
    """Compute the continuous ranked probability score of each observed value (n,) under a predicted sample
    (m,).

    E|X - y| - E|X - X'| / 2, in units of the values, 0 at best (Gneiting & Raftery, JASA 2007). It compares
    whole distributions, as the Kolmogorov-Smirnov distance does, and is a mean over units.
    """
    values, sample = np.asarray(observed, dtype=np.float64), np.sort(np.asarray(predicted, dtype=np.float64))
    number = len(sample)
    below = np.searchsorted(sample, values, side="right")
    sums = np.concatenate(([0.0], np.cumsum(sample)))
    near = values * (2 * below - number) + sums[-1] - 2 * sums[below]
    apart = (sample * (2 * np.arange(number) - number + 1)).sum() / number
    return np.asarray((near - apart) / number)
