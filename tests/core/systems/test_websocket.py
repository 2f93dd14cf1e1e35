import asyncio
import json
import logging
import re
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from websockets.asyncio.server import serve
from websockets.utils import accept_key

from openiir.core.systems import SystemFault, open_session, read_system
from openiir.core.transport import listen_to_tries


@asynccontextmanager
async def talking(handler):
    async with serve(handler, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def declared(url, **keys):
    base = {"connector": "websocket", "url": url, "response": "reply", "backoff": 0, "timeout": 5}
    return read_system(base | keys)


def talk(handler, *texts, **keys):
    """The replies to these texts in one session, or the words of a fault."""

    async def main():
        async with talking(handler) as url:
            session = await open_session(declared(url, **keys), "test")
            heard = []
            for text in texts:
                try:
                    heard.append(await session.send({"text": text}))
                except SystemFault as fault:
                    heard.append(str(fault))
            assert await session.close() is None
            return heard

    return asyncio.run(main())


def test_turns_go_over_one_connection():
    async def counting(connection):
        turn = 0
        async for _ in connection:
            turn += 1
            await connection.send(json.dumps({"reply": turn}))

    assert [reply.text for reply in talk(counting, "x", "x", "x")] == ["1", "2", "3"]


def test_a_greeting_is_heard_notices_are_passed_over_and_bytes_are_read():
    async def chatty(connection):
        await connection.send('{"reply": "welcome"}')
        async for message in connection:
            await connection.send('{"typing": true}')
            await connection.send(b'{"reply": "' + message.encode() + b'\xff"}')

    async def main():
        async with talking(chatty) as url:
            keys = {"format": "text", "open": {}, "ignore": {"path": "typing"}}
            session = await open_session(declared(url, **keys), "test")
            assert session.opening is not None
            assert session.opening.text == "welcome"
            assert (await session.send({"text": "hi"})).text == "hi\ufffd"
            await session.close()

    asyncio.run(main())


@pytest.mark.parametrize(("code", "reason"), [(1011, "out of memory"), (1000, "")])
def test_closing_instead_of_answering_is_a_fault_and_ends_the_session(code, reason):
    async def closing(connection):
        await connection.recv()
        await connection.close(code, reason)

    first, second = talk(closing, "hi", "hi")
    assert re.search(f"closed the connection instead of answering .code {code}.*{reason}", first)
    assert "the session is over: closed the connection" in second


def test_closing_is_the_end_where_it_is_declared_so():
    async def closing(connection):
        await connection.recv()

    [reply] = talk(closing, "hi", end={"closed": True})
    assert (reply.text, reply.ended) == ("", True)


def test_a_connection_torn_off_is_no_end_even_then():
    async def torn(connection):
        await connection.recv()
        connection.transport.abort()

    assert "code 1006" in talk(torn, "hi", end={"closed": True})[0]


def test_after_a_time_out_no_late_answer_can_pass_for_the_next():
    async def late(connection):
        async for _ in connection:
            await asyncio.sleep(0.3)
            await connection.send('{"reply": "late"}')

    first, second = talk(late, "hi", "hi", timeout=0.1)
    assert "no message within 0.1 s" in first
    assert "session is over: no message within 0.1 s; open a new one" in second


def test_a_turn_given_up_on_from_outside_ends_the_session_too():
    async def silent(connection):
        await connection.wait_closed()

    async def main():
        async with talking(silent) as url:
            session = await open_session(declared(url), "test")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(session.send({"text": "hi"}), 0.05)
            with pytest.raises(SystemFault, match="an exchange was cut short"):
                await session.send({"text": "hi"})
            await session.close()

    asyncio.run(main())


def test_where_nothing_listens_every_try_is_told_of(free_port):
    told = []
    failed = pytest.raises(SystemFault, match="no connection .*; start the system")
    with failed, listen_to_tries(lambda *what: told.append(what)):
        asyncio.run(open_session(declared(f"ws://127.0.0.1:{free_port}/"), "test"))
    assert [number for number, _, _ in told] == [1, 2, 3]


def test_a_handshake_cut_off_is_tried_again(raw_server):
    async def main():
        async with raw_server([b"", b"", b""]) as (address, heard):
            with pytest.raises(SystemFault, match="no connection"):
                await open_session(declared(f"ws://{address}/"), "test")
            assert len(heard) == 3

    asyncio.run(main())


@pytest.mark.parametrize("status", [404, 302])
def test_a_web_page_instead_of_a_socket_is_quoted_and_no_redirect_followed(web_server, status):
    async def page(request):
        return web.Response(status=status, text="<h1>Shop</h1>", headers={"Location": "/elsewhere"})

    async def main():
        async with web_server(page) as url:
            with pytest.raises(
                SystemFault, match=f"answered status {status} instead of a WebSocket: '<h1>Shop"
            ):
                await open_session(declared(url.replace("http", "ws")), "test")

    asyncio.run(main())


def test_a_server_that_bids_farewell_and_leaves_the_connection_open_holds_nobody_up(monkeypatch):
    monkeypatch.setattr("openiir.core.systems.websocket._CLOSE_SECONDS", 60)

    async def lingering(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", head)[1].decode()
        accepted = f"Sec-WebSocket-Accept: {accept_key(key)}"
        fields = ("Upgrade: websocket", "Connection: Upgrade", accepted, "", "")
        writer.write("\r\n".join(("HTTP/1.1 101 Switching Protocols", *fields)).encode())
        await reader.read(100)
        writer.write(b"\x88\x02\x03\xe8")  # a close frame with code 1000
        await reader.read()
        writer.close()

    async def main():
        server = await asyncio.start_server(lingering, "127.0.0.1", 0)
        async with server, asyncio.timeout(20):
            url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            session = await open_session(declared(url), "test")
            assert await session.close() is None

    asyncio.run(main())


def test_a_closing_request_may_be_answered_by_closing():
    heard = []

    async def polite(connection):
        async for message in connection:
            heard.append(message)
            if message == '"bye"':
                return

    async def main():
        async with talking(polite) as url:
            session = await open_session(declared(url, close={"request": "bye"}), "test")
            assert await session.close() is None
            assert await session.close() is None

    asyncio.run(main())
    assert heard == ['"bye"']


async def bubbling(connection):
    async for message in connection:
        for word in json.loads(message)["text"].split():
            await connection.send(json.dumps({"reply": word}))


def test_messages_are_gathered_until_the_system_falls_silent():
    bye = {"path": "[-1].reply", "value": "bye"}
    replies = talk(bubbling, "one two", "good bye", settle=0.05, response="[*].reply", end=bye)
    assert [(r.text, r.ended) for r in replies] == [("one\ntwo", False), ("good\nbye", True)]


def test_texts_are_gathered_as_texts():
    async def poet(connection):
        async for _ in connection:
            await connection.send("roses are red")
            await connection.send("12")

    [reply] = talk(poet, "hi", settle=0.05, format="text", response="[*]")
    assert (reply.text, reply.data) == ("roses are red\n12", ["roses are red", 12])


def test_a_system_that_never_falls_silent_is_given_up_on(monkeypatch):
    async def chatter(connection):
        while True:
            await connection.send('{"reply": "and"}')
            await asyncio.sleep(0.01)

    with pytest.raises(SystemFault, match="was not silent within 0.3 s"):
        talk(chatter, open={}, response="[*].reply", timeout=0.3, settle=0.1)
    monkeypatch.setattr("openiir.core.systems.incoming.LARGEST", 100)
    with pytest.raises(SystemFault, match="a turn's messages are longer than"):
        talk(chatter, open={}, response="[*].reply", settle=0.1)


def test_a_text_that_is_no_utf8_is_said_to_be_that():
    async def garbling(connection):
        await connection.recv()
        await connection.send(b"caf\xe9", text=True)
        await connection.wait_closed()

    assert "a message is no UTF-8; have the system send" in talk(garbling, "hi")[0]


def test_a_frame_against_the_protocol_is_said_to_be_that():
    async def breaking(connection):
        await connection.recv()
        connection.transport.write(b"\x83\x00")  # an opcode that does not exist
        await connection.wait_closed()

    assert "what came is against the WebSocket protocol" in talk(breaking, "hi")[0]


def test_the_session_may_stand_in_the_address():
    async def where(connection):
        await connection.send(json.dumps({"reply": connection.request.path}))
        await connection.wait_closed()

    async def main():
        async with talking(where) as url:
            session = await open_session(declared(f"{url}/{{session_name}}/{{session}}", open={}), "a b")
            assert session.opening is not None
            assert session.opening.text == f"/a%20b/{session.id}"
            await session.close()

    asyncio.run(main())


def test_a_secret_in_the_handshake_reaches_the_system_and_no_log(monkeypatch, caplog):
    monkeypatch.setenv("SOCKET_KEY", "s3cr3t-value")
    # The server of this test logs what it hears; only what the connector logs is of interest.
    caplog.set_level(logging.WARNING, logger="websockets.server")
    caplog.set_level(logging.DEBUG)
    seen = []

    async def telltale(connection):
        seen.append(connection.request.headers["X-Key"])
        await connection.recv()
        await connection.send('{"reply": "you are s3cr3t-value"}')
        await connection.recv()
        await connection.close(1011, "refused s3cr3t-value")

    reply, fault = talk(telltale, "hi", "hi", headers={"X-Key": "${SOCKET_KEY}"})
    assert reply.text == "you are ${SOCKET_KEY}" and "refused ${SOCKET_KEY}" in fault
    assert seen == ["s3cr3t-value"]
    assert "s3cr3t" not in caplog.text


def test_a_message_too_long_to_be_an_answer_is_refused(monkeypatch):
    monkeypatch.setattr("openiir.core.systems.websocket.LARGEST", 2**20)

    async def flood(connection):
        await connection.recv()
        await connection.send("x" * (2**20 + 1))
        await connection.wait_closed()

    assert "a message is longer than 1 MiB" in talk(flood, "hi")[0]
