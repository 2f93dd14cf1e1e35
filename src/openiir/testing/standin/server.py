"""Speak HTTP/1.1 over sockets, by hand, since a framework would cost more time than what is measured."""

import asyncio

from openiir.testing.standin.http import relay
from openiir.testing.standin.service import Service, spoil


class ClientConnection(asyncio.Protocol):
    """One client's connection, kept alive, its requests answered in turn."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._buffer = b""
        self._busy = False
        self._last = False
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._service.connections[self] = None

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the event loop; an answer still due is not sent."""
        self._transport = None
        self._service.connections.pop(self, None)
        for waiting in (self._timer, self._task):
            if waiting is not None:
                waiting.cancel()
        if self._busy:
            self._service.counts.at_once -= 1
            self._busy = False

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        self._buffer += data
        if not self._busy:
            self._take()

    def _take(self) -> None:
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        method, path, _ = lines[0].split(" ", 2)
        counts = self._service.counts
        self._busy = True
        counts.at_once += 1
        counts.most_at_once = max(counts.most_at_once, counts.at_once)
        self._last = headers.get("connection", "").lower() == "close"
        content = rest[:length]
        fault, answer = self._service.answer(method, path, headers, content)
        if answer is None:
            self._task = asyncio.get_running_loop().create_task(self._relay(fault, method, path, content))
        else:
            self._send_in_time(fault, answer)

    async def _relay(self, fault: str, method: str, path: str, content: bytes) -> None:
        upstream = self._service.behaviour.upstream
        assert upstream is not None
        self._send_in_time(fault, spoil(fault, await relay(upstream, method, path, content)))

    def _send_in_time(self, fault: str, answer: bytes) -> None:
        wait = self._service.behaviour.latency
        if fault == "hang":
            wait += self._service.behaviour.faults.hang
        if wait > 0:
            self._timer = asyncio.get_running_loop().call_later(wait, self._send, fault, answer)
        else:
            self._send(fault, answer)

    def _send(self, fault: str, answer: bytes) -> None:
        self._service.counts.at_once -= 1
        self._busy = False
        if self._transport is None:
            return
        if fault == "dropped":
            self._transport.abort()
            return
        self._transport.write(answer)
        if fault == "cut-short" or self._last:
            self._transport.close()
        elif self._buffer:
            self._take()
