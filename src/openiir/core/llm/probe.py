"""Check a model endpoint for `openiir doctor`: whether it answers, with which models, how fast, and what it can do."""

import json
import time
from collections.abc import Sequence
from typing import Any

from openiir.core.errors import EndpointError
from openiir.core.llm.endpoint import Connection, Endpoint, connect
from openiir.core.llm.failures import RequestRefused
from openiir.core.llm.provider import Reply, Request, Sampling
from openiir.core.records import Message, Record

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
"""The prompt beside it mentions no bird and no JSON, so a reply that fits was held to the schema by the server."""


class EndpointFinding(Record):
    """Result of one check of an endpoint."""

    name: str
    """`answers`, `models`, `reply`, `schema` or `embeddings`."""
    ok: bool
    seen: str
    remedy: str = ""
    """What to do where it is not ok; empty where it is."""


class EndpointReport(Record):
    """Results of all checks of an endpoint."""

    url: str
    model: str | None
    """The model that was tried: the one asked for, or the first listed that is not for embeddings."""
    models: tuple[str, ...]
    findings: tuple[EndpointFinding, ...]
    seconds: float | None
    """Seconds that a short reply took; None where none came."""

    @property
    def usable(self) -> bool:
        """Whether a study can run on it: it gave a reply (schema and embeddings can be done without)."""
        return any(finding.name == "reply" and finding.ok for finding in self.findings)


async def probe(
    endpoint: Endpoint, model: str | None = None, embedding_model: str | None = None
) -> EndpointReport:
    """Check an endpoint with a handful of short calls, two tries each.

    `embedding_model` defaults to a listed model whose name says it embeds, or else to `model`. Raises
    InputError where the variable that `key_env` names holds no key; whatever the endpoint does is a finding.
    """
    findings: list[EndpointFinding] = []
    seconds = None
    async with connect(endpoint.model_copy(update={"tries": min(2, endpoint.tries)})) as connection:
        models = await _list(connection, model, findings)
        chosen = model or _first(models or (), embeds=False)
        if models is not None:
            seconds = await _capabilities(connection, chosen, embedding_model, models, findings)
    return EndpointReport(
        url=endpoint.url, model=chosen, models=tuple(models or ()), findings=tuple(findings), seconds=seconds
    )


async def _capabilities(
    connection: Connection,
    model: str | None,
    to_embed: str | None,
    models: Sequence[str],
    findings: list[EndpointFinding],
) -> float | None:
    seconds = None
    if model is None:
        findings.append(_nothing_to_try())
    else:
        seconds = await _reply(connection, model, findings)
    if model is not None and seconds is not None:
        findings.append(await _schema(connection, model))
    to_embed = to_embed or _first(models, embeds=True) or model
    if to_embed is not None:
        findings.append(await _embeddings(connection, to_embed))
    return seconds


def _first(models: Sequence[str], embeds: bool) -> str | None:
    return next((name for name in models if ("embed" in name.lower()) == embeds), None)


def _nothing_to_try() -> EndpointFinding:
    return EndpointFinding(
        name="reply",
        ok=False,
        seen="no model was named and the endpoint lists none",
        remedy="name the study's model, or load one into the server (with Ollama: `ollama pull`)",
    )


async def _list(
    connection: Connection, model: str | None, findings: list[EndpointFinding]
) -> list[str] | None:
    """List the models; [] where the endpoint has no list, None where further checks are pointless."""
    try:
        models = await connection.models()
    except RequestRefused as error:
        if error.status in (401, 403):
            findings.append(EndpointFinding(name="answers", ok=False, seen=str(error), remedy="mend the key"))
            return None
        models = []
    except EndpointError as error:
        remedy = "start the server, or mend `url` in the settings (for most servers it ends in /v1)"
        findings.append(EndpointFinding(name="answers", ok=False, seen=str(error), remedy=remedy))
        return None
    findings.append(EndpointFinding(name="answers", ok=True, seen=f"{connection.where} answers"))
    known = model is None or model in models
    shown = ", ".join(models[:20]) + (f" and {len(models) - 20} more" if len(models) > 20 else "")
    findings.append(
        EndpointFinding(
            name="models",
            ok=bool(models) and known,
            seen=f"{len(models)}: {shown}" if models else "none",
            remedy=""
            if models and known
            else f"choose a listed model, or load {model or 'one'} into the server",
        )
    )
    return models


async def _reply(connection: Connection, model: str, findings: list[EndpointFinding]) -> float | None:
    started = time.monotonic()
    try:
        reply = await _ask(connection, model, "Say in one short sentence what a tide is.")
    except EndpointError as error:
        findings.append(
            EndpointFinding(
                name="reply", ok=False, seen=str(error), remedy="name a model that the endpoint lists"
            )
        )
        return None
    seconds = time.monotonic() - started
    findings.append(
        EndpointFinding(
            name="reply",
            ok=True,
            seen=f"{reply.reply_tokens} tokens from {reply.model} in {seconds:.2f} s: {reply.text.strip()[:80]!r}",
        )
    )
    return seconds


async def _schema(connection: Connection, model: str) -> EndpointFinding:
    try:
        reply = await _ask(connection, model, "Say in one short sentence what a tide is.", _SCHEMA)
    except EndpointError as error:
        return EndpointFinding(
            name="schema", ok=False, seen=str(error), remedy="look at the server's own log"
        )
    if _fits(reply.text):
        return EndpointFinding(
            name="schema", ok=True, seen=f"it kept to a JSON schema: {reply.text.strip()[:80]}"
        )
    return EndpointFinding(
        name="schema",
        ok=False,
        seen=f"it did not keep to a JSON schema: {reply.text.strip()[:80]!r}",
        remedy="nothing needs doing: replies are then read as JSON in text, with more repairs; a newer server "
        "(Ollama from 0.5, vLLM, llama.cpp) would save those",
    )


def _fits(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    if not isinstance(value, dict) or set(value) != {"bird", "legs"}:
        return False
    legs = value["legs"]
    return value["bird"] in _WORDS and isinstance(legs, int) and not isinstance(legs, bool)


async def _embeddings(connection: Connection, model: str) -> EndpointFinding:
    try:
        vectors = await connection.embedder(model).embed(["a tide", "a tide", "a lighthouse"])
    except EndpointError as error:
        return EndpointFinding(
            name="embeddings",
            ok=False,
            seen=str(error),
            remedy="load an embeddings model (with Ollama: `ollama pull nomic-embed-text`) and name it in the "
            "study, or leave the embedded default, which needs no endpoint",
        )
    same = abs(float((vectors[0] - vectors[1]).max())) < 1e-3
    note = "" if same else "; the same text got two vectors, which are therefore kept by content"
    return EndpointFinding(
        name="embeddings", ok=True, seen=f"{vectors.shape[1]} dimensions from {model}{note}"
    )


async def _ask(connection: Connection, model: str, words: str, schema: dict[str, Any] | None = None) -> Reply:
    sampling = Sampling(temperature=None, max_tokens=512)
    messages = (Message(role="user", text=words),)
    return await connection.complete(Request(model, messages, sampling, schema, "probe"))
