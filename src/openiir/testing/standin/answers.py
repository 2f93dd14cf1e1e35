"""Write the stand-in's replies, each a function of the request's content only."""

import hashlib
import json
import math
from functools import lru_cache
from random import Random
from typing import Any

from openiir.core.sums import int_sum
from openiir.testing.standin.behaviour import Behaviour
from openiir.testing.standin.instances import SchemaInstances, schema_in
from openiir.testing.standin.pictures import message_text
from openiir.testing.standin.thoughts import reply_limit, write_message
from openiir.testing.standin.words import PromptWords

Body = dict[str, Any]
DIMENSIONS = 32
"""Number of dimensions of an embedding."""


def request_key(body: Body) -> str:
    """Hash what identifies a request: model, messages or input, and sampling parameters."""
    parts = [body.get(part) for part in ("model", "messages", "input", "temperature", "top_p", "seed")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def complete_chat(body: Body, behaviour: Behaviour, key: str) -> Body:
    """Write the fake model's chat completion for a request."""
    messages = body.get("messages") or []
    prompt = "\n".join(message_text(message.get("content", "")) for message in messages)
    text, thought = _write_reply(body, prompt, behaviour, Random(key))
    thinks = (behaviour.thoughts or estimate_tokens(thought)) if thought else 0
    if cut := thinks >= reply_limit(body):
        text, thinks = "", reply_limit(body)
    asked, replied = estimate_tokens(prompt), thinks + estimate_tokens(text)
    details: Body = {"prompt_tokens_details": {"cached_tokens": int(asked * behaviour.cached)}}
    if behaviour.thinking in ("hidden", "parts"):
        details["completion_tokens_details"] = {"reasoning_tokens": thinks}
    return {
        "id": f"chatcmpl-{key[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "standin"),
        "system_fingerprint": "fp_standin",
        "choices": [
            {
                "index": 0,
                "message": write_message(behaviour.thinking, text, thought, cut),
                "finish_reason": "length" if cut else "stop",
            }
        ],
        "usage": {"prompt_tokens": asked, "completion_tokens": replied, "total_tokens": asked + replied}
        | details,
    }


def estimate_tokens(text: str) -> int:
    """Count tokens as words times 4/3, rounded up."""
    return math.ceil(len(text.split()) * 4 / 3)


def asked_format(body: Body) -> str:
    """Return the `type` of the request's `response_format`, or `text`."""
    asked = body.get("response_format")
    return str(asked.get("type", "text")) if isinstance(asked, dict) else "text"


def _write_reply(body: Body, prompt: str, behaviour: Behaviour, choices: Random) -> tuple[str, str]:
    """Write a reply, and the reasoning before it."""
    words = PromptWords(prompt)
    schema, constrained = _schema(body, prompt, behaviour)
    if schema is None:
        text = words.text(choices)
    elif choices.random() < behaviour.malformed:
        text = _write_malformed(choices.choice(behaviour.malformed_kinds), schema, choices, words)
    else:
        text = json.dumps(SchemaInstances(schema, choices, words).write(), ensure_ascii=False)
        if not constrained and choices.randrange(2):
            text = f"Here is my answer:\n```json\n{text}\n```"
    return text, words.sentence(choices) if behaviour.thinking else ""


def _schema(body: Body, prompt: str, behaviour: Behaviour) -> tuple[Body | None, bool]:
    """Return the reply's schema (None for plain text), and whether the request's format asks for JSON."""
    if behaviour.schemas == "honoured" and asked_format(body) == "json_schema":
        return body["response_format"]["json_schema"]["schema"], True
    return schema_in(prompt), asked_format(body) == "json_object"


def _write_malformed(kind: str, schema: Body, choices: Random, words: PromptWords) -> str:
    if kind == "words":
        return words.text(choices)
    if kind == "wrong-shape":
        return json.dumps({"unasked": words.sentence(choices), "answer": [choices.randrange(100)]})
    whole = json.dumps(SchemaInstances(schema, choices, words).write(), ensure_ascii=False)
    return whole[: len(whole) // 2]


def embed_texts(body: Body) -> Body:
    """Embed each text as a unit vector, the sum of its words' directions, so like texts are near."""
    given = body.get("input") or []
    texts = [given] if isinstance(given, str) else given
    vectors = [_vector(str(text)) for text in texts]
    used = int_sum(estimate_tokens(str(text)) for text in texts)
    return {
        "object": "list",
        "model": body.get("model", "standin"),
        "data": [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def _vector(text: str) -> list[float]:
    total = [0.0] * DIMENSIONS
    for word in text.lower().split() or [""]:
        total = [a + b for a, b in zip(total, _direction(word), strict=True)]
    length = math.sqrt(math.fsum(x * x for x in total)) or 1.0
    return [round(x / length, 6) for x in total]


@lru_cache(maxsize=16_384)
def _direction(word: str) -> tuple[float, ...]:
    return tuple(byte / 127.5 - 1.0 for byte in hashlib.shake_256(word.encode()).digest(DIMENSIONS))
