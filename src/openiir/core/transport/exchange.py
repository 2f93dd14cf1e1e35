"""HTTP exchanges: one request, no redirects, a bounded body, and failures in words of our own.

Libraries word failures with addresses, ports and version-dependent prefixes, and failures are recorded.
"""

import asyncio
import errno
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import aiohttp

_BLOCK = 2**16
_NUMBER = re.compile(r"\[Errno (\d+)\]")
_WORDS = {
    errno.ECONNREFUSED: "nothing listens there",
    errno.ECONNRESET: "it was broken off",
    errno.ECONNABORTED: "it was broken off",
    errno.EPIPE: "it was broken off",
    errno.ETIMEDOUT: "no answer from the host",
    errno.EHOSTUNREACH: "no way to the host",
    errno.ENETUNREACH: "no way to the host",
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOEXEC: "it is no program",
}


class NoAnswer(Exception):
    """Raised if an HTTP exchange brought no complete answer, with the kind of failure and a reason."""

    def __init__(
        self,
        how: Literal["no connection", "certificate", "dropped", "time-out", "too large", "no HTTP"],
        why: str,
    ) -> None:
        super().__init__(why)
        self.how = how
        self.why = why


@dataclass(frozen=True)
class HttpAnswer:
    """A whole HTTP answer, of any status."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    charset: str | None

    @property
    def text(self) -> str:
        """The body as text; what its character set does not allow is replaced."""
        try:
            return self.body.decode(self.charset or "utf-8", "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")


async def exchange(
    client: "aiohttp.ClientSession", method: str, url: str, seconds: float, largest: float, **parts: Any
) -> HttpAnswer:
    """Send one request and read the answer, at most `largest` bytes of it, within `seconds`.

    Redirects are answers too: none is followed, since headers hold secrets. Raises NoAnswer, which is chained
    to no error that could quote the request.
    """
    import aiohttp

    try:
        async with (
            asyncio.timeout(seconds),
            client.request(method, url, allow_redirects=False, **parts) as response,
        ):
            body = await read_bounded(response, largest)
            if body is not None:
                return HttpAnswer(response.status, response.headers, body, response.charset)
            failure = NoAnswer("too large", f"its body is more than {largest / 2**20:g} MiB")
    except TimeoutError:
        failure = NoAnswer("time-out", f"no answer within {seconds:g} s")
    except (aiohttp.ClientError, OSError, ValueError) as exc:
        failure = _classify(exc)
    raise failure


async def read_bounded(response: "aiohttp.ClientResponse", largest: float) -> bytes | None:
    """Read a body, unpacked; None if it is longer than `largest` bytes."""
    body = bytearray()
    async for block in response.content.iter_chunked(_BLOCK):
        body += block
        if len(body) > largest:
            return None
    return bytes(body)


def _classify(exc: Exception) -> NoAnswer:
    import aiohttp

    if isinstance(exc, aiohttp.ClientConnectorCertificateError):
        return NoAnswer("certificate", describe_certificate(exc.certificate_error))
    if isinstance(exc, aiohttp.ClientConnectorError):
        unknown = isinstance(exc, aiohttp.ClientConnectorDNSError)
        return NoAnswer("no connection", "no such host" if unknown else describe_failure(exc.os_error))
    if isinstance(exc, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError | OSError):
        return NoAnswer("dropped", "the connection broke before the answer was complete")
    return NoAnswer("no HTTP", "the exchange is no proper HTTP")


def describe_failure(exc: BaseException) -> str:
    """Describe an operating system error; of several addresses tried at once, the first one's."""
    if isinstance(exc, socket.gaierror):
        return "no such host"
    if isinstance(exc, ssl.SSLError):
        return "no TLS is spoken there"
    number = exc.errno if isinstance(exc, OSError) else None
    if number is None and (found := _NUMBER.search(str(exc))):
        number = int(found[1])
    if number is None:
        return type(exc).__name__
    return _WORDS.get(number, errno.errorcode.get(number, "an unknown error"))


def describe_certificate(exc: BaseException) -> str:
    """Describe what is wrong with a certificate, without the library's source position."""
    return getattr(exc, "verify_message", "") or "it cannot be verified"
