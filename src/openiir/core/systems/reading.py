"""Reading of system declarations, from a table of a study or from a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.core.files import read_toml
from openiir.core.systems.declaration import SystemSpec
from openiir.core.toml import validate_record


def read_system(table: Mapping[str, Any], where: str = "system") -> SystemSpec:
    """Read a system's declaration from a table; raises InputError with a line for each wrong key."""
    return validate_record(SystemSpec, dict(table), where)


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
