"""Descriptions of events and questions for the web app."""

import json
from collections.abc import Mapping
from typing import Any

LETTERS, PARTS = 300, 20
"""Most letters of a text, and parts of a list, in the fields of an event."""


def describe_question(
    seq: int, step: int, actor: str | None, lane: str, payload: dict[str, Any]
) -> dict[str, Any]:
    """Describe a question for the web app, with its lane, its subject, and its number among its kind."""
    nth = f"no. {payload['ordinal'] + 1}" if payload.get("ordinal") else ""
    about = ", ".join(filter(None, ("" if lane == "main" else lane, payload.get("subject"), nth)))
    kept = ("subject", "ordinal", "answerer", "outcome", "attempts", "debit", "failure")
    card = {"place": str(seq), "step": step, "asker": actor, "kind": payload["question"], "about": about}
    return card | {key: payload.get(key) for key in kept}


def event_words(payload: Mapping[str, Any]) -> str:
    """Write an event as text: its own text, or its fields as JSON."""
    text = payload.get("text")
    return text if isinstance(text, str) else json.dumps(_shorten(payload), ensure_ascii=False)


def _shorten(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LETTERS else f"{value[:LETTERS]} …"
    if isinstance(value, dict):
        return {key: _shorten(one) for key, one in value.items()}
    if isinstance(value, list):
        more = [f"… and {len(value) - PARTS} more"] if len(value) > PARTS else []
        return [*map(_shorten, value[:PARTS]), *more]
    return value
