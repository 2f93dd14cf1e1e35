"""Queue of messages that a system may send at any time, handed out turn by turn."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from openiir.core.sums import int_sum
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import LARGEST, SystemFault, excerpt, too_long
from openiir.core.systems.replies import is_ignored, join_messages

E = TypeVar("E")

_WAITING = 64
"""Most unread messages before the system has to wait; it also waits once they total LARGEST characters."""


@dataclass(frozen=True)
class _End(Generic[E]):
    how: E


class _BoundedQueue(asyncio.Queue[Any]):
    """Queue that is also full when its messages total LARGEST characters."""

    _size = 0

    def full(self) -> bool:
        return super().full() or self._size >= LARGEST

    def _put(self, item: Any) -> None:
        self._size += len(item) if isinstance(item, str) else 0
        super()._put(item)

    def _get(self) -> Any:
        item = super()._get()
        self._size -= len(item) if isinstance(item, str) else 0
        return item


class IncomingMessages(Generic[E]):
    """Queue of a system's messages in order of arrival, ending with how the system ended (an `E`).

    Fill it between turns too, from a separate task: so it is known which messages came unasked.
    """

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._queue: asyncio.Queue[str | _End[E]] = _BoundedQueue(_WAITING)

    async def put(self, message: str) -> None:
        """Queue a message, unless the declaration ignores it."""
        if not is_ignored(self._spec, message):
            await self._queue.put(message)

    async def finish(self, how: E) -> None:
        """Queue how the system ended, as the last item."""
        await self._queue.put(_End(how))

    async def take_unasked(self) -> list[str]:
        """Take messages received since the last answer; with `settle` they start the next answer.

        Raises SystemFault where they are not: it would pass for the answer to what is said now.
        """
        await asyncio.sleep(0)  # what has arrived is taken in first
        found: list[str] = []
        while not self._queue.empty():
            item = self._queue.get_nowait()
            if isinstance(item, _End):
                self._queue.put_nowait(item)
                break
            found.append(item)
        if found and not self._spec.settle:
            raise SystemFault(
                self._spec.label,
                f"said more than its turn's one message: {excerpt(found[0])}",
                "write an empty [open] if it speaks first, settle = 0.5 if it answers in several messages, or "
                "declare under ignore what is no answer",
            )
        return found

    async def answer(self, said: list[str]) -> str | E:
        """Wait for the next message, or with `settle` for the list of messages after `said`; else the end.

        The messages are added to `said` as they come, for a caller that gives up waiting.
        """
        item = await self._queue.get()
        if not self._spec.settle:
            return item.how if isinstance(item, _End) else item
        more: str | None = self._message_or_none(item)
        if more is None and not said:
            return await self.end()
        size = int_sum(map(len, said))
        while more is not None:
            said.append(more)
            size += len(more)
            if size > LARGEST:
                raise too_long(self._spec.label, "a turn's messages are", LARGEST)
            more = await self._next_before_silence()
        return join_messages(said)

    async def end(self) -> E:
        """Wait for the system's end, dropping all messages before it."""
        while not isinstance(item := await self._queue.get(), _End):
            pass
        return item.how

    async def _next_before_silence(self) -> str | None:
        """Return the next message, or None after `settle` seconds of silence."""
        try:
            async with asyncio.timeout(self._spec.settle):
                return self._message_or_none(await self._queue.get())
        except TimeoutError:
            return None

    def _message_or_none(self, item: "str | _End[E]") -> str | None:
        """Return a queued message; an end marker is put back for the next turn and gives None."""
        if isinstance(item, _End):
            self._queue.put_nowait(item)
            return None
        return item


class MessageTransport(ABC, Generic[E]):
    """Transport for a system that can send messages unasked; `E` describes how the system ended.

    Messages are queued between turns too, so that their order is known. After a failed exchange the session is over:
    a late answer would pass for the next.
    """

    over = "the system ended"
    """Reason recorded when the system itself ends the session."""

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._incoming: IncomingMessages[E] = IncomingMessages(spec)
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

    @abstractmethod
    async def check_end(self, exchange: Exchange, end: E) -> None:
        """Raise SystemFault unless the system may end at this point."""

    def may_end(self, exchange: Exchange) -> bool:
        """Whether the declaration allows the system to end the session in this exchange."""
        return exchange is self._spec.close or (self._spec.end is not None and self._spec.end.closed)

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """Send a message and return the next one not ignored, or a list of them; None if the system ended.

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
        said = [] if text is None else await self._incoming.take_unasked()
        earlier = len(said)
        try:
            async with asyncio.timeout(self._spec.timeout):
                reached = text is None or await self.send(text)
                if reached and not exchange.reply:
                    return ""
                answer = await self._incoming.answer(said)
        except TimeoutError:
            # How far it got differs from time to time, and what was seen is recorded.
            saw, remedy = self.explain_silence()
            if len(said) > earlier:
                saw, remedy = "was not silent", "lower settle, or raise timeout"
            raise SystemFault(self._spec.label, f"{saw} within {self._spec.timeout:g} s", remedy) from None
        if isinstance(answer, str):
            return answer
        await self.check_end(exchange, answer)
        return None
