"""The WebSocket connector: one connection a session, one message a turn and one for its answer."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import LARGEST, SystemFault, Unreached, excerpt
from openiir.core.systems.intake import Intake
from openiir.core.systems.reasons import certificate, reason
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.tries import Notice, tried

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

_GOODBYE_SECONDS = 1.0
_FAREWELLS = (1000, 1001, 1005)

# At its debug level the library writes out the handshake's headers, and with them secrets.
_quiet = logging.getLogger("openiir.systems.websocket")
_quiet.setLevel(logging.WARNING)


@dataclass(frozen=True)
class Closed:
    """The connection ended, by the system's close frame or without one."""

    code: int = 1000
    reason: str = ""
    ours: int = 0
    """The code with which we closed it, over something that the system sent."""


class WebSocketWire:
    """A connection that is of no more use once an answer failed to come: a late one would pass for the next.

    What arrives is taken in as it comes, between turns too, so that the order of things said is known.
    """

    def __init__(self, spec: SystemSpec, url: str, headers: DeclaredHeaders, notice: Notice | None) -> None:
        self._spec, self._url, self._headers, self._notice = spec, url, headers, notice
        self._connection: ClientConnection | None = None
        self._intake: Intake[Closed] = Intake(spec)
        self._listener: asyncio.Task[None] | None = None
        self._broken = ""

    refused = "correct the path of url, or declare the header it wants"
    """What to do about a server that answers a page."""

    async def open(self) -> None:
        """Connect, trying again as declared."""
        self._connection = await tried(self._spec, self._connect, self._notice)
        self._listener = asyncio.create_task(self._listen(self._connection))

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """The next message that is not to be ignored, or the list of them. Raises SystemFault."""
        if self._connection is None:
            raise RuntimeError("the wire was asked before it was opened")
        if self._broken:
            raise SystemFault(self._spec.label, f"the session is over: {self._broken}", "open a new one")
        self._broken = "an exchange was cut short"
        try:
            answer = await self._exchange(self._connection, exchange, message)
        except SystemFault as fault:
            self._broken = fault.saw
            raise
        self._broken = "the system closed the connection" if answer is None else ""
        return answer

    async def close(self) -> None:
        """Close the connection, waiting a second at most for the system's own farewell."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.wait([self._listener])
        if self._connection is not None:
            await self._connection.close()

    def written(self, exchange: Exchange, message: Any) -> str | None:
        """The frame that carries a message; None where nothing is to be sent."""
        if message is None:
            return None
        text = str(message) if self._spec.format == "text" else canonical(message)
        return text.encode("utf-8", "replace").decode("utf-8")

    def decoded(self, frame: bytes) -> str:
        """The text of a binary frame."""
        return frame.decode("utf-8", "replace")

    async def greet(self, connection: "ClientConnection") -> None:
        """What has to be exchanged before anything is said."""

    async def heard(self, connection: "ClientConnection", frame: str) -> str | Closed | None:
        """The message in a frame; None for a frame that holds none."""
        return frame

    async def take(self, connection: "ClientConnection") -> bool:
        """Take in one frame; whether more may come. Raises what the library does where the connection ends."""
        frame = await connection.recv()
        text = frame if isinstance(frame, str) else self.decoded(frame)
        message = await self.heard(connection, self._headers.redact(text))
        if isinstance(message, Closed):
            await self._intake.finish(message)
        elif message is not None:
            await self._intake.put(message)
        return not isinstance(message, Closed)

    async def _listen(self, connection: "ClientConnection") -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while await self.take(connection):
                pass
        except ConnectionClosed as exc:
            await self._intake.finish(_closing(exc))

    async def _exchange(self, connection: "ClientConnection", exchange: Exchange, message: Any) -> str | None:
        from websockets.exceptions import ConnectionClosed

        frame = self.written(exchange, message)
        said = [] if frame is None else await self._intake.unasked()
        earlier = len(said)
        try:
            async with asyncio.timeout(self._spec.timeout):
                with contextlib.suppress(ConnectionClosed):
                    if frame is not None:
                        await connection.send(frame)
                    if not exchange.reply:
                        return ""
                answer = await self._intake.answer(said)
        except TimeoutError:
            if len(said) > earlier:
                saw, remedy = (
                    f"was not silent within {self._spec.timeout:g} s",
                    "lower settle, or raise timeout",
                )
            else:
                saw = f"no message within {self._spec.timeout:g} s"
                remedy = "see what keeps the system busy, raise timeout, or set reply = false where it does not answer"
            raise SystemFault(self._spec.label, saw, remedy) from None
        if isinstance(answer, Closed):
            self._account_for_end(exchange, answer)
            return None
        return answer

    def _account_for_end(self, exchange: Exchange, end: Closed) -> None:
        match end.ours:
            case 1009:
                saw = f"a message is longer than {LARGEST // 2**20} MiB"
                raise SystemFault(self._spec.label, saw, "have the system answer with less")
            case 1007:
                remedy = "have the system send texts as UTF-8, and all else as binary messages"
                raise SystemFault(self._spec.label, "a message is no UTF-8", remedy)
            case 1002:
                saw = "what came is against the WebSocket protocol"
                raise SystemFault(self._spec.label, saw, "look into the system's log")
        expected = exchange is self._spec.close or (self._spec.end is not None and self._spec.end.closed)
        if end.code in _FAREWELLS and expected:
            return
        why = f": {excerpt(self._headers.redact(end.reason))}" if end.reason else ""
        saw = f"closed the connection instead of answering (code {end.code}{why})"
        remedy = (
            "look into the system's log; if this is how it ends a session, declare end = { closed = true }"
        )
        raise SystemFault(self._spec.label, saw, remedy)

    async def _connect(self) -> "ClientConnection":
        from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus, WebSocketException

        label, seconds = self._spec.label, self._spec.timeout
        try:
            async with asyncio.timeout(seconds):
                return await self._greeted(await _dial(self._url, self._headers.sent))
        except TimeoutError:
            remedy = "check that url leads to a WebSocket server, or raise timeout"
            raise SystemFault(label, f"no connection within {seconds:g} s", remedy) from None
        except ssl.SSLCertVerificationError as exc:
            saw = f"its certificate is not accepted ({certificate(exc)})"
            remedy = "correct the host in url, or have the system's certificate trusted (SSL_CERT_FILE)"
            raise SystemFault(label, saw, remedy) from None
        except (OSError, InvalidMessage) as exc:
            why = "no proper HTTP answer" if isinstance(exc, InvalidMessage) else reason(exc)
            raise Unreached(label, f"no connection ({why})", "start the system, or correct url") from None
        except InvalidStatus as exc:
            body = (exc.response.body or b"").decode("utf-8", "replace")
            saw = f"answered status {exc.response.status_code} instead of a WebSocket: {excerpt(self._headers.redact(body))}"
            raise SystemFault(label, saw, self.refused) from None
        except ConnectionClosed as exc:
            saw = f"closed the connection during the handshake (code {_closing(exc).code})"
            raise SystemFault(label, saw, "look into the system's log, or correct url") from None
        except (WebSocketException, ValueError):
            raise SystemFault(
                label, "the handshake failed", "check that url leads to a WebSocket server"
            ) from None

    async def _greeted(self, connection: "ClientConnection") -> "ClientConnection":
        try:
            await self.greet(connection)
        except BaseException:
            await connection.close()
            raise
        return connection


def _closing(exc: Any) -> Closed:
    ours = exc.sent.code if exc.sent is not None and not exc.rcvd_then_sent else 0
    return Closed(exc.rcvd.code, exc.rcvd.reason, ours) if exc.rcvd else Closed(1006, "", ours)


async def _dial(url: str, headers: Mapping[str, str]) -> "ClientConnection":
    from websockets.asyncio.client import ClientConnection, connect
    from websockets.frames import Frame, Opcode

    class Brisk(ClientConnection):
        # Some servers (simple-websocket, below Flask-SocketIO) say farewell at once and leave the connection open.
        def process_event(self, event: Any) -> None:
            super().process_event(event)
            if isinstance(event, Frame) and event.opcode is Opcode.CLOSE:
                self.transport.close()

    class Direct(connect):
        # A redirect would carry the declared headers, secrets among them, to another address.
        def process_redirect(self, exc: Exception) -> Exception | str:
            return exc

    return await Direct(
        url,
        create_connection=Brisk,
        additional_headers=dict(headers),
        proxy=None,
        open_timeout=None,
        close_timeout=_GOODBYE_SECONDS,
        max_size=LARGEST,
        logger=_quiet,
    )
