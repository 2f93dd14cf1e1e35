"""What the stand-in says: a function of the request's content and of nothing else."""

import hashlib
import json
import math
from functools import lru_cache
from typing import Any

from openiir.core.sums import int_sum
from openiir.testing.standin.behaviour import Behaviour
from openiir.testing.standin.choices import Choices
from openiir.testing.standin.instances import Instances, schema_in
from openiir.testing.standin.pictures import text_of
from openiir.testing.standin.words import Words

Body = dict[str, Any]


def request_key(body: Body) -> str:
    """A request's identity: model, messages or input, and sampling; not how it asks for a schema."""
    parts = [body.get(part) for part in ("model", "messages", "input", "temperature", "top_p", "seed")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def chat(body: Body, behaviour: Behaviour, key: str) -> Body:
    """A chat completion."""
    messages = body.get("messages") or []
    prompt = "\n".join(text_of(message.get("content", "")) for message in messages)
    text = _said(body, prompt, behaviour, Choices(key))
    answer: Body = {
        "id": f"chatcmpl-{key[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "standin"),
        "system_fingerprint": "fp_standin",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
    }
    if behaviour.usage:
        asked, replied = tokens(prompt), tokens(text)
        answer["usage"] = {
            "prompt_tokens": asked,
            "completion_tokens": replied,
            "total_tokens": asked + replied,
        }
    return answer


def tokens(text: str) -> int:
    """Words times 4/3, rounded up."""
    return math.ceil(len(text.split()) * 4 / 3)


def asked_format(body: Body) -> str:
    """The `type` of the request's `response_format`, or `text`."""
    asked = body.get("response_format")
    return str(asked.get("type", "text")) if isinstance(asked, dict) else "text"


def _said(body: Body, prompt: str, behaviour: Behaviour, choices: Choices) -> str:
    words = Words(prompt)
    schema, constrained = _schema(body, prompt, behaviour)
    if schema is None:
        text = words.text(choices)
    elif choices.uniform() < behaviour.malformed:
        text = _malformed(choices.one_of(behaviour.malformed_kinds), schema, choices, words)
    else:
        text = json.dumps(Instances(schema, choices, words).write(), ensure_ascii=False)
        if not constrained and choices.below(2):
            text = f"Here is my answer:\n```json\n{text}\n```"
    return f"<think>{words.sentence(choices)}</think>\n{text}" if behaviour.thinking else text


def _schema(body: Body, prompt: str, behaviour: Behaviour) -> tuple[Body | None, bool]:
    """The schema that binds the reply, and whether the wire rather than the prompt brought it."""
    if behaviour.schemas == "honoured" and asked_format(body) == "json_schema":
        return body["response_format"]["json_schema"]["schema"], True
    return schema_in(prompt), asked_format(body) == "json_object"


def _malformed(kind: str, schema: Body, choices: Choices, words: Words) -> str:
    if kind == "words":
        return words.text(choices)
    if kind == "wrong-shape":
        return json.dumps({"unasked": words.sentence(choices), "answer": [choices.below(100)]})
    whole = json.dumps(Instances(schema, choices, words).write(), ensure_ascii=False)
    return whole[: len(whole) // 2]


def embeddings(body: Body, behaviour: Behaviour) -> Body:
    """One unit vector a text: the sum of a direction per word, so that texts with common words are near."""
    given = body.get("input") or []
    texts = [given] if isinstance(given, str) else given
    vectors = [_vector(str(text), behaviour.dimensions) for text in texts]
    used = int_sum(tokens(str(text)) for text in texts)
    return {
        "object": "list",
        "model": body.get("model", "standin"),
        "data": [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }


def _vector(text: str, dimensions: int) -> list[float]:
    total = [0.0] * dimensions
    for word in text.lower().split() or [""]:
        total = [a + b for a, b in zip(total, _direction(word, dimensions), strict=True)]
    length = math.sqrt(math.fsum(x * x for x in total)) or 1.0
    return [round(x / length, 6) for x in total]


@lru_cache(maxsize=16_384)
def _direction(word: str, dimensions: int) -> tuple[float, ...]:
    return tuple(byte / 127.5 - 1.0 for byte in hashlib.shake_256(word.encode()).digest(dimensions))
