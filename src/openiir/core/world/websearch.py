"""Web search engines: SearXNG and Tavily; justification, budget and recording are handled elsewhere."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from openiir.core.errors import EndpointError, InputError, UnknownName
from openiir.core.records import SearchHit
from openiir.core.transport import NoAnswer, Secret, exchange
from openiir.core.world.text import normalise_text

TAVILY, TAVILY_KEY = "https://api.tavily.com", "TAVILY_API_KEY"
SECONDS = 20.0
MAX_REPLY = 5 * 2**20
"""Most bytes of a search engine's response; longer ones are refused."""
MAX_TEXT = 2_000
"""Most characters kept of a hit's text."""


class WebSearch(Protocol):
    """Interface of a web search engine."""

    async def search(self, query: str, n: int) -> tuple[SearchHit, ...]:
        """Return the first n hits, in the engine's order; raises EndpointError."""


class SearXNG:
    """Client of a SearXNG instance with JSON output enabled; base class of other engines' clients."""

    kind: ClassVar[str] = "searxng"
    """Kind of engine, such as `searxng`."""

    def __init__(self, endpoint: str, seconds: float = SECONDS) -> None:
        """Create a client; `seconds` limits a search. Raises InputError if the endpoint is no web address."""
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("the web search endpoint in the settings is no http or https address")
        if parts.username is not None or parts.password is not None:
            raise InputError(
                "the web search endpoint in the settings holds a password; keys belong in the environment"
            )
        self._endpoint = endpoint.rstrip("/")
        self._seconds = seconds

    @property
    def name(self) -> str:
        """Name of the engine as recorded: kind and host, without keys."""
        return f"{self.kind} {urlsplit(self._endpoint).netloc}"

    async def search(self, query: str, n: int) -> tuple[SearchHit, ...]:
        """Search the web: the first n hits, in the engine's order; raises EndpointError."""
        method, request = self._request(query, n)
        reply = await _send_request(self.name, method, f"{self._endpoint}/search", self._seconds, **request)
        return _parse_hits(self.name, reply, n)

    def _request(self, query: str, n: int) -> tuple[str, dict[str, Any]]:
        """Build the HTTP method and arguments of a search; raises InputError for a missing key."""
        return "GET", {"params": {"q": query, "format": "json"}}


class Tavily(SearXNG):
    """Client of the Tavily API, with its key in an environment variable."""

    kind = "tavily"

    def __init__(self, endpoint: str = TAVILY, key_variable: str = TAVILY_KEY) -> None:
        super().__init__(endpoint)
        self._key_variable = key_variable

    def _request(self, query: str, n: int) -> tuple[str, dict[str, Any]]:
        key = Secret.read(self._key_variable, "web search by Tavily needs its key in").reveal()
        asked = {"query": query, "max_results": min(max(n, 1), 20), "search_depth": "basic"}
        return "POST", {"json": asked, "headers": {"Authorization": f"Bearer {key}"}}


def web_search(service: str, endpoint: str | None = None, key_variable: str | None = None) -> WebSearch:
    """Create the search engine named in the settings: `searxng` (needs an endpoint) or `tavily`.

    Raises UnknownName for another service and InputError for a bad endpoint.
    """
    if service == "searxng":
        return SearXNG(endpoint or "")
    if service == "tavily":
        return Tavily(endpoint or TAVILY, key_variable or TAVILY_KEY)
    raise UnknownName("web search service", service, ("searxng", "tavily"))


_REMEDIES = {
    401: "check its key",
    403: "check its key, or for SearXNG that `json` is among `search.formats` in its settings",
    429: "it asks to be left alone for a while; try later or lower the number of searches",
}


async def _send_request(
    name: str, method: str, url: str, seconds: float, **request: Any
) -> Mapping[str, Any]:
    """Send a request and return the response's JSON object; no error quotes the request, which holds keys."""
    import aiohttp

    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
            answer = await exchange(session, method, url, seconds, MAX_REPLY, **request)
    except NoAnswer as failure:
        raise EndpointError(f"web search ({name}) gave no answer: {failure.why}") from None
    if answer.status != 200:
        remedy = _REMEDIES.get(answer.status, "check the endpoint in the settings")
        raise EndpointError(f"web search ({name}) answered with status {answer.status}; {remedy}")
    try:
        reply = json.loads(answer.body)
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        raise EndpointError(f"web search ({name}) answered with something other than a JSON object")
    return reply


def _parse_hits(name: str, reply: Mapping[str, Any], n: int) -> tuple[SearchHit, ...]:
    """Read hits from `results` with `title`, `url` and `content`, as in both engines, if they have a URL."""
    results = reply.get("results")
    if not isinstance(results, list):
        raise EndpointError(f"web search ({name}) answered without a list of results")
    hits: dict[str, SearchHit] = {}
    for result in results:
        if isinstance(result, dict) and str(result.get("url", "")).startswith(("http://", "https://")):
            url = str(result["url"])
            text = normalise_text(str(result.get("content") or ""))[:MAX_TEXT]
            title = " ".join(normalise_text(str(result.get("title") or "")).split())
            hits.setdefault(url, SearchHit(title=title, url=url, text=text))
    return tuple(list(hits.values())[: max(n, 0)])
