"""Routes of the JSON interface, one function each."""

import os
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field

import openiir
from openiir.core.errors import InputError
from openiir.core.records import Record
from openiir.core.retrieval.hybrid import Mode
from openiir.core.storage import StoredValidation, Verdict
from openiir.runs.catalogue import read_card, run_folder, sweep_folder
from openiir.runs.compare import ComparisonOptions, compare
from openiir.runs.types import find_type
from openiir.runs.validations import REPORTS, add_verdict
from openiir.server.comparing import comparison_json
from openiir.server.guard import COOKIE, has_token, is_whole_number
from openiir.server.reading import MOST
from openiir.server.sharing import JOB, VIEW, State
from openiir.server.stream import watch, watch_list

EVENTS = "text/event-stream"
MOST_NUMBER = 10**15 - 1
"""Greatest number in a request, which JavaScript and SQLite hold exactly."""


class Problem(Record):
    """Response that says in words why a request was refused."""

    detail: str


REFUSALS: dict[int | str, dict[str, Any]] = dict.fromkeys(
    (400, 401, 403, 404, 405, 413, 421, 422, 503), {"model": Problem}
)
routes = APIRouter(prefix="/api", responses=REFUSALS)
probes = APIRouter(responses=REFUSALS)


Limit = Annotated[int, Query(ge=1, le=MOST)]
Number = Annotated[int | None, Query(ge=0, le=MOST_NUMBER)]
Cursor = Annotated[int, Query(ge=0, le=MOST_NUMBER)]
Place = Annotated[int, Path(ge=0, le=MOST_NUMBER)]
RUN = "/runs/{id:path}"


class GivenToken(Record):
    """Request body with the token of the start-up address."""

    token: str = Field(max_length=1_000)


class QuestionToAgents(Record):
    """Request body with a question to one agent of a finished run, or to all of them."""

    agent: str = Field(min_length=1, max_length=200)
    question: str = Field(min_length=1, max_length=10_000)
    thread: str = Field("", max_length=100)
    """Id that a question shares with those that follow it up."""


class VerdictOfPerson(Record):
    """Request body with a person's verdict on a statement of an agent, or of the run's reports."""

    agent: str = Field(REPORTS, max_length=200)
    statement: str = Field(max_length=200)
    verdict: Verdict
    comment: str = Field("", max_length=2_000)
    person: str = Field(min_length=1, max_length=120)


@probes.get("/health")
def health(state: State) -> dict[str, str]:
    """Return whether the folder of runs can be listed; needs no token, for supervisors of the server."""
    try:
        with os.scandir(state.root) as entries:
            next(entries, None)
    except OSError as error:
        raise HTTPException(503, f"the folder of runs cannot be listed: {error.strerror}") from None
    return {"status": "ok", "version": openiir.__version__}


