"""Keys of a study and their values, as `--set key=value` writes them."""

import tomllib
from collections.abc import Iterable
from typing import Any

from openiir.core.errors import InputError
from openiir.runs.changes import set_key


def assign(values: dict[str, Any], assignment: str) -> None:
    """Apply `dotted.key=value` (TOML value, else a plain word) to a study's values."""
    key, value = parse_assignment(assignment)
    path = key.split(".")
    if path[0] == "answers" and isinstance(values.get("answers"), str) and len(path) > 1:
        values["answers"] = {"default": values["answers"]}
    if path == ["answers"] and isinstance(values.get("answers"), dict):
        path = ["answers", "default"]
    set_key(values, path, value, f"--set {assignment}")


def parse_settings(assignments: Iterable[str]) -> dict[str, Any]:
    """Read `dotted.key=value` assignments into nested tables, as `measure --set` and `compare --set` take them."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        assign(values, assignment)
    return values


def parse_assignment(assignment: str) -> tuple[str, Any]:
    """Split `dotted.key=value` into key and value; raises InputError for anything else."""
    key, sign, text = assignment.partition("=")
    if not sign or not key.strip():
        raise InputError(f"--set {assignment!r}: write it as key=value, such as config.mu=0.2 or seed=8")
    try:
        return key.strip(), tomllib.loads(f"x = {text}")["x"]
    except ValueError:
        return key.strip(), text
