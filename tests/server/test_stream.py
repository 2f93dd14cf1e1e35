"""Viewers of a running run hear of each committed step once, also after their connection was lost."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from typing import Any

import pytest

from openiir.core.storage import RunFile
from openiir.core.storage.live_file import LiveFile
from openiir.runs.catalogue import read_card
from openiir.server import stream
from openiir.server.stream import watch, watch_list


@pytest.fixture
def running(served, tmp_path, own):
    """A run that this process is writing."""
    folder = own(shutil.copytree(served / "panel", tmp_path / "panel"))
    with RunFile.open(folder, writable=True) as run:
        run.set_state(status="running", reason="")
        yield run


def commit_step(run: RunFile) -> int:
    """Commit a step without events; returns its number."""
    number = len(run.steps()) + 1
    run.db.execute("insert into step values (?, 'more', '', '')", (number,))
    return number


async def next_step(events: AsyncIterator[str]) -> tuple[int, int]:
    """Return id and number of the next step that a viewer hears of."""
    async for event in events:
        if found := re.match(r"id: (\d+)\nevent: step\ndata: (.*)\n\n", event):
            return int(found[1]), json.loads(found[2])["step"]
    raise AssertionError("the stream ended without a step")


def test_a_viewer_who_comes_back_hears_of_what_was_committed_meanwhile_and_nothing_twice(
    running, monkeypatch
):
    monkeypatch.setattr(stream, "SECONDS", 0.01)
    folder = running.folder

    async def view():
        first = watch("panel", folder, 0)
        there = len(running.steps())
        assert await next_step(first) == (there, there)
        added = commit_step(running)
        assert await next_step(first) == (added, added)
        await first.aclose()  # type: ignore[attr-defined]
        missed = commit_step(running)
        again = watch("panel", folder, added)
        assert await next_step(again) == (missed, missed)
        latest = commit_step(running)
        assert await next_step(again) == (latest, latest)
        running.set_state(status="stopped", reason="enough")
        rest = [event async for event in again]
        assert not [one for one in rest if one.startswith("id:")]
        assert '"state": "stopped"' in rest[-1] and "enough" in rest[-1]

    asyncio.run(asyncio.wait_for(view(), 30))


def test_a_viewer_hears_how_far_the_lanes_of_a_step_are(running, monkeypatch):
    monkeypatch.setattr(stream, "SECONDS", 0.01)

    async def view():
        events = watch("panel", running.folder, len(running.steps()))
        LiveFile(running.folder).update(at_once=True, lane="b", done=3, of=9)
        async for event in events:
            if event.startswith("event: progress"):
                return json.loads(event.partition("data: ")[2])
        raise AssertionError("the stream ended without progress")

    progress = asyncio.run(asyncio.wait_for(view(), 30))
    assert (progress["lane"], progress["done"], progress["of"]) == ("b", 3, 9)


def test_viewers_of_a_quiet_run_share_one_reading(running, monkeypatch):
    read, count = stream.read_card, list[str]()
    monkeypatch.setattr(stream, "SECONDS", 0.01)
    monkeypatch.setattr(stream, "read_card", lambda id, folder: (count.append(id), read(id, folder))[1])

    async def view():
        viewers = [watch("panel", running.folder, 0) for _ in range(20)]
        there = len(running.steps())
        assert [await next_step(one) for one in viewers] == [(there, there)] * 20
        assert len(count) == 1
        added = commit_step(running)
        assert [await next_step(one) for one in viewers] == [(added, added)] * 20

    asyncio.run(asyncio.wait_for(view(), 30))


def test_a_list_hears_of_runs_that_begin_change_and_disappear(running, monkeypatch):
    monkeypatch.setattr(stream, "LISTED", 0.01)
    root = running.folder.parent

    async def view():
        events = watch_list(root, read_card)
        assert (await anext(events)).startswith(": ")  # the page has read what there is
        shutil.copytree(running.folder, root / "begun")
        assert (await next_event(events, "card"))["id"] == "begun"
        running.set_state(status="failed", reason="EndpointError: asked http://10.0.0.1/v1: 500")
        card = await next_event(events, "card")
        assert (card["id"], card["state"]) == ("panel", "failed")
        assert card["reason"] == "EndpointError: asked the endpoint: 500"
        shutil.rmtree(root / "begun")
        assert await next_event(events, "gone") == {"id": "begun"}

    asyncio.run(asyncio.wait_for(view(), 30))


async def next_event(events: AsyncIterator[str], kind: str) -> dict[str, Any]:
    async for event in events:
        if found := re.match(rf"event: {kind}\ndata: (.*)\n\n", event):
            return dict(json.loads(found[1]))
    raise AssertionError(f"the stream ended without {kind}")
