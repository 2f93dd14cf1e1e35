"""Ask agents of a finished run; answers go to its after-file, and its content hash stays."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

from openiir.core.agents import Agent, AnswerRouter, Knowledge
from openiir.core.agents.knowledge import LOOKUP
from openiir.core.asking import Answer, Ledger, PlacedQuestion
from openiir.core.asking.answerers import ATTEMPTS
from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Message, Persona, Place
from openiir.core.storage import AfterFile, Log, RunFile, StoredInterview
from openiir.core.storage.folder import database_stamp
from openiir.plugin import Interview, Scenario
from openiir.runs.build import build_answerers, build_search, rebuild_world, run_permissions
from openiir.runs.replay import copy_run_inputs
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.trust import Permission, allow_imports
from openiir.runs.types import find_type

FOUND = 3
"""Passages that an agent reads in an interview where it looks the question up."""
EARLIER = 3
"""Most earlier questions of a thread that a follow-up reminds of."""
OPEN = 4
"""Most runs of a server that are kept open for questions."""


class InterviewAnswer(NamedTuple):
    """An agent's answer after the run, with the prompt that it was given."""

    persona: Persona
    answer: Answer
    prompt: tuple[Message, ...]

    @property
    def words(self) -> str | None:
        """Text of the answer without its reasons; None if it is unusable."""
        return answer_text(None if self.answer.reply is None else self.answer.reply.model_dump())


def find_interview(scenario: Scenario) -> Interview:
    """Return the interview that a type offers with its agents; raises InputError where it offers none."""
    found = [s for s in scenario.surfaces() if isinstance(s, Interview)]
    if not found:
        raise InputError(f"the type {scenario.name!r} declares nothing that can be asked of its agents")
    return found[0]


def agents_named(run: RunFile, name: str) -> Sequence[Persona]:
    """Return one persona of a run by id, or all for `all`; raises InputError where there is none."""
    personas = {p.id: p for p in Log(run).personas}
    if not personas:
        raise InputError(f"nobody in {run.folder} can be asked: its study names no personas")
    if name == "all":
        return tuple(personas.values())
    if name not in personas:
        raise UnknownName("persona of this run", name, personas)
    return (personas[name],)


