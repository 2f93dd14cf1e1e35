"""Socket.IO connector for systems under test: events over one WebSocket (Engine.IO 4, Socket.IO 5).

A frame begins with an Engine.IO digit: 0 open, 1 close, 2 ping, 3 pong, 4 message. A message goes on with a
Socket.IO digit: 0 connect, 1 disconnect, 2 event, 3 acknowledgement, 4 refusal. So
`42["message",{"text":"hi"}]` is an event of the name message; in another namespace than the default it is
`42/chat,["message",...]`. Long polling is left out: every current server takes a WebSocket at once.

Why no library: python-socketio's client follows redirects with the declared headers in hand, reads what comes
by polling without bound, and words its failures by version. It speaks the other side in the tests.
"""

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange
from openiir.core.systems.faults import SystemFault, quote_start
from openiir.core.systems.incoming import End
from openiir.core.systems.replies import parse_answer
from openiir.core.systems.websocket import WebSocketTransport

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

_MESSAGE = re.compile(r"4(?P<kind>\d)(?:(?P<space>/[^,]*),?)?(?P<id>\d*)(?P<data>.*)", re.DOTALL)


class SocketIoTransport(WebSocketTransport):
    """Transport that sends and receives events of the declared names, ignores others, never reconnects."""

    refusal_remedy = (
        "correct url, declare the header it wants, or have the server take WebSockets (beside "
        "Flask-SocketIO, simple-websocket lets it)"
    )
    _joined = False

    async def greet(self, connection: "ClientConnection") -> None:
        """Join the namespace; messages received before, such as greetings, are queued."""
        frame = await connection.recv()
        if not (isinstance(frame, str) and frame.startswith("0")):
            saw = f"opened with {quote_start(frame if isinstance(frame, str) else '')}, which is no Engine.IO"
            raise SystemFault(self._spec.label, saw, "check that url leads to a Socket.IO server")
        await connection.send(self._packet("0"))
        while not self._joined:
            if not await self.take(connection):
                saw = "ended the session before it began"
                raise SystemFault(self._spec.label, saw, "look into the system's log")

    async def read_frame(self, connection: "ClientConnection", frame: str) -> str | End | None:
        """Return the data of an answer event; also replies to pings and acknowledgement requests."""
        if frame.startswith("2"):
            await connection.send(f"3{frame[1:]}")
        elif frame.startswith("1"):
            return self.end()
        elif (packet := _MESSAGE.fullmatch(frame)) and (packet["space"] or "/") == self._spec.namespace:
            return await self._message(connection, packet)
        return None

    def read_binary(self, frame: bytes) -> str:
        """Return an empty text, since binary frames are attachments to events."""
        return ""

    def write_message(self, exchange: Exchange, message: Any) -> str | None:
        """Write an event with the message as its argument, or without if only the exchange names an event."""
        if message is None:
            return self._packet("2", [exchange.event]) if exchange.event else None
        return self._packet("2", [exchange.event or self._spec.event, message])

    def _packet(self, kind: str, data: Any = None, number: str = "") -> str:
        space = "" if self._spec.namespace == "/" else f"{self._spec.namespace},"
        return f"4{kind}{space}{number}{'' if data is None else canonical(data)}"

    async def _message(self, connection: "ClientConnection", packet: re.Match[str]) -> str | End | None:
        match packet["kind"]:
            case "0":
                self._joined = True
            case "1":
                return self.end()
            case "2":
                if packet["id"]:
                    await connection.send(self._packet("3", [], packet["id"]))
                return self._event(packet["data"])
            case "4" if not self._joined:
                saw = f"refused the connection: {quote_start(packet['data'])}"
                raise SystemFault(self._spec.label, saw, "declare the namespace or the header that it wants")
        return None

    def _event(self, data: str) -> str | None:
        try:
            event = parse_answer(data)
        except ValueError:
            return data
        if not isinstance(event, list) or not event or event[0] != self._spec.answer:
            return None
        arguments = event[1:]
        only = arguments[0] if len(arguments) == 1 else arguments
        return only if isinstance(only, str) else canonical(only)


def websocket_address(url: str) -> str:
    """Return a Socket.IO server's WebSocket address, with the usual path `/socket.io/` by default."""
    parts = urlsplit(url)
    query = f"{parts.query}&" if parts.query else ""
    return parts._replace(
        scheme={"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme),
        path=parts.path if parts.path.strip("/") else "/socket.io/",
        query=f"{query}EIO=4&transport=websocket",
    ).geturl()
