"""Write HTTP/1.1 responses as bytes, and relay a request to another server."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


def json_response(status: int, body: Any, extra: str = "") -> bytes:
    """Write a response with a JSON body."""
    return raw_response(status, json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass"), extra)


def error_response(status: int, message: str, extra: str = "") -> bytes:
    """Write an error response in OpenAI's form."""
    return json_response(status, {"error": {"message": message, "type": "standin", "code": status}}, extra)


def raw_response(status: int, content: bytes, extra: str = "") -> bytes:
    """Write a response with any bytes as its body, declared to be JSON."""
    head = (
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Server Error')}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n{extra}\r\n"
    )
    return head.encode() + content


async def relay(upstream: str, method: str, path: str, content: bytes) -> bytes:
    """Relay a request to another server; returns its whole response, or 502. `path` begins with /v1."""
    parts = urlsplit(upstream)
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except OSError as error:
        return error_response(502, f"nothing answers at {upstream}: {error}")
    try:
        writer.write(head.encode() + content)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        length = next((line.split(":")[1] for line in lines if line.startswith("content-length:")), None)
        body = await (reader.read() if length is None else reader.readexactly(int(length)))
    except (OSError, EOFError) as error:
        return error_response(502, f"{upstream} hung up: {error}")
    finally:
        writer.transport.abort()
    return raw_response(int(lines[0].split(" ", 2)[1]), body)
