"""Reading of system declarations, from a table of a study or from a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from openiir.core.errors import InputError, suggest_name
from openiir.core.files import read_toml
from openiir.core.systems.declaration import Exchange, Signal, SystemSpec
from openiir.core.systems.ready import ready_names

_KEYS = sorted({"ready", *SystemSpec.model_fields, *Exchange.model_fields, *Signal.model_fields})

_OR_READY = f", or name a ready declaration (ready = one of {', '.join(ready_names())})"


def read_system(table: Mapping[str, Any], where: str = "system") -> SystemSpec:
    """Read a system's declaration from a table; `where` names the table in error messages.

    Raises InputError that names every wrong key with what to do.
    """
    try:
        return SystemSpec.model_validate(dict(table))
    except ValidationError as exc:
        said = "; ".join(dict.fromkeys(_describe_error(error) for error in exc.errors()))
        raise InputError(f"{where}: {said}") from None


def read_systems(file: Path) -> dict[str, SystemSpec]:
    """Read the declarations in a TOML file, by name: its `[system.NAME]` tables, or else the whole file.

    Raises InputError for a file that is missing, is no TOML or holds no usable declaration.
    """
    content = read_toml(file)
    tables = content.get("system")
    if tables is None:
        return {file.stem: read_system(content, str(file))}
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise InputError(f"{file}: system holds no named tables; write [system.NAME] above each declaration")
    return {name: read_system(table, f"{file}: system.{name}") for name, table in tables.items()}


def _describe_error(error: ErrorDetails) -> str:
    key = ".".join(str(part) for part in error["loc"])
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key {key!r}; {suggest_name(str(error['loc'][-1]), _KEYS)}"
        case "missing":
            return f"{key} is missing; add it{_OR_READY if key == 'connector' else ''}"
        case "value_error":
            message = error["msg"].removeprefix("Value error, ")
            return f"{key}: {message}" if key else message
        case _:
            return f"{key}: {error['msg'][:1].lower()}{error['msg'][1:]}, got {error['input']!r:.80}"
