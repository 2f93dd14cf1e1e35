"""Approximate Bayesian computation: fit a simulator by the simulations that resemble the data most."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lab.fitting.parameters import Fit, Parameter, ParameterRange
from openiir.core.errors import InputError
from openiir.kit.arrays import Floats
from openiir.plugin import Draw, order_by

Simulator = Callable[[Floats, Draw], ArrayLike]
"""Simulates with parameters' values (P,) and a draw; gives summary statistics (S,), NaN where one has no
value."""


@dataclass(frozen=True, eq=False)
class PriorSimulations:
    """Simulations with parameters drawn from their ranges, from which any number of data sets can be
    fitted."""

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
        if target.shape != self.summaries.shape[1:] or not np.isfinite(target).all():
            raise InputError(
                f"observed summaries {target.tolist()}; give {self.summaries.shape[1]} numbers, as the "
                f"simulator does"
            )
        gaps = self._gaps(target)
        distance = np.sqrt((gaps**2).sum(axis=1))
        if leave_out is not None:
            distance[leave_out] = np.inf
        number = int(accept * len(distance))
        if number < 2 * (1 + len(target)):
            raise InputError(
                f"{number} of {len(distance)} simulations would be kept, too few for {len(target)} "
                f"summaries; "
                "simulate more, or accept a larger share"
            )
        order = order_by(distance)
        kept, tolerance = order[:number], distance[order[number]]
        weights = np.maximum(1 - (distance[kept] / tolerance) ** 2, 0) if tolerance else np.ones(number)
        design = np.column_stack([np.ones(number), gaps[kept]])
        root = np.sqrt(weights)[:, None]
        slopes = np.linalg.lstsq(design * root, self.logits[kept] * root, rcond=None)[0][1:]
        return Fit(
            self.ranges.parameters,
            self.ranges.values(self.logits[kept] - gaps[kept] @ slopes),
            weights / weights.sum(),
            method="rejection ABC, linear adjustment",
            loss=f"Euclidean distance of {len(target)} summaries in median absolute deviations, at most "
            f"{tolerance:.3g}",
            runs=len(distance) + self.without_value,
        )

    def _gaps(self, target: Floats) -> Floats:
        """Compute simulated minus observed summaries in median absolute deviations, else standard
        deviations."""
        middle = np.median(self.summaries, axis=0)
        scales = np.median(np.abs(self.summaries - middle), axis=0)
        scales = np.where(scales > 0, scales, self.summaries.std(axis=0))
        if not scales.any():
            raise InputError(
                "all simulations have the same summaries, which tell nothing about the parameters"
            )
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
