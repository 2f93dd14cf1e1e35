"""What an answer's body says, read tolerantly: servers differ in more than their documentation admits."""

import json
import math
import re
from typing import Any

from openiir.core.llm.failures import Passing

_THOUGHT = re.compile(r"\A\s*<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL)
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_THOUGHT_END = re.compile(r"\A(?:(?!<think).)*?</think(?:ing)?>", re.DOTALL)


def estimated_tokens(text: str) -> int:
    """Tokens of a text where nobody counted them: words times 4/3, rounded up."""
    return tokens_of(len(text.split()))


def tokens_of(words: int) -> int:
    """Tokens of so many words."""
    return -(-4 * words // 3)


def well_formed(text: str) -> str:
    """The text with lone surrogates, which neither the wire nor a file can hold, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def said(message: dict[str, Any], wants_json: bool) -> str:
    """A message's text without the thinking that some models put before it.

    Dropped are `reasoning_content` and `reasoning` beside the text, and within it one leading
    `<think>...</think>` (unclosed when the reply was cut), or what stands before a `</think>` whose opening the
    chat template ate. Where the text is empty and JSON was asked for, the reasoning is returned: some servers
    with a reasoning parser put a schema-bound answer there, and what is not that answer will not pass its
    schema. A refusal is returned as the text it is.
    """
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    text = str(content or "")
    if "<think" in text:
        text = _THOUGHT.sub("", text, count=1).lstrip()
    if "</think" in text:
        text = _THOUGHT_END.sub("", text, count=1).lstrip()
    if not text.strip() and wants_json:
        text = str(message.get("reasoning_content") or message.get("reasoning") or "")
    return text if text.strip() else str(message.get("refusal") or "")


def error_message(body: str) -> str:
    """The message within an error in OpenAI's form, or the body as it is."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return body
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else body


def message_of(body: dict[str, Any]) -> dict[str, Any]:
    """The first choice's message; raises Passing where there is none."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise Passing("body of the wrong shape", "it has no choices[0].message")
    return message


def count(usage: Any, key: str) -> int | None:
    """A count out of the body's `usage`; None where it is missing or no count."""
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value >= 0 else None


def vectors_of(body: dict[str, Any], expected: int) -> list[list[float]]:
    """The embeddings in the order of their `index`; raises Passing unless they are as many as expected.

    They must be finite and of one length.
    """
    data = body.get("data")
    if not isinstance(data, list) or len(data) != expected or not all(isinstance(e, dict) for e in data):
        raise Passing("body of the wrong shape", f"it does not hold {expected} embeddings")
    rows = [e.get("embedding") for e in sorted(data, key=_index)]
    width = len(rows[0]) if rows and isinstance(rows[0], list) else 0
    if not width or not all(_is_vector(row, width) for row in rows):
        raise Passing("body of the wrong shape", "its embeddings are not finite vectors of one length")
    return rows  # type: ignore[return-value]


def _index(entry: dict[str, Any]) -> int:
    index = entry.get("index")
    return index if isinstance(index, int) else 0


def _is_vector(row: Any, width: int) -> bool:
    return (
        isinstance(row, list)
        and len(row) == width
        and all(isinstance(x, (int, float)) and math.isfinite(x) for x in row)
    )
