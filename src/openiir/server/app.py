"""The server's routes: JSON below /api, the built web app at the rest."""

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles

import openiir
from openiir.core.errors import OpeniirError, UnknownName
from openiir.core.records import Record
from openiir.core.storage.live_file import read_live
from openiir.runs.catalogue import find_run_folders, read_card, run_folder
from openiir.runs.compare import compare
from openiir.runs.post_run import interview, reply_words
from openiir.runs.settings import Settings
from openiir.server.guard import COOKIE, Access, Guard, has_token
from openiir.server.reading import MOST, Reader, tell_comparison

SECONDS, PING = 0.25, 15.0
"""Between two looks at a run that somebody watches, and between two signs of life of a stream."""
Limit = Annotated[int, Query(ge=1, le=MOST)]


class GivenToken(Record):
    """The token of the start-up address."""

    token: str


class Asked(Record):
    """A question to one agent of a finished run, or to all of them."""

    agent: str
    question: str


def build_app(root: Path, access: Access, settings: Settings) -> FastAPI:
    """The application that shows the runs below `root`."""
    app, reader = (
        FastAPI(title="openiir", version=openiir.__version__, docs_url=None, redoc_url=None),
        Reader(root),
    )
    app.add_middleware(Guard, access=access)

    @app.exception_handler(OpeniirError)
    async def tell_error(_: Request, error: OpeniirError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 404 if isinstance(error, UnknownName) else 400)

    @app.get("/api/about")
    def about(request: Request) -> dict[str, Any]:
        known = has_token(request.headers, access)
        return {
            "version": openiir.__version__,
            "write": access.write,
            "token_needed": (access.write or access.token_for_all) and not known,
        }

    @app.post("/api/token")
    def start_session(given: GivenToken) -> Response:
        """Exchange the token of the start-up address for a cookie."""
        if not access.is_token(given.token):
            return JSONResponse({"detail": "this is not the token that the server printed"}, 401)
        response = Response(status_code=204)
        response.set_cookie(COOKIE, given.token, httponly=True, samesite="strict")
        return response

    @app.get("/api/compare")
    def compare_runs(run: Annotated[list[str], Query(min_length=2, max_length=20)]) -> dict[str, Any]:
        return tell_comparison(compare([run_folder(root, id) for id in run]))

    @app.get("/api/runs")
    def list_runs(after: str = "", limit: Limit = 200) -> dict[str, Any]:
        folders = [(id, folder) for id, folder in find_run_folders(root).items() if id > after]
        cards = [read_card(id, folder).model_dump(mode="json") for id, folder in folders[:limit]]
        return {"runs": cards, "next": folders[limit - 1][0] if len(folders) > limit else None}

    @app.get("/api/runs/{id:path}/surfaces/{name}")
    def surface(
        id: str,
        name: str,
        agent: str | None = None,
        until: Annotated[int | None, Query(ge=0)] = None,
        after: str | None = None,
        limit: Limit = MOST,
        seek: Annotated[int | None, Query(ge=0)] = None,
    ) -> Response:
        page = reader.page(id, name, agent, until, after, limit, seek)
        return Response(page.model_dump_json(), media_type="application/json")

    @app.get("/api/runs/{id:path}/agents/{agent}")
    def agent_page(id: str, agent: str, after: int = 0, limit: Limit = 100) -> dict[str, Any]:
        return reader.agent(id, agent, after, limit)

    @app.get("/api/runs/{id:path}/questions/{place}")
    def question(id: str, place: int) -> dict[str, Any]:
        return reader.question(id, place)

    @app.get("/api/runs/{id:path}/questions")
    def questions(
        id: str,
        asker: str | None = None,
        kind: str | None = None,
        step: int | None = None,
        after: int = 0,
        limit: Limit = 100,
    ) -> dict[str, Any]:
        return reader.questions(id, asker, kind, step, after, limit)

    @app.get("/api/runs/{id:path}/chunks/{world}/{chunk}")
    def chunk(id: str, world: str, chunk: str) -> dict[str, Any]:
        return reader.chunk(id, world, chunk)

    @app.get("/api/runs/{id:path}/check")
    def check(id: str) -> dict[str, Any]:
        return reader.check(id)

    @app.get("/api/runs/{id:path}/stream")
    async def stream(id: str, request: Request) -> StreamingResponse:
        folder = run_folder(root, id)
        seen = int(request.headers.get("last-event-id") or 0)
        return StreamingResponse(_watch(id, folder, seen), media_type="text/event-stream")

    @app.post("/api/runs/{id:path}/ask")
    async def ask(id: str, asked: Asked) -> dict[str, Any]:
        found = await interview(run_folder(root, id), asked.agent, asked.question, settings)
        return {
            "answers": [
                {
                    "agent": persona.id,
                    "name": persona.name,
                    "answer": reply_words(answer),
                    "by": answer.answerer,
                }
                for persona, answer in found
            ]
        }

    @app.get("/api/runs/{id:path}")
    def run(id: str) -> dict[str, Any]:
        return reader.describe(id)

    built = files("openiir") / "web" / "app"
    if built.is_dir():
        app.mount("/", StaticFiles(directory=str(built), html=True))
    return app


async def _watch(id: str, folder: Path, seen: int) -> AsyncIterator[str]:
    """Events of a run for those who look at it: steps as they are committed, progress, and its state."""
    before, state, quiet = None, "", 0.0
    while True:
        card, live = read_card(id, folder), read_live(folder)
        lines = []
        if card.steps > seen:
            lines.append(f"id: {card.steps}\n" + _event("step", {"step": card.steps, "events": card.events}))
            seen = card.steps
        if live is not None and live != before:
            lines.append(_event("progress", live.model_dump(mode="json")))
            before = live
        if card.state != state:
            lines.append(_event("state", {"state": card.state, "reason": card.reason}))
            state = card.state
        if not lines and quiet >= PING:
            lines.append(": still here\n\n")
        for line in lines:
            yield line
        if state != "running":
            return
        quiet = 0.0 if lines else quiet + SECONDS
        await asyncio.sleep(SECONDS)


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
