"""The Socket.IO connector against python-socketio's own server."""

import asyncio
from contextlib import asynccontextmanager

import pytest
import socketio
from aiohttp import web

from openiir.core.systems import open_session, read_system


@asynccontextmanager
async def serving(set_up, **options):
    """A Socket.IO server with the handlers that `set_up` gives it."""
    server = socketio.AsyncServer(async_mode="aiohttp", **options)
    set_up(server)
    app = web.Application()
    server.attach(app)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=0.1)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def declared(url, **keys):
    base = {"connector": "socketio", "url": url, "request": {"message": "{text}"}, "response": "message.text"}
    return read_system(base | {"backoff": 0, "timeout": 5} | keys)


def talk(set_up, *texts, options=None, **keys):
    async def main():
        async with serving(set_up, **(options or {})) as url:
            session = await open_session(declared(url, **keys), "test")
            try:
                return session, [await session.send({"text": text}) for text in texts]
            finally:
                await session.close()

    return asyncio.run(main())


def said(text, **more):
    return {"sender": "bot", "message": {"text": text, **more}}


def echoing(server):
    @server.on("message")
    async def message(sid, data):
        await server.emit("message", said(f"you said {data['message']}"), to=sid)


def test_a_turn_is_an_event_out_and_an_event_back():
    _, replies = talk(echoing, "hi", 'é "😀" [{')
    assert [r.text for r in replies] == ["you said hi", 'you said é "😀" [{']
    assert replies[0].data == said("you said hi")


@pytest.mark.parametrize("always_connect", [False, True])
def test_a_greeting_said_before_the_door_is_open_is_heard(always_connect):
    def set_up(server):
        echoing(server)

        @server.event
        async def connect(sid, environ):
            await server.emit("message", said("welcome"), to=sid)

    session, replies = talk(set_up, "hi", options={"always_connect": always_connect}, open={})
    assert session.opening.text == "welcome"
    assert replies[0].text == "you said hi"
