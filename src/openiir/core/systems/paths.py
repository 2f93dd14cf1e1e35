"""Paths of values in a JSON answer: `message.text`, `choices[0].message.content`, `[*].text`.

A path is keys joined by dots, `[2]` and `[-1]` for places in a list, `["a.b"]` for a key with dots or
brackets in it, and `[*]` for every element. It may begin with `$`, the answer itself. The one word `text`,
alone, is not a key but the raw answer; the key of that name is `$.text`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

RAW: Final = "text"
"""Path of the raw answer."""


class Missing:
    """Marker of a path that does not exist in the answer (null counts as a value)."""


MISSING: Final = Missing()
_EVERY: Final = None
_STEP = re.compile(
    r"""\.(?P<key>[^.\[\]]+)|\[(?P<index>-?\d{1,9})\]|\["(?P<quoted>[^"]+)"\]|\[(?P<every>\*)\]"""
)
_PLAIN_KEY = re.compile(r"[^.\[\]\"]+")

Step = str | int | None


@lru_cache(maxsize=1_024)
def parse_path(path: str) -> tuple[Step, ...]:
    """Parse a JSON path into keys and indices (None for every element); raises ValueError."""
    rest = path.removeprefix("$")
    if rest == path and not path.startswith("["):
        rest = f".{path}"
    found: list[Step] = []
    at = 0
    while at < len(rest):
        match = _STEP.match(rest, at)
        if match is None:
            raise ValueError(
                f"the path {path!r} cannot be read from {rest[at:]!r} on; "
                'write keys and places such as message.text, choices[0].text, ["odd.key"], [-1] or [*].text'
            )
        found.append(_step(match))
        at = match.end()
    return tuple(found)


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return int(match["index"])
    if match["every"] is not None:
        return _EVERY
    return match["key"] or match["quoted"]


def value_at(data: Any, path: str) -> Any:
    """Look up the value at a JSON path, or MISSING; `[*]` collects all elements' values in a flat list."""
    return _walk(data, parse_path(path))


def collects_many(path: str) -> bool:
    """Whether a JSON path collects values over all elements of a list (`[*]`)."""
    return path != RAW and _EVERY in parse_path(path)


def _walk(data: Any, rest: tuple[Step, ...]) -> Any:
    if not rest:
        return data
    step, after = rest[0], rest[1:]
    if step is _EVERY:
        return _gather(data, after)
    if isinstance(step, str):
        return _walk(data[step], after) if isinstance(data, dict) and step in data else MISSING
    if isinstance(data, list) and -len(data) <= step < len(data):
        return _walk(data[step], after)
    return MISSING


def _gather(data: Any, after: tuple[Step, ...]) -> Any:
    if not isinstance(data, list):
        return MISSING
    found: list[Any] = []
    for element in data:
        value = _walk(element, after)
        if isinstance(value, list) and _EVERY in after:
            found.extend(value)
        elif not isinstance(value, Missing):
            found.append(value)
    return found if found or not data else MISSING


def text_paths(data: Any, path: str = "$") -> Iterator[str]:
    """List the JSON paths of all texts in an answer, to suggest in place of a wrong path."""
    if isinstance(data, str):
        yield path
    elif isinstance(data, dict):
        for key, value in data.items():
            plain = _PLAIN_KEY.fullmatch(key)
            yield from text_paths(value, f"{path}.{key}" if plain else f'{path}["{key}"]')
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from text_paths(value, f"{path}[{place}]")
