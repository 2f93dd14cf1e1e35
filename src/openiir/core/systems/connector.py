"""Opening a session with a declared system under test."""

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

from openiir.core.systems.declaration import SystemSpec
from openiir.core.systems.http import Connections, HttpWire
from openiir.core.systems.python import PythonWire
from openiir.core.systems.replies import SystemReply
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.session import DeclaredSession, Wire, session_id
from openiir.core.systems.socketio import SocketIoWire, address
from openiir.core.systems.stdio import StdioWire
from openiir.core.systems.template import fill_text
from openiir.core.systems.tries import Notice
from openiir.core.systems.websocket import WebSocketWire


class Session(Protocol):
    """A conversation with a system under test. One exchange at a time; open as many as are to go on at once."""

    opening: SystemReply | None
    """What the system answered to the declared opening request, such as a greeting."""

    async def send(self, request: Mapping[str, Any]) -> SystemReply:
        """One turn; `request` holds `text` and whatever else the declaration's template asks for.

        Raises SystemFault (an EndpointError) for a system that fails, InputError for a template that asks for
        what the request does not hold. After a failure of WebSocket, Socket.IO or stdio the session is over.
        """

    async def close(self) -> str | None:
        """Say goodbye as declared and release everything; again is harmless, and it never raises EndpointError.

        Returns what went wrong with the closing request, or None.
        """


async def open_session(
    spec: SystemSpec, name: str, notice: Notice | None = None, shared: Connections | None = None
) -> Session:
    """A session under a name of the caller's (a run's id and lane, say); the same name has the same session id.

    `notice` is told of every failed connection. Sessions by HTTP that are given the same `shared` connections need
    fewer of them; whoever gives them closes them. Raises InputError for an unset environment variable or a callable
    that does not exist, SystemFault for a system that cannot be reached or fails its opening request.
    """
    session = DeclaredSession(spec, name, _wire(spec, name, notice, shared))
    await session.start()
    return session


def _wire(spec: SystemSpec, name: str, notice: Notice | None, shared: Connections | None) -> Wire:
    match spec.connector:
        case "http":
            return HttpWire(spec, DeclaredHeaders(spec.headers, session_id(name)), notice, shared)
        case "websocket":
            headers = DeclaredHeaders(spec.headers, session_id(name))
            return WebSocketWire(spec, _address(spec, name), headers, notice)
        case "socketio":
            headers = DeclaredHeaders(spec.headers, session_id(name))
            return SocketIoWire(spec, address(_address(spec, name)), headers, notice)
        case "stdio":
            return StdioWire(spec)
        case "python":
            return PythonWire(spec)


def _address(spec: SystemSpec, name: str) -> str:
    """Where a connection is made, which has but the session to fill in."""
    known = {"session": session_id(name), "session_name": name}
    return fill_text(spec.url or "", known, lambda text: quote(text, safe=""))
