"""Move a reply to another question of its kind: the same words and numbers, choices at the same positions."""

import json
from collections.abc import Mapping
from typing import Any

from openiir.core.asking import Question, question_schema, read_reply
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Record


class _NoChoice(Exception):
    """A reply chose the only option that there was, and now there are several."""


def move_reply(reply: Record, asked: Question[Any], now: Question[Any]) -> Record | None:
    """Return what a reply to one question would be to another of its kind; None where it would not fit.

    Nor does one fit that had no choice where there is one now.
    """
    try:
        moved = _move(reply.model_dump(mode="json"), question_schema(asked), question_schema(now))
        return read_reply(json.dumps(moved), now)
    except (_NoChoice, UnusableAnswer):
        return None


def _move(value: Any, old: Mapping[str, Any], new: Mapping[str, Any]) -> Any:
    old, new = _option(old, value), _option(new, value)
    if "enum" in old and "enum" in new:
        return _same_position(value, old["enum"], new["enum"])
    if isinstance(value, dict):
        fields, others = new.get("properties", {}), old.get("properties", {})
        return {name: _move(one, others.get(name, {}), fields.get(name, {})) for name, one in value.items()}
    if isinstance(value, list):
        moved = [_move(one, old.get("items", {}), new.get("items", {})) for one in value]
        if "enum" in new.get("items", {}):
            moved = list(dict.fromkeys(moved))
        return moved[: new.get("maxItems", len(moved))]
    if isinstance(value, int) and not isinstance(value, bool):
        return max(new.get("minimum", value), min(new.get("maximum", value), value))
    return value


def _option(schema: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
    """Return the one of alternative schemas that a value is of."""
    kinds = schema.get("anyOf", [schema])
    return next((kind for kind in kinds if (kind.get("type") == "null") == (value is None)), kinds[0])


def _same_position(value: Any, old: list[Any], new: list[Any]) -> Any:
    if set(old) == set(new) or value not in old or not new:
        return value
    if len(old) == 1:
        raise _NoChoice
    return new[old.index(value) % len(new)]
