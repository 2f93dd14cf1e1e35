"""Values that several answers of an export share, such as sentences and schemas, written once."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

REFERENCE = "="
"""The only key of an object that stands for something else: a shared value by its number, a text of
several pieces, or an object that has this key itself."""
VALUES = 2_000
"""Shared values in a block, which a page loads when it refers to one of them."""
SHORTEST = 24
"""Characters from which a value is worth a reference."""
_PIECES = re.compile(r"(?<=\n)|(?<=[.] )")

MOST_JOINED = 20_000_000
"""Most values that are joined, since a few that refer to each other could stand for any number."""

_Node = tuple[Any, ...]
_WHOLE = "whole"
"""Kind of a node that holds a list or object itself, since nothing in it is worth a reference."""
_SCALARS = frozenset((int, float, bool, type(None)))


class SharedValues:
    """Deduplicates equal values in JSON responses, writing each once, in the order of first use.

    An equal value is stored once also in memory, as a node whose parts are numbers of nodes.
    """

    def __init__(self) -> None:
        self._numbers: dict[_Node, int] = {}
        self._nodes: list[_Node] = []
        self._sizes: list[int] = []
        self._uses: list[int] = []
        self._written: dict[int, int] = {}
        self.values: list[Any] = []
        """The shared values of the answers written so far; they may refer to each other."""

    def add(self, value: Any) -> int:
        """Add a JSON value; returns its number for `write`."""
        parts: Sequence[int] = ()
        if isinstance(value, dict | list | tuple) and _is_short(value):
            text = repr(value)
            return self._count((_WHOLE, text), (), len(text), (_WHOLE, value))
        if isinstance(value, str):
            if len(value) < SHORTEST:
                return self._count((str, value), (), len(value))
            pieces = [piece for piece in _PIECES.split(value) if piece] or [value]
            parts = [self._count((str, piece), (), len(piece)) for piece in pieces]
            return self._count(("text", *parts), parts, 0) if len(parts) > 1 else parts[0]
        if isinstance(value, dict):
            parts = [self.add(one) for one in value.values()]
            return self._count((dict, tuple(value), *parts), parts, len("".join(value)))
        if isinstance(value, list | tuple):
            parts = [self.add(one) for one in value]
            return self._count((list, *parts), parts, 2)
        return self._count((type(value), value), (), 1)

    def _count(self, key: _Node, parts: Sequence[int], size: int, node: _Node | None = None) -> int:
        number = self._numbers.setdefault(key, len(self._nodes))
        if number == len(self._nodes):
            self._nodes.append(node or key)
            self._sizes.append(size)
            self._uses.append(0)
            for part in parts:
                self._sizes[number] += self._sizes[part]
        else:
            for part in parts:  # counted with the first of these values
                self._uses[part] -= 1
        self._uses[number] += 1
        return number

    def write(self, number: int) -> Any:
        """Return an added value with references to those that are shared."""
        kind, *parts = self._nodes[number]
        if kind == "text":
            pieces = list(self._write_pieces(parts))
            return {REFERENCE: pieces} if int in map(type, pieces) else pieces[0]
        if kind is dict:
            names, *values = parts
            found = dict(zip(names, map(self._refer, values), strict=True))
            return {REFERENCE: found} if REFERENCE in found else found
        if kind is list:
            return [self._refer(part) for part in parts]
        return parts[0]

    def _is_shared(self, number: int) -> bool:
        return self._uses[number] > 1 and self._sizes[number] >= SHORTEST

    def _refer(self, number: int) -> Any:
        return {REFERENCE: self._share(number)} if self._is_shared(number) else self.write(number)

    def _share(self, number: int) -> int:
        if number not in self._written:
            value = self.write(number)
            self._written[number] = len(self.values)
            self.values.append(value)
        return self._written[number]

    def _write_pieces(self, parts: Sequence[int]) -> Iterator[str | int]:
        """Yield the pieces of a text: numbers of shared ones, and what stands between them."""
        between = ""
        for part in parts:
            if self._is_shared(part):
                if between:
                    yield between
                between = ""
                yield self._share(part)
            else:
                between += self._nodes[part][1]
        if between:
            yield between


def _is_short(value: dict[str, Any] | Sequence[Any]) -> bool:
    """Whether a list or object holds only numbers and texts too short to be shared."""
    for one in value.values() if isinstance(value, dict) else value:
        if type(one) is str:
            if len(one) >= SHORTEST:
                return False
        elif type(one) not in _SCALARS:
            return False
    return REFERENCE not in value


class ValueReader:
    """Restores JSON responses whose shared values are replaced by numbers, as a browser does.

    Raises ValueError for numbers that no shared value has, for those that contain themselves, and beyond
    MOST_JOINED.
    """

    def __init__(self, shared: Sequence[Any]) -> None:
        self._shared = shared
        self._left = MOST_JOINED

    def join(self, value: Any) -> Any:
        """Join a JSON value."""
        try:
            return self._join(value)
        except (RecursionError, IndexError, TypeError) as error:
            raise ValueError(f"its shared values cannot be joined: {error}") from None

    def _join(self, value: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"its shared values stand for more than {MOST_JOINED:,}")
        if isinstance(value, list):
            return [self._join(one) for one in value]
        if not isinstance(value, dict):
            return value
        referred = value[REFERENCE] if value.keys() == {REFERENCE} else value
        if isinstance(referred, int):
            return self._join(self._shared[referred])
        if isinstance(referred, list):
            self._left -= len(referred)
            return "".join(self._shared[one] if isinstance(one, int) else one for one in referred)
        return {key: self._join(one) for key, one in referred.items()}
