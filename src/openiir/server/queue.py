"""Queues of requests that take long to answer, so that cheap requests find the server free."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import HTTPException, Request

AGAIN = 5
"""Seconds after which a client that was sent away may ask again."""


@dataclass
class RequestQueue:
    """Limits the requests answered at once and those waiting; others get 503 and Retry-After."""

    places: int
    waiting: int = 20
    """Most requests that wait."""
    patience: float = 30.0
    """Most seconds that one waits."""
    _free: asyncio.Semaphore = field(init=False)
    _queued: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._free = asyncio.Semaphore(self.places)

    @asynccontextmanager
    async def place(self, request: Request) -> AsyncIterator[None]:
        """Wait for one of the limited places, and hold it while a request with our header is answered."""
        if request.headers.get("x-openiir") != "1":
            raise HTTPException(403, "what takes long to compute is asked for with the header X-Openiir: 1")
        if self._free.locked() and self._queued >= self.waiting:
            raise _busy()
        self._queued += 1
        try:
            async with asyncio.timeout(self.patience):
                await self._free.acquire()
        except TimeoutError:
            raise _busy() from None
        finally:
            self._queued -= 1
        try:
            yield
        finally:
            self._free.release()


def _busy() -> HTTPException:
    return HTTPException(
        503,
        f"the server is computing what others asked for; ask again in {AGAIN} seconds",
        {"Retry-After": str(AGAIN)},
    )
