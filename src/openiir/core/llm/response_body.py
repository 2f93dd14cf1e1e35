"""Parsing of response bodies from OpenAI-compatible servers: text, reasoning, token counts, vectors."""

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from openiir.core.llm.failures import TransientFailure
from openiir.core.sums import int_sum

_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_MISTRAL_THOUGHT = re.compile(r"\A\s*\[THINK\](.*?)(?:\[/THINK\]|\Z)", re.DOTALL)
_LONGEST_REASON = 40
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_THOUGHT_END = re.compile(r"\A((?:(?!<think).)*?)</think(?:ing)?>", re.DOTALL)
_THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message with its reasoning, as vLLM, llama.cpp, DeepSeek and Ollama name them."""
_KEPT = re.compile(r"\A<think>(.*?)</think>\n", re.DOTALL)


def estimated_tokens(text: str) -> int:
    """Estimate the number of tokens in a text: words times 4/3, rounded up."""
    return tokens_for_words(len(text.split()))


def tokens_for_words(words: int) -> int:
    """Estimate the number of tokens for a number of words."""
    return -(-4 * words // 3)


def well_formed(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def text_and_reasoning(message: dict[str, Any]) -> tuple[str, str]:
    """Split a message into the reply's text and the model's reasoning.

    Reasoning is a field beside the text, or parts of it of type `thinking` or `reasoning`, and within it one
    leading `<think>...</think>` (unclosed when the reply was cut), or what stands before a `</think>` whose
    opening the chat template ate. A refusal is the text.
    """
    content = message.get("content")
    thoughts = [str(next(filter(None, map(message.get, _THOUGHT_FIELDS)), "")).strip()]
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        thoughts += [_words_of(part).strip() for part in parts if _is_thought(part)]
        content = "".join(_words_of(part) for part in parts if not _is_thought(part))
    text = str(content or "")
    for mark, pattern in (("<th", _THOUGHT), ("[THINK]", _MISTRAL_THOUGHT), ("</think", _THOUGHT_END)):
        if mark in text and (found := pattern.match(text)):
            thoughts.append(found[found.re.groups].strip())
            text = text[found.end() :].lstrip()
    return text if text.strip() else str(message.get("refusal") or ""), "\n".join(filter(None, thoughts))


def _is_thought(part: dict[str, Any]) -> bool:
    """Whether a part of a message's content is reasoning, as Anthropic, Mistral and gateways send it."""
    return any(word in str(part.get("type", "")) for word in ("thinking", "reasoning"))


def _words_of(part: dict[str, Any]) -> str:
    words = part.get("thinking") or part.get("text") or ""
    if isinstance(words, list):
        return "".join(_words_of(one) for one in words if isinstance(one, dict))
    return str(words)


def with_reasoning(text: str, reasoning: str) -> str:
    """Format a reply for the ledger, with its reasoning first as `<think>...</think>`."""
    return f"<think>{reasoning.replace('</think>', '')}</think>\n{text}" if reasoning else text


def without_reasoning(kept: str) -> str:
    """Return a reply's text without the reasoning added by `with_reasoning`."""
    return split_reasoning(kept)[1]


def split_reasoning(kept: str) -> tuple[str, str]:
    """Split a reply of the ledger into reasoning (empty without any) and text."""
    found = _KEPT.match(kept)
    return (found[1], kept[found.end() :]) if found else ("", kept)


def error_message(body: str) -> str:
    """Extract the message from an error in OpenAI's format, or return the body unchanged."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return body
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else body


def first_message(body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the first choice's message and why it ended; raises TransientFailure if there is none."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    first = first if isinstance(first, dict) else {}
    message = first.get("message")
    if not isinstance(message, dict):
        raise TransientFailure("body of the wrong shape", "it has no choices[0].message")
    return message, str(first.get("finish_reason") or "")[:_LONGEST_REASON]


class TokenUsage(NamedTuple):
    """Tokens of one call, as counted by the endpoint or estimated."""

    prompt: int
    reply: int
    """Tokens of reasoning and text together."""
    cached: int
    """Prompt tokens from the endpoint's cache."""
    reasoning: int


def token_usage(body: dict[str, Any], sent: Iterable[str], reasoning: str, text: str) -> TokenUsage:
    """Read a response's token counts; those of the texts `sent` and received are estimated where missing.

    Reasoning that an endpoint leaves out of `completion_tokens` is told by `total_tokens`, and is added.
    """
    usage = body.get("usage")
    prompt, reply = usage_count(usage, "prompt_tokens"), usage_count(usage, "completion_tokens")
    thought = usage_count(usage, "completion_tokens_details", "reasoning_tokens")
    if prompt is not None and reply is not None:
        hidden = (usage_count(usage, "total_tokens") or 0) - prompt - reply
        if hidden > 0:
            reply, thought = reply + hidden, max(thought or 0, hidden)
    if prompt is None:
        prompt = int_sum(map(estimated_tokens, sent))
    if reply is None:
        reply = estimated_tokens(f"{reasoning} {text}")
    if thought is None and reasoning:
        own = estimated_tokens(reasoning)
        thought = reply * own // (own + estimated_tokens(text))
    cached = (
        usage_count(usage, "prompt_tokens_details", "cached_tokens")
        or usage_count(usage, "prompt_cache_hit_tokens")  # DeepSeek
        or ("timings" in body and usage_count(body, "timings", "cache_n"))  # llama.cpp
        or 0
    )
    return TokenUsage(prompt, reply, min(cached, prompt), min(thought or 0, reply))


def usage_count(usage: Any, *keys: str) -> int | None:
    """Read a token count at these nested keys; None if it is missing, invalid or too large to sum."""
    value = usage
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if type(value) is int and 0 <= value < 2**31 else None


def context_length(entry: dict[str, Any]) -> int | None:
    """Read a model's context length from its entry in a server's list; None where there is none.

    The names are those of vLLM, of LM Studio and OpenRouter, and of llama.cpp.
    """
    meta = entry.get("meta")
    told = {**(meta if isinstance(meta, dict) else {}), **entry}
    keys = ("max_model_len", "loaded_context_length", "context_length", "n_ctx", "n_ctx_train")
    return next((told[key] for key in keys if type(told.get(key)) is int), None)


def embedding_vectors(body: dict[str, Any], expected: int) -> list[list[float]]:
    """Return the embeddings in the order of `index`; raises TransientFailure unless `expected` many.

    They must be finite and of one length.
    """
    data = body.get("data")
    if not isinstance(data, list) or len(data) != expected or not all(isinstance(e, dict) for e in data):
        raise TransientFailure("body of the wrong shape", f"it does not hold {expected} embeddings")
    ordered = sorted(data, key=lambda e: e["index"] if isinstance(e.get("index"), int) else 0)
    rows = [e.get("embedding") for e in ordered]
    width = len(rows[0]) if rows and isinstance(rows[0], list) else 0
    if not width or not all(_is_vector(row, width) for row in rows):
        raise TransientFailure(
            "body of the wrong shape", "its embeddings are not finite vectors of one length"
        )
    return rows  # type: ignore[return-value]


def _is_vector(row: Any, width: int) -> bool:
    return (
        isinstance(row, list)
        and len(row) == width
        and all(isinstance(x, (int, float)) and math.isfinite(x) for x in row)
    )
