"""Turns of a dialogue: a declared system hears the bare words and answers in a session of the lane's own."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from openiir.core.asking.answerers import Outside, said_alone
from openiir.core.asking.asked import Answer, Asked
from openiir.core.asking.ledger import Judge, Ledger, Received
from openiir.core.asking.question import Hearer
from openiir.core.asking.reading import Reading
from openiir.core.hashing import canonical
from openiir.core.llm import estimated_tokens
from openiir.core.records import Call, Message, Place

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls but for tab and newline, and what turns the direction of writing."""

Give = Callable[[Asked, tuple[Message, ...]], Awaitable[str]]
"""Answers a prompt."""
OnTry = Callable[[int, str, float], None]
"""Notes a try that brought no reply: its number, what happened, seconds waited."""


class StartAnew(BaseException):
    """A lane has to be lived again from its beginning: it was in a dialogue whose system remembers it no more.

    No Exception, so that no life takes it for a failure of what it asked.
    """


@dataclass(frozen=True)
class Heard:
    """What a declared system answered to one turn."""

    text: str
    data: Any = None
    """What the declaration calls the answer's `data`."""
    ended: bool = False
    """Whether the system said that the dialogue is over."""
    fault: str = ""
    """What went wrong, in words that say the same whenever the same goes wrong; then nothing was said."""


class Sessions(Protocol):
    """The dialogues with a declared system."""

    async def turn(self, asked: Asked, words: str, on_try: OnTry) -> Heard:
        """The answer to one turn of the dialogue between the asker and the system in the place's lane."""

    def passed(self, place: Place) -> None:
        """Note that a turn was answered from the record."""

    def behind(self, place: Place) -> bool:
        """Whether the dialogue's turns so far are on record, so that no session stands where the record does."""

    def enter(self, lane: str) -> None:
        """Note that a lane begins to live beside others: it may start anew, and its sessions end with it."""

    async def leave(self, lane: str, asker: str | None) -> None:
        """Close the sessions of a lane with one asker; with None all, for the lane is over."""


class Partner(Outside):
    """A declared system. Whatever it says to a turn of a dialogue is its reply, a failure of its included."""

    def __init__(self, ledger: Ledger, give: Give, sessions: Sessions, label: str) -> None:
        super().__init__(ledger, "system", give, label)
        self.sessions = sessions

    async def answer(self, asked: Asked) -> Answer:
        """The reply; raises StartAnew in a lane whose dialogue cannot go on where its record ends."""
        words = asked.question.says()
        if words is None:
            return await super().answer(asked)
        self._check_standing(asked.place)
        reading = Reading(asked.question)
        call = await self._turn(asked, words, reading)
        return Answer(reading.reply, self.name, call.reply_tokens, call.prompt_tokens, 1, call.error)

    def _check_standing(self, place: Place) -> None:
        if self.ledger.live and self.sessions.behind(place) and not self.ledger.holds(place, 0):
            raise StartAnew

    async def _turn(self, asked: Asked, words: str, judge: Judge) -> Call:
        asked_now = False

        async def send(on_try: OnTry) -> Received:
            nonlocal asked_now
            asked_now = True
            heard = await self.sessions.turn(asked, words, on_try)
            text = seen(heard.text)
            return Received(
                _spelled(asked, heard, text, judge),
                self.label,
                estimated_tokens(words),
                estimated_tokens(text),
            )

        request = said_alone(self.label, asked, words)
        call = await self.ledger.reply(asked.place, 0, self.source, request, send, judge)
        if not asked_now:
            self.sessions.passed(asked.place)
        return call


def _spelled(asked: Asked, heard: Heard, text: str, judge: Judge) -> str:
    """The reply as JSON; an answer that the question's reply cannot hold is a fault of the system's."""
    hearer = cast(Hearer, asked.question)
    spelled = canonical(dict(hearer.heard(text, heard.data, heard.ended, seen(heard.fault))))
    error = judge(spelled)
    if error is None:
        return spelled
    return canonical(dict(hearer.heard("", None, False, f"its answer cannot be used: {error}")))


def seen(text: str) -> str:
    """A text whose control characters, newline and tab apart, are blanks."""
    return _UNSEEN.sub(" ", text.replace("\r\n", "\n"))
