"""User simulators: agenda-based, single-prompt and dual-prompt."""

from dataclasses import dataclass

from openiir.plugin import Agent, Draw, Lane
from openiir.scenarios.conversational.behaviour.agenda import AgendaPolicy
from openiir.scenarios.conversational.behaviour.user_state import UserState
from openiir.scenarios.conversational.model.dialogue import Act
from openiir.scenarios.conversational.model.reply_habits import NO_HABITS, ReplyHabits
from openiir.scenarios.conversational.model.understanding.trained import ActReader
from openiir.scenarios.conversational.questions.realise import LONGEST, ActRenderer, realise_question
from openiir.scenarios.conversational.questions.respond import respond_question
from openiir.scenarios.conversational.questions.sight import Sight
from openiir.scenarios.conversational.questions.speak import (
    DialogueSpeech,
    Ending,
    GoOn,
    Stop,
    go_on_question,
)
from openiir.scenarios.conversational.questions.system_turn import SystemTurn
from openiir.scenarios.conversational.questions.understand import plain, understand_question

CONTEXT = 4
"""Number of preceding utterances used to understand an utterance."""


@dataclass(frozen=True)
class UserTurn:
    """A user's turn: words, dialogue acts and ending."""

    text: str
    acts: tuple[Act, ...]
    end: Ending
    item: str
    """Id of the accepted item; empty without one."""
    passed: bool
    """Whether the system receives the dialogue acts instead of the words."""


@dataclass(frozen=True, eq=False)
class AgendaUser:
    """Agenda-based simulator: understanding, policy and wording, each a question with its own answerer."""

    name: str
    """Name of the simulator in tables."""
    reader: ActReader
    templates: ActRenderer
    slots: tuple[str, ...]
    passes: bool = False
    habits: ReplyHabits = NO_HABITS

    async def understand(
        self, lane: Lane, who: Agent, mind: UserState, turn: SystemTurn
    ) -> tuple[Act, ...] | None:
        """Return the dialogue acts in a system's turn; None if the simulator failed."""
        if self.passes and turn.acts:
            return turn.acts
        context = tuple(mind.history[-CONTEXT:])
        question = understand_question(turn.text, "system", self.slots, context, self.reader)
        understood = await lane.ask(who, question)
        return question.acts(understood) if understood is not None else None

    async def reply(self, lane: Lane, who: Agent, mind: UserState) -> UserTurn | None:
        """Return the user's turn; None if the simulator failed."""
        sight = mind.sight()
        question = respond_question(
            mind.scene(sight),
            sight,
            self.slots,
            lambda sight, draw: AgendaPolicy(sight, self.habits).respond(draw),
        )
        response = await lane.ask(who, question)
        if response is None:
            return None
        acts, end, item = question.decision(response)
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
        return UserTurn(words.text, kept, end, item, self.passes)


@dataclass(frozen=True, eq=False)
class PromptedUser:
    """Prompted user simulator: one prompt for words and ending, or two prompts, the ending first.

    It reads and writes words alone; the acts in the log are read from its words. Offline it answers by the
    agenda policy, worded by templates.
    """

    name: str
    reader: ActReader
    templates: ActRenderer
    dual: bool

    async def understand(
        self, lane: Lane, who: Agent, mind: UserState, turn: SystemTurn
    ) -> tuple[Act, ...] | None:
        """Return the dialogue acts that the reader finds in a system's turn."""
        return self.reader.system_acts(turn.text, mind.history[-CONTEXT:])

    async def reply(self, lane: Lane, who: Agent, mind: UserState) -> UserTurn | None:
        """Return the user's turn; None if the simulator failed."""
        sight = mind.sight()
        scene = mind.scene(sight)
        if not self.dual:
            question = DialogueSpeech(scene, sight, self.speak)
            speech = await lane.ask(who, question)
            return self._read(speech.say, *question.ending(speech), mind) if speech is not None else None
        stop = Stop(scene, sight, lambda sight, draw: AgendaPolicy(sight).ending(draw))
        stopping = await lane.ask(who, stop)
        if stopping is None:
            return None
        end, item = stop.ending(stopping)
        if end != "no" and lane.answerer(who, GoOn.kind) == "offline":
            last = self.words(sight, end, item, mind.knowing.at("last words"))
            return self._read(last, end, item, mind)
        words = await lane.ask(who, go_on_question(scene, sight, end, item, self.words))
        return self._read(words.say, end, item, mind) if words is not None else None

    def speak(self, sight: Sight, draw: Draw) -> tuple[str, Ending, str]:
        """Return the user's words offline, how it ends the dialogue, and the accepted item's id."""
        end, item = AgendaPolicy(sight).ending(draw)
        return self.words(sight, end, item, draw), end, item

    def words(self, sight: Sight, end: Ending, item: str, draw: Draw) -> str:
        """Word the user's next or last turn offline."""
        acts = AgendaPolicy(sight).turn(end, item, draw)
        return self.templates.render(acts, draw, sight.traits.talkativeness)[:LONGEST]

    def _read(self, text: str, end: Ending, item: str, mind: UserState) -> UserTurn:
        acts = self.reader.user_acts(text, mind.history[-CONTEXT:])
        return UserTurn(text, acts, end, item, passed=False)


Simulator = AgendaUser | PromptedUser
"""A simulator of users; it keeps no state between turns, which is all in UserState."""
