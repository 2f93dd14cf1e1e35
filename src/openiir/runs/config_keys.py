"""List the keys of a type's configuration with defaults and help texts."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from pydantic_core import PydanticUndefined

from openiir.core.hashing import canonical
from openiir.core.records import ConfigTable, Record


class ConfigKey(NamedTuple):
    """A key of a configuration."""

    name: str
    """Dotted name; `[]` follows the name of a list of tables, such as in `shape.round[].each`."""
    default: str | None
    """Default as JSON; None for a key that must be given, and for the keys of a list's tables."""
    help: str


def list_keys(config: type[Record], prefix: str = "") -> Iterator[ConfigKey]:
    """Yield the keys of a configuration class, those of its tables included."""
    for name, field in config.model_fields.items():
        tables = dict(_tables_in(field.annotation))
        default = None if field.default is PydanticUndefined or field.annotation in tables else field.default
        help = field.description or "; ".join((t.__doc__ or "").strip().partition("\n")[0] for t in tables)
        told = None if default is None else canonical(default)
        yield ConfigKey(prefix + name, told, " ".join(help.split()))
        for table, mark in tables.items():
            yield from list_keys(table, f"{prefix}{name}{mark}.")


def _tables_in(annotation: Any, mark: str = "") -> Iterator[tuple[type[ConfigTable], str]]:
    """Yield the configuration tables that a field may hold, with `[]` if it may hold several of a kind."""
    if isinstance(annotation, type) and issubclass(annotation, ConfigTable):
        yield annotation, mark
        return
    mark = mark if isinstance(annotation, UnionType) or get_origin(annotation) in (None, Union) else "[]"
    for part in get_args(annotation):
        yield from _tables_in(part, mark)
