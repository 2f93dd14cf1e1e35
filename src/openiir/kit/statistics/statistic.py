"""Formulas that give a reason where their value is undefined."""

import functools
import math
from collections.abc import Callable
from typing import Generic, ParamSpec

from openiir.core.records import Measure

P = ParamSpec("P")


class Undefined(Exception):
    """Error raised by a formula without a value; its text is the reason."""


class Statistic(Generic[P]):
    """A formula: a float when called; by `.measure(...)` a `Measure`, which says why a value is NaN.

    Where the formula is undefined (or its arithmetic ends in no number) the value is NaN.
    """

    def __init__(self, formula: Callable[P, float]) -> None:
        functools.update_wrapper(self, formula)
        self._formula = formula

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> float:
        return self.measure(*args, **kwargs).value

    def measure(self, *args: P.args, **kwargs: P.kwargs) -> Measure:
        """Compute the value as a `Measure`, with the reason where it is NaN."""
        try:
            value = float(self._formula(*args, **kwargs))
        except Undefined as why:
            return Measure(value=math.nan, reason=str(why))
        if not math.isfinite(value):
            return Measure(value=math.nan, reason="the values given hold NaN or run out of range")
        return Measure(value=value, reason=None)
