"""Whom users talk to: a reference system, a model over the catalogue, or a declared system."""

from dataclasses import dataclass
from typing import Protocol

from openiir.kit.dialogue import Act
from openiir.plugin import Draw, Lane
from openiir.scenarios.conversational.questions.turn import TakeTurn, Turn, TurnFacts
from openiir.scenarios.conversational.questions.understand import Reads
from openiir.scenarios.conversational.systems import Prompted, Talk

History = list[tuple[str, str]]
SILENT = "said nothing in answer"
UNUSABLE = "gave no usable answer"


class Partner(Protocol):
    """The other side of one dialogue."""

    async def begin(self, lane: Lane) -> Turn:
        """What the system says first; an empty turn where it waits for the user."""
        ...

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> Turn:
        """What it says to the user's words, with the acts in them where it may have those."""
        ...

    async def leave(self, lane: Lane) -> None:
        """Let go of what the dialogue needed."""
        ...


@dataclass(eq=False)
class ReferencePartner:
    """A system of our own, which needs nobody to answer for it."""

    talk: Talk
    draw: Draw
    turns: int = 0

    async def begin(self, lane: Lane) -> Turn:
        return self._next()

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> Turn:
        self.talk.hear(said, acts)
        return self._next()

    def _next(self) -> Turn:
        turn = self.talk.respond(self.draw.at(item=self.turns))
        self.turns += 1
        self.talk.said(turn)
        return turn

    async def leave(self, lane: Lane) -> None:
        return None


@dataclass(eq=False)
class PromptedPartner:
    """A system of our own that a model may answer for; it is asked under its own name, and its words are read."""

    name: str
    system: Prompted
    talk: Talk
    reader: Reads

    async def begin(self, lane: Lane) -> Turn:
        return await self._ask(lane, [])

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> Turn:
        self.talk.hear(said, acts)
        return await self._ask(lane, history)

    async def _ask(self, lane: Lane, history: History) -> Turn:
        question = self.system.question(self.talk, history)
        line = await lane.ask(self.name, question)
        if line is None:
            return Turn(fault=UNUSABLE)
        acts, items = self.reader.system_acts(line.say, history), question.items(line)
        self.talk.said(Turn(text=line.say, acts=acts, items=items))
        return Turn(text=line.say, items=items, ended=line.goodbye)

    async def leave(self, lane: Lane) -> None:
        return None


@dataclass(eq=False)
class DeclaredPartner:
    """A system under test that the study declares, in a session of the dialogue's own."""

    role: str
    """`system:NAME`."""

    async def begin(self, lane: Lane) -> Turn:
        return await self._ask(lane, "", [])

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> Turn:
        turn = await self._ask(lane, said, history)
        if not turn.text.strip() and not turn.fault and not turn.ended:
            return Turn(fault=SILENT)
        return turn

    async def _ask(self, lane: Lane, said: str, history: History) -> Turn:
        turn = await lane.ask(self.role, TakeTurn(TurnFacts(said, tuple(history))))
        return turn if turn is not None else Turn(fault=UNUSABLE)

    async def leave(self, lane: Lane) -> None:
        await lane.end_dialogue(self.role)
