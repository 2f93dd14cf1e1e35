"""Fit simulators and models to data: approximate Bayesian computation, likelihood, recovery, held-out."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.stats import kstest

from openiir.core.errors import InputError
from openiir.kit.arrays import Floats
from openiir.kit.statistics import Estimate, cluster_bootstrap, correlation, mean_interval
from openiir.kit.statistics.proportion import wilson_interval
from openiir.plugin import Draw, order_by

DRAWS = 4_000
_SEEKING = Draw(0, "fitting.likelihood")
_FARTHEST, _AT_BOUND = 12.0, 6.5
"""Largest logit that is tried, 6e-6 of the range from a bound, and that which counts as at a bound."""
Simulator = Callable[[Floats, Draw], ArrayLike]
"""Simulates with values (P,) and a draw; gives summary statistics (S,), NaN where one has no value."""
LogLikelihood = Callable[[Floats], ArrayLike]
"""Computes the log-likelihood of each independent unit (n,) from parameters' values (P,)."""


class Parameter(NamedTuple):
    """A parameter with the range that a fit considers: uniform, or log-uniform with `log`."""

    name: str
    low: float
    high: float
    log: bool = False


class ParameterRange:
    """The box of some parameters' ranges, and its map to and from logits of positions, on which fits work.

    Raises InputError for ranges that are empty, endless, or not positive with `log`.
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        for name, low, high, log in parameters:
            if not -np.inf < low < high < np.inf or (log and low <= 0):
                raise InputError(
                    f"parameter {name} ranges from {low:g} to {high:g}{' on a log scale' if log else ''}; "
                    f"give finite bounds, the lower one first{', above 0' if log else ''}"
                )
        self.parameters = tuple(parameters)
        self._log = np.array([one.log for one in parameters])
        low, high = np.array([one[1:3] for one in parameters], dtype=np.float64).T
        self._low = np.log(low, out=low.copy(), where=self._log)
        self._span = np.log(high, out=high.copy(), where=self._log) - self._low

    def draw(self, number: int, draw: Draw) -> Floats:
        """Draw logits (number, P) of positions that are uniform over the box."""
        units = draw.uniform(item=np.arange(number)[:, None], agent=np.arange(len(self.parameters))[None, :])
        return np.asarray(np.log(units) - np.log1p(-units))

    def values(self, logits: Floats) -> Floats:
        """Compute the parameters' values from logits (..., P)."""
        inside = self._low + self._span / (1 + np.exp(-logits))
        return np.exp(inside, out=inside.copy(), where=np.broadcast_to(self._log, inside.shape))


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit found: weighted draws of the parameters, and how they came about."""

    parameters: tuple[Parameter, ...]
    values: Floats
    """Draws (n, P): of the posterior, or of the estimate's normal approximation."""
    weights: Floats
    """Weight of each draw (n,); they add up to 1."""
    method: str
    loss: str
    """What was minimised."""
    runs: int
    """How many times the simulator or the likelihood was run."""
    peak: Mapping[str, float] = field(default_factory=dict)
    """The most likely values, where there is a likelihood."""
    reason: str | None = None
    """Why there are no intervals."""

    def estimates(self, level: float = 0.95) -> dict[str, Estimate]:
        """Estimate each parameter by its peak or else its median, with the central interval of the draws."""
        ends, found = [(1 - level) / 2, 0.5, (1 + level) / 2], {}
        number = 1 / (self.weights**2).sum()  # a further draw lies below the first of n in 1 of n + 1 cases
        for (name, *_), draws in zip(self.parameters, self.values.T, strict=True):
            order = order_by(draws)
            shares = np.cumsum(self.weights[order]) * number / (number + 1)
            low, middle, high = np.interp(ends, shares, draws[order])
            value = self.peak.get(name, float(middle))
            interval = (np.nan, np.nan) if self.reason else (float(low), float(high))
            found[name] = Estimate(value, *interval, self.method, self.reason)
        return found

    def ranks(self, truth: ArrayLike) -> Floats:
        """Compute the share of draws below each true value (P,): uniform over many calibrated fits."""
        return np.asarray(self.weights @ (self.values < np.asarray(truth)))

    def resample(self, number: int, draw: Draw) -> Floats:
        """Draw sets of values (number, P) by weight, for predictions that hold the uncertainty of the fit."""
        places = np.searchsorted(np.cumsum(self.weights), draw.uniform(item=np.arange(number)))
        return np.asarray(self.values[np.minimum(places, len(self.values) - 1)])


