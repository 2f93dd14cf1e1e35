"""Adapters to the systems under test: reference systems, a prompted model, and declared systems."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from openiir.plugin import Draw, Lane
from openiir.scenarios.conversational.behaviour.systems.attribute import PromptedSystem
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.model.dialogue import Act
from openiir.scenarios.conversational.model.understanding.trained import ActReader
from openiir.scenarios.conversational.questions.system_turn import SystemTurn, TakeTurn

History = list[tuple[str, str]]
SILENT = "said nothing in answer"
UNUSABLE = "gave no usable answer"


class SystemAdapter(ABC):
    """Adapter to a system under test for one dialogue."""

    @abstractmethod
    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        """Return the system's reply to the user's words, with the user's acts if they may be passed.

        With an empty history it speaks first; its turn is empty where it waits for the user.
        """

    async def leave(self, lane: Lane) -> None:
        """End the dialogue and release the system's session, if it has one."""


@dataclass(eq=False)
class ReferenceSystemAdapter(SystemAdapter):
    """Adapter to a reference system that computes its turns."""

    talk: DialogueState
    draw: Draw

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        if history:
            self.talk.hear(said, acts)
        turn = self.talk.respond(self.draw.at(item=self.talk.spoken))
        self.talk.note_turn(turn)
        return turn


@dataclass(eq=False)
class PromptedSystemAdapter(SystemAdapter):
    """Adapter to a reference system whose turns a model may write, asked under the system's name."""

    name: str
    system: PromptedSystem
    talk: DialogueState
    reader: ActReader

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        if history:
            self.talk.hear(said, acts)
        question = self.system.question(self.talk, history)
        line = await lane.ask(self.name, question)
        if line is None:
            return SystemTurn(fault=UNUSABLE)
        acts, items = self.reader.system_acts(line.say, history), question.items(line)
        self.talk.note_turn(SystemTurn(text=line.say, acts=acts, items=items))
        return SystemTurn(text=line.say, items=items, ended=line.goodbye)


@dataclass(eq=False)
class DeclaredSystemAdapter(SystemAdapter):
    """Adapter to a system declared in the study, with one session per dialogue."""

    role: str
    """Role that is asked: `system:NAME`."""

    async def turn(self, lane: Lane, said: str, acts: tuple[Act, ...] | None, history: History) -> SystemTurn:
        turn = await lane.ask(self.role, TakeTurn(said, tuple(history)))
        if turn is None:
            return SystemTurn(fault=UNUSABLE)
        silent = history and not (turn.text.strip() or turn.fault or turn.ended)
        return SystemTurn(fault=SILENT) if silent else turn

    async def leave(self, lane: Lane) -> None:
        await lane.end_dialogue(self.role)
