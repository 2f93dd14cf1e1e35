"""Parameters with a range, and what a fit finds out about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.errors import InputError
from openiir.kit.arrays import Floats
from openiir.kit.statistics import Estimate
from openiir.plugin import Draw, order_by


class Parameter(NamedTuple):
    """A parameter with the range that a fit considers: uniform from `low` to `high`, or log-uniform with
    `log`."""

    name: str
    low: float
    high: float
    log: bool = False


class ParameterRange:
    """The box of some parameters' ranges, and its map to and from logits of positions, on which fits work.

    Raises InputError for ranges that are empty, endless, or not positive with `log`, and for a repeated name.
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        for name, low, high, log in parameters:
            if not -np.inf < low < high < np.inf or (log and low <= 0):
                raise InputError(
                    f"parameter {name} ranges from {low:g} to {high:g}{' on a log scale' if log else ''}; "
                    f"give finite bounds, the lower one first{', above 0' if log else ''}"
                )
        names = [one.name for one in parameters]
        if not names or len(set(names)) < len(names):
            raise InputError(f"parameters are named {names}; give one at least, each with its own name")
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
            low, middle, high = np.interp(
                ends, np.cumsum(self.weights[order]) * number / (number + 1), draws[order]
            )
            value = self.peak.get(name, float(middle))
            interval = (np.nan, np.nan) if self.reason else (float(low), float(high))
            found[name] = Estimate(value, *interval, self.method, self.reason)
        return found

    def ranks(self, truth: ArrayLike) -> Floats:
        """Compute the share of draws below each parameter's true value (P,): uniform over many calibrated
        fits."""
        return np.asarray(self.weights @ (self.values < np.asarray(truth)))

    def resample(self, number: int, draw: Draw) -> Floats:
        """Draw sets of values (number, P) by weight, for predictions that hold the uncertainty of the fit."""
        places = np.searchsorted(np.cumsum(self.weights), draw.uniform(item=np.arange(number)))
        return np.asarray(self.values[np.minimum(places, len(self.values) - 1)])