@dataclass(frozen=True, eq=False)
class PriorSimulations:
    """Simulations with parameters drawn from their ranges, to which any number of data sets are fitted."""

    ranges: ParameterRange
    logits: Floats
    summaries: Floats
    without_value: int
    """Number of simulations left out since a summary was NaN."""

    @property
    def values(self) -> Floats:
        """Parameters (n, P) of the simulations."""
        return self.ranges.values(self.logits)

    def fit(self, observed: ArrayLike, accept: float = 0.1, leave_out: int | None = None) -> Fit:
        """Fit the parameters to observed summaries (S,): rejection with local linear adjustment.

        Summaries are divided by their median absolute deviations over all simulations, and left out where
        they are the same in all; the share `accept` of simulations with the smallest Euclidean distance is
        kept, weighted by Epanechnikov's kernel, and moved along a linear regression of the parameters' logits
        on the summaries (Beaumont, Zhang & Balding, Genetics 2002). `leave_out` is a simulation that must not
        be used, since its summaries are those observed. Raises InputError where too few simulations are kept
        for the regression.
        """
        target = np.asarray(observed, dtype=np.float64)
        gaps = self._gaps(target)
        distance = np.sqrt((gaps**2).sum(axis=1))
        if leave_out is not None:
            distance[leave_out] = np.inf
        number = int(accept * len(distance))
        if number < 2 * (1 + len(target)):
            raise InputError(
                f"{number} of {len(distance)} simulations would be kept, too few for {len(target)} "
                f"summaries; simulate more, or accept a larger share"
            )
        order = order_by(distance)
        kept, tolerance = order[:number], distance[order[number]]
        weights = np.maximum(1 - (distance[kept] / tolerance) ** 2, 0) if tolerance else np.ones(number)
        design = np.column_stack([np.ones(number), gaps[kept]])
        root = np.sqrt(weights)[:, None]
        slopes = np.linalg.lstsq(design * root, self.logits[kept] * root, rcond=None)[0][1:]
        far = f"in median absolute deviations, at most {tolerance:.3g}"
        return Fit(
            self.ranges.parameters,
            self.ranges.values(self.logits[kept] - gaps[kept] @ slopes),
            weights / weights.sum(),
            method="rejection ABC, linear adjustment",
            loss=f"Euclidean distance of {len(target)} summaries {far}",
            runs=len(distance) + self.without_value,
        )

    def _gaps(self, target: Floats) -> Floats:
        """Compute simulated minus observed summaries in median absolute, else standard deviations."""
        middle = np.median(self.summaries, axis=0)
        scales = np.median(np.abs(self.summaries - middle), axis=0)
        scales = np.where(scales > 0, scales, self.summaries.std(axis=0))
        return np.where(scales > 0, (self.summaries - target) / np.where(scales > 0, scales, 1.0), 0.0)


def simulate_prior(
    simulate: Simulator,
    parameters: Sequence[Parameter],
    draw: Draw,
    simulations: int = 2_000,
    pool: Executor | None = None,
) -> PriorSimulations:
    """Simulate with parameters drawn from their ranges, in a pool of threads or processes if one is given.

    Simulation n draws under `draw.at("simulation/n")`, so that the result is the same with any number of
    workers. A pool of processes needs a simulator that is a function of a module.
    """
    ranges = ParameterRange(parameters)
    logits = ranges.draw(simulations, draw.at("parameters"))
    draws = [draw.at(f"simulation/{n}") for n in range(simulations)]
    values = list(ranges.values(logits))
    found = pool.map(simulate, values, draws, chunksize=16) if pool else map(simulate, values, draws)
    summaries = np.array([np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in found])
    there = np.isfinite(summaries).all(axis=1)
    if not there.any():
        raise InputError(f"none of {simulations} simulations has a value for all summaries; check the ranges")
    return PriorSimulations(ranges, logits[there], summaries[there], int((~there).sum()))


def maximise_likelihood(
    log_likelihood: LogLikelihood, parameters: Sequence[Parameter], draw: Draw = _SEEKING, starts: int = 4
) -> Fit:
    """Fit parameters by maximum likelihood over independent units (users, cascades).

    Nelder and Mead's simplex (Comput. J. 1965) on the logits of the positions in their ranges, from the
    middle and `starts` - 1 drawn points. The draws are of the normal approximation with the sandwich
    covariance, which holds where the model is not the one that made the data (White, Econometrica 1982). At a
    bound of the range, and where the likelihood is flat or far from normal around its peak, there are no
    intervals, and `reason` says so. Raises InputError where no start has a finite likelihood.
    """
    ranges, runs = ParameterRange(parameters), 0

    def by_unit(logits: Floats) -> Floats:
        nonlocal runs
        runs += 1
        return np.asarray(log_likelihood(ranges.values(logits)), dtype=np.float64)

    def loss(logits: Floats) -> float:
        total = by_unit(logits).sum()
        return float(-total) if np.isfinite(total) and np.abs(logits).max() < _FARTHEST else np.inf

    points = [np.zeros(len(parameters)), *ranges.draw(starts - 1, draw.at("starts"))]
    points = [point for point in points if np.isfinite(loss(point))]
    if not points:
        raise InputError(f"the likelihood is not finite at any of {starts} starts; check ranges and data")
    # A simplex may collapse: begin again once.
    found = [_descend(loss, _descend(loss, point)) for point in points]
    best = min(found, key=loss)
    spread, reason = _sandwich(by_unit, best, parameters)
    noise = draw.at("draws").normal(item=np.arange(DRAWS)[:, None], agent=np.arange(len(parameters))[None, :])
    return Fit(
        ranges.parameters,
        ranges.values(best + noise @ spread.T),
        np.full(DRAWS, 1 / DRAWS),
        method="maximum likelihood, sandwich",
        loss="negative log-likelihood",
        runs=runs,
        peak={one.name: float(value) for one, value in zip(parameters, ranges.values(best), strict=True)},
        reason=reason,
    )


