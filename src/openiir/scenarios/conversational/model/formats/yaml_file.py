"""Reader of YAML configurations of simulators, with line numbers in errors and a list of unused keys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml

from openiir.plugin import InputError, read_text
from openiir.scenarios.conversational.model.formats.files import json_kind

T = TypeVar("T")


@dataclass(frozen=True)
class LeftOut:
    """A configuration key that could not be imported as it is."""

    key: str
    """Dotted path of the key, such as `REWARD.cost`."""
    why: str


@dataclass(frozen=True)
class ImportedConfig(Generic[T]):
    """An imported configuration and the keys that were left out."""

    value: T
    left_out: tuple[LeftOut, ...]

    def report(self) -> str:
        """List the keys that were not imported, one per line; empty if all were."""
        return "".join(f"{one.key}: {one.why}\n" for one in self.left_out)


@dataclass
class Document:
    """The top-level table of a YAML file; remembers which keys have been read."""

    path: Path
    values: Mapping[str, Any]
    left: list[LeftOut] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def get(self, key: str) -> Any:
        """Return the value of a key; None if it is missing or empty."""
        self.asked.add(key)
        return self.values.get(key)

    def leave(self, key: str, why: str) -> None:
        """Record why a key is not imported as it is."""
        self.asked.add(key.partition(".")[0])
        self.left.append(LeftOut(key, why))

    def table(self, key: str) -> Mapping[str, Any]:
        """Return a table, empty if it is missing; raise InputError for another kind of value."""
        value = self.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(key, value, "a table")
        return {str(name): inner for name, inner in (value or {}).items()}

    def text(self, key: str, default: str = "") -> str:
        """Return a text or number as a string; raise InputError for another kind of value."""
        value = self.get(key)
        if value is not None and not isinstance(value, str | int | float):
            raise self.wrong(key, value, "a text")
        return default if value is None else str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings, empty if it is missing; raise InputError for another kind of value."""
        return self.string_list(key, self.get(key))

    def string_list(self, key: str, value: Any) -> tuple[str, ...]:
        """Return a value as a list of distinct strings; raise InputError for another kind of value."""
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(key, value, "a list of texts")
        return tuple(dict.fromkeys(value))

    def wrong(self, key: str, value: Any, needed: str) -> InputError:
        """Build the error for a key that holds the wrong kind of value."""
        shown = "a list of other things" if isinstance(value, list) else json_kind(value)
        return InputError(f"{self.path}: {key} is {shown}; {needed} is needed there")

    def finish(self, value: T) -> ImportedConfig[T]:
        """Return the imported value with all keys that were left out; keys that were never read come last."""
        unknown = [
            LeftOut(key, "there is no such thing here") for key in self.values if key not in self.asked
        ]
        return ImportedConfig(value, (*self.left, *unknown))


def read_yaml(path: Path | str) -> Document:
    """Read a YAML file whose top level is a table.

    YES and NO are texts, as their writers meant them. A key that stands twice with one value is noted. Raises
    InputError, with the line, for one that stands twice with two values and for what is no YAML or no table.
    """
    path = Path(path)
    text = read_text(path, limit="yaml_bytes")
    try:
        loader = _Loader(text)
        found = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{path}{line}: {error.problem or 'no YAML'}; mend that line") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: no YAML ({str(error).splitlines()[0]}); check that it is the right file"
        ) from None
    if not isinstance(found, dict) or not found:
        raise InputError(
            f"{path} holds {'nothing' if not found else json_kind(found)}; keys with values are needed there"
        )
    twice = [LeftOut(key, "stands twice; both say the same") for key in loader.twice]
    return Document(path, {str(key): value for key, value in found.items()}, twice)


class _Loader(yaml.SafeLoader):
    """A YAML loader for plain values that rejects keys with two different values."""

    twice: list[str]

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.twice = []

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Build a table as the parent class does; raise an error for a key with two values."""
        seen: dict[Any, Any] = {}
        for key_node, value_node in node.value if isinstance(node, yaml.MappingNode) else ():
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str | int | float | bool | None):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is neither text nor number", key_node.start_mark
                )
            value = self.construct_object(value_node, deep=True)
            if key in seen and seen[key] != value:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key} has two values", key_node.start_mark
                )
            if key in seen:
                self.twice.append(str(key))
            seen[key] = value
        return seen


_BOOLEAN = "tag:yaml.org,2002:bool"


def _resolvers() -> Iterable[tuple[str, list[Any]]]:
    """Yield the tag resolvers of YAML 1.1, except that yes, no, on and off stay strings."""
    for sign, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items():
        yield sign, [pair for pair in pairs if pair[0] != _BOOLEAN or sign in "tTfF"]


_Loader.yaml_implicit_resolvers = dict(_resolvers())
