"""Checks of a model endpoint for `openiir doctor`: reachability, models, speed and capabilities."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from openiir.core.errors import EndpointError
from openiir.core.llm.endpoint import Connection, Endpoint, connect
from openiir.core.llm.failures import RequestRefused
from openiir.core.llm.provider import Reply, Request, Sampling
from openiir.core.llm.shared_use import UsageStore
from openiir.core.records import Message, ProbeReport, ProbeStep

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


async def probe_endpoint(
    endpoint: Endpoint, model: str | None = None, usage: UsageStore | None = None
) -> ProbeReport:
    """Check an endpoint with a handful of short calls, two tries each; failures become steps of the report.

    `model` defaults to the first listed that is not for embeddings. Vectors are asked of a listed one whose
    name says it embeds, or else of `model`. Raises InputError where the variable that `key_env` names holds
    no key.
    """
    tried = endpoint.model_copy(update={"tries": min(2, endpoint.tries), "structured": "auto"})
    async with connect(tried, usage=usage) as connection:
        steps = [step async for step in _checks(connection, model)]
    return ProbeReport(subject=endpoint.url, steps=tuple(steps))


async def _checks(connection: Connection, model: str | None) -> AsyncIterator[ProbeStep]:
    models: list[str] = []
    try:
        models = await connection.models()
    except EndpointError as error:
        status = error.status if isinstance(error, RequestRefused) else None
        if status in (None, 401, 403):
            start = "start the server, or mend `url` in the settings (for most servers it ends in /v1)"
            yield _failed_step("answers", error, "mend the key" if status else start)
            return
    yield ProbeStep(what="answers", saw=f"{connection.pool.where} answers")
    known = bool(models) and (model is None or model in models)
    saw = f"{len(models)}: {', '.join(models)}" if models else "none"
    remedy = "" if known else f"choose a listed model, or load {model or 'one'} into the server"
    yield ProbeStep(what="models", ok=known, saw=saw, remedy=remedy, needed=False)
    model = model or first_model(models, embeds=False)
    if model is None:
        saw = "no model was named and the endpoint lists none"
        remedy = "name the study's model, or load one into the server (with Ollama: `ollama pull`)"
        yield ProbeStep(what="reply", ok=False, saw=saw, remedy=remedy)
    else:
        reply = await _check_reply(connection, model)
        yield reply
        if reply.ok:
            yield await _check_schema(connection, model)
    embedding_model = first_model(models, embeds=True) or model
    if embedding_model is not None:
        yield await _check_embeddings(connection, embedding_model)


def first_model(models: Sequence[str], embeds: bool) -> str | None:
    """Return the first model for embeddings, or the first that is not; None where there is none."""
    return next((name for name in models if ("embed" in name.lower()) == embeds), None)


def _failed_step(what: str, error: EndpointError, remedy: str, needed: bool = True) -> ProbeStep:
    return ProbeStep(what=what, ok=False, saw=str(error), remedy=remedy, needed=needed)


async def _check_reply(connection: Connection, model: str) -> ProbeStep:
    started = time.monotonic()
    try:
        reply = await _request_reply(connection, model)
    except EndpointError as error:
        return _failed_step("reply", error, "name a model that the endpoint lists")
    seconds = time.monotonic() - started
    said = f"{reply.reply_tokens} tokens from {reply.model} took {seconds:.2f} s: {reply.text.strip()[:80]!r}"
    return ProbeStep(what="reply", saw=said)


async def _check_schema(connection: Connection, model: str) -> ProbeStep:
    try:
        text = (await _request_reply(connection, model, _SCHEMA)).text
    except EndpointError as error:
        return _failed_step("schema", error, "look at the server's own log", needed=False)
    if _fits_schema(text):
        return ProbeStep(what="schema", saw=f"it kept to a JSON schema: {text.strip()[:80]}")
    remedy = (
        "nothing needs doing: replies are then read as JSON in text, with more repairs; a newer server "
        "(Ollama from 0.5, vLLM, llama.cpp) would save those"
    )
    saw = f"it did not keep to a JSON schema: {text.strip()[:80]!r}"
    return ProbeStep(what="schema", ok=False, saw=saw, remedy=remedy, needed=False)


def _fits_schema(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    fits = isinstance(value, dict) and set(value) == {"bird", "legs"}
    return fits and value["bird"] in _WORDS and type(value["legs"]) is int


async def _check_embeddings(connection: Connection, model: str) -> ProbeStep:
    try:
        vectors = await connection.embedder(model).embed(["a tide", "a tide", "a lighthouse"])
    except EndpointError as error:
        remedy = (
            "load an embeddings model (with Ollama: `ollama pull nomic-embed-text`) and name it in the "
            "study, or leave the embedded default, which needs no endpoint"
        )
        return _failed_step("embeddings", error, remedy, needed=False)
    same = abs(float((vectors[0] - vectors[1]).max())) < 1e-3
    note = "" if same else "; the same text got two vectors, which are therefore kept by content"
    return ProbeStep(what="embeddings", saw=f"{vectors.shape[1]} dimensions from {model}{note}")


async def _request_reply(connection: Connection, model: str, schema: dict[str, Any] | None = None) -> Reply:
    sampling = Sampling(temperature=None, max_tokens=512)
    messages = (Message(role="user", text="Say in one short sentence what a tide is."),)
    return await connection.complete(Request(model, messages, sampling, schema, "probe"))
