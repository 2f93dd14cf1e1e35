"""Answer requests to the stand-in server, each with the fault that it meets."""

import json
import time
from asyncio import StreamWriter
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from typing import Any

from openiir.testing.standin.answers import asked_format, complete_chat, embed_texts, request_key
from openiir.testing.standin.behaviour import Behaviour
from openiir.testing.standin.http import error_response, json_response, raw_response
from openiir.testing.standin.pictures import find_picture_error


class Counts:
    """Counts of requests and faults; read them from any thread."""

    def __init__(self) -> None:
        self.requests = 0
        self.arrivals: list[float] = []
        """Times of the requests, by `time.monotonic`."""
        self.faults: Counter[str] = Counter()
        self.at_once = 0
        self.most_at_once = 0
        self.tries: Counter[str] = Counter()
        """Number of attempts by request, counted where faults are drawn."""


class Service:
    """Request handler of the fake model endpoint, returning answers as bytes."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.counts = Counts()
        self.connections: set[StreamWriter] = set()
        """The open connections, which close with the server."""

    def answer(
        self, method: str, path: str, headers: dict[str, str], content: bytes
    ) -> tuple[str, bytes | None]:
        """Return the fault ('' for none) and the bytes to send; None where the upstream server answers."""
        path = path.partition("?")[0].rstrip("/")
        if path == "/health":
            return "", json_response(200, {"status": "ok"})
        if path == "/counts":
            seen = self.counts
            return "", json_response(
                200, {"requests": seen.requests, "faults": dict(sorted(seen.faults.items()))}
            )
        if refused := self._check_key(headers):
            return "", refused
        if method == "GET" and path.endswith("/models"):
            listed = [{"id": name, "object": "model"} for name in self.behaviour.models]
            return "", None if self.behaviour.upstream else json_response(
                200, {"object": "list", "data": listed}
            )
        if method == "POST" and path.endswith("/chat/completions"):
            return self._answer_post(content, self._chat)
        if method == "POST" and path.endswith("/embeddings") and self.behaviour.embeddings:
            return self._answer_post(content, lambda body, key: json_response(200, embed_texts(body)))
        return "", error_response(404, f"there is no {method} {path} here")

    def _check_key(self, headers: dict[str, str]) -> bytes | None:
        wanted, sent = self.behaviour.key, headers.get("authorization", "")
        if wanted is None or sent == f"Bearer {wanted}":
            return None
        return error_response(401, f"Incorrect API key provided: {sent.removeprefix('Bearer ')}")

    def _answer_post(
        self, content: bytes, reply: Callable[[dict[str, Any], str], bytes]
    ) -> tuple[str, bytes | None]:
        try:
            body = json.loads(content)
        except ValueError:
            return "", error_response(400, "the body is not JSON")
        key = request_key(body)
        fault = self._fault(key)
        self.counts.requests += 1
        self.counts.arrivals.append(time.monotonic())
        if fault:
            self.counts.faults[fault] += 1
        if fault in _FAULTS:
            return fault, _FAULTS[fault](key, self.behaviour.faults.retry_after)
        return fault, None if self.behaviour.upstream else damage_answer(fault, reply(body, key))

    def _chat(self, body: dict[str, Any], key: str) -> bytes:
        behaviour, form = self.behaviour, asked_format(body)
        if body.get("model") not in (*behaviour.models, None, "") and behaviour.models != ("standin",):
            return error_response(404, f"model '{body.get('model')}' not found")
        if form != "text" and (
            behaviour.schemas == "refused" or (behaviour.schemas == "json_object" and form != "json_object")
        ):
            return error_response(400, f"response_format of type {form} is not supported")
        if behaviour.thinking == "hidden" and "max_tokens" in body:
            return error_response(400, "max_tokens is not supported here; use max_completion_tokens instead")
        if wrong := find_picture_error(body, behaviour.sees):
            return error_response(400 if behaviour.sees else 500, wrong)
        return json_response(200, complete_chat(body, behaviour, key))

    def _fault(self, key: str) -> str:
        faults = self.behaviour.faults
        if faults.share <= 0.0:
            return ""
        self.counts.tries[key] += 1
        number = self.counts.tries[key]
        choices = Random(f"{key}/{number}")
        if number > faults.most or choices.random() >= faults.share:
            return ""
        return choices.choice(faults.kinds)


_FAULTS: dict[str, Callable[[str, float], bytes]] = {
    "429": lambda key, after: error_response(429, "slow down"),
    "429-after": lambda key, after: error_response(429, "slow down", f"Retry-After: {after:g}\r\n"),
    "429-date": lambda key, after: error_response(429, "slow down", f"Retry-After: {_date_in(after)}\r\n"),
    "500": lambda key, after: error_response(500, "something broke"),
    "503": lambda key, after: error_response(503, "something broke"),
    "garbage": lambda key, after: raw_response(200, b"<html>\xff\xfe it works! </html>" + key.encode()),
    "wrong-shape": lambda key, after: json_response(
        200, {"object": "chat.completion", "outcome": "fine", "choices": []}
    ),
    "empty": lambda key, after: raw_response(200, b""),
    "dropped": lambda key, after: b"",
}
"""Functions that write the answer of a fault, from the request's key and the seconds for `Retry-After`."""


def _date_in(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def damage_answer(fault: str, answer: bytes) -> bytes:
    """Damage an answer as its fault says; answers with other faults or none stay unchanged."""
    head, _, content = answer.partition(b"\r\n\r\n")
    match fault:
        case "truncated":
            return raw_response(200, content[: len(content) // 2])
        case "cut-short":
            return head + b"\r\n\r\n" + content[: len(content) // 2]
    return answer
