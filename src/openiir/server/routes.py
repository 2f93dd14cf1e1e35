"""Routes of the JSON interface, one function each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

import openiir
from openiir.core.records import Record
from openiir.runs.catalogue import run_folder
from openiir.runs.compare import compare
from openiir.runs.post_run import interview, reply_words
from openiir.runs.settings import Settings
from openiir.server.guard import COOKIE, Access, has_token
from openiir.server.reading import MOST, Reader, tell_comparison
from openiir.server.stream import watch

routes = APIRouter(prefix="/api")


@dataclass(frozen=True)
class ServerState:
    """Objects shared by all routes of one server."""

    root: Path
    reader: Reader
    access: Access
    settings: Settings


def _state(request: Request) -> ServerState:
    state: ServerState = request.app.state.server
    return state


State = Annotated[ServerState, Depends(_state)]
Limit = Annotated[int, Query(ge=1, le=MOST)]
Number = Annotated[int | None, Query(ge=0)]
RUN = "/runs/{id:path}"


class GivenToken(Record):
    """Request body with the token of the start-up address."""

    token: str


class QuestionToAgents(Record):
    """Request body with a question to one agent of a finished run, or to all of them."""

    agent: str
    question: str


@routes.get("/about")
def about(request: Request, state: State) -> dict[str, Any]:
    """Return the version, and whether writes are allowed and need the token."""
    closed = state.access.write or state.access.token_for_all
    return {
        "version": openiir.__version__,
        "write": state.access.write,
        "token_needed": closed and not has_token(request.headers, state.access),
    }


@routes.post("/token")
def start_session(given: GivenToken, state: State) -> Response:
    """Exchange the token of the start-up address for a cookie."""
    if not state.access.is_token(given.token):
        return JSONResponse({"detail": "this is not the token that the server printed"}, 401)
    response = Response(status_code=204)
    response.set_cookie(COOKIE, given.token, httponly=True, samesite="strict")
    return response


@routes.get("/compare")
def compare_runs(
    run: Annotated[list[str], Query(min_length=2, max_length=20)], state: State
) -> dict[str, Any]:
    """Compare runs: measures by run, and the first run against the baseline."""
    return tell_comparison(compare([run_folder(state.root, id) for id in run]))


@routes.get("/runs")
def list_runs(state: State, after: str = "", limit: Limit = 200) -> dict[str, Any]:
    """List runs below the folder, by id; `after` is the last id of the page before."""
    cards, last = state.reader.cards(after, limit)
    return {"runs": [card.model_dump(mode="json") for card in cards], "next": last}


@routes.get(RUN + "/surfaces/{name}")
def surface(
    id: str,
    name: str,
    state: State,
    agent: str | None = None,
    until: Number = None,
    after: str | None = None,
    limit: Limit = MOST,
    seek: Number = None,
) -> Response:
    """Return a page of a view, as it was after the step `until`."""
    page = state.reader.page(id, name, agent, until, after, limit, seek)
    return Response(page.model_dump_json(), media_type="application/json")


@routes.get(RUN + "/agents/{agent}")
def agent_page(id: str, agent: str, state: State, after: int = 0, limit: Limit = 100) -> dict[str, Any]:
    """Return an agent with a page of its events."""
    return state.reader.agent(id, agent, after, limit)


@routes.get(RUN + "/questions/{place}")
def question(id: str, place: int, state: State) -> dict[str, Any]:
    """Return a question with its recorded prompt and replies."""
    return state.reader.question(id, place)


@routes.get(RUN + "/questions")
def questions(
    id: str,
    state: State,
    asker: str | None = None,
    kind: str | None = None,
    step: Number = None,
    after: int = 0,
    limit: Limit = 100,
) -> dict[str, Any]:
    """List questions of a run, filtered by asker, kind and step."""
    return state.reader.questions(id, asker, kind, step, after, limit)


@routes.get(RUN + "/chunks/{world}/{chunk}")
def chunk(id: str, world: str, chunk: str, state: State) -> dict[str, Any]:
    """Return a passage with its neighbours and the claims that cite it."""
    return state.reader.chunk(id, world, chunk)


@routes.get(RUN + "/check")
def check(id: str, state: State) -> dict[str, Any]:
    """Check a run's record against its manifest."""
    return state.reader.check(id)


@routes.get(RUN + "/stream")
async def stream(id: str, request: Request, state: State) -> StreamingResponse:
    """Stream a run's events: committed steps, progress and state."""
    last = request.headers.get("last-event-id", "0")
    events = watch(id, run_folder(state.root, id), int(last) if last.isdecimal() else 0)
    return StreamingResponse(events, media_type="text/event-stream")


@routes.post(RUN + "/ask")
async def ask(id: str, asked: QuestionToAgents, state: State) -> dict[str, Any]:
    """Ask agents of a finished run a question; answers are stored in its after-file."""
    found = await interview(run_folder(state.root, id), asked.agent, asked.question, state.settings)
    return {
        "answers": [
            {"agent": persona.id, "name": persona.name, "answer": reply_words(answer), "by": answer.answerer}
            for persona, answer in found
        ]
    }


@routes.get(RUN)
def run(id: str, state: State) -> dict[str, Any]:
    """Return a run with its study, views and measures."""
    return state.reader.describe(id)
