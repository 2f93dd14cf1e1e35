"""Axes of a sweep: keys of the study, each with the values or the range to try."""

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.runs.changes import flatten_tables

_NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*")
_OF_A_RANGE = {"low", "high", "log"}


@dataclass(frozen=True)
class Axis:
    """A key of the study with the values to try: a list, or a range of numbers including its ends."""

    key: str
    values: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    """Whether values of the range are spaced evenly on a logarithmic scale."""

    @property
    def is_range(self) -> bool:
        return not self.values

    @property
    def is_whole(self) -> bool:
        """Whether the range holds whole numbers only, because both its ends are whole."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def at(self, unit: float) -> Any:
        """Map a number in [0, 1] to a value of the axis; listed values and integers get equal intervals."""
        if self.values:
            return self.values[min(int(unit * len(self.values)), len(self.values) - 1)]
        low, high = float(self.low), float(self.high)
        if self.is_whole:
            high += 1.0
        if self.log:
            value = math.exp(math.log(low) + unit * (math.log(high) - math.log(low)))
        else:
            value = low + unit * (high - low)
        if self.is_whole:
            return min(max(math.floor(value), int(self.low)), int(self.high))
        return min(max(value, low), high)

    def levels(self, count: int) -> list[Any]:
        """Return the listed values, or `count` evenly spaced values of a range including both ends."""
        if self.values:
            return list(self.values)
        places = [n / max(count - 1, 1) for n in range(count)]
        return list(dict.fromkeys(self.at(place) for place in places))

    def declaration(self) -> Any:
        """Return the axis as it is written in a study's `[sweep]` table."""
        if self.values:
            return list(self.values)
        return {"low": self.low, "high": self.high} | ({"log": True} if self.log else {})


def read_axes(table: Mapping[str, Any], vary: Sequence[str], where: str) -> tuple[Axis, ...]:
    """Read the axes of a `[sweep]` table and of `--vary key=...`, which replaces an axis of the same key.

    `where` names the table in messages. Raises InputError for an invalid axis.
    """
    flat = flatten_tables(table, is_value=lambda value: bool(value) and value.keys() <= _OF_A_RANGE)
    axes = {key: _axis(key, value, f"{where} {key}") for key, value in flat.items()}
    typed = [_parse_axis(text) for text in vary]
    for n, axis in enumerate(typed):
        if axis.key in [other.key for other in typed[:n]]:
            raise InputError(f"--vary {axis.key} is there twice; write all its values into one list")
        axes[axis.key] = axis
    if "seed" in axes:
        raise InputError(
            "seed is no axis: the master seeds are the same in every arm; say how many by --seeds N"
        )
    return tuple(axes.values())


def format_assignment(key: str, value: Any) -> str:
    """Format an assignment in the form that `--set` takes."""
    return f"{key}={_toml(value)}"


def _parse_axis(text: str) -> Axis:
    key, sign, right = text.partition("=")
    where = f"--vary {text}"
    if not sign or not key.strip():
        raise InputError(
            f"{where}: write it as key=[value, value], such as config.mu=[0.1, 0.3], or as key=low..high"
        )
    if found := _RANGE.fullmatch(right):
        low, high = (tomllib.loads(f"x = {part.lstrip('+')}")["x"] for part in found.groups())
        return _axis(key.strip(), {"low": low, "high": high}, where)
    try:
        value = tomllib.loads(f"x = {right}")["x"]
    except ValueError as error:
        raise InputError(
            f'{where}: {right!r} is not TOML ({error}); write a list such as ["a", "b"], or low..high'
        ) from None
    return _axis(key.strip(), value, where)


def _axis(key: str, value: Any, where: str) -> Axis:
    if isinstance(value, dict):
        return _range(key, value, where)
    if not isinstance(value, list):
        raise InputError(
            f"{where} = {value!r}: a list of values is needed here, or a range {{ low = 0.0, high = 1.0 }}"
        )
    if not value:
        raise InputError(f"{where}: the list is empty; write the values that the key is to take")
    spelt = [_toml(one) for one in value]
    for n, one in enumerate(spelt):
        if one in spelt[:n]:
            raise InputError(f"{where}: {one} is there twice; name each value once")
    return Axis(key, tuple(value))


def _range(key: str, value: Mapping[str, Any], where: str) -> Axis:
    low, high, log = value.get("low"), value.get("high"), value.get("log", False)
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, (int, float)) or not math.isfinite(end):
            raise InputError(
                f"{where}: a range needs two numbers, {{ low = 0.0, high = 1.0 }}, not {dict(value)!r}"
            )
    assert low is not None and high is not None
    if not isinstance(log, bool):
        raise InputError(f"{where}: log = {log!r}; write true or false")
    if low >= high:
        raise InputError(f"{where}: low = {low} is not below high = {high}; exchange them, or list one value")
    if log and low <= 0:
        raise InputError(f"{where}: a logarithmic range starts above 0, not at {low}")
    return Axis(key, low=low, high=high, log=log)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _toml(value.tolist())
    if isinstance(value, (str, Path)):
        value = str(value)
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(one) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_toml(key)} = {_toml(one)}' for key, one in value.items())}}}"
    if not isinstance(value, (int, float, date, time)):
        raise InputError(
            f"{value!r} is no value that a study can hold; give a number, a text, a list or a table"
        )
    return str(value)
