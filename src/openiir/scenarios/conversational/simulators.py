"""Simulated users, three ways: by an agenda in three parts, by one prompt, and by two."""

from dataclasses import dataclass
from typing import Protocol

from openiir.kit.dialogue import Act
from openiir.plugin import Agent, Draw, Lane
from openiir.scenarios.conversational.agenda import Decision, Policy
from openiir.scenarios.conversational.habits import NO_HABITS, Habits
from openiir.scenarios.conversational.mind import Mind
from openiir.scenarios.conversational.questions.realise import LONGEST, Says, realise_question
from openiir.scenarios.conversational.questions.respond import respond_question
from openiir.scenarios.conversational.questions.sight import Sight
from openiir.scenarios.conversational.questions.speak import (
    ENDINGS,
    Ending,
    GoOn,
    Speak,
    SpeakFacts,
    Stop,
    StopFacts,
    go_on_question,
    taken,
)
from openiir.scenarios.conversational.questions.turn import Turn
from openiir.scenarios.conversational.questions.understand import Reads, plain, understand_question

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
    """The agenda's policy with words: what answers for the prompted users without a model."""

    templates: Says

    def speak(self, sight: Sight, draw: Draw) -> tuple[str, Ending, str]:
        response = Policy(sight).respond(draw)
        return self._words(response.acts, sight, draw), response.end, response.item

    def stop(self, sight: Sight, draw: Draw) -> tuple[Ending, str]:
        return Policy(sight).ending(draw)

    def go_on(self, sight: Sight, draw: Draw) -> str:
        return self._words(Policy(sight).reply(draw), sight, draw)

    def closing(self, end: Ending, item: str, sight: Sight, draw: Draw) -> str:
        return self._words(Policy(sight).closing(end, item), sight, draw)

    def _words(self, acts: tuple[Act, ...], sight: Sight, draw: Draw) -> str:
        return self.templates.render(acts, draw, sight.traits.talkativeness)[:LONGEST]


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
    passes: bool = False
    habits: Habits = NO_HABITS

    async def understand(self, lane: Lane, who: Agent, mind: Mind, turn: Turn) -> tuple[Act, ...] | None:
        if self.passes and turn.acts:
            return turn.acts
        context = tuple(mind.history[-CONTEXT:])
        question = understand_question(turn.text, "system", self.slots, context, self.reader)
        understood = await lane.ask(who, question)
        return question.acts(understood) if understood is not None else None

    async def reply(self, lane: Lane, who: Agent, mind: Mind) -> Reply | None:
        sight = mind.sight()
        question = respond_question(mind.scene(sight), sight, self.slots, self._decide)
        response = await lane.ask(who, question)
        if response is None:
            return None
        acts = question.acts(response)
        said = {pair[1] for act in acts for pair in act.pairs}
        secret = tuple(value for _, value in sight.pending if value not in said)
        heard = mind.history[-1][1] if mind.history else ""
        words = await lane.ask(
            who, realise_question(acts, heard, self.templates, mind.traits.talkativeness, secret)
        )
        if words is None:
            return None
        # Words have a longest length, so that of very long values some may be left out.
        text = plain(words.text)
        kept = tuple(
            act for act in acts if all(value is None or plain(value) in text for _, value in act.pairs)
        )
        return Reply(words.text, kept, *question.ending(response), self.passes)

    def _decide(self, sight: Sight, draw: Draw) -> Decision:
        return Policy(sight, self.habits).respond(draw)


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
        talker, sight = Talker(self.templates), mind.sight()
        scene = mind.scene(sight)
        if not self.dual:
            speech = await lane.ask(who, Speak(SpeakFacts(scene), sight, talker))
            if speech is None:
                return None
            return self._read(speech.say, ENDINGS[speech.then], taken(speech.then, speech.which, sight), mind)
        stopping = await lane.ask(who, Stop(StopFacts(scene), sight, talker))
        if stopping is None:
            return None
        end, item = ENDINGS[stopping.then], taken(stopping.then, stopping.which, sight)
        if end != "no" and lane.answerer(who, GoOn.kind) == "offline":
            return self._read(
                talker.closing(end, item, sight, mind.knowing.at("last words")), end, item, mind
            )
        words = await lane.ask(who, go_on_question(scene, sight, end, item, talker))
        return self._read(words.say, end, item, mind) if words is not None else None

    def _read(self, text: str, end: Ending, item: str, mind: Mind) -> Reply:
        acts = self.reader.user_acts(text, mind.history[-CONTEXT:])
        return Reply(text, acts, end, item, passed=False)
