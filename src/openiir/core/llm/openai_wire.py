"""The OpenAI-compatible wire: chat completions, embeddings and the list of models, one try each."""

import asyncio
import json
import ssl
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from openiir.core.errors import EndpointError
from openiir.core.llm.bodies import (
    count,
    error_message,
    estimated_tokens,
    message_of,
    said,
    vectors_of,
    well_formed,
)
from openiir.core.llm.content import blind, content
from openiir.core.llm.failures import Passing, Refused, connection_failure, retry_after, worth_retrying
from openiir.core.llm.formats import Ladder, about_format, response_format
from openiir.core.llm.keys import Key
from openiir.core.llm.provider import Reply, Request
from openiir.core.sums import int_sum


class OpenAIWire:
    """A provider that sends each request once; wrap it in Retrying and Limited.

    It serves one event loop, and `aclose` closes its connections. Every failure is an EndpointError whose
    text holds no key, even where the server echoes it, and that has no cause attached that could.
    """

    def __init__(self, url: str, key: Key | None = None, timeout: float = 120.0) -> None:
        """`timeout` is in seconds, from sending to the last byte of the answer."""
        self.url = url.rstrip("/")
        self._key = key or Key(None)
        self._timeout = timeout
        self._client: Any = None
        self._options: Any = {}
        self._ladder = Ladder()
        self._reply_limit = "max_tokens"

    def __repr__(self) -> str:
        return f"OpenAIWire({self.url!r}, {self._key!r})"

    async def complete(self, request: Request) -> Reply:
        """One reply. A schema is sent in the strictest form the endpoint takes (see `formats`).

        Raises Passing where another try may succeed and EndpointError otherwise.
        """
        forms = self._ladder.forms(request.schema) if request.schema is not None else ["text"]
        for form in forms:
            try:
                body = await self._chat(request, form)
            except Refused as refusal:
                if form == "text" or not about_format(refusal.status, refusal.body):
                    raise
                assert request.schema is not None
                self._ladder.refused(request.schema, form)
                continue
            self._ladder.taken(form)
            return self._reply(request, body)
        raise AssertionError("plain text is always among the forms")

    async def embed(self, model: str, texts: Sequence[str]) -> tuple[list[list[float]], int]:
        """One vector a text, in order, and the tokens used."""
        sent = {"model": model, "input": [well_formed(text) for text in texts], "encoding_format": "float"}
        body = await self._send("/embeddings", sent, f"embeddings by {model!r}")
        vectors = vectors_of(body, len(texts))
        counted = count(body.get("usage"), "prompt_tokens")
        return vectors, int_sum(estimated_tokens(text) for text in texts) if counted is None else counted

    async def models(self) -> list[str]:
        """The names of the models the endpoint says it has, sorted."""
        body = await self._send("/models", None, "the list of its models")
        entries = body.get("data") or body.get("models") or []
        names = [entry.get("id") or entry.get("name") for entry in entries if isinstance(entry, dict)]
        return sorted(str(name) for name in names if name)

    async def aclose(self) -> None:
        """Close the connections; the next call would open new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _chat(self, request: Request, form: str) -> dict[str, Any]:
        for _ in range(2):
            body = self._body(request, form)
            try:
                return await self._send("/chat/completions", body, f"a reply of {request.model!r}")
            except (Refused, Passing) as failure:
                told = failure.body if isinstance(failure, Refused) else str(failure)
                if any(message.images for message in request.messages) and blind(told):
                    raise Refused(400, self._blind(request.model, told), told) from None
                newer = isinstance(failure, Refused) and "max_completion_tokens" in told
                if not newer or "max_completion_tokens" in body:
                    raise
                self._reply_limit = "max_completion_tokens"
        raise AssertionError("the second try either returns or raises")

    def _body(self, request: Request, form: str) -> dict[str, Any]:
        sampling = request.sampling
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": each.role, "content": content(each)} for each in request.messages],
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
        """The answer's body, as JSON; None posts nothing and gets. What the SDK raised may quote the key.

        The SDK's typed methods would spend a third of the time on checking what is already checked here.
        """
        import aiohttp
        import openai

        failure: EndpointError
        try:
            client = self._opened()
            async with asyncio.timeout(self._timeout):
                if body is None:
                    text = await client.get(self.url + path, cast_to=str, options=self._options)
                else:
                    text = await client.post(self.url + path, cast_to=str, body=body, options=self._options)
            return self._decode(text)
        except EndpointError as error:
            failure = error
        except openai.APIStatusError as error:
            failure = self._status_failure(error.status_code, error.response, asked)
        except TimeoutError:
            failure = Passing("time-out", f"no whole answer within {self._timeout:g} s")
        except (openai.APIConnectionError, aiohttp.ClientError, OSError) as error:
            failure = connection_failure(error)
        except openai.OpenAIError as error:
            failure = Passing("unreadable answer", self._quoted(str(error)))
        failure.__context__ = None
        raise failure

    def _opened(self) -> Any:
        if self._client is None:
            import openai

            # Without a key, the header that would carry the SDK's placeholder is left out.
            left_out = [*_REPORTS, *([] if self._key else ["Authorization"])]
            self._options = {"headers": dict.fromkeys(left_out, openai.Omit())}
            self._client = openai.AsyncOpenAI(
                api_key=self._key.reveal() or "none",
                base_url=self.url,
                timeout=None,  # `_send` keeps the time of the whole call
                max_retries=0,
                http_client=openai.DefaultAioHttpClient(
                    verify=_certificates(self.url), trust_env=not _is_loopback(self.url)
                ),
            )
        return self._client

    def _decode(self, text: str) -> dict[str, Any]:
        if not text.strip():
            raise Passing("empty body")
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            raise Passing("body is not JSON", self._quoted(text)) from None
        if not isinstance(body, dict):
            raise Passing("body of the wrong shape", "it is JSON, but no object")
        if body.get("error"):
            raise Passing("error in the body", self._quoted(json.dumps(body["error"], ensure_ascii=False)))
        return body

    def _status_failure(self, status: int, response: Any, asked: str) -> EndpointError:
        body = self._key.redact(response.text)
        said = self._quoted(error_message(body))
        if worth_retrying(status):
            return Passing(str(status), said, retry_after(response.headers))
        message = f"asked {self.url} for {asked}: it answered {status}" + (f" ({said})" if said else "")
        remedies = {401: self._key_remedy(), 403: self._key_remedy(), 404: _NOT_FOUND}
        todo = remedies.get(
            status, "mend the model's name or the sampling in the study, or choose another model"
        )
        return Refused(status, f"{message}; {todo}", body)

    def _blind(self, model: str, told: str) -> str:
        return (
            f"asked {self.url} for a reply of {model!r} to a question with a picture: it does not take this picture "
            f"({self._quoted(error_message(told))}); choose a model that sees, or who else answers it"
        )

    def _key_remedy(self) -> str:
        if self._key.variable is None:
            return "no key was sent; name the variable that holds it as `key_env` in the settings"
        return f"the key came from ${self._key.variable}; check that it holds this endpoint's key"

    def _quoted(self, text: str) -> str:
        words = " ".join(self._key.redact(text).split())
        return words if len(words) <= 300 else words[:300] + "..."

    def _reply(self, request: Request, body: dict[str, Any]) -> Reply:
        message = message_of(body)
        text = well_formed(self._key.redact_reply(said(message, wants_json=request.schema is not None)))
        usage = body.get("usage")
        prompt, reply = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
        if prompt is None:
            prompt = int_sum(estimated_tokens(each.text) for each in request.messages)
        reported = [str(body.get("model") or request.model), str(body.get("system_fingerprint") or "")]
        return Reply(
            text=text,
            model=self._key.redact_reply(" ".join(part for part in reported if part)),
            prompt_tokens=prompt,
            reply_tokens=estimated_tokens(text) if reply is None else reply,
        )


_REPORTS = (
    *("X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch"),
    *("X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Async", "x-stainless-retry-count"),
    "x-stainless-read-timeout",
)
"""Headers by which the SDK reports its machine. No server needs them, and each costs time on both sides."""
_NOT_FOUND = (
    "check the model's name (`openiir doctor` lists the models) and that the URL ends where the API begins, "
    "which for most servers is /v1"
)


def _certificates(url: str) -> ssl.SSLContext | bool:
    """What to check servers' certificates by: the system's store, whose reading (0.1 s) plain HTTP is spared.

    An empty store trusts nobody, so a redirect from plain HTTP to HTTPS fails rather than goes unchecked.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.startswith("http://") else True


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
