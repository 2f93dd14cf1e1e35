"""Read a user's TOML values into a record; errors name file, key and remedy."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from openiir.core.errors import InputError
from openiir.core.files import read_toml
from openiir.core.records import Record
from openiir.core.study_paths import study_path

R = TypeVar("R", bound=Record)

_LISTED = 50
"""Most mistakes that an error lists."""

NEEDED = {
    "tuple_type": 'a list is needed here, such as ["a", "b"]',
    "list_type": 'a list is needed here, such as ["a", "b"]',
    "dict_type": "a table is needed here, such as { key = 1 }",
    "model_type": "a table is needed here, such as { key = 1 }",
    "bool_type": "true or false is needed here",
}
"""Messages for validation errors in the terms of TOML, where pydantic uses those of Python."""


def inline_files(value: Any, folder: Path) -> Any:
    """Replace each `{ file = "..." }` in a configuration by the content of that TOML file."""
    if isinstance(value, dict):
        if value.keys() == {"file"} and isinstance(value["file"], str):
            return read_toml(study_path(value["file"], folder, "the file"))
        return {key: inline_files(inner, folder) for key, inner in value.items()}
    return value


def validate_record(record: type[R], values: Any, where: str) -> R:
    """Validate values as a record; raises InputError with a line for each mistake, up to a maximum.

    `where` names the place, such as `study.toml` or `study.toml [config]`.
    """
    if not isinstance(values, dict):
        raise InputError(f"{where}: a table is needed here, not {values!r}")
    _refuse_unwritable(values, where)
    try:
        return record.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        lines = [f"{where}: {_line(record, values, e)}" for e in found[:_LISTED]]
        if len(found) > _LISTED:
            lines.append(f"{where}: and {len(found) - _LISTED:,} more mistakes")
        raise InputError("\n".join(dict.fromkeys(lines))) from None


def _refuse_unwritable(values: Any, where: str, key: str = "") -> None:
    """Raise InputError for `nan`, `inf` and zero characters, which TOML allows and a study does not."""
    if isinstance(values, str) and "\0" in values:
        raise InputError(f"{where}: {key} = {_shorten(values)} holds a zero character; take it out")
    if isinstance(values, float) and not math.isfinite(values):
        raise InputError(f"{where}: {key} = {values}: a finite number is needed here")
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(values, dict):
        inner = values.items()
    elif isinstance(values, (list, tuple)):
        inner = enumerate(values)
    for name, value in inner:
        _refuse_unwritable(value, where, f"{key}.{name}" if key else str(name))


def _line(record: type[BaseModel], values: Any, error: Any) -> str:
    loc = _written_keys(values, error["loc"])
    key = ".".join(loc)
    if error["type"] == "extra_forbidden":
        known = _known_keys(record, loc[:-1])
        close = get_close_matches(loc[-1], known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
        return f"there is no key {key!r}; {hint}"
    if error["type"] == "missing":
        return f"the key {key!r} is missing; add it"
    message = NEEDED.get(error["type"]) or str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "secret":
        return f"{key}: {message}"
    return f"{key} = {_shorten(error['input'])}: {message[:1].lower()}{message[1:]}" if key else message


def _written_keys(values: Any, loc: Iterable[int | str]) -> list[str]:
    """List the keys that lead to a mistake as written; a single value may stand for a list of one."""
    parts = []
    for part in loc:
        if isinstance(part, int) and not isinstance(values, (list, tuple, type(None))):
            continue
        parts.append(str(part))
        if isinstance(values, dict):
            values = values.get(part)
        else:
            listed = isinstance(values, (list, tuple)) and isinstance(part, int) and part < len(values)
            values = values[part] if listed else None
    return parts


def _known_keys(record: type[BaseModel], path: list[str]) -> list[str]:
    """List the known keys of the table at `path` inside a record."""
    current: type[BaseModel] = record
    for part in path:
        field = current.model_fields.get(part)
        inner = [] if field is None else [t for t in _types(field.annotation) if issubclass(t, BaseModel)]
        if inner:
            current = inner[0]
    return sorted(current.model_fields)


def _types(annotation: Any) -> list[type]:
    args = getattr(annotation, "__args__", ())
    found = [annotation] if isinstance(annotation, type) and not args else []
    return found + [t for arg in args for t in _types(arg)]


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
