"""Answer requests, with the fault that each one meets."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from openiir.testing.standin.answers import asked_format, chat, embeddings, request_key
from openiir.testing.standin.behaviour import Behaviour
from openiir.testing.standin.choices import Choices
from openiir.testing.standin.http import problem, raw, response
from openiir.testing.standin.pictures import find_picture_error


class Counts:
    """Counts of requests and faults; read them from any thread."""

    def __init__(self) -> None:
        self.requests = 0
        self.faults: Counter[str] = Counter()
        self.at_once = 0
        self.most_at_once = 0
        self.tries: Counter[str] = Counter()
        """Attempts by request, where faults are drawn."""


class Service:
    """Answers requests as bytes."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.counts = Counts()
        self.connections: dict[Any, None] = {}
        """The open connections, which close with the server."""

    def answer(
        self, method: str, path: str, headers: dict[str, str], content: bytes
    ) -> tuple[str, bytes | None]:
        """The fault met ('' for none) and the bytes to send; None where the upstream server answers."""
        path = path.partition("?")[0].rstrip("/")
        if path == "/health":
            return "", response(200, {"status": "ok"})
        if path == "/counts":
            seen = self.counts
            return "", response(200, {"requests": seen.requests, "faults": dict(sorted(seen.faults.items()))})
        if refused := self._check_key(headers):
            return "", refused
        if method == "GET" and path.endswith("/models"):
            listed = [{"id": name, "object": "model"} for name in self.behaviour.models]
            return "", None if self.behaviour.upstream else response(200, {"object": "list", "data": listed})
        if method == "POST" and path.endswith("/chat/completions"):
            return self._answer_post(content, self._chat)
        if method == "POST" and path.endswith("/embeddings") and self.behaviour.embeddings:
            return self._answer_post(content, lambda body, key: response(200, embeddings(body)))
        return "", problem(404, f"there is no {method} {path} here")

    def _check_key(self, headers: dict[str, str]) -> bytes | None:
        wanted, sent = self.behaviour.key, headers.get("authorization", "")
        if wanted is None or sent == f"Bearer {wanted}":
            return None
        return problem(401, f"Incorrect API key provided: {sent.removeprefix('Bearer ')}")

    def _answer_post(
        self, content: bytes, reply: Callable[[dict[str, Any], str], bytes]
    ) -> tuple[str, bytes | None]:
        try:
            body = json.loads(content)
        except ValueError:
            return "", problem(400, "the body is not JSON")
        key = request_key(body)
        fault = self._fault(key)
        self.counts.requests += 1
        if fault:
            self.counts.faults[fault] += 1
        unasked = replace_answer(fault, key, self.behaviour.faults.retry_after)
        if unasked is not None:
            return fault, unasked
        return fault, None if self.behaviour.upstream else spoil(fault, reply(body, key))

    def _chat(self, body: dict[str, Any], key: str) -> bytes:
        behaviour, form = self.behaviour, asked_format(body)
        if body.get("model") not in (*behaviour.models, None, "") and behaviour.models != ("standin",):
            return problem(404, f"model '{body.get('model')}' not found")
        if form != "text" and (
            behaviour.schemas == "refused" or (behaviour.schemas == "json_object" and form != "json_object")
        ):
            return problem(400, f"response_format of type {form} is not supported")
        if wrong := find_picture_error(body, behaviour.sees):
            return problem(400 if behaviour.sees else 500, wrong)
        return response(200, chat(body, behaviour, key))

    def _fault(self, key: str) -> str:
        faults = self.behaviour.faults
        if faults.share <= 0.0:
            return ""
        self.counts.tries[key] += 1
        number = self.counts.tries[key]
        choices = Choices(f"{key}/{number}")
        if number > faults.most or choices.uniform() >= faults.share:
            return ""
        return choices.one_of(faults.kinds)


def replace_answer(fault: str, key: str, after: float) -> bytes | None:
    """Write the answer of a fault that replaces the reply; None for other faults."""
    match fault:
        case "429":
            return problem(429, "slow down")
        case "429-after":
            return problem(429, "slow down", f"Retry-After: {after:g}\r\n")
        case "429-date":
            date = format_datetime(datetime.now(UTC) + timedelta(seconds=after), usegmt=True)
            return problem(429, "slow down", f"Retry-After: {date}\r\n")
        case "500" | "503":
            return problem(int(fault), "something broke")
        case "garbage":
            return raw(200, b"<html>\xff\xfe it works! </html>" + key.encode())
        case "wrong-shape":
            return response(200, {"object": "chat.completion", "outcome": "fine", "choices": []})
        case "empty":
            return raw(200, b"")
        case "dropped":
            return b""
    return None


def spoil(fault: str, answer: bytes) -> bytes:
    """Cut an answer as its fault demands; other answers stay."""
    head, _, content = answer.partition(b"\r\n\r\n")
    match fault:
        case "truncated":
            return raw(200, content[: len(content) // 2])
        case "cut-short":
            return head + b"\r\n\r\n" + content[: len(content) // 2]
    return answer
