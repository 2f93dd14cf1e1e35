"""The ledger: a reply is looked up by its place first, and only then asked for; every reply is kept at once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from openiir.core.errors import ReplayDifference
from openiir.core.hashing import canonical, sha256
from openiir.core.llm.bodies import well_formed
from openiir.core.records import Call, CallSource, Place, TransportTry
from openiir.core.storage import CallsByStep, RunFile


@dataclass(frozen=True)
class Received:
    """A reply as it came from outside."""

    text: str
    model: str | None = None
    prompt_tokens: int = 0
    reply_tokens: int = 0
    endpoint: str = ""
    """Which of several endpoints it came from; empty where there is one alone."""


Send = Callable[[Callable[[int, str, float], None]], Awaitable[Received]]
"""Fetches a reply; is given a callback for tries that bring none: (number, what, seconds waited)."""
Judge = Callable[[str], str | None]
"""What is wrong with a reply's text; None for a usable one."""


class Ledger:
    """Replies by place.

    `run` is written to; `source` is a run whose replies are used first (the run itself on resume). Where `live` is
    False a call that is not on record is a difference, and nothing is written.
    """

    def __init__(self, run: RunFile, source: RunFile | None = None, *, live: bool = True) -> None:
        self.run = run
        self.source = source or run
        self.live = live
        self._recorded_calls = None if live else CallsByStep(self.source)
        self._find = self._recorded_calls.find_call if self._recorded_calls else self.source.find_call
        self._arrived: list[tuple[Call, asyncio.Future[None]]] = []
        """Replies that are about to be committed."""
        self.before_call: Callable[[], None] = lambda: None
        self.after_call: Callable[[Call], None] = lambda call: None

    async def reply(
        self,
        place: Place,
        attempt: int,
        answerer: CallSource,
        request: Any,
        send: Send,
        judge: Judge,
    ) -> Call:
        """The reply at this place, judged: from the record if it is there, else asked for and recorded."""
        body = well_formed(canonical(request))
        digest = sha256(body)
        found = self._recorded(place, attempt, digest, body)
        if found is not None:
            _agree(found, judge(found.reply))
            return found
        self.before_call()

        tries = 0

        def on_try(number: int, what: str, waited: float) -> None:
            nonlocal tries
            tries = number
            tried = TransportTry(place=place, attempt=attempt, number=number, what=what, waited=waited)
            self.run.record_try(tried)

        received = await send(on_try)
        if received.endpoint:
            on_try(tries + 1, f"answered ({received.endpoint})", 0.0)
        text = well_formed(received.text)
        error = judge(text)
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
        await self._keep(call)
        self.after_call(call)
        return call

    async def _keep(self, call: Call) -> None:
        """Commit a reply, in one transaction with the others that came in the same turn of the event loop.

        The next requests go out first: a commit would hold them up.
        """
        loop = asyncio.get_running_loop()
        if not self._arrived:
            loop.call_soon(self._commit)
        kept: asyncio.Future[None] = loop.create_future()
        self._arrived.append((call, kept))
        await kept

    def _commit(self) -> None:
        arrived, self._arrived = self._arrived, []
        try:
            self.run.record_call(*(call for call, _ in arrived))
        except Exception as error:
            outcome: Exception | None = error
        else:
            outcome = None
        for _, kept in arrived:
            if kept.done():
                continue  # whoever waited for it has been cancelled
            if outcome is None:
                kept.set_result(None)
            else:
                kept.set_exception(outcome)

    def holds(self, place: Place, attempt: int) -> bool:
        """Whether there is a reply on record at this place."""
        return self._find(place, attempt, ("", "")) is not None

    def check_all_used(self) -> None:
        """Raises ReplayDifference for a call on record that was not made again."""
        unused = self._recorded_calls.find_unused() if self._recorded_calls else None
        if unused is not None:
            place, attempt = unused
            raise ReplayDifference(
                f"first difference: the record has a call that this run does not make: {place}, attempt {attempt}"
            )

    def abandon(self, lane: str, step: int) -> None:
        """Set a lane's replies in a step aside, so that all is asked anew; they stay in the run, outside its hash."""
        self.run.abandon(lane, step)

    def _recorded(self, place: Place, attempt: int, digest: str, body: str) -> Call | None:
        found = self._find(place, attempt, (digest, body))
        if found is None:
            if not self.live:
                raise ReplayDifference(f"first difference: {place} is asked, but the record has no such call")
            return None
        if found.prompt_hash != digest:
            raise ReplayDifference(
                f"first difference: {place} is asked otherwise; {differs(found.request, body)}"
            )
        return found


def _agree(found: Call, error: str | None) -> None:
    """A reply on record must read as it read then; only the words of what is wrong with it may have changed."""
    if found.usable != (error is None):
        now = f"cannot be used now: {error}" if error else "could not be used then, and now it can"
        raise ReplayDifference(f"first difference: the recorded reply to {found.place} {now}")


def differs(recorded: str, now: str) -> str:
    """Where two texts part, with a little of both."""
    at = next((n for n, (a, b) in enumerate(zip(recorded, now, strict=False)) if a != b), -1)
    if at < 0:
        at = min(len(recorded), len(now))
    start = max(0, at - 20)
    return (
        f"at character {at} the record has {recorded[start : at + 40]!r}, this run {now[start : at + 40]!r}"
    )
