"""Stream of server-sent events about a running run."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from openiir.core.storage.live_file import read_live
from openiir.runs.catalogue import read_card

SECONDS, PING = 0.25, 15.0
"""Seconds between two checks of a run, and between two keep-alive messages of a stream."""


async def watch(id: str, folder: Path, seen: int) -> AsyncIterator[str]:
    """Yield events for steps committed after `seen`, progress and changes of state, until the run ends."""
    before, state, quiet = None, "", 0.0
    while True:
        card, live = read_card(id, folder), read_live(folder)
        events = []
        if card.steps > seen:
            seen = card.steps
            events.append(f"id: {seen}\n" + _event("step", {"step": seen, "events": card.events}))
        if live is not None and live != before:
            events.append(_event("progress", live.model_dump(mode="json")))
            before = live
        if card.state != state:
            events.append(_event("state", {"state": card.state, "reason": card.reason}))
            state = card.state
        if not events and quiet >= PING:
            events, quiet = [": still here\n\n"], 0.0
        for event in events:
            yield event
        if state != "running":
            return
        quiet = 0.0 if events else quiet + SECONDS
        await asyncio.sleep(SECONDS)


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
