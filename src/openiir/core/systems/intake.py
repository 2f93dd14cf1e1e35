"""What a system says of its own accord, message by message, taken in as it comes and given out by the turn."""

import asyncio
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from openiir.core.sums import int_sum
from openiir.core.systems.declaration import SystemSpec
from openiir.core.systems.faults import LARGEST, SystemFault, excerpt
from openiir.core.systems.replies import passed_over, several

E = TypeVar("E")

_WAITING = 64
"""Messages that may lie unread before the system is made to wait; it waits too once they are LARGEST together."""


@dataclass(frozen=True)
class _End(Generic[E]):
    how: E


class _Unread(asyncio.Queue[Any]):
    """A queue that is also full where the messages in it are LARGEST together."""

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


class Intake(Generic[E]):
    """Messages in the order in which they came, and at last how the system ended, an `E`.

    Taking in between turns too, as a task of its own does, makes known which messages nobody had asked for.
    """

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._queue: asyncio.Queue[str | _End[E]] = _Unread(_WAITING)

    async def put(self, message: str) -> None:
        """Take in a message, unless it is one to be ignored."""
        if not passed_over(self._spec, message):
            await self._queue.put(message)

    async def finish(self, how: E) -> None:
        """The last thing to take in."""
        await self._queue.put(_End(how))

    async def unasked(self) -> list[str]:
        """What came since the last answer: the beginning of the next one where messages are gathered.

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
        """The next message or, where messages are gathered, the list of them with `said` before it; else the end.

        The messages are added to `said` as they come, for whoever gives up waiting.
        """
        item = await self._queue.get()
        if not self._spec.settle:
            return item.how if isinstance(item, _End) else item
        more: str | None = self._unless_over(item)
        if more is None and not said:
            return await self.end()
        size = int_sum(map(len, said))
        while more is not None:
            said.append(more)
            size += len(more)
            if size > LARGEST:
                saw = f"a turn's messages are longer than {LARGEST // 2**20} MiB"
                raise SystemFault(self._spec.label, saw, "have the system answer with less")
            more = await self._soon()
        return several(said)

    async def end(self) -> E:
        """How the system ended, once all that it said before is passed over."""
        while not isinstance(item := await self._queue.get(), _End):
            pass
        return item.how

    async def _soon(self) -> str | None:
        """The next message, if it comes before the system counts as having fallen silent."""
        try:
            async with asyncio.timeout(self._spec.settle):
                return self._unless_over(await self._queue.get())
        except TimeoutError:
            return None

    def _unless_over(self, item: "str | _End[E]") -> str | None:
        """The message; an end is put back, to be met at the next turn."""
        if isinstance(item, _End):
            self._queue.put_nowait(item)
            return None
        return item
