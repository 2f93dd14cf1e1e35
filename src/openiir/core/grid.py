"""Grids for floats: what is logged, kept, ranked or compared with a draw has no last bits of its own.

Processors differ in the last bits of `exp`, powers and sums of products, since libraries choose vector
instructions at run time. All that is done here is multiplication, division and rounding, which every
processor does alike.
"""

from math import copysign, frexp, isfinite
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel

_SPLIT = 2.0**21 + 1
"""Factor that splits off the upper 32 bits of a float's 53 (Dekker, Numerische Mathematik, 1971)."""
_PLACES = 10.0**6
_WHOLE = 2.0**32
"""Magnitude from which a decimal is a whole number."""
_NEAR = 2.0**-44
"""Largest relative distance from a decimal at which a float stands for it."""
_LARGEST = 2.0**1000
"""Magnitude from which a float is left alone, since it cannot be split without overflow."""


def quantise(value: Any, span: float = 1.0) -> Any:
    """Round to multiples of span * 2^-20, for numbers used in rankings or carried between steps.

    For a span that is no power of 2, these multiples are rounded as `round_float` does.
    """
    grid, plain = span * 2.0**-20, frexp(span)[0] == 0.5
    if type(value) is float and isfinite(value / grid):
        rounded = copysign(round(value / grid), value) * grid  # as below, without an array
        return rounded if plain else round_float(rounded)
    steps = np.asarray(value, dtype=np.float64) / grid
    if not steps.ndim:
        rounded = float(np.round(steps) * grid)
        return rounded if plain else round_float(rounded)
    np.rint(steps, out=steps)
    steps *= grid
    return steps if plain else round_array(steps)


def round_float(value: float) -> float:
    """Round to at most six decimals if the value stands for such a number, else to 32 significant bits.

    Keeps 0.1 as 0.1, what `quantise` made, and whole numbers.
    """
    if not -_LARGEST < value < _LARGEST:
        return value
    scale = _PLACES if -_WHOLE < value < _WHOLE else 1.0
    decimal = copysign(round(value * scale) / scale, value)
    if abs(value - decimal) <= _NEAR * abs(value):
        return decimal
    split = value * _SPLIT
    return split - (split - value)


def round_array(values: NDArray[Any]) -> NDArray[Any]:
    """Round each element as `round_float` does; an array of another type than float64 comes back as it is."""
    if values.dtype != np.float64 or not values.size:
        return values
    decimal, split = _candidates(values)
    with np.errstate(invalid="ignore"):  # infinite values
        near = np.abs(values - decimal) <= _NEAR * np.abs(values)
    return np.where(near, decimal, split)


def _candidates(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the nearest decimals and values of 32 bits; too large, infinite or NaN ones as they are."""
    size = np.abs(values)
    if size.max() < _WHOLE:  # as below, in half as many passes
        split = values * _SPLIT
        return np.rint(values * _PLACES) / _PLACES, split - (split - values)
    usual = size < _LARGEST
    scale = np.where(size < _WHOLE, _PLACES, 1.0)
    decimal = np.rint(values * scale) / scale
    cut = np.where(usual, values, 0.0)
    split = cut * _SPLIT
    split -= split - cut
    return np.where(usual, decimal, values), np.where(usual, split, values)


_EXACT = frozenset({str, int, bool, NoneType})


def round_floats(value: Any) -> Any:
    """Round all floats in an array or in data for JSON: records, mappings, sequences, numbers."""
    kind = type(value)
    if kind in _EXACT:
        return value
    if kind is float:
        return round_float(value)
    if kind is dict:
        return {key: one if type(one) in _EXACT else round_floats(one) for key, one in value.items()}
    if kind is list or kind is tuple:
        return [one if type(one) in _EXACT else round_floats(one) for one in value]
    if isinstance(value, BaseModel):
        return round_floats(value.model_dump(mode="json"))
    if isinstance(value, np.ndarray):
        return round_array(value)
    if isinstance(value, np.generic):
        return round_floats(value.item())
    return value


def is_rounded(values: NDArray[Any]) -> bool:
    """Whether `round_array` would leave an array as it is."""
    if values.dtype != np.float64 or not values.size:
        return True
    decimal, split = _candidates(values)
    return bool(((values == decimal) | (values == split) | np.isnan(values)).all())


def order_by(*keys: ArrayLike, axis: int = -1) -> NDArray[np.intp]:
    """Return sorting indices by the first key, ties by the next, then position; floats are rounded first."""
    found = [round_array(np.asarray(key)) for key in keys]
    if len(found) == 1:
        return np.argsort(found[0], axis=axis, kind="stable")
    return np.lexsort(found[::-1], axis=axis)


def first_largest(values: ArrayLike, axis: int | None = None) -> Any:
    """Return the index of the largest value, ties to the first; floats are rounded before comparing."""
    return round_array(np.asarray(values)).argmax(axis=axis)


def first_smallest(values: ArrayLike, axis: int | None = None) -> Any:
    """Return the index of the smallest value, ties to the first; floats are rounded before comparing."""
    return round_array(np.asarray(values)).argmin(axis=axis)
