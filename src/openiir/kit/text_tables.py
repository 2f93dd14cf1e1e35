"""Read tables of short texts that stand in the code as lines of one string."""

import math
import re
from dataclasses import replace
from typing import TypeVar

from openiir.plugin import Interview, Surface
from openiir.plugin.definitions import Definitions

V = TypeVar("V", bound=Surface | Interview)


def read_text_table(table: str) -> dict[str, tuple[str, ...]]:
    """Read lines `name | text | text` as the texts of each name; an indented line continues the one above."""
    lines = re.sub(r"\n +", " ", table.strip()).splitlines()
    return {name: tuple(texts) for name, *texts in (line.split(" | ") for line in lines)}


def read_texts(table: str) -> dict[str, str]:
    """Read lines `name | text`."""
    return {name: text for name, (text,) in read_text_table(table).items()}


def add_help(table: str, *views: V) -> tuple[V, ...]:
    """Give each view its help, from lines `name | text`; raises KeyError for a view without a line."""
    help = read_texts(table)
    return tuple(replace(v, help=help[v.name]) if isinstance(v, Surface) else v for v in views)


def read_definitions(table: str) -> Definitions:
    """Read lines `name | label | definition` as the definitions of measures.

    A fourth part has a measure's bounds, such as `0 to 1`, or `0 or more`.
    """
    found: dict[str, tuple[str, str] | tuple[str, str, tuple[float, float]]] = {}
    for name, (label, words, *bounds) in read_text_table(table).items():
        if bounds:
            low, high = bounds[0].replace(" or more", f" to {math.inf}").split(" to ")
            found[name] = label, words, (float(low), float(high))
        else:
            found[name] = label, words
    return found
