"""Labels, definitions and bounds of measures, by their names."""

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from openiir.core.records.measure import UNBOUNDED, Bounds

Definitions = Mapping[str, tuple[str, str] | tuple[str, str, Bounds]]
"""Label, definition and bounds, if it has any, of measures by name, the first that fits.

In a name, * is any text, as {} in a label. What comes before a "/", a part in brackets, and the endings
`.low`, `.high` and `.less_X` are left out.
"""


class _Found(NamedTuple):
    """Entry of a measure among the definitions, and what its name has besides."""

    entry: tuple[str, str] | tuple[str, str, Bounds]
    parts: list[str]
    less: str
    """X where the name ends in `.less_X`, which the entry leaves out."""
    end: str
    """Which end of an interval it is, in words."""

    @property
    def bounds(self) -> Bounds:
        low, high = self.entry[2] if len(self.entry) > 2 else UNBOUNDED
        return (low - high, high - low) if self.less else (low, high)


def define_measure(definitions: Definitions, name: str) -> tuple[str, str]:
    """Return the label and the definition of a measure; empty where there is none."""
    if (found := _find(definitions, name)) is None:
        return "", ""
    label = found.entry[0].format(*found.parts) + (f" less {found.less}" if found.less else "")
    low, high = found.bounds
    span = f" ({low:g} to {high:g})" if math.isfinite(low) and math.isfinite(high) else ""
    if not found.end:
        return label, found.entry[1] + span
    return f"{label}, {found.end}", f"{found.end} of the 95 % interval: {found.entry[1]}{span}"


def bound_measure(definitions: Definitions, name: str) -> Bounds:
    """Return the bounds of a measure; a difference by `.less_X` has those of what it is a difference of."""
    found = _find(definitions, name)
    return found.bounds if found else UNBOUNDED


def _find(definitions: Definitions, name: str) -> _Found | None:
    whole = re.sub(r"\[.*\]", "", name).rpartition("/")[2]
    base, *other = re.split(r"\.less_", bare := re.sub(r"\.(low|high)$", "", whole))
    end = {".low": "low end", ".high": "high end"}.get(whole.removeprefix(bare), "")
    for wanted in dict.fromkeys((bare, base)):
        for pattern, entry in definitions.items():
            if found := re.fullmatch(re.escape(pattern).replace(r"\*", "(.*)"), wanted):
                parts = [part.replace("_", " ") for part in found.groups()]
                return _Found(entry, parts, other[0] if other and wanted == base else "", end)
    return None
