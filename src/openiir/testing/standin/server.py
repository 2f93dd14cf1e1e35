"""The stand-in's socket side: HTTP/1.1 by hand, since a framework would cost more than what is measured."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from openiir.testing.standin.answers import asked_format, chat, embeddings, request_key
from openiir.testing.standin.behaviour import Behaviour
from openiir.testing.standin.choices import Choices

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class Counts:
    """What a stand-in has seen; read it from any thread."""

    def __init__(self) -> None:
        self.requests = 0
        self.faults: Counter[str] = Counter()
        self.at_once = 0
        self.most_at_once = 0
        self.tries: Counter[str] = Counter()
        """Tries a request, of those that met the fault lottery."""


class Service:
    """Turns requests into bytes, whatever they came over."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.counts = Counts()
        self.connections: dict[Wire, None] = {}

    def answer(self, method: str, path: str, headers: dict[str, str], content: bytes) -> tuple[str, bytes]:
        """The name of the fault met ('' for none) and the bytes to send."""
        path = path.partition("?")[0].rstrip("/")
        if path == "/health":
            return "", response(200, {"status": "ok"})
        if path == "/counts":
            seen = self.counts
            return "", response(200, {"requests": seen.requests, "faults": dict(sorted(seen.faults.items()))})
        if refused := self._unauthorised(headers):
            return "", refused
        if method == "GET" and path.endswith("/models"):
            listed = [{"id": name, "object": "model"} for name in self.behaviour.models]
            return "", response(200, {"object": "list", "data": listed})
        if method == "POST" and path.endswith("/chat/completions"):
            return self._posted(content, self._chat)
        if method == "POST" and path.endswith("/embeddings") and self.behaviour.embeddings:
            return self._posted(content, lambda body, key: response(200, embeddings(body, self.behaviour)))
        return "", problem(404, f"there is no {method} {path} here")

    def _unauthorised(self, headers: dict[str, str]) -> bytes | None:
        wanted, sent = self.behaviour.key, headers.get("authorization", "")
        if wanted is None or sent == f"Bearer {wanted}":
            return None
        return problem(401, f"Incorrect API key provided: {sent.removeprefix('Bearer ')}")

    def _posted(self, content: bytes, reply: Callable[[dict[str, Any], str], bytes]) -> tuple[str, bytes]:
        try:
            body = json.loads(content)
        except ValueError:
            return "", problem(400, "the body is not JSON")
        key = request_key(body)
        fault = self._fault(key)
        self.counts.requests += 1
        if not fault:
            return "", reply(body, key)
        self.counts.faults[fault] += 1
        return fault, faulty(fault, reply, body, key, self.behaviour)

    def _chat(self, body: dict[str, Any], key: str) -> bytes:
        behaviour, form = self.behaviour, asked_format(body)
        if body.get("model") not in (*behaviour.models, None, "") and behaviour.models != ("standin",):
            return problem(404, f"model '{body.get('model')}' not found")
        if form != "text" and (
            behaviour.schemas == "refused" or (behaviour.schemas == "json_object" and form != "json_object")
        ):
            return problem(400, f"response_format of type {form} is not supported")
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


def faulty(
    fault: str, reply: Callable[[dict[str, Any], str], bytes], body: dict[str, Any], key: str, ways: Behaviour
) -> bytes:
    """The bytes of a faulty answer; none for one that is dropped."""
    after = ways.faults.retry_after
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
    whole = reply(body, key)
    head, _, content = whole.partition(b"\r\n\r\n")
    match fault:
        case "truncated":
            return raw(200, content[: len(content) // 2])
        case "cut-short":
            return head + b"\r\n\r\n" + content[: len(content) // 2]
    return whole


def response(status: int, body: Any, extra: str = "") -> bytes:
    """A JSON answer."""
    return raw(status, json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass"), extra)


def problem(status: int, message: str, extra: str = "") -> bytes:
    """An error in OpenAI's form."""
    return response(status, {"error": {"message": message, "type": "standin", "code": status}}, extra)


def raw(status: int, content: bytes, extra: str = "") -> bytes:
    """An answer of any bytes, declared to be JSON."""
    head = (
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Server Error')}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n{extra}\r\n"
    )
    return head.encode() + content


class Wire(asyncio.Protocol):
    """One connection: requests in turn, kept alive."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._buffer = b""
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._service.connections[self] = None

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the event loop; an answer still due is not sent."""
        self._transport = None
        self._service.connections.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
        if self._busy:
            self._service.counts.at_once -= 1
            self._busy = False

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        self._buffer += data
        if not self._busy:
            self._take()

    def _take(self) -> None:
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        method, path, _ = lines[0].split(" ", 2)
        counts = self._service.counts
        self._busy = True
        counts.at_once += 1
        counts.most_at_once = max(counts.most_at_once, counts.at_once)
        fault, answer = self._service.answer(method, path, headers, rest[:length])
        wait = self._service.behaviour.latency
        if fault == "hang":
            wait += self._service.behaviour.faults.hang
        if wait > 0:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(wait, self._send, fault, answer)
        else:
            self._send(fault, answer)

    def _send(self, fault: str, answer: bytes) -> None:
        self._service.counts.at_once -= 1
        self._busy = False
        if self._transport is None:
            return
        if fault == "dropped":
            self._transport.abort()
            return
        self._transport.write(answer)
        if fault == "cut-short":
            self._transport.close()
        elif self._buffer:
            self._take()
