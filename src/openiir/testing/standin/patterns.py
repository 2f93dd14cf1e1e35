"""Write a text that a simple regular expression matches, such as those of ids."""

import re
from functools import lru_cache
from re import _parser as parser  # type: ignore[attr-defined]  # the standard library's own reader
from typing import Any

from openiir.testing.standin.choices import Choices

_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
    "CATEGORY_SPACE": " ",
}
_MORE = 6
"""Largest number of repetitions beyond the minimum of an open repeat."""


def write_matching(pattern: str, choices: Choices, longest: int | None = None, shortest: int = 0) -> str:
    """Write a text of allowed length that holds `pattern`; ValueError where none turns up."""
    text = ""
    for _ in range(200):
        text = _write(_parse(pattern), choices)
        if shortest <= len(text) <= (longest if longest is not None else len(text)) and re.search(
            pattern, text
        ):
            return text
    raise ValueError(
        f"the stand-in found no text of {shortest} to {longest} characters for pattern {pattern!r}"
    )


@lru_cache(maxsize=256)
def _parse(pattern: str) -> Any:
    return parser.parse(pattern)


def _write(tree: Any, choices: Choices) -> str:
    return "".join(_piece(str(op), argument, choices) for op, argument in tree)


def _piece(op: str, argument: Any, choices: Choices) -> str:
    match op:
        case "LITERAL":
            return chr(argument)
        case "ANY":
            return choices.one_of(_PRINTABLE)
        case "NOT_LITERAL":
            return choices.one_of([c for c in _PRINTABLE if ord(c) != argument])
        case "IN":
            return choices.one_of(_members(argument))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, tree = argument
            count = choices.between(least, min(int(most), least + _MORE))
            return "".join(_write(tree, choices) for _ in range(count))
        case "SUBPATTERN":
            return _write(argument[-1], choices)
        case "ATOMIC_GROUP":
            return _write(argument, choices)
        case "BRANCH":
            return _write(choices.one_of(argument[1]), choices)
        case "AT":
            return ""
    raise ValueError(f"the stand-in cannot write a text for {op} in a pattern")


def _members(parts: Any) -> str:
    members = ""
    negated = False
    for op, argument in parts:
        match str(op):
            case "NEGATE":
                negated = True
            case "LITERAL":
                members += chr(argument)
            case "RANGE":
                members += "".join(map(chr, range(argument[0], argument[1] + 1)))
            case "CATEGORY":
                name = str(argument)
                inside = _CATEGORIES[name.replace("_NOT_", "_")]
                members += (
                    inside if "_NOT_" not in name else "".join(c for c in _PRINTABLE if c not in inside)
                )
    return "".join(c for c in _PRINTABLE if c not in members) if negated else members
