"""Checks of a model endpoint for `openiir doctor`: reachability, models, speed and capabilities."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from openiir.core.errors import EndpointError
from openiir.core.llm.endpoint import Connection, Endpoint, connect
from openiir.core.llm.failures import RequestRefused
from openiir.core.llm.provider import Reply, Request, Sampling
from openiir.core.records import Message, ProbeStep, Record

_WORDS = ("heron", "lapwing", "dunlin", "whimbrel")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "bird": {"type": "string", "enum": list(_WORDS)},
        "legs": {"type": "integer", "minimum": 1, "maximum": 9},
    },
    "required": ["bird", "legs"],
    "additionalProperties": False,
}
"""Schema about birds for a prompt about tides, so that a matching reply shows that the server enforces it."""


class EndpointReport(Record):
    """Results of all checks of a model endpoint."""

    url: str
    model: str | None
    """Name of the model tried: the one requested, or the first listed that is not for embeddings."""
    models: tuple[str, ...]
    findings: tuple[ProbeStep, ...]
    seconds: float | None
    """Seconds taken by a short reply; None if there was none."""

    @property
    def usable(self) -> bool:
        """Whether a study can run on the endpoint: it gave a reply (schemas and embeddings are optional)."""
        return any(finding.what == "reply" and finding.ok for finding in self.findings)


async def probe(
    endpoint: Endpoint, model: str | None = None, embedding_model: str | None = None
) -> EndpointReport:
    """Check an endpoint with a handful of short calls, two tries each; failures become findings.

    `embedding_model` defaults to a listed model whose name says it embeds, or else to `model`. Raises
    InputError where the variable that `key_env` names holds no key; whatever the endpoint does is a finding.
    """
    findings: list[ProbeStep] = []
    times: list[float] = []
    async with connect(endpoint.model_copy(update={"tries": min(2, endpoint.tries)})) as connection:
        models = await _list_models(connection, model, findings)
        chosen = model or _first_model(models or (), embeds=False)
        if models is not None:
            found = _check_capabilities(connection, chosen, embedding_model, models, times)
            findings += [finding async for finding in found]
    return EndpointReport(
        url=endpoint.url,
        model=chosen,
        models=tuple(models or ()),
        findings=tuple(findings),
        seconds=times[0] if times else None,
    )


async def _check_capabilities(
    connection: Connection, model: str | None, to_embed: str | None, models: Sequence[str], times: list[float]
) -> AsyncIterator[ProbeStep]:
    """Check reply, schema and embeddings; appends the seconds taken by the reply to `times`."""
    if model is None:
        yield ProbeStep(
            what="reply",
            ok=False,
            saw="no model was named and the endpoint lists none",
            remedy="name the study's model, or load one into the server (with Ollama: `ollama pull`)",
        )
    else:
        reply = await _check_reply(connection, model, times)
        yield reply
        if reply.ok:
            yield await _check_schema(connection, model)
    to_embed = to_embed or _first_model(models, embeds=True) or model
    if to_embed is not None:
        yield await _check_embeddings(connection, to_embed)


def _first_model(models: Sequence[str], embeds: bool) -> str | None:
    return next((name for name in models if ("embed" in name.lower()) == embeds), None)


def _failed_step(what: str, error: EndpointError, remedy: str) -> ProbeStep:
    return ProbeStep(what=what, ok=False, saw=str(error), remedy=remedy)


async def _list_models(
    connection: Connection, model: str | None, findings: list[ProbeStep]
) -> list[str] | None:
    """List the models; [] if the endpoint has no list, None if further checks are pointless."""
    try:
        models = await connection.models()
    except EndpointError as error:
        status = error.status if isinstance(error, RequestRefused) else None
        if status in (None, 401, 403):
            start = "start the server, or mend `url` in the settings (for most servers it ends in /v1)"
            findings.append(_failed_step("answers", error, "mend the key" if status else start))
            return None
        models = []
    findings.append(ProbeStep(what="answers", ok=True, saw=f"{connection.where} answers"))
    known = bool(models) and (model is None or model in models)
    shown = ", ".join(models[:20]) + (f" and {len(models) - 20} more" if len(models) > 20 else "")
    findings.append(
        ProbeStep(
            what="models",
            ok=known,
            saw=f"{len(models)}: {shown}" if models else "none",
            remedy="" if known else f"choose a listed model, or load {model or 'one'} into the server",
        )
    )
    return models


async def _check_reply(connection: Connection, model: str, times: list[float]) -> ProbeStep:
    started = time.monotonic()
    try:
        reply = await _request_reply(connection, model)
    except EndpointError as error:
        return _failed_step("reply", error, "name a model that the endpoint lists")
    seconds = time.monotonic() - started
    times.append(seconds)
    return ProbeStep(
        what="reply",
        ok=True,
        saw=f"{reply.reply_tokens} tokens from {reply.model} in {seconds:.2f} s: {reply.text.strip()[:80]!r}",
    )


async def _check_schema(connection: Connection, model: str) -> ProbeStep:
    try:
        text = (await _request_reply(connection, model, _SCHEMA)).text
    except EndpointError as error:
        return _failed_step("schema", error, "look at the server's own log")
    if _fits_schema(text):
        return ProbeStep(what="schema", ok=True, saw=f"it kept to a JSON schema: {text.strip()[:80]}")
    return ProbeStep(
        what="schema",
        ok=False,
        saw=f"it did not keep to a JSON schema: {text.strip()[:80]!r}",
        remedy="nothing needs doing: replies are then read as JSON in text, with more repairs; a newer server "
        "(Ollama from 0.5, vLLM, llama.cpp) would save those",
    )


def _fits_schema(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    if not isinstance(value, dict) or set(value) != {"bird", "legs"}:
        return False
    legs = value["legs"]
    return value["bird"] in _WORDS and isinstance(legs, int) and not isinstance(legs, bool)


async def _check_embeddings(connection: Connection, model: str) -> ProbeStep:
    try:
        vectors = await connection.embedder(model).embed(["a tide", "a tide", "a lighthouse"])
    except EndpointError as error:
        remedy = "load an embeddings model (with Ollama: `ollama pull nomic-embed-text`) and name it in the study, "
        return _failed_step(
            "embeddings", error, f"{remedy}or leave the embedded default, which needs no endpoint"
        )
    same = abs(float((vectors[0] - vectors[1]).max())) < 1e-3
    note = "" if same else "; the same text got two vectors, which are therefore kept by content"
    return ProbeStep(what="embeddings", ok=True, saw=f"{vectors.shape[1]} dimensions from {model}{note}")


async def _request_reply(connection: Connection, model: str, schema: dict[str, Any] | None = None) -> Reply:
    sampling = Sampling(temperature=None, max_tokens=512)
    messages = (Message(role="user", text="Say in one short sentence what a tide is."),)
    return await connection.complete(Request(model, messages, sampling, schema, "probe"))
