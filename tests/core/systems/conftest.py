"""Small systems under test on loopback, misbehaving on demand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import socketio
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def _web_server(handler: Handler) -> AsyncIterator[str]:
    async with _running(web.ServerRunner(web.Server(handler))) as url:
        yield url


@asynccontextmanager
async def _running(runner: Any) -> AsyncIterator[str]:
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=0.1).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _raw_server(answers: list[bytes]) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Each connection reads once, gets the next answer (b"" is none), is closed; yields what it heard."""
    heard: list[bytes] = []
    left = iter(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(2**16))
        writer.write(next(left, b""))
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


@asynccontextmanager
async def _socketio_server(
    set_up: Callable[[socketio.AsyncServer], Any], **options: Any
) -> AsyncIterator[str]:
    """python-socketio's own server with the handlers that `set_up` gives it."""
    server = socketio.AsyncServer(async_mode="aiohttp", **options)
    set_up(server)
    app = web.Application()
    server.attach(app)
    async with _running(web.AppRunner(app)) as url:
        try:
            yield url
        finally:
            await server.shutdown()


@pytest.fixture
def web_server() -> Callable[[Handler], Any]:
    return _web_server


@pytest.fixture
def socketio_server() -> Callable[..., Any]:
    return _socketio_server


@pytest.fixture
def raw_server() -> Callable[[list[bytes]], Any]:
    return _raw_server


@pytest.fixture
def free_port() -> int:
    """A port of loopback that nothing listens on."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(autouse=True)
def callables_are_trusted(every_callable):
    """What is tested here is what becomes of callables once they are."""
