"""Speak HTTP/1.1 over streams without a framework, which would cost more time than what is measured."""

import asyncio

from openiir.testing.standin.http import relay
from openiir.testing.standin.service import Service, damage_answer


async def serve_client(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one client's requests in turn until the connection closes."""
    service.connections.add(writer)
    try:
        while await _answer_next(service, reader, writer):
            continue
    except (OSError, EOFError):
        writer.transport.abort()
    finally:
        service.connections.discard(writer)
        writer.close()


async def _answer_next(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answer a request; returns whether the connection stays open for another."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    method, path, _ = first.split(" ", 2)
    behaviour, counts = service.behaviour, service.counts
    counts.at_once += 1
    counts.most_at_once = max(counts.most_at_once, counts.at_once)
    try:
        fault, answer = service.answer(method, path, headers, content)
        if answer is None:
            assert behaviour.upstream is not None
            answer = damage_answer(fault, await relay(behaviour.upstream, method, path, content))
        wait = behaviour.latency + (behaviour.faults.hang if fault == "hang" else 0.0)
        if wait > 0:
            await asyncio.sleep(wait)
    finally:
        counts.at_once -= 1
    if fault == "dropped":
        writer.transport.abort()
        return False
    writer.write(answer)
    return fault != "cut-short" and headers.get("connection", "").lower() != "close"