def _descend(loss: Callable[[Floats], float], start: Floats) -> Floats:
    simplex = np.vstack([start, start + np.eye(len(start))])
    options = {"initial_simplex": simplex, "xatol": 1e-4, "fatol": 1e-4, "maxfev": 1_000 * len(start)}
    return np.asarray(minimize(loss, start, method="Nelder-Mead", options=options).x)


def _sandwich(
    by_unit: Callable[[Floats], Floats], best: Floats, parameters: Sequence[Parameter]
) -> tuple[Floats, str | None]:
    """Compute a root of the sandwich covariance of the logits; with a reason instead where there is none."""
    size, nothing = len(best), np.zeros((len(best), len(best)))
    if len(ends := np.flatnonzero(np.abs(best) > _AT_BOUND)):
        name = parameters[ends[0]].name
        return nothing, f"{name} is best at a bound of its range; widen the range, or fix it there"
    top = by_unit(best).sum()
    steps = np.full(size, 0.1)
    for _ in range(8):  # to where the likelihood falls by one half: one standard error
        for n, unit in enumerate(np.eye(size)):
            fall = top - 0.5 * (by_unit(best + steps * unit).sum() + by_unit(best - steps * unit).sum())
            steps[n] *= np.clip(np.sqrt(0.5 / max(fall, 1e-9)), 0.2, 5.0)
    moves = np.diag(np.minimum(steps, 1.0))
    with np.errstate(invalid="ignore"):
        scores, curve = _derivatives(by_unit, best, moves)
    if not np.isfinite(curve).all() or np.linalg.eigvalsh(curve).min() <= 0:
        return nothing, "the likelihood is flat in some direction: the data do not tell the parameters apart"
    inverse = np.linalg.inv(curve)
    lengths, axes = np.linalg.eigh(inverse)
    reach = 1.96 * np.sqrt(lengths)[:, None] * axes.T @ moves
    falls = [top - by_unit(best + move).sum() for move in (*reach, *-reach)]  # 1.92 each where it is normal
    if not (min(falls) > 0.8 and max(falls) < 4.8):
        reason = "the likelihood is far from normal around its peak; simulate instead, or fix a parameter"
        return nothing, reason
    values, vectors = np.linalg.eigh(inverse @ (scores @ scores.T) @ inverse)
    return np.diag(moves)[:, None] * vectors * np.sqrt(np.maximum(values, 0)), None


def _derivatives(by_unit: Callable[[Floats], Floats], best: Floats, moves: Floats) -> tuple[Floats, Floats]:
    """Compute each unit's slopes (P, n) and the negative curvature of the sum (P, P), by the moves."""
    scores = np.stack([(by_unit(best + move) - by_unit(best - move)) / 2 for move in moves])
    curve = np.empty((len(moves), len(moves)))
    for i, one in enumerate(moves):
        for j, other in enumerate(moves[: i + 1]):
            corners = [by_unit(best + a * one + b * other).sum() * a * b for a in (1, -1) for b in (1, -1)]
            curve[i, j] = curve[j, i] = -float(np.sum(corners)) / 4
    return scores, curve


class ParameterRecovery(NamedTuple):
    """How well fits recover a parameter, or with `log` its logarithm, over data sets with known values."""

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
    true = np.asarray(truths, dtype=np.float64)
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
            coverage=wilson_interval(covers.count(True), len(covers)),
            without_interval=len(fits) - len(bounded),
            rank_p=float(kstest(ranks, "uniform").pvalue) if ranks else np.nan,
        )
    return found


class HeldOutLoss(NamedTuple):
    """Loss of a prediction on held-out units; smaller is better."""

    loss: Estimate
    """Mean over units, with a percentile bootstrap interval."""
    saving: Estimate
    """Mean of the baseline's loss minus this one, over the same units; above 0 where this one is better."""


def compare_held_out(losses: Mapping[str, ArrayLike], baseline: str) -> dict[str, HeldOutLoss]:
    """Compare the losses (n,) of several predictions on the same held-out units with those of a baseline.

    Losses are such as `crps`, or negative log-likelihoods by unit.
    """
    columns = {name: np.asarray(loss, dtype=np.float64) for name, loss in losses.items()}
    ones = np.ones(len(columns[baseline]))
    return {
        name: HeldOutLoss(*(cluster_bootstrap(one, ones) for one in (column, columns[baseline] - column)))
        for name, column in columns.items()
    }


def crps(observed: ArrayLike, predicted: ArrayLike) -> Floats:
    """Compute the continuous ranked probability score of each value (n,) under a predicted sample (m,).

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
