"""WebSocket connector for systems under test: one connection per session, one message per turn and answer."""

import asyncio
import logging
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import (
    LARGEST,
    ConnectionFailed,
    SystemFault,
    bad_certificate,
    call_with_tries,
    quote_start,
    too_long,
)
from openiir.core.systems.incoming import End, MessageTransport
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.transport import describe_certificate, describe_failure

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

_CLOSE_SECONDS = 1.0
_NORMAL_CLOSES = (1000, 1001, 1005)

# At its debug level the library writes out the handshake's headers, and with them secrets.
_quiet = logging.getLogger("openiir.systems.websocket")
_quiet.setLevel(logging.WARNING)


class WebSocketTransport(MessageTransport):
    """Transport over one WebSocket connection per session, unusable after a missing answer."""

    over = "the system closed the connection"
    refusal_remedy = "correct the path of url, or declare the header it wants"
    """Advice for the user if the server answers with a web page."""

    def __init__(self, spec: SystemSpec, url: str, headers: DeclaredHeaders) -> None:
        super().__init__(spec)
        self._url, self._headers = url, headers
        self._connection: ClientConnection | None = None
        self._listener: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect, with the declared number of tries."""
        self._connection = await call_with_tries(self._spec, self._connect)
        self._listener = asyncio.create_task(self._listen(self._connection))

    async def close(self) -> None:
        """Close the connection, waiting at most a second for the system's close frame."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait([self._listener])
        if self._connection is not None:
            await self._connection.close()

    def write_message(self, exchange: Exchange, message: Any) -> str | None:
        """Write the frame that carries a message; None if nothing is to be sent."""
        if message is None:
            return None
        text = str(message) if self._spec.format == "text" else canonical(message)
        return text.encode("utf-8", "replace").decode("utf-8")

    def read_binary(self, frame: bytes) -> str:
        """Decode a binary frame to text."""
        return frame.decode("utf-8", "replace")

    async def greet(self, connection: "ClientConnection") -> None:
        """Exchange the protocol's opening frames, before the first message."""

    async def read_frame(self, connection: "ClientConnection", frame: str) -> str | End | None:
        """Return the message in a frame; None for a frame without one."""
        return frame

    async def send(self, text: str) -> bool:
        """Send a frame; returns False if the connection was already closed."""
        from websockets.exceptions import ConnectionClosed

        assert self._connection is not None
        try:
            await self._connection.send(text)
        except ConnectionClosed:
            return False
        return True

    def explain_silence(self) -> tuple[str, str]:
        """Return the description of a turn without an answer, and the advice for the user."""
        remedy = (
            "see what keeps the system busy, raise timeout, or set reply = false where it does not answer"
        )
        return "no message", remedy

    async def take(self, connection: "ClientConnection") -> bool:
        """Receive a frame and queue its message; returns whether more may come. Raises websockets' errors."""
        frame = await connection.recv()
        text = frame if isinstance(frame, str) else self.read_binary(frame)
        message = await self.read_frame(connection, self._headers.redact(text))
        if message is not None:
            await self.put(message)
        return not isinstance(message, End)

    async def _listen(self, connection: "ClientConnection") -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while await self.take(connection):
                pass
        except ConnectionClosed as exc:
            await self.put(self.end(*_close_codes(exc)))

    def end(self, code: int = 1000, reason: str = "", ours: int = 0) -> End:
        """Describe the end of a connection by the system's close code and reason (1006 if it sent none).

        `ours` is the close code that our side sent because of invalid data from the system; 0 if none.
        """
        label, log = self._spec.label, "look into the system's log"
        match ours:
            case 1009:
                return End(too_long(label, "a message is", LARGEST))
            case 1007:
                remedy = "have the system send texts as UTF-8, and all else as binary messages"
                return End(SystemFault(label, "a message is no UTF-8", remedy))
            case 1002:
                return End(SystemFault(label, "what came is against the WebSocket protocol", log))
        why = f": {quote_start(self._headers.redact(reason))}" if reason else ""
        saw = f"closed the connection instead of answering (code {code}{why})"
        remedy = f"{log}; if this is how it ends a session, declare end = {{ closed = true }}"
        return End(SystemFault(label, saw, remedy), regular=code in _NORMAL_CLOSES)

    async def _connect(self) -> "ClientConnection":
        from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus, WebSocketException

        label, seconds = self._spec.label, self._spec.timeout
        try:
            async with asyncio.timeout(seconds):
                connection = await _open_connection(self._url, self._headers.sent)
                try:
                    await self.greet(connection)
                except BaseException:
                    await connection.close()
                    raise
                return connection
        except TimeoutError:
            remedy = "check that url leads to a WebSocket server, or raise timeout"
            raise SystemFault(label, f"no connection within {seconds:g} s", remedy) from None
        except ssl.SSLCertVerificationError as exc:
            raise bad_certificate(label, describe_certificate(exc)) from None
        except (OSError, InvalidMessage) as exc:
            why = "no proper HTTP answer" if isinstance(exc, InvalidMessage) else describe_failure(exc)
            raise ConnectionFailed(
                label, f"no connection ({why})", "start the system, or correct url"
            ) from None
        except InvalidStatus as exc:
            body = (exc.response.body or b"").decode("utf-8", "replace")
            quoted = quote_start(self._headers.redact(body))
            saw = f"answered status {exc.response.status_code} instead of a WebSocket: {quoted}"
            raise SystemFault(label, saw, self.refusal_remedy) from None
        except ConnectionClosed as exc:
            saw = f"closed the connection during the handshake (code {_close_codes(exc)[0]})"
            raise SystemFault(label, saw, "look into the system's log, or correct url") from None
        except (WebSocketException, ValueError):
            raise SystemFault(
                label, "the handshake failed", "check that url leads to a WebSocket server"
            ) from None


def _close_codes(exc: Any) -> tuple[int, str, int]:
    ours = exc.sent.code if exc.sent is not None and not exc.rcvd_then_sent else 0
    return (exc.rcvd.code, exc.rcvd.reason, ours) if exc.rcvd else (1006, "", ours)


async def _open_connection(url: str, headers: Mapping[str, str]) -> "ClientConnection":
    from websockets.asyncio.client import ClientConnection, connect
    from websockets.frames import Frame, Opcode

    class PromptlyClosed(ClientConnection):
        # Some servers (simple-websocket, below Flask-SocketIO) say farewell at once and leave it open.
        def process_event(self, event: Any) -> None:
            super().process_event(event)
            if isinstance(event, Frame) and event.opcode is Opcode.CLOSE:
                self.transport.close()

    class WithoutRedirects(connect):
        # A redirect would carry the declared headers, secrets among them, to another address.
        def process_redirect(self, exc: Exception) -> Exception | str:
            return exc

    return await WithoutRedirects(
        url,
        create_connection=PromptlyClosed,
        additional_headers=dict(headers),
        proxy=None,
        open_timeout=None,
        close_timeout=_CLOSE_SECONDS,
        max_size=LARGEST,
        logger=_quiet,
    )
