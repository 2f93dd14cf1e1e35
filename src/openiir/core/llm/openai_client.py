"""HTTP client of an OpenAI-compatible endpoint: chat, embeddings, model list; one try per call."""

import json
import re
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_core import to_json

from openiir.core.errors import EndpointError, InputError
from openiir.core.llm.content import message_content
from openiir.core.llm.failures import (
    RequestRefused,
    TransientFailure,
    retry_after,
    transport_failure,
    worth_retrying,
)
from openiir.core.llm.formats import (
    WITHOUT_SCHEMA,
    AcceptedFormats,
    Structured,
    refuses_format,
    response_format,
)
from openiir.core.llm.provider import Reply, Request
from openiir.core.llm.response_body import (
    context_length,
    embedding_vectors,
    error_message,
    first_message,
    text_and_reasoning,
    token_usage,
    well_formed,
)
from openiir.core.records import CallDetails
from openiir.core.transport import HttpAnswer, NoAnswer, Secret, exchange, redact, report_try

if TYPE_CHECKING:
    import aiohttp

LARGEST_ANSWER = 16
"""Default limit of a response body after decompression, in MiB."""
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate",
    "Content-Type": "application/json",
    "User-Agent": "openiir",
}
_BLIND = re.compile(r"image|vision|multi-?modal|mmproj|content part", re.IGNORECASE)
"""Words of an endpoint that takes no images; llama.cpp answers 500, which would be tried again in vain."""
LONG_ENOUGH_TO_BE_SECRET = 12
"""Characters from which on a key is no common word."""


