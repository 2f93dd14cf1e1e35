"""The WebSocket connector: one connection a session, one message a turn and one for its answer."""

import asyncio
import logging
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import SystemFault, Unreached, excerpt
from openiir.core.systems.replies import passed_over
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.tries import Notice, tried

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

_LARGEST = 16 * 2**20
_GOODBYE_SECONDS = 1.0
_FAREWELLS = (1000, 1001, 1005)
_TOO_BIG = 1009

# At its debug level the library writes out the handshake's headers, and with them secrets.
_quiet = logging.getLogger("openiir.systems.websocket")
_quiet.setLevel(logging.WARNING)


class WebSocketWire:
    """A connection that is of no more use once an answer failed to come: a late one would pass for the next."""

    def __init__(self, spec: SystemSpec, headers: DeclaredHeaders, notice: Notice | None) -> None:
        self._spec, self._headers, self._notice = spec, headers, notice
        self._connection: ClientConnection | None = None
        self._broken = ""

    async def open(self) -> None:
        """Connect, trying again as declared."""
        self._connection = await tried(self._spec, self._connect, self._notice)

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """The next message that is not to be ignored. Raises SystemFault."""
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
        if self._connection is not None:
            await self._connection.close()

    async def _exchange(self, connection: "ClientConnection", exchange: Exchange, message: Any) -> str | None:
        from websockets.exceptions import ConnectionClosed

        redact = self._headers.redact
        try:
            async with asyncio.timeout(self._spec.timeout):
                if message is not None:
                    await connection.send(_written(self._spec, message))
                return await self._answer(connection) if exchange.reply else ""
        except TimeoutError:
            saw = f"no message within {self._spec.timeout:g} s"
            remedy = (
                "see what keeps the system busy, raise timeout, or set reply = false where it does not answer"
            )
            raise SystemFault(self._spec.label, saw, remedy) from None
        except ConnectionClosed as exc:
            if exc.sent and exc.sent.code == _TOO_BIG:
                saw = f"a message is longer than {_LARGEST // 2**20} MiB"
                raise SystemFault(self._spec.label, saw, "have the system answer with less") from None
            code = exc.rcvd.code if exc.rcvd else 1006
            expected = exchange is self._spec.close or (self._spec.end is not None and self._spec.end.closed)
            if code in _FAREWELLS and expected:
                return None
            reason = f": {excerpt(redact(exc.rcvd.reason))}" if exc.rcvd and exc.rcvd.reason else ""
            saw = f"closed the connection instead of answering (code {code}{reason})"
            remedy = "look into the system's log; if this is how it ends a session, declare end = { closed = true }"
            raise SystemFault(self._spec.label, saw, remedy) from None

    async def _answer(self, connection: "ClientConnection") -> str:
        while True:
            message = await connection.recv()
            text = message if isinstance(message, str) else message.decode("utf-8", "replace")
            text = self._headers.redact(text)
            if not passed_over(self._spec, text):
                return text

    async def _connect(self) -> "ClientConnection":
        from websockets.exceptions import InvalidMessage, InvalidStatus, WebSocketException

        label, seconds = self._spec.label, self._spec.timeout
        try:
            async with asyncio.timeout(seconds):
                return await _dial(self._spec.url or "", self._headers.sent)
        except TimeoutError:
            remedy = "check that url leads to a WebSocket server, or raise timeout"
            raise SystemFault(label, f"no connection within {seconds:g} s", remedy) from None
        except ssl.SSLCertVerificationError as exc:
            saw = f"its certificate is not accepted ({exc.verify_message})"
            remedy = "correct the host in url, or have the system's certificate trusted (SSL_CERT_FILE)"
            raise SystemFault(label, saw, remedy) from None
        except (OSError, InvalidMessage) as exc:
            reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
            raise Unreached(label, f"no connection ({reason})", "start the system, or correct url") from None
        except InvalidStatus as exc:
            body = (exc.response.body or b"").decode("utf-8", "replace")
            saw = f"answered status {exc.response.status_code} instead of a WebSocket: {excerpt(self._headers.redact(body))}"
            raise SystemFault(label, saw, "correct the path of url, or declare the header it wants") from None
        except (WebSocketException, ValueError) as exc:
            saw = f"the handshake failed ({type(exc).__name__}: {self._headers.redact(str(exc))})"
            raise SystemFault(label, saw, "check that url leads to a WebSocket server") from None


def _written(spec: SystemSpec, message: Any) -> str:
    text = str(message) if spec.format == "text" else canonical(message)
    return text.encode("utf-8", "replace").decode("utf-8")


async def _dial(url: str, headers: Mapping[str, str]) -> "ClientConnection":
    from websockets.asyncio.client import connect

    class Direct(connect):
        # A redirect would carry the declared headers, secrets among them, to another address.
        def process_redirect(self, exc: Exception) -> Exception | str:
            return exc

    return await Direct(
        url,
        additional_headers=dict(headers),
        proxy=None,
        open_timeout=None,
        close_timeout=_GOODBYE_SECONDS,
        max_size=_LARGEST,
        logger=_quiet,
    )
