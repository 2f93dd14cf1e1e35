"""Parameter recovery: does a fit find parameters that are known, and are its intervals honest?"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lab.fitting.parameters import Fit
from openiir.core.errors import InputError
from openiir.kit.statistics import Estimate, correlation, mean_interval
from openiir.kit.statistics.proportion import wilson


class ParameterRecovery(NamedTuple):
    """How well fits recover a parameter over data sets simulated with known values; with `log`, its
    logarithm."""

    bias: Estimate
    """Mean of estimate minus truth, with its interval over data sets."""
    rmse: float
    correlation: float
    """Pearson's, of estimates and truths: 0 where the data tell nothing about the parameter."""
    coverage: Estimate
    """Share of intervals that hold the truth, with Wilson's interval."""
    without_interval: int
    """Number of fits without an interval, which count for the errors alone."""
    rank_p: float
    """p-value of a Kolmogorov-Smirnov test that the ranks of the truths among the draws are uniform."""


def check_recovery(
    truths: ArrayLike, fits: Sequence[Fit], level: float = 0.95
) -> dict[str, ParameterRecovery]:
    """Compare fits with the true values (m, P) behind the data that they were made on.

    Where the truths are drawn from the parameters' ranges and the fits are posteriors, coverage is `level`
    and ranks are uniform exactly if the computation is right (Talts, Betancourt, Simpson, Vehtari & Gelman,
    arXiv 2018).
    """
    from scipy.stats import kstest

    true = np.asarray(truths, dtype=np.float64)
    if len(fits) < 2 or true.shape != (len(fits), len(fits[0].parameters)):
        raise InputError(
            f"{true.shape} true values for {len(fits)} fits; give a row a fit, of two fits or more"
        )
    estimates = [fit.estimates(level) for fit in fits]
    found = {}
    for n, (name, _, _, log) in enumerate(fits[0].parameters):
        values, goal = np.array([one[name].value for one in estimates]), true[:, n]
        if log:
            values, goal = np.log(values), np.log(goal)
        error = values - goal
        bounded = [m for m, one in enumerate(estimates) if one[name].bounded]
        covers = [estimates[m][name].low <= true[m, n] <= estimates[m][name].high for m in bounded]
        ranks = [fits[m].ranks(true[m])[n] for m in bounded]
        found[name] = ParameterRecovery(
            bias=mean_interval(error),
            rmse=float(np.sqrt((error**2).mean())),
            correlation=correlation(values, goal),
            coverage=wilson(covers.count(True), len(covers)),
            without_interval=len(fits) - len(bounded),
            rank_p=float(kstest(ranks, "uniform").pvalue) if ranks else np.nan,
        )
    return found
