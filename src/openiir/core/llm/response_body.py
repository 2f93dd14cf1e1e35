"""Parsing of response bodies from OpenAI-compatible servers: text, reasoning, token counts, vectors."""

import json
import math
import re
from typing import Any

from openiir.core.llm.failures import TransientFailure

_THOUGHT = re.compile(r"\A\s*<(think|thinking)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_THOUGHT_END = re.compile(r"\A((?:(?!<think).)*?)</think(?:ing)?>", re.DOTALL)
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

    Reasoning is `reasoning_content` or `reasoning` beside the text, and within it one leading
    `<think>...</think>` (unclosed when the reply was cut), or what stands before a `</think>` whose opening
    the chat template ate. A refusal is the text.
    """
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    text = str(content or "")
    thoughts = [str(message.get("reasoning_content") or message.get("reasoning") or "").strip()]
    for mark, pattern in (("<think", _THOUGHT), ("</think", _THOUGHT_END)):
        if mark in text and (found := pattern.match(text)):
            thoughts.append(found[found.re.groups].strip())
            text = text[found.end() :].lstrip()
    return text if text.strip() else str(message.get("refusal") or ""), "\n".join(filter(None, thoughts))


def with_reasoning(text: str, reasoning: str) -> str:
    """Format a reply for the ledger, with its reasoning first as `<think>...</think>`."""
    return f"<think>{reasoning.replace('</think>', '')}</think>\n{text}" if reasoning else text


def without_reasoning(kept: str) -> str:
    """Return a reply's text without the reasoning added by `with_reasoning`."""
    return _KEPT.sub("", kept, count=1)


def error_message(body: str) -> str:
    """Extract the message from an error in OpenAI's format, or return the body unchanged."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return body
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else body


def first_message(body: dict[str, Any]) -> dict[str, Any]:
    """Return the first choice's message; raises TransientFailure if there is none."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise TransientFailure("body of the wrong shape", "it has no choices[0].message")
    return message


def usage_count(usage: Any, key: str) -> int | None:
    """Read a token count from the body's `usage`; None if it is missing, invalid or too large to sum."""
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value < 2**31 else None


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
