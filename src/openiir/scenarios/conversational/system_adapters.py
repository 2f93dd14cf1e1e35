"""Adapters to the systems under test: reference systems, a prompted model, and declared systems."""

from dataclasses import dataclass
from typing import Protocol

from openiir.plugin import Draw, Lane
from openiir.scenarios.conversational.dialogue import Act
from openiir.scenarios.conversational.questions.system_turn import SystemTurn, TakeTurn, TurnFacts
from openiir.scenarios.conversational.questions.understand import ActReader
from openiir.scenarios.conversational.systems import DialogueState, PromptedSystem

History = list[tuple[str, str]]
SILENT = "said nothing in answer"
UNUSABLE = "gave no usable answer"


class SystemAdapter(Protocol):
    """A system under test in one dialogue."""

    async def begin(self, lane: Lane) -> SystemTurn:
        """What the system says first; an empty turn where it waits for the user."""
        ...

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        """What it says to the user's words, with the acts in them where it may have those."""
        ...

    async def leave(self, lane: Lane) -> None:
        """End the dialogue and release its session."""
        ...


@dataclass(eq=False)
class ReferenceSystemAdapter:
    """A reference system that computes its turns."""

    talk: DialogueState
    draw: Draw
    turns: int = 0

    async def begin(self, lane: Lane) -> SystemTurn:
        return self._next()

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        self.talk.hear(said, acts)
        return self._next()

    def _next(self) -> SystemTurn:
        turn = self.talk.respond(self.draw.at(item=self.turns))
        self.turns += 1
        self.talk.note_turn(turn)
        return turn

    async def leave(self, lane: Lane) -> None:
        return None


@dataclass(eq=False)
class PromptedSystemAdapter:
    """A reference system whose turns a model may give; it is asked under its own name."""

    name: str
    system: PromptedSystem
    talk: DialogueState
    reader: ActReader

    async def begin(self, lane: Lane) -> SystemTurn:
        return await self._ask(lane, [])

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        self.talk.hear(said, acts)
        return await self._ask(lane, history)

    async def _ask(self, lane: Lane, history: History) -> SystemTurn:
        question = self.system.question(self.talk, history)
        line = await lane.ask(self.name, question)
        if line is None:
            return SystemTurn(fault=UNUSABLE)
        acts, items = self.reader.system_acts(line.say, history), question.items(line)
        self.talk.note_turn(SystemTurn(text=line.say, acts=acts, items=items))
        return SystemTurn(text=line.say, items=items, ended=line.goodbye)

    async def leave(self, lane: Lane) -> None:
        return None


@dataclass(eq=False)
class DeclaredSystemAdapter:
    """A system under test that the study declares, in a session of the dialogue's own."""

    role: str
    """`system:NAME`."""

    async def begin(self, lane: Lane) -> SystemTurn:
        return await self._ask(lane, "", [])

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        turn = await self._ask(lane, said, history)
        if not turn.text.strip() and not turn.fault and not turn.ended:
            return SystemTurn(fault=SILENT)
        return turn

    async def _ask(self, lane: Lane, said: str, history: History) -> SystemTurn:
        turn = await lane.ask(self.role, TakeTurn(TurnFacts(said, tuple(history))))
        return turn if turn is not None else SystemTurn(fault=UNUSABLE)

    async def leave(self, lane: Lane) -> None:
        await lane.end_dialogue(self.role)
