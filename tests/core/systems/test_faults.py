"""What misbehaving systems are said to do, in words that are the same wherever and whenever it happens."""

import asyncio
import errno
import gzip
import socket
import ssl

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import serve

from openiir.core.systems import SystemFault, open_session, read_system
from openiir.core.systems.faults import quote_start
from openiir.core.transport import describe_certificate, describe_failure

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def whole(body, headers=b""):
    return OK + headers + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body


HTTP = {
    "nothing": (b"", "the connection broke before the answer was complete"),
    "half a head": (b"HTTP/1.1 200 O", "the connection broke before the answer was complete"),
    "half a body": (whole(b'{"reply": "x"}')[:-3], "the connection broke before the answer was complete"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n", "the exchange is no proper HTTP"),
    "a huge header": (whole(b"{}", b"X-A: " + b"a" * 100_000 + b"\r\n"), "the exchange is no proper HTTP"),
    "a header that lies": (OK + b"Content-Length: -5\r\n\r\n", "the exchange is no proper HTTP"),
    "broken gzip": (
        whole(b"not gzip", b"Content-Encoding: gzip\r\n"),
        "the connection broke before the answer was complete",
    ),
    "HTML": (whole(b"<html>"), "answered an HTML page where JSON was declared: '<html>'"),
    "nothing in it": (whole(b""), "answered nothing where JSON was declared: ''"),
    "NaN": (whole(b'{"reply": NaN}'), "answered no JSON where JSON was declared: '{\"reply\": NaN}'"),
    "infinity": (
        whole(b'{"reply": 1e999}'),
        "answered no JSON where JSON was declared: '{\"reply\": 1e999}'",
    ),
    "deep": (
        whole(b'{"reply": ' + b"[" * 101 + b"]" * 101 + b"}"),
        'answered no JSON where JSON was declared: \'{"reply": '
        + "[" * 101
        + "]" * 89
        + "' ... (213 characters in all)",
    ),
    "raw control characters": (
        whole(b'{"reply": "a\x00\x1b[2J"}'),
        'answered no JSON where JSON was declared: \'{"reply": "a\\x00\\x1b[2J"}\'',
    ),
    "another key": (whole(b'{"answer": "x"}'), 'the answer has nothing at reply: \'{"answer": "x"}\''),
    "a redirect": (
        b"HTTP/1.1 302 Found\r\nLocation: /" + b"a" * 300 + b"\r\nContent-Length: 0\r\n\r\n",
        "answered status 302, a redirect to '/" + "a" * 199 + "' ... (301 characters in all)",
    ),
}


def http_fault(raw_server, answer):
    async def main():
        async with raw_server([answer]) as (address, _):
            spec = read_system(
                {
                    "connector": "http",
                    "url": f"http://{address}/",
                    "response": "reply",
                    "backoff": 0,
                    "timeout": 5,
                }
            )
            session = await open_session(spec, "test")
            try:
                await session.send({"text": "hi"})
            except SystemFault as fault:
                return fault.saw
            finally:
                await session.close()

    return asyncio.run(main())


@pytest.mark.parametrize("case", HTTP)
def test_a_broken_answer_by_http(raw_server, case):
    answer, saw = HTTP[case]
    assert http_fault(raw_server, answer) == saw


def replies(web_server, body, headers=None, **keys):
    async def answer(request):
        return web.Response(body=body, headers={"Content-Type": "application/json", **(headers or {})})

    async def main():
        async with web_server(answer) as url:
            spec = read_system({"connector": "http", "url": url, "response": "reply", "timeout": 5} | keys)
            session = await open_session(spec, "test")
            try:
                return await session.send({"text": "hi"})
            finally:
                await session.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"reply": "caf\xe9 \xff"}', "caf\ufffd \ufffd"),
        (b'{"reply": "\\u0000\\u001b[2J\\ud800"}', "\0\x1b[2J?"),
        (b'\xef\xbb\xbf{"reply": "marked"}', "marked"),
        (b'{"reply": "' + b"x" * 50_000 + b'"}', "x" * 50_000),
        (b'{"reply": "' + "\u202e😀".encode() + b'"}', "\u202e😀"),
        (b'{"reply": ' + b"[" * 99 + b"]" * 99 + b"}", "[" * 99 + "]" * 99),
        (b'{"reply": "first", "reply": "last"}', "last"),
    ],
    ids=["broken UTF-8", "control characters", "a byte order mark", "long", "beyond ASCII", "deep", "twice"],
)
def test_an_odd_answer_that_is_one(web_server, body, text):
    reply = replies(web_server, body)
    assert reply.text == text
    assert reply.raw.encode("utf-8")


