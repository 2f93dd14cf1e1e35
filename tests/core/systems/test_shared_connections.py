"""Sessions by HTTP may share their connections, and nothing else."""

import asyncio
import json

import pytest

from openiir.core.systems import SharedConnections, open_session, read_system


class Counting(asyncio.Protocol):
    """Counts connections, gives a cookie to whoever has none, and answers with the cookie it was sent."""

    made = 0
    cookies = 0

    def connection_made(self, transport):
        type(self).made += 1
        self.transport, self.heard = transport, b""

    def data_received(self, data):
        self.heard += data
        head, found, body = self.heard.partition(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
        if not found or len(body) < int(fields.get(b"content-length", 0)):
            return
        self.heard = b""
        answer = json.dumps({"say": fields.get(b"cookie", b"").decode()}).encode()
        set_cookie = b""
        if b"cookie" not in fields:
            type(self).cookies += 1
            set_cookie = b"Set-Cookie: sid=%d\r\n" % self.cookies
        self.transport.write(
            b"HTTP/1.1 200 OK\r\n%bContent-Length: %d\r\n\r\n%b" % (set_cookie, len(answer), answer)
        )


@pytest.mark.parametrize("sharing", [True, False])
def test_connections_are_taken_turns_with_and_cookies_are_not(sharing):
    class Server(Counting):
        made = cookies = 0

    async def play():
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        spec = read_system({"connector": "http", "url": url, "response": "say"})
        shared = SharedConnections() if sharing else None
        sessions = [await open_session(spec, f"s{n}", shared) for n in range(4)]
        first = [(await session.send({"text": "hello"})).text for session in sessions]
        then = [(await session.send({"text": "again"})).text for session in sessions]
        await sessions[0].close()
        last = (await sessions[1].send({"text": "still there"})).text
        for session in sessions:
            await session.close()
        if shared is not None:
            await shared.close()
        server.close()
        return first, then, last

    first, then, last = asyncio.run(play())
    assert first == [""] * 4 and then == [f"sid={n}" for n in (1, 2, 3, 4)] and last == "sid=2"
    assert Server.made == (1 if sharing else 4)
