"""Simulated users, three ways: by an agenda in three parts, by one prompt, and by two."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from openiir.kit.dialogue import Act
from openiir.plugin import Agent, Draw, Lane
from openiir.scenarios.conversational.agenda import Policy
from openiir.scenarios.conversational.habits import NO_HABITS, Habits
from openiir.scenarios.conversational.mind import Mind
from openiir.scenarios.conversational.questions.realise import LONGEST, Realise, Says
from openiir.scenarios.conversational.questions.respond import Ending, Respond, Situation
from openiir.scenarios.conversational.questions.speak import GoOn, Speak, Speech, Stop, Stopping, Words
from openiir.scenarios.conversational.questions.turn import Turn
from openiir.scenarios.conversational.questions.understand import Reads, Understand

CONTEXT = 4
"""Utterances before it that an utterance is understood with."""


@dataclass(frozen=True)
class Reply:
    """A user's turn."""

    text: str
    acts: tuple[Act, ...]
    end: Ending
    item: str
    """The id of the item taken; empty without one."""
    passed: bool
    """Whether the system gets the acts as they are."""


@dataclass(frozen=True, eq=False)
class Talker:
    """A mind with a policy and with words: what answers for the prompted users without a model."""

    policy: Policy
    templates: Says
    talkativeness: float

    def situation(self) -> Situation:
        return self.policy.situation()

    def speak(self, draw: Draw) -> Speech:
        response = self.policy.respond(draw)
        return Speech.of_own(text=self._words(response.acts, draw), end=response.end, item=response.item)

    def stop(self, draw: Draw) -> Stopping:
        end, item = self.policy.ending(draw)
        return Stopping.of_own(end=end, item=item)

    def go_on(self, draw: Draw) -> Words:
        return Words.of_own(text=self._words(self.policy.reply(draw), draw))

    def closing(self, end: Ending, draw: Draw) -> str:
        """The last words of a user who stopped."""
        return self._words(self.policy.closing(end), draw)

    def _words(self, acts: tuple[Act, ...], draw: Draw) -> str:
        return self.templates.render(acts, draw, self.talkativeness)[:LONGEST]


class Simulator(Protocol):
    """Takes a user's turn in a dialogue; what it needs between turns is in the mind."""

    @property
    def name(self) -> str:
        """As tables call it."""
        ...

    async def understand(self, lane: Lane, who: Agent, mind: Mind, turn: Turn) -> tuple[Act, ...] | None:
        """The acts in a system's turn; None where the simulator failed."""
        ...

    async def reply(self, lane: Lane, who: Agent, mind: Mind) -> Reply | None:
        """The user's turn; None where the simulator failed."""
        ...


@dataclass(frozen=True, eq=False)
class AgendaUser:
    """Understands, decides, and puts it into words: three questions, each of which can be answered otherwise."""

    name: str
    reader: Reads
    templates: Says
    slots: tuple[str, ...]
    passes: bool = True
    habits: Habits = NO_HABITS

    async def understand(self, lane: Lane, who: Agent, mind: Mind, turn: Turn) -> tuple[Act, ...] | None:
        if self.passes and turn.acts:
            return turn.acts
        context = tuple(mind.history[-CONTEXT:])
        question = Understand(turn.text, "system", self.slots, context, reader=self.reader)
        understood = await lane.ask(who, question)
        return question.acts(understood) if understood is not None else None

    async def reply(self, lane: Lane, who: Agent, mind: Mind) -> Reply | None:
        response = await lane.ask(who, Respond(Policy(mind, self.habits)))
        if response is None:
            return None
        said = {pair[1] for act in response.acts for pair in act.pairs}
        secret = tuple(value for _, value in mind.pending if value not in said)
        heard = mind.history[-1][1] if mind.history else ""
        question = Realise(response.acts, heard, mind.traits.talkativeness, secret, templates=self.templates)
        words = await lane.ask(who, question)
        return Reply(words.text, response.acts, response.end, response.item, self.passes) if words is not None else None


@dataclass(frozen=True, eq=False)
class PromptedUser:
    """One prompt for what to say and whether to end, or two: first whether to stop, then what to say.

    It reads and writes words alone. Its acts, in the log, are what the reader finds in them.
    """

    name: str
    reader: Reads
    templates: Says
    dual: bool

    async def understand(self, lane: Lane, who: Agent, mind: Mind, turn: Turn) -> tuple[Act, ...] | None:
        return self.reader.system_acts(turn.text, mind.history[-CONTEXT:])

    async def reply(self, lane: Lane, who: Agent, mind: Mind) -> Reply | None:
        talker = Talker(Policy(mind), self.templates, mind.traits.talkativeness)
        return await (self._dual(lane, who, talker) if self.dual else self._single(lane, who, talker))

    async def _single(self, lane: Lane, who: Agent, talker: Talker) -> Reply | None:
        speech = await lane.ask(who, Speak(talker))
        return self._read(speech.text, speech.end, speech.item, talker) if speech is not None else None

    async def _dual(self, lane: Lane, who: Agent, talker: Talker) -> Reply | None:
        stopping = await lane.ask(who, Stop(talker))
        if stopping is None:
            return None
        if stopping.end != "no":
            draw = talker.policy.mind.knowing.at("last words")
            return self._read(talker.closing(stopping.end, draw), stopping.end, stopping.item, talker)
        words = await lane.ask(who, GoOn(talker))
        return self._read(words.text, "no", "", talker) if words is not None else None

    def _read(self, text: str, end: Ending, item: str, talker: Talker) -> Reply:
        acts = self.reader.user_acts(text, talker.policy.mind.history[-CONTEXT:])
        return Reply(text, acts, end, item, passed=False)


KINDS: Mapping[str, str] = {
    "agenda": "understanding, an agenda of the need, and words",
    "single": "one prompt that says the next words and whether they are the last",
    "dual": "a prompt whether to stop, and another for the next words",
}
"""What simulators there are."""
