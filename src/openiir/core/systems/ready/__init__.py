"""Ready declarations: TOML files for well-known protocols of systems under test.

A table with `ready = "moviebot"` is that file with the table's own keys in the place of the file's. A file
may have `[parameters.NAME]` tables: such a key is put where the file says `{NAME}`.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from openiir.core.errors import UnknownName
from openiir.core.systems.template import fill_known

_FOLDER = Path(__file__).parent


@cache
def list_ready_names() -> tuple[str, ...]:
    """List the names of the system declarations that come with openiir, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def resolve_ready(table: Mapping[str, Any]) -> dict[str, Any]:
    """Expand a table with `ready = NAME` to that built-in declaration of a system.

    A key of the table replaces the file's whole key, tables included. Raises ValueError for a name that is
    not there, a missing parameter and one of another type.
    """
    own = dict(table)
    if "ready" not in own:
        return own
    name = own.pop("ready")
    if name not in list_ready_names():
        raise ValueError(str(UnknownName("ready declaration", str(name), list_ready_names())))
    declared = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    parameters = declared.pop("parameters", {})
    values = {key: _parameter_value(name, key, own.pop(key, None), how) for key, how in parameters.items()}
    return {**fill_known(declared, values), **own}


def _parameter_value(name: str, key: str, given: Any, how: Mapping[str, Any]) -> Any:
    if given is None and "default" not in how:
        raise ValueError(
            f"ready declaration {name} needs {key}, {how['about']}; such as {key} = {how['example']}"
        )
    value = how["default"] if given is None else given
    table = isinstance(how.get("default"), dict)
    if not isinstance(value, dict if table else str):
        kind = "a table" if table else "a text"
        raise ValueError(f"{key} is {how['about']} and must be {kind}, not {value!r:.80}")
    return value.rstrip("/") if key == "url" and isinstance(value, str) else value