def test_a_small_answer_that_unpacks_to_a_huge_one_is_cut_off(web_server, monkeypatch):
    monkeypatch.setattr("openiir.core.systems.http.LARGEST", 2**20)
    packed = gzip.compress(b'{"reply": "' + b"x" * 2**24 + b'"}')
    assert len(packed) < 2**15
    with pytest.raises(SystemFault, match="the answer is longer than 1 MiB"):
        replies(web_server, packed, {"Content-Encoding": "gzip"})


def test_an_answer_that_trickles_in_for_ever_is_given_up_on(web_server):
    async def trickle(request):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.01)

    async def main():
        async with web_server(trickle) as url:
            spec = read_system({"connector": "http", "url": url, "response": "reply", "timeout": 0.2})
            session = await open_session(spec, "test")
            with pytest.raises(SystemFault, match="no answer within 0.2 s"):
                await session.send({"text": "hi"})
            await session.close()

    asyncio.run(main())


@pytest.mark.parametrize("connector", ["websocket", "socketio"])
def test_a_connection_torn_off_at_either_end_of_a_turn(connector):
    async def torn(connection):
        if connector == "socketio":
            await connection.send("0{}")
            await connection.recv()
            await connection.send("40")
        await connection.recv()
        connection.transport.abort()

    async def main():
        async with serve(torn, "127.0.0.1", 0) as server:
            url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            spec = read_system({"connector": connector, "url": url, "response": "reply", "timeout": 5})
            session = await open_session(spec, "test")
            said = []
            for _ in range(2):
                with pytest.raises(SystemFault) as caught:
                    await session.send({"text": "hi"})
                said.append(caught.value.saw)
            await session.close()
            return said

    first = "closed the connection instead of answering (code 1006)"
    assert asyncio.run(main()) == [first, f"the session is over: {first}"]


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (
            ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 4711)"),
            "nothing listens there",
        ),
        (
            OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 4, 0, 0), ..."),
            "nothing listens there",
        ),
        (socket.gaierror(-2, "Name or service not known"), "no such host"),
        (
            ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"),
            "no TLS is spoken there",
        ),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "/x"), "no such file or folder"),
        (OSError(errno.EMFILE, "Too many open files"), "EMFILE"),
        (OSError("whatever"), "OSError"),
    ],
)
def test_what_an_operating_system_says_is_put_into_words_of_our_own(raised, words):
    assert describe_failure(raised) == words


def test_a_certificates_fault_is_told_without_its_place_in_a_source():
    assert (
        describe_certificate(ssl.SSLCertVerificationError(1, "[SSL] verify failed (_ssl.c:1006)"))
        == "it cannot be verified"
    )


@pytest.mark.parametrize("connector", ["http", "websocket", "socketio"])
def test_a_host_that_is_not_known_and_a_port_that_nothing_listens_on(connector, free_port):
    scheme = "http" if connector == "http" else "ws"
    spec = read_system(
        {"connector": connector, "url": f"{scheme}://127.0.0.1:{free_port}", "response": "reply", "tries": 1}
    )

    async def main():
        session = await open_session(spec, "test")
        try:
            await session.send({"text": "hi"})
        finally:
            await session.close()

    with pytest.raises(SystemFault, match=r"no connection.*\(nothing listens there\); start the system"):
        asyncio.run(main())


@given(st.text())
def test_what_is_quoted_is_short_and_printable(text):
    shown = quote_start(text)
    assert len(shown) <= 200 * 10 + 50
    assert shown.isprintable()
