"""Dialogues with declared systems under test; each turn sends the user's words in a session of its lane."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from openiir.core.asking.answerers import ExternalAnswerer, turn_request
from openiir.core.asking.ledger import Judge, Ledger, ReceivedReply
from openiir.core.asking.placed_question import Answer, PlacedQuestion
from openiir.core.asking.question import TurnQuestion
from openiir.core.asking.reading import ReplyValidator
from openiir.core.characters import CONTROLS
from openiir.core.hashing import canonical
from openiir.core.llm import estimated_tokens
from openiir.core.records import Call, Message, Place

_CONTROLS = re.compile(CONTROLS)

AnswerPrompt = Callable[[PlacedQuestion, tuple[Message, ...]], Awaitable[str]]
"""Function that answers a prompt with a text."""
OnTry = Callable[[int, str, float], None]
"""Callback for a try that got no reply: its number, what happened, seconds waited."""


class RestartLane(BaseException):
    """Signal to execute a concurrent lane again from its start, since the system has lost its dialogue.

    A BaseException, so that code in the lane does not catch it as a failed question.
    """


@dataclass(frozen=True)
class SystemAnswer:
    """A declared system's answer to one dialogue turn."""

    text: str
    data: Any = None
    """Value that the system's declaration names `data`."""
    ended: bool = False
    """Whether the system ended the dialogue."""
    fault: str = ""
    """Description of a failure, the same text for the same failure; `text` is then empty."""


class Sessions(Protocol):
    """Interface of dialogue sessions with a declared system."""

    async def turn(self, asked: PlacedQuestion, words: str, on_try: OnTry) -> SystemAnswer:
        """Send one dialogue turn in the session of this asker and lane; returns the system's answer."""

    def note_recorded(self, place: Place) -> None:
        """Note that a turn was answered from the ledger instead of by the system."""

    def is_only_recorded(self, place: Place) -> bool:
        """Whether the dialogue was so far answered from the ledger alone, so no live session can go on."""

    def has_dialogue(self, lane: str) -> bool:
        """Whether a lane is in a dialogue with the system, open, recorded or failed."""

    def enter_lane(self, lane: str) -> None:
        """Register a concurrent lane, which can restart and whose sessions close when it ends."""

    async def leave(self, lane: str, asker: str | None) -> None:
        """Close a lane's sessions with one asker, or all of them if `asker` is None."""


class SystemAnswerer(ExternalAnswerer):
    """Answerer for a declared system, whose answer to a dialogue turn is the reply, failures included."""

    def __init__(self, ledger: Ledger, give: AnswerPrompt, sessions: Sessions, label: str) -> None:
        super().__init__(ledger, "system", give, label)
        self.sessions = sessions

    async def answer(self, asked: PlacedQuestion) -> Answer:
        """Answer a question; raises RestartLane if the dialogue cannot continue where the ledger ends."""
        words = asked.question.facts_only.says()
        if words is None:
            return await super().answer(asked)
        ahead = self.ledger.live and not self.ledger.has_reply(asked.place, 0)
        if ahead and self.sessions.is_only_recorded(asked.place):
            raise RestartLane
        reading = ReplyValidator(asked.question)
        call = await self._turn(asked, words, reading)
        return Answer(reading.reply, self.name, call.reply_tokens, call.prompt_tokens, 1, call.error)

    async def _turn(self, asked: PlacedQuestion, words: str, judge: Judge) -> Call:
        asked_now = False

        async def send(on_try: OnTry) -> ReceivedReply:
            nonlocal asked_now
            asked_now = True
            heard = await self.sessions.turn(asked, words, on_try)
            text = replace_controls(heard.text)
            return ReceivedReply(
                _reply_json(asked, heard, text, judge),
                self.label,
                estimated_tokens(words),
                estimated_tokens(text),
            )

        request = turn_request(self.label, asked, words)
        call = await self.ledger.reply(asked.place, 0, "system", request, send, judge)
        if not asked_now:
            self.sessions.note_recorded(asked.place)
        return call


def _reply_json(asked: PlacedQuestion, heard: SystemAnswer, text: str, judge: Judge) -> str:
    """Build the reply's JSON; an answer that does not fit the question becomes a system failure."""
    turn = cast(TurnQuestion, asked.question)
    spelled = canonical(dict(turn.read_answer(text, heard.data, heard.ended, replace_controls(heard.fault))))
    error = judge(spelled)
    if error is None:
        return spelled
    return canonical(dict(turn.read_answer("", None, False, f"its answer cannot be used: {error}")))


def replace_controls(text: str) -> str:
    """Replace control characters, except newline and tab, with blanks."""
    return _CONTROLS.sub(" ", text).replace("\r\n", "\n")
