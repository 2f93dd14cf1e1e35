"""Tell all about one question of a run: the prompt as sent, the reply's schema, replies and outcome.

The ledger holds the prompts and replies of models, people, systems and recordings. What the behaviour model
was asked is written again from the facts that the run recorded beside its ledger.
"""

import json
from typing import Any

from openiir.core.asking import Form, restore_question
from openiir.core.asking.answerers import ATTEMPTS
from openiir.core.asking.reply_schema import question_schema
from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.llm import split_reasoning
from openiir.core.records import Call, Event, Place, Record
from openiir.core.storage import Log, RunFile, find_facts
from openiir.runs.study import ModelSpec
from openiir.runs.types import find_package

Messages = tuple[dict[str, Any], ...]
"""Messages as the ledger stores them: role, text, and pictures if there are any."""

_OF_REPLY = {"attempt", "answerer", "usable", "error"}


class InspectedReply(Record):
    """One reply to a question."""

    attempt: int
    """0, or 1 for the repair."""
    answerer: str
    reply: str
    """The text as received, without a model's reasoning; offline, the reply as JSON."""
    reasoning: str = ""
    details: dict[str, Any] | None = None
    """How a model's reply came about (see `CallDetails`), where that was recorded."""
    usable: bool = True
    error: str | None = None
    repair: Messages = ()
    """What was sent after the prompt to get a repair: the unusable reply, and what is wrong with it."""


class InspectedPrompt(Record):
    """The prompt of a question and its replies."""

    messages: Messages = ()
    reply_schema: dict[str, Any] | None = None
    """None if the ledger has no schema for this answerer."""
    replies: tuple[InspectedReply, ...] = ()


class InspectedQuestion(Record):
    """A question of a run with all that was sent and received."""

    event: Event
    """The `asked` event: outcome, answerer, attempts, debit."""
    place: Place
    sent: InspectedPrompt
    """Empty if the agent had no tokens left, and for offline answers without facts."""
    shadow: InspectedReply | None
    """The shadow's reply to the same prompt; its text is empty if it was not usable."""
    restored: bool
    """Whether the prompt was never sent, and was written from its recorded facts."""


def inspect_question(run: RunFile, seq: int) -> InspectedQuestion:
    """Return all data on a question by its event number; raises InputError for an unknown number."""
    event = _find_event(run, seq)
    place = _place_of(event)
    calls = [call for n in range(ATTEMPTS) if (call := run.find_call(place, n)) is not None]
    beside = Log(run).events("shadow", actor=event.actor, since=event.step - 1, until=event.step)
    shadow = next((_shadow_reply(one) for one in beside if _place_of(one) == place), None)
    restored = _restore_prompt(run, event) if event.payload.get("answerer") == "offline" else None
    sent = restored or (_recorded_prompt(run, calls) if calls else InspectedPrompt())
    return InspectedQuestion(
        event=event, place=place, sent=sent, shadow=shadow, restored=restored is not None
    )


def _find_event(run: RunFile, seq: int) -> Event:
    names = ("seq", "step", "lane", "kind", "actor", "payload")
    sql = f"select {', '.join(names)} from event where kind = 'asked' and seq = ?"
    row = run.db.execute(sql, (seq,)).fetchone() if 0 < seq < 2**63 else None
    if row is None:
        raise InputError(
            f"no question of the run {run.folder.name!r} has the number {seq}; `openiir inspect` lists them"
        )
    return Event(**{**dict(zip(names, row, strict=True)), "payload": json.loads(row[-1])})


def _place_of(event: Event) -> Place:
    entry, asker = event.payload, event.actor or ""
    about = {"kind": entry["question"], "subject": entry["subject"], "ordinal": entry["ordinal"]}
    return Place(lane=event.lane, asker=asker, step=event.step, **about)


def _shadow_reply(event: Event) -> InspectedReply:
    reply = event.payload["shadow_reply"]
    text = "" if reply is None else canonical(reply)
    return InspectedReply(attempt=0, answerer=event.payload["shadow"], reply=text, usable=reply is not None)


def _recorded_prompt(run: RunFile, calls: list[Call]) -> InspectedPrompt:
    """The prompt on record with every reply; of a turn of a dialogue with a system, its words."""
    requests = [json.loads(call.request) for call in calls]
    sent = [tuple(one.get("messages") or [{"role": "user", "text": one["said"]}]) for one in requests]
    replies = []
    for call, messages in zip(calls, sent, strict=True):
        reasoning, reply = split_reasoning(call.reply)
        reply = reply if reasoning else call.reply
        details = run.find_details(call.place, call.attempt)
        replies.append(
            InspectedReply(
                **call.model_dump(include=_OF_REPLY),
                reply=reply,
                reasoning=reasoning,
                details=details and details._asdict(),
                repair=messages[len(sent[0]) :],
            )
        )
    return InspectedPrompt(
        messages=sent[0],
        reply_schema=requests[0].get("schema"),
        replies=tuple(replies),
    )


def _restore_prompt(run: RunFile, event: Event) -> InspectedPrompt | None:
    """Write an offline prompt from its recorded facts; None without these, or where they do not fit."""
    recorded = find_facts(run.db, event.seq)
    if recorded is None:
        return None
    study = run.study()
    form: Form = ModelSpec.model_validate(study["model"]).form if study["model"] else "example"
    found = restore_question(recorded, {"openiir", find_package(study["type"])}, form)
    if found is None or found.answer.reply_tokens != event.payload["reply_tokens"]:
        return None
    reply = found.answer.reply.model_dump_json() if found.answer.reply else ""
    return InspectedPrompt(
        messages=tuple(message.model_dump() for message in found.messages),
        reply_schema=question_schema(found.question),
        replies=(InspectedReply(attempt=0, answerer="offline", reply=reply),),
    )
