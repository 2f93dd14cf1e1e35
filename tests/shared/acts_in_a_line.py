"""Acts in one line of text, for expectations: `DISCLOSE(genre="horror",year)|BYE()`."""

import re
from collections.abc import Sequence

from openiir.kit.dialogue import Act, Slot

_PLAIN = re.compile(r"[^\W\d][\w.\-]*")


def format_acts(acts: Sequence[Act]) -> str:
    """The acts in one line."""
    return "|".join(f"{act.intent}({','.join(map(_slot, act.slots))})" for act in acts)


def _slot(slot: Slot) -> str:
    name = slot.slot if _PLAIN.fullmatch(slot.slot) else _quoted(slot.slot)
    return name if slot.value is None else f"{name}={_quoted(slot.value)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
