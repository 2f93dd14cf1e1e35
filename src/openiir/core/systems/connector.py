"""Open a session with a declared system under test."""

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

from openiir.core.systems.declaration import SystemSpec
from openiir.core.systems.http import HttpTransport, SharedConnections
from openiir.core.systems.python import PythonTransport
from openiir.core.systems.replies import SystemReply
from openiir.core.systems.retry import TryListener
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.session import DeclaredSession, Transport, session_id
from openiir.core.systems.socketio import SocketIoTransport, websocket_address
from openiir.core.systems.stdio import StdioTransport
from openiir.core.systems.template import fill_text
from openiir.core.systems.websocket import WebSocketTransport


class Session(Protocol):
    """A session with a system under test. One exchange at a time; open several sessions for parallel dialogues."""

    opening: SystemReply | None
    """What the system answered to the declared opening request, such as a greeting."""

    async def send(self, request: Mapping[str, Any]) -> SystemReply:
        """One turn; `request` holds `text` and whatever else the declaration's template asks for.

        Raises SystemFault (an EndpointError) for a system that fails, InputError for a template that asks for
        what the request does not hold. After a failure of WebSocket, Socket.IO or stdio the session is over.
        """

    async def close(self) -> str | None:
        """Send the declared closing request and release everything; may be called twice and never raises EndpointError.

        Returns what went wrong with the closing request, or None.
        """


async def open_session(
    spec: SystemSpec, name: str, on_try: TryListener | None = None, shared: SharedConnections | None = None
) -> Session:
    """Open a session under a name of the caller's (such as run id and lane); the same name gives the same session id.

    `on_try` is called at every failed connection. Sessions by HTTP that are given the same `shared` connections need
    fewer of them; whoever gives them closes them. Raises InputError for an unset environment variable or a callable
    that does not exist, SystemFault for a system that cannot be reached or fails its opening request.
    """
    session = DeclaredSession(spec, name, _transport(spec, name, on_try, shared))
    await session.start()
    return session


def _transport(
    spec: SystemSpec, name: str, on_try: TryListener | None, shared: SharedConnections | None
) -> Transport:
    match spec.connector:
        case "http":
            return HttpTransport(spec, DeclaredHeaders(spec.headers, session_id(name)), on_try, shared)
        case "websocket":
            headers = DeclaredHeaders(spec.headers, session_id(name))
            return WebSocketTransport(spec, _address(spec, name), headers, on_try)
        case "socketio":
            headers = DeclaredHeaders(spec.headers, session_id(name))
            return SocketIoTransport(spec, websocket_address(_address(spec, name)), headers, on_try)
        case "stdio":
            return StdioTransport(spec)
        case "python":
            return PythonTransport(spec)


def _address(spec: SystemSpec, name: str) -> str:
    """The URL to connect to, with the placeholders of the session filled in."""
    known = {"session": session_id(name), "session_name": name}
    return fill_text(spec.url or "", known, lambda text: quote(text, safe=""))
