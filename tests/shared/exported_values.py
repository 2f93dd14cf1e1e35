"""The values of an exported page as a browser joins them, by the plainest means."""

from collections.abc import Mapping
from typing import Any

from openiir.runs.exported import RECORD, SHARED, unpack
from openiir.runs.shared_values import REFERENCE


def join_shared(value: Any, shared: list[Any]) -> Any:
    """Return a value with the shared values in the place of their numbers."""
    if isinstance(value, list):
        return [join_shared(one, shared) for one in value]
    if not isinstance(value, dict):
        return value
    referred = value[REFERENCE] if value.keys() == {REFERENCE} else value
    if isinstance(referred, int):
        return join_shared(shared[referred], shared)
    if isinstance(referred, list):
        return "".join(shared[one] if isinstance(one, int) else one for one in referred)
    return {key: join_shared(one, shared) for key, one in referred.items()}


def read_values(blocks: Mapping[str, str]) -> dict[str, Any]:
    """Unpack the blocks of an export, but those of shared values."""
    shared: list[Any] = []
    while f"{SHARED}/{len(shared) // 2_000}" in blocks:
        shared += unpack(blocks[f"{SHARED}/{len(shared) // 2_000}"])
    found = {key: unpack(packed) for key, packed in blocks.items() if not key.startswith(f"{SHARED}/")}
    own = {key: value for key, value in found.items() if key.startswith(RECORD)}
    return {key: join_shared(value, shared) for key, value in found.items()} | own
