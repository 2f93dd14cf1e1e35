"""Trial session with a declared system, for `openiir doctor --system FILE`."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import islice
from typing import Any

from openiir.core.errors import EndpointError, InputError
from openiir.core.hashing import canonical
from openiir.core.records import ProbeReport, ProbeStep
from openiir.core.systems import paths
from openiir.core.systems.connector import Session, open_session
from openiir.core.systems.declaration import RESERVED, SystemSpec
from openiir.core.systems.faults import SystemFault, quote_start
from openiir.core.systems.replies import SystemReply, parse_answer
from openiir.core.systems.secrets import variables

_UTTERANCE = "Hello! Can you recommend something to me?"
_SECOND = "Do you have anything else?"
_LISTENING_SECONDS = 0.5
"""Seconds to wait for further messages of a turn from a system that pushes them."""
_STAND_IN = "test"


async def probe_system(spec: SystemSpec, request: Mapping[str, Any] | None = None) -> ProbeReport:
    """Open a session, send two utterances and close it; failures become steps of the report.

    `request` is what to say first, for a template that asks for more than `{text}`; where it lacks a
    placeholder of the template, the word `test` is sent in its place, and the report says so.
    """
    steps: list[ProbeStep] = [_declaration_step(spec), *_environment(spec)]
    if all(step.ok for step in steps):
        steps.extend([step async for step in _conversation(spec, request or {})])
    return ProbeReport(subject=spec.label, steps=tuple(steps))


def _declaration_step(spec: SystemSpec) -> ProbeStep:
    told = f"{spec.connector} {spec.method}" if spec.connector == "http" else spec.connector
    where = "as it comes" if spec.paths == (paths.RAW,) else f"at {' or '.join(spec.paths)}"
    saw = f"{told}, the answer's text {where}, at most {spec.timeout:g} s a turn"
    return ProbeStep(what="declaration", saw=saw)


def _environment(spec: SystemSpec) -> Iterator[ProbeStep]:
    for name in sorted({name for value in spec.headers.values() for name in variables(value)}):
        if os.environ.get(name):
            yield ProbeStep(what=f"variable {name}", saw="is set")
        else:
            remedy = f"set it before you start (export {name}=...), or take it out of headers"
            yield ProbeStep(what=f"variable {name}", ok=False, saw="is not set", remedy=remedy)


async def _conversation(spec: SystemSpec, request: Mapping[str, Any]) -> AsyncIterator[ProbeStep]:
    kept = {*spec.keep, *(spec.open.keep if spec.open else {})}
    known = {*RESERVED, "history", "messages", "text", *kept, *request}
    stand_ins = [name for name in dict.fromkeys(spec.placeholders) if name not in known]
    said = {"text": _UTTERANCE, **dict.fromkeys(stand_ins, _STAND_IN), **request}
    also = f", and {_STAND_IN!r} for {', '.join(stand_ins)}" if stand_ins else ""
    try:
        session = await open_session(spec, "probe")
    except (EndpointError, InputError) as exc:
        yield _failure_step("session", exc)
        return
    try:
        saw = "connects with the first request" if spec.connector == "http" else "is open"
        if session.opening is not None:
            greets = f"; the system greets with {quote_start(session.opening.text)}"
            saw = f"is open{greets if session.opening.text else ''}"
        yield ProbeStep(what="session", saw=saw)
        reply = await session.send(said)
        yield ProbeStep(what="utterance", saw=f"sent {quote_start(str(said['text']))}{also}")
        yield _answer_step(reply)
        where = "the whole answer" if spec.data is None else f"what stands at {' or '.join(spec.data)}"
        none = "nothing, since the answer is no JSON"
        saw = none if reply.data is None else f"{where}, {quote_start(canonical(reply.data))}"
        yield ProbeStep(what="for programs", saw=saw)
        yield _end_step(spec, reply)
        if not reply.ended:
            yield await _second_turn(spec, session, said, reply)
    except (EndpointError, InputError) as exc:
        yield _failure_step("utterance", exc)
        await session.close()
        return
    trouble = await session.close()
    lost = "a dialogue is not lost by this; correct close in the declaration, or remove it"
    remedy = lost if trouble else ""
    yield ProbeStep(what="closing", ok=trouble is None, saw=trouble or "went well", remedy=remedy)


async def _second_turn(
    spec: SystemSpec, session: Session, said: Mapping[str, Any], first: SystemReply
) -> ProbeStep:
    if spec.connector not in ("http", "python"):
        await asyncio.sleep(_LISTENING_SECONDS)
    try:
        reply = await session.send({**said, "text": _SECOND})
    except (EndpointError, InputError) as exc:
        return _failure_step("second utterance", exc)
    same = bool(reply.text) and reply.text == first.text
    remedy = "the same answer twice: see whether it hears what is said ({text} in request)" if same else ""
    return ProbeStep(what="second utterance", saw=f"answered {quote_start(reply.text)}", remedy=remedy)


def _answer_step(reply: SystemReply) -> ProbeStep:
    remedy = ""
    if not reply.text.strip():
        remedy = "the text is empty: see whether it stands elsewhere in the answer"
    elif found := _texts_in(reply.text):
        remedy = f"the text is itself JSON; a person would read it better from {' or '.join(found)}"
    return ProbeStep(what="answer", ok=bool(reply.text.strip()), saw=quote_start(reply.text), remedy=remedy)


def _texts_in(text: str) -> list[str]:
    try:
        return [path for path in islice(paths.text_paths(parse_answer(text)), 4) if path != "$"]
    except ValueError:
        return []


def _end_step(spec: SystemSpec, reply: SystemReply) -> ProbeStep:
    if spec.end is None:
        saw = "none declared; the user or the turn limit ends a dialogue"
        return ProbeStep(what="end signal", saw=saw)
    if reply.ended:
        remedy = "it should not stand in a first answer; make end more specific"
        return ProbeStep(what="end signal", ok=False, saw="seen at once", remedy=remedy)
    return ProbeStep(what="end signal", saw="not seen in this answer, as should be")


def _failure_step(what: str, exc: Exception) -> ProbeStep:
    if isinstance(exc, SystemFault):
        return ProbeStep(what=what, ok=False, saw=exc.saw, remedy=exc.remedy)
    saw, _, remedy = str(exc).rpartition("; ")
    return ProbeStep(what=what, ok=False, saw=saw or remedy, remedy=remedy if saw else "")
