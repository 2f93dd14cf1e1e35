"""Opening of sessions with declared systems under test."""

from urllib.parse import quote

from openiir.core.systems.declaration import SystemSpec
from openiir.core.systems.http import HttpTransport, SharedConnections
from openiir.core.systems.python import PythonTransport
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.session import Session, Transport, session_id
from openiir.core.systems.socketio import SocketIoTransport, websocket_address
from openiir.core.systems.stdio import StdioTransport
from openiir.core.systems.template import fill_text
from openiir.core.systems.websocket import WebSocketTransport


async def open_session(spec: SystemSpec, name: str, shared: SharedConnections | None = None) -> Session:
    """Open a session with a system; the session id is derived from `name`, such as run id and lane.

    Failed connections are reported to `listen_to_tries`. Sessions by HTTP that are given the same `shared`
    connections need fewer of them; whoever gives them closes them. Raises InputError for an unset environment
    variable or a callable that does not exist, SystemFault for a system that cannot be reached or fails its
    opening request.
    """
    session = Session(spec, name, _choose_transport(spec, name, shared))
    await session.start()
    return session


def _choose_transport(spec: SystemSpec, name: str, shared: SharedConnections | None) -> Transport:
    headers = DeclaredHeaders(spec.headers, session_id(name))
    match spec.connector:
        case "http":
            return HttpTransport(spec, headers, shared)
        case "websocket":
            return WebSocketTransport(spec, _session_address(spec, name), headers)
        case "socketio":
            return SocketIoTransport(spec, websocket_address(_session_address(spec, name)), headers)
        case "stdio":
            return StdioTransport(spec)
        case "python":
            return PythonTransport(spec)


def _session_address(spec: SystemSpec, name: str) -> str:
    """Return the URL to connect to, with the session's placeholders filled in."""
    known = {"session": session_id(name), "session_name": name}
    return fill_text(spec.url or "", known, lambda text: quote(text, safe=""))