@routes.get("/about")
def about(request: Request, state: State) -> dict[str, Any]:
    """Return the version, where commands find the runs, and whether writes are allowed and need the token.

    `folder` is empty unless the folder was given as a path below the working one: others would tell of this
    machine.
    """
    closed = state.access.write or state.access.token_for_all
    below = not state.root.is_absolute() and ".." not in state.root.parts
    return {
        "folder": state.root.as_posix() if below else "",
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


@routes.get("/schema/{type}")
def schema(type: str) -> dict[str, Any]:
    """Return the JSON schemas of a type's `[config]`, events and measuring options, with help texts."""
    scenario = find_type(type)
    return {
        "config": scenario.Config.model_json_schema(),
        "events": {kind: record.model_json_schema() for kind, record in scenario.events.items()},
        "measuring": scenario.Measuring.model_json_schema(),
    }


@routes.get("/compare", dependencies=JOB)
def compare_runs(
    state: State,
    run: Annotated[list[str], Query()] = [],  # noqa: B006
    sweep: Annotated[list[str], Query()] = [],  # noqa: B006
    baseline: str | None = None,
) -> dict[str, Any]:
    """Compare sweeps and runs of one type: measures by arm, and each arm against the baseline."""
    found = {id: run_folder(state.root, id) for id in run}
    folders = list(found.values())
    for id in sweep:
        folder, cells = sweep_folder(state.root, id)
        first = next(iter(cells))
        found[first] = cells[first]  # all are of one type
        folders.append(folder)
    types = {read_card(id, folder).type: id for id, folder in reversed(found.items())}
    if len(types) > 1:
        named = " and ".join(f"{id!r} ({type})" for type, id in reversed(types.items()))
        raise InputError(
            f"{named} are of different types, which have no measure or view in common; compare runs of one"
        )
    return comparison_json(compare(folders, ComparisonOptions(baseline=baseline)), state.root)


@routes.get("/runs")
def list_runs(state: State, after: str = "", limit: Limit = 200) -> dict[str, Any]:
    """List runs below the folder, by id; `after` is the last id of the page before."""
    cards, last = state.reader.cards.page(after, limit)
    return {"runs": [card.model_dump(mode="json") for card in cards], "next": last}


@routes.get("/stream", responses={200: {"content": {EVENTS: {}}}})
async def stream_list(state: State) -> StreamingResponse:
    """Stream the cards of runs that begin or change, and the ids of those that disappear."""
    return StreamingResponse(watch_list(state.root, state.reader.cards.read), media_type=EVENTS)


@routes.get(RUN + "/surfaces/{name}", dependencies=VIEW)
def surface(
    id: str,
    name: str,
    state: State,
    response: Response,
    agent: str | None = None,
    until: Number = None,
    after: Annotated[str | None, Query(max_length=15)] = None,
    limit: Limit = MOST,
    seek: Number = None,
    beginning: bool = False,
) -> Response:
    """Return a page of a view, as it was after the step `until`.

    With `beginning`, a long view that is still to be computed may be answered by the page of its first
    events, `whole` being false.
    """
    part = {"until": until, "after": after, "limit": limit, "seek": seek, "beginning": beginning}
    page = state.reader.page(id, name, agent, **part)
    return Response(page.write_json(), headers=dict(response.headers), media_type="application/json")


@routes.get(RUN + "/measures", dependencies=VIEW)
def measures(id: str, state: State) -> list[dict[str, Any]]:
    """Return the measures of a finished run."""
    return state.reader.measures(id)


@routes.get(RUN + "/search", dependencies=JOB)
def search(
    id: str,
    state: State,
    q: Annotated[str, Query(max_length=200)],
    kind: str = "",
    agent: str = "",
    after: Cursor = 0,
    limit: Limit = 50,
) -> dict[str, Any]:
    """Search the texts of a finished run: all words, the last of which may be the beginning of one.

    `kind` (agent, claim, source, event or question) and `agent` narrow the search.
    """
    return state.reader.search(id, q, after=after, limit=limit, kind=kind, agent=agent)


@routes.get(RUN + "/agents")
def agents(
    id: str,
    state: State,
    view: str = "",
    q: Annotated[str, Query(max_length=200)] = "",
    after: Cursor = 0,
    limit: Limit = 50,
) -> dict[str, Any]:
    """List agents by id and name, of a view or of the whole run; `q` is part of a name or an id."""
    return state.reader.agents(id, view, q, after, limit)


@routes.get(RUN + "/agents/{agent}")
def agent_page(id: str, agent: str, state: State, after: Cursor = 0, limit: Limit = 100) -> dict[str, Any]:
    """Return an agent with a page of its events."""
    return state.reader.agent(id, agent, after, limit)


@routes.get(RUN + "/questions/{place}", dependencies=JOB)
def question(id: str, place: Place, state: State) -> dict[str, Any]:
    """Return a question with its recorded prompt and replies."""
    return state.reader.question(id, place)


@routes.get(RUN + "/questions")
def questions(
    id: str,
    state: State,
    asker: str | None = None,
    kind: str | None = None,
    step: Number = None,
    after: Cursor = 0,
    limit: Limit = 100,
) -> dict[str, Any]:
    """List questions of a run, filtered by asker, kind and step."""
    return state.reader.questions(id, asker, kind, step, after, limit)


@routes.get(RUN + "/chunks/{world}/{chunk}")
def chunk(id: str, world: str, chunk: str, state: State) -> dict[str, Any]:
    """Return a passage with its neighbours and the claims that cite it."""
    return state.reader.chunk(id, world, chunk)


@routes.get(RUN + "/worlds/{world}/lookup", dependencies=JOB)
def lookup(
    id: str,
    world: str,
    state: State,
    query: Annotated[str, Query(min_length=1, max_length=2_000)],
    k: Annotated[int, Query(ge=1, le=50)] = 10,
    mode: Mode = "hybrid",
) -> dict[str, Any]:
    """Look passages up by the index of a world, with their scores by part."""
    with state.reader.open(id) as run:
        return state.passages.find(run, world, query, k, mode)


@routes.get(RUN + "/check", dependencies=JOB)
def check(id: str, state: State) -> dict[str, Any]:
    """Check a run's record against its manifest."""
    return state.reader.check(id)


@routes.get(RUN + "/stream", responses={200: {"content": {EVENTS: {}}}})
async def stream(id: str, request: Request, state: State) -> StreamingResponse:
    """Stream a run's events: committed steps, progress and state."""
    last = request.headers.get("last-event-id", "0")
    events = watch(id, run_folder(state.root, id), int(last) if is_whole_number(last) else 0)
    return StreamingResponse(events, media_type=EVENTS)


@routes.get(RUN + "/interviews")
def interviews(id: str, state: State) -> dict[str, Any]:
    """List what was asked of a run's agents after it ended, in the order asked."""
    return state.reader.interviews(id)


@routes.post(RUN + "/ask")
async def ask(id: str, asked: QuestionToAgents, state: State) -> dict[str, Any]:
    """Ask agents of a finished run a question; answers are stored in its after-file."""
    room = await state.rooms.room(run_folder(state.root, id))
    return {
        "answers": [
            {
                "agent": one.persona.id,
                "name": one.persona.name,
                "answer": one.words,
                "by": one.answer.answerer,
                "failure": one.answer.failure,
                "prompt": [message.model_dump() for message in one.prompt],
            }
            for one in await room.ask(asked.agent, asked.question, asked.thread)
        ]
    }


@routes.get(RUN + "/validations")
def validations(id: str, state: State, agent: str = REPORTS) -> dict[str, Any]:
    """List statements of an agent or the run's reports with people's verdicts, and a summary of all."""
    return state.reader.validations(id, agent)


@routes.post(RUN + "/validate")
def validate(id: str, given: VerdictOfPerson, state: State) -> dict[str, Any]:
    """Store a person's verdict in the run's after-file; returns the agent's statements anew."""
    words = given.model_dump()
    add_verdict(run_folder(state.root, id), StoredValidation(**words))
    return state.reader.validations(id, given.agent)


@routes.get(RUN, dependencies=VIEW)
def run(id: str, state: State) -> dict[str, Any]:
    """Return a run with its study, views and measures."""
    return state.reader.describe(id)
