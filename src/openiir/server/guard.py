"""Access checks on every request: its host, its origin, and the start-up token for writes."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
COOKIE = "openiir"
SESSION = "/api/token"
OWN_PAGE = ("same-origin", "none")
"""Values of Sec-Fetch-Site for requests of the app's own page and of a typed address."""
OPEN = (SESSION, "/api/about")
"""Paths that a page needs before it has sent its token."""
MOST_BYTES = 1_000_000
"""Most bytes of a request's body."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class Access:
    """Access rules of the server: accepted hosts, the token, and whether writes are allowed."""

    hosts: Sequence[str] = LOOPBACK
    """Accepted values of a request's Host header, against DNS rebinding by other pages."""
    token: str = ""
    """Token required for writes and, with `token_for_all`, for all requests."""
    token_for_all: bool = False
    write: bool = False

    def is_token(self, given: str) -> bool:
        """Whether a text equals the server's token (constant-time comparison); false if there is no token."""
        return bool(self.token) and hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


@dataclass(frozen=True)
class RequestGuard:
    """ASGI middleware that refuses requests (421, 403, 401, 405, 413) and sets security headers."""

    app: ASGIApp
    access: Access = field(default_factory=Access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refused = find_refusal(scope["method"], scope["path"], Headers(scope=scope), self.access)
        if refused is not None:
            code, reason = refused
            await JSONResponse({"detail": reason}, code)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)


def find_refusal(method: str, path: str, headers: Headers, access: Access) -> tuple[int, str] | None:
    """Return status and reason for refusing a request; None if it is accepted."""
    host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
    if host not in access.hosts:
        return 421, f"this server does not answer for {host!r}; open it by the address it printed"
    origin = headers.get("origin")
    if origin not in (None, f"http://{headers['host']}"):
        return 403, "another page's requests are refused"
    # Requests of images, scripts and links carry no Origin.
    if path.startswith("/api/") and headers.get("sec-fetch-site", "none") not in OWN_PAGE:
        return 403, "another page's requests are refused"
    writes = method not in ("GET", "HEAD", "OPTIONS")
    if writes and not access.write and path != SESSION:
        return 405, "this server only shows; start it with --write to ask agents"
    if writes and headers.get("x-openiir") != "1":
        return 403, "writes carry the header X-Openiir: 1"
    closed = path.startswith("/api/") and path not in OPEN
    if closed and (writes or access.token_for_all) and not has_token(headers, access):
        return 401, "open the address that the server printed, which carries its token"
    length = headers.get("content-length", "" if writes else "0")
    if not is_whole_number(length) or int(length) > MOST_BYTES:
        return 413, f"a request's body has a stated length of at most {MOST_BYTES:,} bytes"
    return None


def is_whole_number(text: str) -> bool:
    """Whether a text is a whole number of at most 15 ASCII digits, exact in JavaScript and SQLite."""
    return text.isascii() and text.isdecimal() and len(text) <= 15


def has_token(headers: Any, access: Access) -> bool:
    """Whether a request carries the token, as a bearer token or in the cookie."""
    cookies = dict(part.strip().partition("=")[::2] for part in headers.get("cookie", "").split(";"))
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    return access.is_token(bearer) or access.is_token(cookies.get(COOKIE, ""))
