import asyncio
import socket

import pytest
from aiohttp import web

from openiir.core.errors import InputError
from openiir.core.world import FetchLimits, fetch_pages
from openiir.core.world.fetch import is_public

ALLOWED = FetchLimits(allow_private=True, seconds=5.0)
PAGE = "<html><body><p>Héllo, words of a page that is long enough to be kept.</p></body></html>"


async def page(request):
    return web.Response(body=PAGE.encode("latin-1"), content_type="text/html", charset="iso-8859-1")


def replies(**response):
    async def handler(request):
        return web.Response(**response)

    return handler


def leads(to):
    async def handler(request):
        raise web.HTTPFound(to)

    return handler


async def endless(request):
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    for _ in range(100):
        await response.write(b"words " * 100)
    return response


async def slow(request):
    await asyncio.sleep(30)


def reason(serve, handler, limits=ALLOWED):
    loaded = serve({"/x": handler}, lambda base: fetch_pages([f"{base}/x"], limits, skip_bad=True))
    assert not loaded.sources
    return loaded.skipped[0].reason


def test_pages_come_in_order_of_url_and_once(serve):
    handlers = {"/b": page, "/a": replies(text="Plain words."), "/c": leads("/b")}
    loaded = serve(handlers, lambda base: fetch_pages([f"{base}/{p}" for p in "bacb"], ALLOWED))
    assert [source.url.rpartition("/")[2] for source in loaded.sources] == ["a", "b", "c"]
    assert [source.name for source in loaded.sources] == [source.url for source in loaded.sources]
    assert loaded.sources[1].text == loaded.sources[2].text
    assert loaded.sources[1].text.startswith("Héllo, words")


def test_pdfs_are_read(serve, make_pdf):
    handler = replies(body=make_pdf(["Printed words."]), content_type="application/pdf")
    loaded = serve({"/p": handler}, lambda base: fetch_pages([f"{base}/p"], ALLOWED))
    assert loaded.sources[0].text == "Printed words."


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (replies(status=404), "status 404"),
        (replies(text="{}", content_type="application/json"), "is application/json"),
        (replies(text="words " * 1_000), "too large (6,000 bytes; the limit is 5,000)"),
        (endless, "too large"),
        (leads("/x"), "redirects more than 5 times"),
        (leads("file:///etc/passwd"), "only http and https"),
        (leads("http://user:pass@127.0.0.1/"), "user name or password"),
        (replies(text=""), "is empty"),
        (replies(body=b"\x89PNG...", content_type="text/plain"), "PNG picture"),
    ],
)
def test_what_is_no_usable_page_is_left_out_with_its_reason(serve, handler, expected, limit_inputs):
    limit_inputs(document_bytes=5_000)
    assert expected in reason(serve, handler)


def test_a_slow_page_is_given_up(serve):
    assert "within 0.05 s" in reason(serve, slow, FetchLimits(allow_private=True, seconds=0.05))


def test_without_leave_to_skip_the_first_bad_page_is_an_error(serve):
    with pytest.raises(InputError, match=r"world page http://127.0.0.1:\d+/no answered with status 404"):
        serve({"/yes": page}, lambda base: fetch_pages([f"{base}/yes", f"{base}/no"], ALLOWED))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
def test_private_addresses_are_refused_however_they_are_spelled(serve, host):
    asked = []

    async def handler(request):
        asked.append(request.path)
        return await page(request)

    def body(base):
        return fetch_pages([f"http://{host}:{base.rpartition(':')[2]}/x"], FetchLimits(), skip_bad=True)

    loaded = serve({"/x": handler}, body)
    assert "not public" in loaded.skipped[0].reason
    assert "settings" in loaded.skipped[0].reason
    assert asked == []


def test_a_name_that_leads_elsewhere_when_connected_to_is_refused(serve, monkeypatch):
    """The first answer is a public address, the second, at connecting, loopback."""
    genuine = asyncio.base_events.BaseEventLoop.getaddrinfo
    answers = iter(["93.184.215.14"])

    async def turning(loop, host, port, **options):
        if host == "rebind.test":
            address = next(answers, "127.0.0.1")
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port or 0))]
        return await genuine(loop, host, port, **options)

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", turning)

    def body(base):
        return fetch_pages(
            [f"http://rebind.test:{base.rpartition(':')[2]}/x"], FetchLimits(seconds=5), skip_bad=True
        )

    assert "not public" in serve({"/x": page}, body).skipped[0].reason


@pytest.mark.parametrize(
    "url", ["ftp://a.org/x", "file:///etc/passwd", "/etc/passwd", "http://", "http://u:p@a.org/"]
)
def test_only_plain_web_addresses_are_fetched(url):
    with pytest.raises(InputError, match="world page"):
        asyncio.run(fetch_pages([url]))


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "2001:4860:4860::8888",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
        "192.175.48.1",
    ],
)
def test_public_addresses(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    """
    10.0.0.1 172.16.0.1 192.168.1.1 127.0.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255
    192.0.2.1 ::1 :: fe80::1%eth0 fc00::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1::
    2001:0:4136:e378:8000:63bf:80ff:fffe 64:ff9b:1::1 192.0.0.8 192.88.99.1 198.18.0.1 240.0.0.1 fec0::1
    3fff::1 5f00::1 100::1 100:0:0:1::1 2001:2::1 2001:db8::1 ::8.8.8.8 ::ffff:0:808:808 4000::1
    """.split(),  # noqa: SIM905
)
def test_addresses_that_are_not_public(address):
    assert not is_public(address)
