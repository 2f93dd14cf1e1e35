"""What the routes of one server share: its state, and the places of requests that take long to answer."""

import pathlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.responses import Response

from openiir.core.hashing import fingerprint
from openiir.runs.catalogue import run_folder
from openiir.runs.interviews import InterviewRooms
from openiir.server.guard import Access
from openiir.server.lookups import PassageFinder
from openiir.server.queue import RequestQueue
from openiir.server.reading import Reader


@dataclass(frozen=True)
class ServerState:
    """Objects that all routes of one server share (runs, access rules, caches, queues)."""

    root: pathlib.Path
    reader: Reader
    access: Access
    rooms: InterviewRooms
    passages: PassageFinder = field(default_factory=PassageFinder)
    jobs: RequestQueue = field(default_factory=lambda: RequestQueue(places=1))
    """Requests that may take seconds each time."""
    views: RequestQueue = field(default_factory=lambda: RequestQueue(places=4, waiting=100))
    """Requests for views, of which most are kept, and of which the cache of views computes one at a time."""


def _state(request: Request) -> ServerState:
    state: ServerState = request.app.state.server
    return state


State = Annotated[ServerState, Depends(_state)]


async def _wait_for_job(request: Request, state: State) -> AsyncIterator[None]:
    async with state.jobs.place(request):
        yield


async def _wait_for_view(request: Request, state: State) -> AsyncIterator[None]:
    async with state.views.place(request):
        yield


def _tag_reply(id: str, request: Request, response: Response, state: State) -> None:
    """Tag what is told of a finished run, and answer a client that has it by 304 without computing it."""
    told = state.reader.cards.tag(id, run_folder(state.root, id))
    if told is None:
        return
    tag = fingerprint([told, request.url.path, request.url.query])[:32]
    kept = {"ETag": f'W/"{tag}"', "Cache-Control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        raise HTTPException(304, headers=kept)
    response.headers.update(kept)


JOB = [Depends(_wait_for_job, scope="function")]
VIEW = [Depends(_tag_reply), Depends(_wait_for_view, scope="function")]
