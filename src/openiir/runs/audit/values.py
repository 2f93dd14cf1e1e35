"""List the keys of a settings record with values to try for each, from its schema and present values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from openiir.core.records import Record

KeyPath = tuple[str | int, ...]
TEXT = "otherwise"
"""Text that is appended to a free-text value, or replaces it, to vary it."""
SHOWN = 120
"""Largest number of characters in which a value is shown."""
_MUCH = 10
"""Limit on how far a whole number is varied from its present value:
large numbers of users are slow to run."""


@dataclass(frozen=True)
class Trial:
    """A key's path and one value to try for it."""

    path: KeyPath
    """Path of the key, such as ("shape", "round", 0, "turns")."""
    value: Any

    def __str__(self) -> str:
        value = repr(self.value)
        shown = value if len(value) <= SHOWN else f"{value[: SHOWN - 3]}..."
        return f"{'.'.join(map(str, self.path))} = {shown}"

    def apply_to(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Copy `values` with this value at its path; unchanged parts are shared with the original."""
        return dict(_put_value(values, self.path, self.value))


def format_key(path: KeyPath) -> str:
    """Format a key's path as a dotted key, with [] for an entry of a list."""
    return "".join("[]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def list_trials(record: type[Record], values: Mapping[str, Any]) -> dict[str, list[Trial]]:
    """List values to try for each configuration key, likely ones first; none where its table is absent.

    `values` are the present settings as plain JSON values.
    """
    schema = _make_schema(record)
    found: dict[str, list[Trial]] = {}
    for path, candidates in _SchemaWalk(schema.get("$defs", {})).table(schema, values, ()):
        tried = found.setdefault(format_key(path), [])
        tried += [Trial(path, value) for value in candidates]
    return found


@cache
def _make_schema(record: type[Record]) -> Mapping[str, Any]:
    """Return a record's JSON schema, made once: an audit lists values to try for every key."""
    return record.model_json_schema()


def _put_value(values: Any, path: KeyPath, value: Any) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return [_put_value(old, rest, value) if n == first else old for n, old in enumerate(values)]
    table = values or {}
    return {**table, first: _put_value(table.get(first), rest, value)}


class _SchemaWalk:
    """Generator of values to try, from a JSON schema and the present values of its keys."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self.named = named

    def table(
        self, node: Mapping[str, Any], values: Any, path: KeyPath
    ) -> Iterator[tuple[KeyPath, list[Any]]]:
        for name, field in node.get("properties", {}).items():
            value = values.get(name) if isinstance(values, Mapping) else None
            yield from self.field(field, value, (*path, name), isinstance(values, Mapping))

    def field(
        self, field: Mapping[str, Any], value: Any, path: KeyPath, placed: bool
    ) -> Iterator[tuple[KeyPath, list[Any]]]:
        """Yield the values to try for a key and for the keys nested in it; none where its table is absent."""
        branches = self._branches(field)
        tables = [branch for branch in branches if "properties" in branch]
        lists = [branch for branch in branches if branch.get("type") == "array"]
        own = [one for branch in branches for one in self._values(branch, value)]
        own += [{}] if tables and value is None else []
        if own or not tables:
            yield path, _distinct([*field.get("examples", ()), *own], value) if placed else []
        if tables:
            yield from self.table(_choose_table(tables, value), value, path)
        for branch in lists:
            yield from self._entries(branch, value, path, placed)
        for branch in branches:
            entries = [branch.get("additionalProperties"), *branch.get("patternProperties", {}).values()]
            for node in (one for one in entries if isinstance(one, Mapping) and isinstance(value, Mapping)):
                for name, entry in value.items():
                    for inner, candidates in self.field(node, entry, (*path, name), placed):
                        if len(inner) > len(path) + 1:
                            yield inner, candidates
                        else:
                            yield path, [{**value, name: one} for one in candidates]

    def _entries(
        self, branch: Mapping[str, Any], value: Any, path: KeyPath, placed: bool
    ) -> Iterator[tuple[KeyPath, list[Any]]]:
        tables = [b for b in self._branches(branch.get("items", {})) if "properties" in b]
        entries = value if isinstance(value, list) and value else [None]
        for n, entry in enumerate(entries if tables else ()):
            yield from self.table(_choose_table(tables, entry), entry, (*path, n))

    def _branches(self, node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """List the alternatives that a schema node allows, with references resolved."""
        if "$ref" in node:
            return self._branches(self.named[node["$ref"].rsplit("/", 1)[-1]])
        several = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
        return [branch for each in several for branch in self._branches(each)] if several else [node]

    def _values(self, node: Mapping[str, Any], value: Any) -> list[Any]:
        if "enum" in node:
            return list(node["enum"])
        if "const" in node:
            return [node["const"]]
        match node.get("type"):
            case "null":
                return [None]
            case "boolean":
                return [not value, bool(value)]
            case "integer":
                return [round(n) for n in _vary_number(node, value, whole=True) if float(n).is_integer()]
            case "number":
                return [float(n) for n in _vary_number(node, value, whole=False)]
            case "string":
                return _vary_text(node, value)
            case "array":
                return self._lists(node, value)
            case "object" if "properties" not in node and value and isinstance(value, Mapping):
                return [{}, dict(list(value.items())[:-1])]
        return []

    def _lists(self, node: Mapping[str, Any], value: Any) -> list[Any]:
        held = value if isinstance(value, list) else []
        shorter = [held[:-1], held[1:], held[::-1]] if held else []
        items = [b for b in self._branches(node.get("items", {})) if "properties" not in b]
        one = held[0] if held else None
        others = [other for branch in items for other in self._values(branch, one) if other is not None]
        replaced = [[other, *held[1:]] for other in others] if held else []
        return [*shorter, *([other] for other in others), *replaced, _distinct(others, None), []]


def _choose_table(tables: Sequence[Mapping[str, Any]], value: Any) -> Mapping[str, Any]:
    """Choose, among the schemas that a key allows for a table, the one that its present value fits."""
    if isinstance(value, Mapping):
        for table in tables:
            fields = table["properties"]
            constants = {name: field["const"] for name, field in fields.items() if "const" in field}
            if value.keys() <= fields.keys() and all(
                value.get(name) == one for name, one in constants.items()
            ):
                return table
    return tables[0]


def _vary_number(node: Mapping[str, Any], value: Any, whole: bool) -> list[float]:
    low, high = _bounds(node, whole)
    held = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    middle = held if held is not None else low if low is not None else high if high is not None else 1
    near = [middle] if held is None else []
    if whole:
        near += [middle + 1, middle - 1, middle * 2, middle // 2, middle + _MUCH]
        far = [end for end in (low, high) if end is not None and abs(end) <= _MUCH * (abs(middle) + 1)]
    else:
        near += [end for end in (low, high) if end is not None]
        near += [(low + high) / 2] if low is not None and high is not None else []
        far = [middle / 2, middle * 2, middle + 1, middle - 1, -middle, middle * _MUCH, 0]
    step = node.get("multipleOf", 0)
    return [
        n
        for n in (*near, *far)
        if (low is None or n >= low) and (high is None or n <= high) and not (step and n % step)
    ]


def _bounds(node: Mapping[str, Any], whole: bool) -> tuple[float | None, float | None]:
    """Return the lowest and highest value of a number; an exclusive bound is moved slightly inwards."""
    low, high = node.get("minimum"), node.get("maximum")
    over, under = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    near = 1 if whole else 1e-3
    if over is not None:
        low = over + near * (1 if whole else max(1.0, abs(over)))
    if under is not None:
        high = under - near * (1 if whole else max(1.0, abs(under)))
    return low, high


def _vary_text(node: Mapping[str, Any], value: Any) -> list[str]:
    held = value if isinstance(value, str) else ""
    most = node.get("maxLength", 10**6)
    varied = [f"{held} {TEXT}".strip(), " ".join(reversed(held.split())), TEXT, ""]
    return [
        *node.get("examples", ()),
        *(text for text in varied if node.get("minLength", 0) <= len(text) <= most),
    ]


def _distinct(values: Sequence[Any], held: Any) -> list[Any]:
    """Remove duplicates and the present value from values to try, keeping the order."""
    found: list[Any] = []
    for value in values:
        same = [value == other and type(value) is type(other) for other in (*found, held)]
        if not any(same):
            found.append(value)
    return found