class InterviewRoom:
    """An open, verified run whose agents can be interviewed until it is closed."""

    def __init__(
        self,
        run: RunFile,
        copy: RunFile,
        answering: AnswerRouter,
        knowledge: Knowledge,
        permissions: Sequence[Permission],
        exits: AsyncExitStack,
    ) -> None:
        self.run, self.copy, self.answering, self.permissions = run, copy, answering, permissions
        self.knowledge = knowledge
        self.interview = find_interview(find_type(run.study()["type"]))
        self.log = Log(run)
        self._exits = exits
        self._turn = asyncio.Lock()
        """Held while a question is asked, since questions to one agent are numbered."""

    @classmethod
    async def open(cls, folder: Path, settings: Settings) -> Self:
        """Check a run's record and build its answerers; raises InputError, DamagedRun or Untrusted."""
        async with AsyncExitStack() as exits:
            run = exits.enter_context(open_checked(folder, finished=True))
            settings.trust.check(permissions := run_permissions(run), str(folder))
            with AfterFile(folder, str(run.state("content"))) as after:
                after.check_writable()
            scratch = exits.enter_context(TemporaryDirectory(prefix="openiir-ask-"))
            copy = exits.enter_context(copy_run_inputs(run, Path(scratch) / "run"))
            with allow_imports(permissions):
                answering = await build_answerers(copy, settings, exits)
                knowledge = build_search(run, Ledger(copy), exits)
            return cls(run, copy, answering, knowledge, permissions, exits.pop_all())

    async def close(self) -> None:
        """Close the answerers and delete the scratch copy."""
        await self._exits.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def ask(self, agent: str, text: str, thread: str = "", look_up: str = "") -> list[InterviewAnswer]:
        """Ask one agent or `all`; each knows only its own part in the run, and the earlier questions.

        With `look_up` each also reads what it finds on the question in the world of that name, by its own
        retrieval mode.
        """
        personas = agents_named(self.run, agent)
        async with self._turn:
            content = str(self.run.state("content"))
            with AfterFile(self.run.folder, content) as after, allow_imports(self.permissions):
                after.check_writable()
                earlier = after.interviews()
                batch = [self._place(persona, text, earlier, thread) for persona in personas]
                if look_up:
                    batch = [await self._look_up(one, text, look_up) for one in batch]
                answers = await self.answering.answer_all(batch)
                for persona, asked, answer in zip(personas, batch, answers, strict=True):
                    reply = None if answer.reply is None else answer.reply.model_dump_json()
                    call = self._find_call(asked.place)
                    after.add_interview(
                        persona.id, text, reply, answer.answerer, call, thread, asked.messages()
                    )
        return [
            InterviewAnswer(persona, answer, asked.messages())
            for persona, asked, answer in zip(personas, batch, answers, strict=True)
        ]

    def _place(
        self, persona: Persona, text: str, earlier: Sequence[StoredInterview], thread: str
    ) -> PlacedQuestion:
        own = [one for one in earlier if one.agent == persona.id]
        asked = follow_up(text, [one for one in own if thread and one.thread == thread])
        question = self.interview.question(self.log, persona, asked)
        about = {"kind": question.kind, "subject": "", "step": 0, "ordinal": len(own)}
        place = Place(lane="after", asker=persona.id, **about)
        return self.answering.place_question(place, question, persona, Agent.of(persona).key)

    async def _look_up(self, asked: PlacedQuestion, text: str, world: str) -> PlacedQuestion:
        """Add the passages that the agent finds on the question; raises InputError for none to search in."""
        question: Any = asked.question
        persona = asked.persona
        assert persona is not None
        if "found" not in {field.name for field in fields(question)}:
            raise InputError(
                f"the question {question.kind} tells no passages, so nothing can be looked up for it"
            )
        if world not in self.knowledge.worlds:
            self.knowledge.worlds[world] = await rebuild_world(self.run, world)
        tools = self.knowledge.tools_of(Agent.of(persona))
        place = asked.place.model_copy(update={"kind": LOOKUP, "subject": world})
        mode = tools.retrieval or persona.retrieval
        hits, _ = await self.knowledge.lookup(place, text, FOUND, mode, tools.policy)
        told = replace(question, found=tuple(hit.chunk.text for hit in hits))
        return self.answering.place_question(asked.place, told, persona, Agent.of(persona).key)

    def _find_call(self, place: Place) -> Any:
        calls = (self.copy.find_call(place, attempt) for attempt in reversed(range(ATTEMPTS)))
        return next((call for call in calls if call is not None), {})


class InterviewRooms:
    """Cache of a server's open interview rooms; a room closes when its run changes or the server ends."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._rooms: dict[Path, tuple[tuple[int, int], InterviewRoom]] = {}
        self._opening = asyncio.Lock()

    async def room(self, folder: Path) -> InterviewRoom:
        """Return the open room of a run, opening it if needed."""
        async with self._opening:
            stamp, room = self._rooms.pop(folder, (None, None))
            if room is not None and stamp != database_stamp(folder):
                await room.close()
                room = None
            if room is None:
                room = await InterviewRoom.open(folder, self.settings)
            self._rooms[folder] = database_stamp(folder), room
            if len(self._rooms) > OPEN:
                await self._rooms.pop(next(iter(self._rooms)))[1].close()
            return room

    async def close(self) -> None:
        """Close all rooms."""
        while self._rooms:
            await self._rooms.popitem()[1][1].close()


async def interview(
    folder: Path, agent: str, text: str, settings: Settings, thread: str = "", look_up: str = ""
) -> list[InterviewAnswer]:
    """Ask one agent of a finished run, or `all`, a single question, looked up in a world if one is named."""
    async with await InterviewRoom.open(folder, settings) as room:
        return await room.ask(agent, text, thread, look_up)


def follow_up(text: str, earlier: Sequence[StoredInterview]) -> str:
    """Extend a follow-up question by the earlier ones of its thread, as a query for the agent's memory."""
    said = [
        f'you were asked "{one.question}" and answered "{answer_text(json.loads(one.reply))}"'
        for one in earlier
        if one.reply is not None
    ]
    return f"{text}\n\n(Before that, {'; then '.join(said[-EARLIER:])}.)" if said else text


def answer_text(reply: dict[str, Any] | None) -> str | None:
    """Join the texts of a reply without its reasons; None if there is no reply."""
    if reply is None:
        return None
    return " ".join(_list_texts({key: value for key, value in reply.items() if key != "thoughts"}))


def _list_texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _list_texts(inner)]
    return [value] if isinstance(value, str) else []
