"""Transports for systems that may send messages at any time: a queue, handed out turn by turn."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openiir.core.sums import int_sum
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import LARGEST, SystemFault, quote_start, too_long
from openiir.core.systems.replies import is_ignored, join_messages

_WAITING = 64
"""Most unread messages before the system has to wait; it also waits once they total LARGEST characters."""


@dataclass(frozen=True)
class End:
    """The end of a system's messages; a fault where the declaration allows no end."""

    fault: SystemFault
    regular: bool = False
    """Whether it is an end that a declaration may allow."""


class _BoundedQueue(asyncio.Queue[str | End]):
    """Queue that is also full when its messages total LARGEST characters."""

    _size = 0

    def full(self) -> bool:
        return super().full() or self._size >= LARGEST

    def _put(self, item: str | End) -> None:
        self._size += len(item) if isinstance(item, str) else 0
        super()._put(item)

    def _get(self) -> str | End:
        item = super()._get()
        self._size -= len(item) if isinstance(item, str) else 0
        return item


class MessageTransport(ABC):
    """Transport for a system that may send messages without a request (stdio, WebSocket).

    A task of its own queues them between turns too, so that it is known which came unasked. After a failed
    exchange the session is over: a late answer would pass for the next.
    """

    over = "the system ended"
    """Reason recorded when the system itself ends the session."""

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._queue = _BoundedQueue(_WAITING)
        self._broken = ""
        """Why the session is over; empty while it continues."""

    @abstractmethod
    def write_message(self, exchange: Exchange, message: Any) -> str | None:
        """Write the text that carries a message; None if nothing is to be sent."""

    @abstractmethod
    async def send(self, text: str) -> bool:
        """Send a text; returns False if the system is known to be gone."""

    @abstractmethod
    def explain_silence(self) -> tuple[str, str]:
        """Return the description of a turn without an answer, and the advice for the user."""

    async def put(self, message: str | End) -> None:
        """Queue a message, unless the declaration ignores it; the end is the last item."""
        if isinstance(message, End) or not is_ignored(self._spec, message):
            await self._queue.put(message)

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """Send a message and return the system's answer, leaving out ignored messages; None if it ended.

        Raises SystemFault.
        """
        if self._broken:
            raise SystemFault(self._spec.label, f"the session is over: {self._broken}", "open a new one")
        self._broken = "an exchange was cut short"
        try:
            answer = await self._exchange(exchange, message)
        except SystemFault as fault:
            self._broken = fault.saw
            raise
        self._broken = self.over if answer is None else ""
        return answer

    async def _exchange(self, exchange: Exchange, message: Any) -> str | None:
        text = self.write_message(exchange, message)
        said = [] if text is None else await self.take_unasked()
        earlier = len(said)
        try:
            async with asyncio.timeout(self._spec.timeout):
                reached = text is None or await self.send(text)
                if reached and not exchange.reply:
                    return ""
                answer = await self.answer(said)
        except TimeoutError:
            # How far it got differs from time to time, and what was seen is recorded.
            saw, remedy = self.explain_silence()
            if len(said) > earlier:
                saw, remedy = "was not silent", "lower settle, or raise timeout"
            raise SystemFault(self._spec.label, f"{saw} within {self._spec.timeout:g} s", remedy) from None
        if isinstance(answer, str):
            return answer
        closing = exchange is self._spec.close or (self._spec.end is not None and self._spec.end.closed)
        if answer.regular and closing:
            return None
        raise answer.fault

    async def take_unasked(self) -> list[str]:
        """Take the messages received since the last answer; with `settle` they start the next answer.

        Raises SystemFault where they are not: it would pass for the answer to what is said now.
        """
        await asyncio.sleep(0)  # what has arrived is taken in first
        found: list[str] = []
        while (
            not self._queue.empty()
            and (message := self._message_or_none(self._queue.get_nowait())) is not None
        ):
            found.append(message)
        if found and not self._spec.settle:
            raise SystemFault(
                self._spec.label,
                f"said more than its turn's one message: {quote_start(found[0])}",
                "write an empty [open] if it speaks first, settle = 0.5 if it answers in several messages, "
                "or declare under ignore what is no answer",
            )
        return found

    async def answer(self, said: list[str]) -> str | End:
        """Wait for the next message (or with `settle` for several, as a list after `said`) or the end.

        The messages are added to `said` as they come, for a caller that gives up waiting.
        """
        item = await self._queue.get()
        if not self._spec.settle or (isinstance(item, End) and not said):
            return item
        more = self._message_or_none(item)
        size = int_sum(map(len, said))
        while more is not None:
            said.append(more)
            size += len(more)
            if size > LARGEST:
                raise too_long(self._spec.label, "a turn's messages are", LARGEST)
            try:
                async with asyncio.timeout(self._spec.settle):
                    more = self._message_or_none(await self._queue.get())
            except TimeoutError:
                break
        return join_messages(said)

    def _message_or_none(self, item: str | End) -> str | None:
        """Return a queued message; the end is put back for the next turn and gives None."""
        if isinstance(item, str):
            return item
        self._queue.put_nowait(item)
        return None
