"""Stream of server-sent events about a running run."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

from openiir.core.storage.folder import DATABASE
from openiir.core.storage.live_file import LIVE, LiveState, read_live
from openiir.runs.catalogue import RunCard, find_run_folders, read_card

SECONDS, AT_LEAST, LISTED, PING = 0.2, 2.0, 1.0, 15.0
"""Seconds between two checks of a run's files, between two readings of a run whose files did not change
(its process may have been killed), between two checks of a list, and between two keep-alive messages of a
stream."""


class _Reading(NamedTuple):
    stamp: tuple[int, ...]
    at: float
    card: RunCard
    live: LiveState | None


class _ListedRun(NamedTuple):
    stamps: list[int]
    card: RunCard


_newest: dict[Path, _Reading] = {}
"""The newest reading of each watched run, which all of its viewers share."""


def _read(id: str, folder: Path) -> _Reading:
    """Read a run's card and progress, if its files changed or the newest reading is old."""
    stamp, now = tuple(_stamps(folder)), time.monotonic()
    known = _newest.get(folder)
    if known is None or known.stamp != stamp or now - known.at >= AT_LEAST:
        known = _newest[folder] = _Reading(stamp, now, read_card(id, folder), read_live(folder))
    return known


def _stamps(folder: Path) -> list[int]:
    """Return modification times and sizes of the files that a running run writes."""
    found = []
    for name in (DATABASE, f"{DATABASE}-wal", LIVE):
        try:
            file = (folder / name).stat()
            found += [file.st_mtime_ns, file.st_size]
        except OSError:
            found += [0, 0]
    return found


async def watch(id: str, folder: Path, seen: int) -> AsyncIterator[str]:
    """Yield server-sent events on steps committed after `seen`, progress and state, until the run ends."""
    before, state, quiet = None, "", 0.0
    try:
        while True:
            _, _, card, live = _read(id, folder)
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
    finally:
        _newest.pop(folder, None)


async def watch_list(root: Path, read: Callable[[str, Path], RunCard]) -> AsyncIterator[str]:
    """Yield server-sent events on runs below a folder that begin, change or end."""
    known: dict[str, _ListedRun] = {}
    first, quiet = True, 0.0
    while True:
        began = time.monotonic()
        found = await asyncio.to_thread(_read_list, root, known, read)
        changed = [one.card for id, one in found.items() if id not in known or one.card != known[id].card]
        events = [] if first else [_event("card", card.model_dump(mode="json")) for card in changed]
        events += [_event("gone", {"id": id}) for id in known.keys() - found.keys()]
        if first or (not events and quiet >= PING):
            events, quiet = [": still here\n\n", *events], 0.0
        first, known = False, found
        for event in events:
            yield event
        pause = max(LISTED, 20 * (time.monotonic() - began))  # a long list takes 5 % of a processor at most
        quiet += pause
        await asyncio.sleep(pause)


def _read_list(
    root: Path, known: dict[str, _ListedRun], read: Callable[[str, Path], RunCard]
) -> dict[str, _ListedRun]:
    """Read the cards of runs whose files changed, and of running ones, which may have been killed."""
    found = {}
    for id, folder in find_run_folders(root).items():
        stamps, before = _stamps(folder), known.get(id)
        if before is None or before.stamps != stamps or before.card.state == "running":
            before = _ListedRun(stamps, read(id, folder))
        found[id] = before
    return found


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