class OpenAIClient:
    """Provider that sends each request once; an EndpointPool and Retrying add load balancing and retries.

    It serves one event loop, and `aclose` closes its connections. Every failure is an EndpointError whose
    text holds no key, even where the server echoes it, and that has no cause attached that could. Redirects
    are refused: prompt and key go to the address in the settings and nowhere else.
    """

    def __init__(
        self,
        url: str,
        key: Secret | None = None,
        timeout: float = 120.0,
        largest: float = LARGEST_ANSWER,
        structured: Structured = "auto",
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Create a client; `timeout` is in seconds for the whole call, `largest` in MiB of the response body.

        `structured` says in which forms a schema is sent; `tell` is told once where the endpoint refuses it.
        """
        self.url = url.rstrip("/")
        self._key = key or Secret()
        self._timeout = timeout
        self._largest = largest
        self._client: aiohttp.ClientSession | None = None
        self._structured = structured
        self._formats = AcceptedFormats(structured)
        self._tell = tell
        self._refusal: str | None = ""
        """The endpoint's message that it refuses schemas; empty while it accepts them, None once reported."""
        self._reply_limit = "max_tokens"

    def __repr__(self) -> str:
        return f"OpenAIClient({self.url!r}, {self._key!r})"

    async def complete(self, request: Request) -> Reply:
        """Get one reply, sending the schema in the strictest variant accepted (see `formats`).

        Raises TransientFailure where another try may succeed and EndpointError otherwise.
        """
        forms = self._formats.forms(request.schema) if request.schema is not None else ["text"]
        for form in forms:
            try:
                body = await self._chat(request, form)
            except RequestRefused as refusal:
                if form == "text" or not refuses_format(refusal.status, refusal.body):
                    raise
                if form == forms[-1]:
                    raise self._format_refused(request, refusal) from None
                assert request.schema is not None
                self._formats.note_refusal(request.schema, form)
                if self._refusal is not None:
                    self._refusal = f"{refusal.status}: {self._quote(error_message(refusal.body))}"
                continue
            self._formats.note_acceptance(form)
            if self._refusal and form in WITHOUT_SCHEMA:
                self._tell(f"{self.url} refuses JSON schemas ({self._refusal}); {WITHOUT_SCHEMA[form]}")
                report_try(1, f"schema refused; {WITHOUT_SCHEMA[form]}", 0.0)
                self._refusal = None
            return self._parse_reply(request, body, form)
        raise AssertionError("the last form either returns or raises")

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts; returns one vector per text, in order."""
        sent = {"model": model, "input": [well_formed(text) for text in texts], "encoding_format": "float"}
        body = await self._send("/embeddings", sent, f"embeddings by {model!r}")
        return embedding_vectors(body, len(texts))

    async def contexts(self) -> dict[str, int | None]:
        """Return the context length by model, in tokens; None where the endpoint does not say."""
        body = await self._send("/models", None, "the list of its models")
        entries = body.get("data") or body.get("models") or []
        named = {entry.get("id") or entry.get("name"): entry for entry in entries if isinstance(entry, dict)}
        return {str(name): context_length(entry) for name, entry in named.items() if name}

    async def aclose(self) -> None:
        """Close the HTTP connections; a later call would open new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _format_refused(self, request: Request, refusal: RequestRefused) -> RequestRefused:
        said = f"{refusal.status} ({self._quote(error_message(refusal.body))})"
        text = (
            f'asked {self.url} for a reply of {request.model!r} with structured = "{self._structured}", as '
            f"the settings say: it answered {said}; leave `structured` out, or choose another form of it"
        )
        return RequestRefused(refusal.status, text, refusal.body)

    async def _chat(self, request: Request, form: str) -> dict[str, Any]:
        for _ in range(2):
            body = self._request_body(request, form)
            try:
                return await self._send("/chat/completions", body, f"a reply of {request.model!r}")
            except (RequestRefused, TransientFailure) as failure:
                told = failure.body if isinstance(failure, RequestRefused) else str(failure)
                if any(message.images for message in request.messages) and _BLIND.search(told):
                    text = (
                        f"asked {self.url} for a reply of {request.model!r} to a question with a picture: it "
                        f"does not take this picture ({self._quote(error_message(told))}); choose a model "
                        "that sees, or who else answers it"
                    )
                    raise RequestRefused(400, text, told) from None
                newer = isinstance(failure, RequestRefused) and "max_completion_tokens" in told
                if not newer or "max_completion_tokens" in body:
                    raise
                self._reply_limit = "max_completion_tokens"
        raise AssertionError("the second try either returns or raises")

    def _request_body(self, request: Request, form: str) -> dict[str, Any]:
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": each.role, "content": message_content(each)} for each in request.messages],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            self._reply_limit: sampling.max_tokens,
            "seed": sampling.seed,
            "stop": list(sampling.stop) or None,
        }
        if request.schema is not None:
            body["response_format"] = response_format(form, request.schema, request.schema_name)
        return {key: value for key, value in body.items() if value is not None} | sampling.extra

    async def _send(self, path: str, body: dict[str, Any] | None, asked: str) -> dict[str, Any]:
        """Send a request (GET if `body` is None) and return the response's JSON; no error quotes the key."""
        method, sent = ("GET", None) if body is None else ("POST", to_json(body))
        limits = (self._timeout, self._largest * 2**20)
        try:
            answer = await exchange(self._open_client(), method, self.url + path, *limits, data=sent)
        except NoAnswer as failure:
            raise transport_failure(failure) from None
        if answer.status < 300:
            return self._decode(answer.text)
        raise self._status_failure(answer, asked, path)

    def _open_client(self) -> "aiohttp.ClientSession":
        if self._client is None:
            import aiohttp

            self._client = aiohttp.ClientSession(
                headers=_HEADERS | ({"Authorization": f"Bearer {self._key.reveal()}"} if self._key else {}),
                cookie_jar=aiohttp.DummyCookieJar(),
                connector=aiohttp.TCPConnector(limit=0),
                proxy=_proxy(self.url),
                timeout=aiohttp.ClientTimeout(total=None),  # `exchange` keeps the time of the whole call
            )
        return self._client

    def _decode(self, text: str) -> dict[str, Any]:
        if not text.strip():
            raise TransientFailure("empty body")
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            raise TransientFailure("body is not JSON", self._quote(text)) from None
        if not isinstance(body, dict):
            raise TransientFailure("body of the wrong shape", "it is JSON, but no object")
        if body.get("error"):
            raise TransientFailure(
                "error in the body", self._quote(json.dumps(body["error"], ensure_ascii=False))
            )
        return body

    def _status_failure(self, answer: HttpAnswer, asked: str, path: str) -> EndpointError:
        status = answer.status
        if status < 400:
            where = answer.headers.get("Location", "")
            return RequestRefused(status, self._redirect_text(status, where, asked, path), "")
        body = self._redact(answer.text)
        said = self._quote(error_message(body))
        if worth_retrying(status):
            return TransientFailure(str(status), said, retry_after(answer.headers))
        message = f"asked {self.url} for {asked}: it answered {status}" + (f" ({said})" if said else "")
        remedies = {401: self._key_remedy(), 403: self._key_remedy(), 404: _NOT_FOUND}
        todo = remedies.get(
            status, "mend the model's name or the sampling in the study, or choose another model"
        )
        return RequestRefused(status, f"{message}; {todo}", body)

    def _redirect_text(self, status: int, location: str, asked: str, path: str) -> str:
        """Write the error text for a redirect, with the URL to put into the settings."""
        message = f"asked {self.url} for {asked}: it answered {status}, which says to ask elsewhere"
        if not location:
            return f"{message} but not where; mend `url` in the settings"
        there = self._quote(urljoin(self.url + path, location).removesuffix(path))
        return (
            f"{message}: {there}; neither prompt nor key is sent to an address that the settings do not "
            f"name: write it there as `url` if you trust it"
        )

    def _key_remedy(self) -> str:
        if self._key.variable is None:
            return "no key was sent; name the variable that holds it as `key_env` in the settings"
        return f"the key came from ${self._key.variable}; check that it holds this endpoint's key"

    def _redact(self, text: str) -> str:
        return redact(text, [self._key])

    def _redact_reply(self, text: str) -> str:
        """Remove the key from a model's words, unless it is short and may be a word (`ollama`, `none`)."""
        return self._redact(text) if len(self._key.reveal()) >= LONG_ENOUGH_TO_BE_SECRET else text

    def _quote(self, text: str) -> str:
        words = " ".join(self._redact(text).split())
        return words if len(words) <= 300 else words[:300] + "..."

    def _parse_reply(self, request: Request, body: dict[str, Any], form: str) -> Reply:
        message, finish = first_message(body)
        text, reasoning = (well_formed(self._redact_reply(part)) for part in text_and_reasoning(message))
        used = token_usage(body, (each.text for each in request.messages), reasoning, text)
        reported = [str(body.get("model") or request.model), str(body.get("system_fingerprint") or "")]
        return Reply(
            text=text,
            model=self._redact_reply(" ".join(part for part in reported if part)),
            prompt_tokens=used.prompt,
            reply_tokens=used.reply,
            reasoning=reasoning,
            details=CallDetails(
                form=form,
                finish=well_formed(self._redact_reply(finish)),
                cached_tokens=used.cached,
                reasoning_tokens=used.reasoning,
            ),
        )


_NOT_FOUND = (
    "check the model's name (`openiir doctor` lists the models) and that the URL ends where the API begins, "
    "which for most servers is /v1"
)


def _proxy(url: str) -> str | None:
    """Find the environment's proxy for this address; None for loopback.

    aiohttp's own `trust_env` would ask for it in a thread at each call, and send what ~/.netrc holds.
    Raises InputError for a proxy that speaks no HTTP.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = None if is_loopback(host) or proxy_bypass(host) else getproxies().get(parts.scheme)
    if proxy and not proxy.startswith(("http://", "https://")):
        raise InputError(
            f"the environment's proxy for {host} speaks no HTTP; set {parts.scheme.upper()}_PROXY to one "
            f"that does, or name {host} in NO_PROXY"
        )
    return proxy or None


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
