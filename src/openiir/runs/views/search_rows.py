"""List the texts of a run that can be searched."""

from collections.abc import Iterator
from typing import Any

from openiir.core.storage import Log
from openiir.core.storage.derived_file import SearchRow


def search_rows(log: Log) -> Iterator[SearchRow]:
    """Yield the texts of a run's agents, claims, sources, events and questions."""
    for persona in log.personas:
        yield SearchRow(
            _join_texts(persona.model_dump(mode="json", exclude={"id"})), "agent", persona.id, persona.id
        )
    for claim in log.claims():
        yield SearchRow(claim.text, "claim", claim.id, claim.speaker, claim.step)
    for chunk in log.chunks():
        yield SearchRow(chunk.text, "source", f"{chunk.world}/{chunk.id}")
    for event in log.events():
        kind, payload = ("question" if event.kind == "asked" else "event"), event.payload
        if kind == "question":
            payload = {key: payload.get(key) for key in ("question", "subject", "answerer", "failure")}
        yield SearchRow(_join_texts(payload), kind, str(event.seq), event.actor or "", event.step)


def _join_texts(value: Any) -> str:
    return " · ".join(_texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
