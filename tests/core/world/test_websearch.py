import asyncio

import pytest
from aiohttp import web

from openiir.core.errors import EndpointError, InputError, UnknownName
from openiir.core.records import SearchHit
from openiir.core.world import SearXNG, Tavily, web_search

KEY = "tvly-planted-0123456789"
RESULTS = [
    {"title": "One\n title", "url": "https://one.org/a", "content": "First\r\ntext.", "score": 0.9},
    {"title": "Bad", "url": "javascript:alert(1)", "content": "no address"},
    {"title": "Again", "url": "https://one.org/a", "content": "the same page"},
    "no object",
    {"url": "http://two.org", "content": None, "title": None},
    {"title": "Three", "url": "http://three.org", "content": "x" * 9_000},
]
HITS = (
    SearchHit(title="One title", url="https://one.org/a", text="First\ntext."),
    SearchHit(title="", url="http://two.org", text=""),
    SearchHit(title="Three", url="http://three.org", text="x" * 2_000),
)


def answering(seen=None, **response):
    async def handler(request):
        if seen is not None:
            seen.append((request.method, dict(request.query), dict(request.headers), await request.text()))
        return web.json_response({"results": RESULTS}) if not response else web.Response(**response)

    return handler


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", KEY)
    return "SEARCH_KEY"


def test_searxng_is_asked_for_json_and_read(serve):
    seen = []
    hits = serve({"/search": answering(seen)}, lambda base: SearXNG(base + "/").search("wind & sea", 3))
    assert hits == HITS
    assert seen[0][:2] == ("GET", {"q": "wind & sea", "format": "json"})


def test_tavily_is_asked_with_its_key_and_read(serve, key):
    seen = []
    hits = serve({"/search": answering(seen)}, lambda base: Tavily(base, key).search("wind & sea", 2))
    assert hits == HITS[:2]
    method, _, headers, body = seen[0]
    assert (method, headers["Authorization"]) == ("POST", f"Bearer {KEY}")
    assert web.json_response({"query": "wind & sea", "max_results": 2, "search_depth": "basic"}).text == body


FAULTS = {
    "status 500": answering(status=500, text=KEY),
    "check its key": answering(status=401, text=KEY),
    "search.formats": answering(status=403),
    "fewer|lower": answering(status=429),
    "status 302": answering(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    "JSON object": answering(text="<html>" + KEY),
    "a JSON object": answering(text="[1]", content_type="application/json"),
    "list of results": answering(text='{"answer": 1}', content_type="application/json"),
    "its body is more than 5 MiB": answering(text="x" * 6_000_000),
}


@pytest.mark.parametrize("expected", sorted(FAULTS))
def test_faults_are_named_and_never_show_the_key(serve, key, expected):
    with pytest.raises(EndpointError, match=expected) as caught:
        serve({"/search": FAULTS[expected]}, lambda base: Tavily(base, key).search("wind", 2))
    assert KEY not in str(caught.value) + repr(caught.value.__cause__)


def test_a_slow_or_absent_engine_is_named(serve):
    async def slow(request):
        await asyncio.sleep(30)

    with pytest.raises(EndpointError, match="within 0.05 s"):
        serve({"/search": slow}, lambda base: SearXNG(base, seconds=0.05).search("wind", 2))
    with pytest.raises(EndpointError, match="nothing listens there"):
        asyncio.run(SearXNG("http://127.0.0.1:1").search("wind", 2))


def test_without_its_key_tavily_is_not_asked(serve, monkeypatch):
    monkeypatch.delenv("SEARCH_KEY", raising=False)
    seen = []
    with pytest.raises(InputError, match="environment variable SEARCH_KEY"):
        serve({"/search": answering(seen)}, lambda base: Tavily(base, "SEARCH_KEY").search("wind", 2))
    assert seen == []


def test_engines_are_chosen_by_name():
    assert web_search("searxng", "http://localhost:8080/").name == "searxng localhost:8080"
    assert web_search("tavily").name == "tavily api.tavily.com"
    with pytest.raises(UnknownName, match="did you mean 'searxng'"):
        web_search("searx", "http://localhost:8080")


@pytest.mark.parametrize("endpoint", ["", "localhost:8080", "ftp://a.org", "http://user:secret@a.org"])
def test_endpoints_are_plain_web_addresses_without_secrets(endpoint):
    with pytest.raises(InputError) as caught:
        SearXNG(endpoint)
    assert "secret" not in str(caught.value)
