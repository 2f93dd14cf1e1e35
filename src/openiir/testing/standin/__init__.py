"""A stand-in for an OpenAI-compatible server, whose every reply is a function of the request.

The same request gets the same reply, in any order, at any concurrency and after any faults, so two runs'
content hashes can be compared. In a test, `with StandIn(Behaviour(...)) as server:` serves `server.url` from
a thread; `python -m openiir.testing.standin` serves from a process of its own. Given an `upstream` it puts
its faults before another server, such as a real model, and passes on what that one says.
"""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from types import TracebackType

from openiir.testing.standin.behaviour import CONTENT_FAULTS, TRANSPORT_FAULTS, Behaviour, Faults
from openiir.testing.standin.server import serve_client
from openiir.testing.standin.service import Counts, Service

__all__ = ["CONTENT_FAULTS", "TRANSPORT_FAULTS", "Behaviour", "Counts", "Faults", "StandIn"]


class StandIn:
    """A fake model endpoint on a loopback port, in its own thread while the `with` block lasts."""

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0) -> None:
        """Create a server; `port` 0 takes any free port."""
        self._service = Service(behaviour or Behaviour())
        self._port = port
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stand-in", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._error: OSError | None = None

    @property
    def url(self) -> str:
        """The base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def counts(self) -> Counts:
        """Counts of requests and faults so far."""
        return self._service.counts

    def behave(self, behaviour: Behaviour) -> None:
        """Change the server's behaviour from the next request on."""
        self._service.behaviour = behaviour

    def __enter__(self) -> "StandIn":
        self._thread.start()
        self._started.wait()
        if self._error is not None:
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None and self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self.serve(self._started.set))
        except OSError as error:
            self._error = error
            self._started.set()

    async def serve(self, ready: Callable[[], None]) -> None:
        """Serve until the block ends or the task is cancelled; calls `ready` once bound."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(
            partial(serve_client, self._service), "127.0.0.1", self._port, backlog=1024
        )
        self._port = server.sockets[0].getsockname()[1]
        ready()
        try:
            await self._stop.wait()
        finally:
            server.close()
            for connection in list(self._service.connections):
                connection.transport.abort()
