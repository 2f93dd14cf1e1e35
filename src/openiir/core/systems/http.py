"""HTTP connector for systems under test: one request per turn, with cookies kept per session."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from openiir.core.hashing import canonical
from openiir.core.systems import paths
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import (
    LARGEST,
    ConnectionDropped,
    ConnectionFailed,
    SystemFault,
    bad_certificate,
    call_with_tries,
    quote_start,
    too_long,
)
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.template import fill_text
from openiir.core.transport import NoAnswer, exchange

if TYPE_CHECKING:
    import aiohttp

# Short, so that no turn goes out on a connection that the system is about to close as idle: nobody could tell
# whether it was heard.
_IDLE_SECONDS = 1.0
_MAY_REPEAT = "look into the system's log; if it may hear a request twice, set repeatable = true"


class SharedConnections:
    """Open connections shared by all sessions with one system; cookies and headers stay per session."""

    def __init__(self) -> None:
        self._connector: aiohttp.TCPConnector | None = None

    def get(self) -> "aiohttp.TCPConnector":
        """Return the shared connector, created in the event loop of the first call."""
        import aiohttp

        if self._connector is None:
            self._connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS)
        return self._connector

    async def close(self) -> None:
        """Close all connections, after all sessions are closed."""
        if self._connector is not None:
            await self._connector.close()


class HttpTransport:
    """HTTP transport, one cookie jar per session; it follows no redirects, since headers hold secrets."""

    def __init__(
        self, spec: SystemSpec, headers: DeclaredHeaders, shared: SharedConnections | None = None
    ) -> None:
        self._spec, self._headers = spec, headers
        self._connections, self._shared = shared or SharedConnections(), shared is not None
        self._client: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Create the HTTP client; the first request connects."""
        import aiohttp

        kind = "*/*" if paths.RAW in self._spec.paths else "application/json"
        accepted = {} if self._declares("accept") else {"Accept": kind}
        self._client = aiohttp.ClientSession(
            headers={**accepted, **self._headers.sent},
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            connector=self._connections.get(),
            connector_owner=not self._shared,
            timeout=aiohttp.ClientTimeout(total=None),
        )

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """Send a request and return the answer's body; raises SystemFault on failure or error status."""
        method = exchange.method or self._spec.method
        url = fill_text(exchange.url or self._spec.url or "", values, lambda text: quote(text, safe=""))
        parts = self._parts(method, message)
        return await call_with_tries(self._spec, lambda: self._request_once(method, url, parts))

    async def close(self) -> None:
        """Close the HTTP client and its connections."""
        if self._client is not None:
            await self._client.close()

    def _parts(self, method: str, message: Any) -> dict[str, Any]:
        if message is None:
            return {}
        if method in ("GET", "DELETE"):
            return {"params": _text_fields(message)}
        if self._spec.format == "form":
            return {"data": _text_fields(message)}
        text = message if self._spec.format == "text" else canonical(message)
        kind = "text/plain; charset=utf-8" if self._spec.format == "text" else "application/json"
        headers = {} if self._declares("content-type") else {"Content-Type": kind}
        return {"data": str(text).encode("utf-8", "replace"), "headers": headers}

    def _declares(self, header: str) -> bool:
        return any(name.lower() == header for name in self._headers.sent)

    async def _request_once(self, method: str, url: str, parts: dict[str, Any]) -> str:
        assert self._client is not None
        try:
            answer = await exchange(self._client, method, url, self._spec.timeout, LARGEST, **parts)
        except NoAnswer as failure:
            raise self._fault(failure, url) from None
        text = self._headers.redact(answer.text)
        if 300 <= answer.status < 400:
            target = self._headers.redact(answer.headers.get("Location", "nowhere"))
            saw = f"answered status {answer.status}, a redirect to {quote_start(target)}"
            raise SystemFault(self._spec.label, saw, "declare the address that it leads to")
        if answer.status >= 400:
            saw, remedy = _status_problem(answer.status, method, text)
            raise (
                self._drop_fault(saw) if answer.status >= 500 else SystemFault(self._spec.label, saw, remedy)
            )
        return text

    def _drop_fault(self, saw: str) -> ConnectionDropped:
        fault = ConnectionDropped(self._spec.label, saw, _MAY_REPEAT)
        fault.repeatable = self._spec.repeatable
        return fault

    def _fault(self, failure: NoAnswer, url: str) -> SystemFault:
        label, saw = self._spec.label, failure.why
        match failure.how:
            case "time-out":
                return SystemFault(label, saw, "see what keeps the system busy, or raise timeout")
            case "too large":
                return too_long(label, "the answer is", LARGEST)
            case "certificate":
                return bad_certificate(label, saw)
            case "no connection":
                parts = urlsplit(url)
                port = parts.port or (443 if parts.scheme == "https" else 80)
                saw = f"no connection to {parts.hostname}:{port} ({saw})"
                return ConnectionFailed(label, saw, "start the system, or correct url")
            case "dropped":
                return self._drop_fault(saw)
        remedy = "check that url leads to a web server, port included, whose headers are of a usual length"
        return SystemFault(label, saw, remedy)


def _text_fields(message: Any) -> dict[str, str]:
    return {key: value if isinstance(value, str) else canonical(value) for key, value in message.items()}


def _status_problem(status: int, method: str, text: str) -> tuple[str, str]:
    remedies = {
        401: "declare the header it wants, its secret as ${NAME}",
        403: "declare the header it wants, its secret as ${NAME}",
        404: "correct the path of url",
        405: f"correct method, which is {method}",
        415: "correct format, or declare the Content-Type header it wants",
        429: "run fewer lanes at a time",
    }
    remedy = remedies.get(status, "compare request with what the system expects")
    return f"answered status {status}: {quote_start(text)}", remedy
