"""At most so many calls at a time."""

import asyncio
from dataclasses import dataclass

from openiir.core.llm.provider import Provider, Reply, Request


@dataclass(frozen=True)
class Limited:
    """A provider that lets as many calls through at a time as its gate holds; the others wait in order.

    The gate may be shared, such as by chat and embeddings of one endpoint, and serves one event loop.
    """

    inner: Provider
    gate: asyncio.Semaphore

    async def complete(self, request: Request) -> Reply:
        """The inner provider's reply, once there is room."""
        async with self.gate:
            return await self.inner.complete(request)
