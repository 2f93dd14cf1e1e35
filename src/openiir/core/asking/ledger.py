"""Ledger of replies: looked up by place first, requested only if missing, and stored at once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from openiir.core.asking.reading import CUT_IN_THOUGHT
from openiir.core.errors import ReplayDifference
from openiir.core.hashing import canonical, sha256
from openiir.core.llm import without_reasoning
from openiir.core.llm.response_body import well_formed
from openiir.core.records import Call, CallDetails, CallSource, Place, TransportTry
from openiir.core.storage import CallsByStep, RunFile


@dataclass(frozen=True)
class ReceivedReply:
    """A reply as received from an external answerer, with its token counts."""

    text: str
    model: str | None = None
    prompt_tokens: int = 0
    reply_tokens: int = 0
    details: CallDetails | None = None
    """How a model's reply came about."""

    @property
    def cut_in_thought(self) -> bool:
        """Whether the reply reached its limit of tokens within the model's reasoning, before any answer."""
        ended = self.details is not None and self.details.finish == "length"
        return ended and not without_reasoning(self.text).strip()


Send = Callable[[Callable[[int, str, float], None]], Awaitable[ReceivedReply]]
"""Function that requests a reply and reports failed tries (number, what happened, seconds waited)."""
Judge = Callable[[str], str | None]
"""Function that describes what is wrong with a reply's text; None if it is usable."""


class Ledger:
    """Store of replies by ledger key (`Place`), filled from a recorded run or from external answerers.

    `run` is written to; replies of `source` are used first (on resume, the run itself). If `live` is False, a
    call that is not recorded raises ReplayDifference, and nothing is written.
    """

    def __init__(self, run: RunFile, source: RunFile | None = None, *, live: bool = True) -> None:
        self.run = run
        self.source = source or run
        self.live = live
        self._recorded_calls = None if live else CallsByStep(self.source)
        self._find = self._recorded_calls.find_call if self._recorded_calls else self.source.find_call
        self._arrived: list[tuple[Call, CallDetails | None, asyncio.Future[None]]] = []
        """Replies waiting for the next commit."""
        self.before_call: Callable[[], None] = lambda: None
        self.after_call: Callable[[Call, CallDetails | None], None] = lambda call, details: None

    async def reply(
        self, place: Place, attempt: int, answerer: CallSource, request: Any, send: Send, judge: Judge
    ) -> Call:
        """Return the reply recorded under this key, or else request, validate and record one."""
        body = well_formed(canonical(request))
        digest = sha256(body)
        found = self._find_recorded(place, attempt, digest, body)
        if found is not None:
            error = judge(found.reply)
            if found.usable != (error is None):
                now = f"cannot be used now: {error}" if error else "could not be used then, and now it can"
                raise ReplayDifference(f"first difference: the recorded reply to {found.place} {now}")
            return found
        self.before_call()

        def on_try(number: int, what: str, waited: float) -> None:
            tried = TransportTry(place=place, attempt=attempt, number=number, what=what, waited=waited)
            self.run.record_try(tried)

        received = await send(on_try)
        text = well_formed(received.text)
        error = judge(text)
        if error is not None and received.cut_in_thought:
            error = CUT_IN_THOUGHT
        call = Call(
            place=place,
            attempt=attempt,
            answerer=answerer,
            prompt_hash=digest,
            request=body,
            reply=text,
            usable=error is None,
            error=error,
            model=received.model,
            prompt_tokens=received.prompt_tokens,
            reply_tokens=received.reply_tokens,
        )
        await self._keep(call, received.details)
        self.after_call(call, received.details)
        return call

    async def _keep(self, call: Call, details: CallDetails | None) -> None:
        """Commit a reply in one transaction with all others received in this turn of the event loop.

        The next requests are sent first, since a commit would delay them.
        """
        loop = asyncio.get_running_loop()
        if not self._arrived:
            loop.call_soon(self._commit)
        kept: asyncio.Future[None] = loop.create_future()
        self._arrived.append((call, details, kept))
        await kept

    def _commit(self) -> None:
        arrived, self._arrived = self._arrived, []
        waiting = [kept for *_, kept in arrived if not kept.done()]  # the others' tasks were cancelled
        try:
            self.run.record_call(
                *(call for call, *_ in arrived),
                details=[(call, told) for call, told, _ in arrived if told is not None],
            )
        except Exception as error:
            for kept in waiting:
                kept.set_exception(error)
        else:
            for kept in waiting:
                kept.set_result(None)

    def has_reply(self, place: Place, attempt: int) -> bool:
        """Whether a reply is recorded under this key (a question's place in the run, and the attempt)."""
        return self._find(place, attempt, ("", "")) is not None

    def check_all_used(self) -> None:
        """Raise ReplayDifference if a recorded reply was never asked for during the replay."""
        unused = self._recorded_calls.find_unused() if self._recorded_calls else None
        if unused is not None:
            place, attempt = unused
            raise ReplayDifference(
                f"first difference: the record has a call that this run does not make: {place}, attempt "
                f"{attempt}"
            )

    def _find_recorded(self, place: Place, attempt: int, digest: str, body: str) -> Call | None:
        found = self._find(place, attempt, (digest, body))
        if found is None:
            if not self.live:
                raise ReplayDifference(f"first difference: {place} is asked, but the record has no such call")
            return None
        if found.prompt_hash != digest:
            raise ReplayDifference(
                f"first difference: {place} is asked otherwise; {describe_difference(found.request, body)}"
            )
        return found


def describe_difference(recorded: str, now: str) -> str:
    """Describe the first difference between two texts, with an excerpt of both."""
    at = next((n for n, (a, b) in enumerate(zip(recorded, now, strict=False)) if a != b), -1)
    if at < 0:
        at = min(len(recorded), len(now))
    start = max(0, at - 20)
    return (
        f"at character {at} the record has {recorded[start : at + 40]!r}, this run {now[start : at + 40]!r}"
    )
