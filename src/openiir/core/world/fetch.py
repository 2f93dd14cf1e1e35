"""Fetching of web pages from a URL list: only on request, only from public addresses, with limits."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from openiir.core.errors import InputError
from openiir.core.files import limits as input_limits
from openiir.core.files import too_large
from openiir.core.transport import read_bounded
from openiir.core.world.sources import LoadedSources, Media, SkippedSource, as_source
from openiir.core.world.text import BadSource

_MEDIA: dict[str, Media] = {
    "text/html": "text/html",
    "application/xhtml+xml": "text/html",
    "text/plain": "text/plain",
    "text/markdown": "text/markdown",
    "application/pdf": "application/pdf",
}
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class FetchLimits:
    """Limits for fetching web pages; part of the user's settings, never of a study."""

    allow_private: bool = False
    """Whether to fetch from addresses that are not public (loopback, private, link-local, reserved)."""
    seconds: float = 20.0
    """Seconds allowed for one page, redirects included."""
    redirects: int = 5
    concurrent: int = 4


async def fetch_pages(
    urls: Sequence[str], limits: FetchLimits = FetchLimits(), skip_bad: bool = False
) -> LoadedSources:
    """Fetch web pages, sorted by URL and without duplicates.

    Raises InputError naming the first URL that gave no usable text and why; with `skip_bad` these are listed
    in `skipped`. Every host is resolved, every one of its addresses must be public unless the limits allow
    otherwise, again when the connection is made, and after every redirect.
    """
    gate = asyncio.Semaphore(limits.concurrent)

    async def one(url: str) -> _Page | BadSource:
        async with gate:
            try:
                return await asyncio.wait_for(_fetch_page(url, limits), limits.seconds)
            except TimeoutError:
                return BadSource(f"gave no page within {limits.seconds:g} s; try later or leave it out")
            except BadSource as error:
                return error

    names = sorted(dict.fromkeys(urls))
    pages = await asyncio.gather(*(one(url) for url in names))
    sources, skipped = [], []
    for url, page in zip(names, pages, strict=True):
        try:
            if isinstance(page, BadSource):
                raise page
            sources.append(as_source(url, page.media, page.data, page.charset, url))
        except BadSource as error:
            skipped.append(SkippedSource(name=url, reason=str(error)))
    if skipped and not skip_bad:
        raise InputError(f"world page {skipped[0].name} {skipped[0].reason}")
    return LoadedSources(sources=tuple(sources), skipped=tuple(skipped))


def is_public(address: str) -> bool:
    """Whether an IP address is public, also if it is an IPv4 address embedded in IPv6."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        wrapped = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if wrapped is None and ip in _NAT64:
            wrapped = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(str(wrapped))
        if ip not in _UNICAST:
            return False
    return (
        ip.is_global and not ip.is_multicast and not ip.is_reserved and not any(ip in one for one in _SPECIAL)
    )


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST = ipaddress.IPv6Network("2000::/3")
"""Allocated unicast addresses of IPv6 (RFC 4291, section 2.4)."""
_SPECIAL = [ipaddress.ip_network(one) for one in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")]
"""IANA special-purpose addresses that `ipaddress` wrongly treats as global in some Python versions: protocol
assignments, the former 6to4 relays, documentation."""


class _Page(NamedTuple):
    media: Media
    data: bytes
    charset: str | None


async def _fetch_page(url: str, limits: FetchLimits) -> _Page:
    """Fetch one page, following redirects; raises BadSource."""
    import aiohttp

    connector = aiohttp.TCPConnector(
        use_dns_cache=False, socket_factory=_checked_sockets(limits.allow_private)
    )
    # `fetch_pages` keeps the time, so that a page's redirects share it.
    timeout = aiohttp.ClientTimeout(total=None)
    headers = {"User-Agent": "openiir (research; one fetch a page)", "Accept": ", ".join(_MEDIA)}
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, headers=headers) as session:
        at = url
        for _ in range(limits.redirects + 1):
            await _check_address(at, limits.allow_private)
            try:
                async with session.get(at, allow_redirects=False) as response:
                    if response.status not in _REDIRECTS:
                        return await _read_body(response)
                    at = urljoin(at, response.headers.get("Location", ""))
            except (aiohttp.ClientError, ValueError, OSError) as error:
                raise _as_bad_source(error) from error
    raise BadSource(f"redirects more than {limits.redirects} times; name the page it leads to")


def _as_bad_source(error: Exception) -> BadSource:
    """Convert a transport error to a BadSource in plain words; a BadSource within it is kept."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BadSource):
            return cause
        cause = cause.__cause__ or cause.__context__
    return BadSource(f"cannot be fetched ({type(error).__name__}: {error}); check the address")


async def _check_address(url: str, allow_private: bool) -> None:
    """Raise BadSource for anything but a plain web address, and for a host with a non-public address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadSource(f"is no web address ({parts.scheme or 'no'} scheme); only http and https are fetched")
    if parts.username is not None or parts.password is not None:
        raise BadSource("holds a user name or password; give an address that needs none")
    try:
        found = await asyncio.get_running_loop().getaddrinfo(parts.hostname, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadSource(f"names a host that cannot be found ({parts.hostname}); check the address") from error
    for *_, where in found:
        if not allow_private and not is_public(str(where[0])):
            raise BadSource(_private_message(parts.hostname, str(where[0])))


def _private_message(host: str, address: str) -> str:
    return (
        f"leads to {host} ({address}), an address that is not public; to allow it, set "
        "allow_private_addresses = true in the settings file"
    )


def _checked_sockets(allow_private: bool) -> Callable[[Any], socket.socket]:
    """Create a socket factory for public addresses only: a name may resolve differently on connecting."""

    def make(info: Any) -> socket.socket:
        family, kind, protocol, name, where = info
        if not allow_private and not is_public(str(where[0])):
            raise BadSource(_private_message(name or "this host", str(where[0])))
        return socket.socket(family, kind, protocol)

    return make


async def _read_body(response: Any) -> _Page:
    if response.status != 200:
        raise BadSource(f"answered with status {response.status}; check the address or leave it out")
    media = _MEDIA.get(response.content_type)
    if media is None:
        raise BadSource(f"is {response.content_type}, which cannot be read; known are {', '.join(_MEDIA)}")
    most = input_limits().document_bytes
    size = response.content_length or 0
    data = await read_bounded(response, most) if size <= most else None
    if data is None:
        raise BadSource(too_large(max(size, most + 1), "document_bytes"))
    return _Page(media, data, response.charset)
