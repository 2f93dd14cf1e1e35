"""Tell all about one question of a run: the prompt as sent, the reply's schema, replies and outcome.

The ledger holds the prompts and replies of models, people, systems and recordings. What the behaviour model
was asked is written again from the facts that the run recorded beside its ledger, or else, such as in runs of
earlier releases, is computed again by executing the run.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from threading import Lock
from typing import Any

from openiir.core.asking import Answer, Form, PlacedQuestion, Question, restore_question
from openiir.core.asking.answerers import ATTEMPTS
from openiir.core.asking.reply_schema import question_schema
from openiir.core.errors import InputError, ReplayDifference
from openiir.core.hashing import canonical
from openiir.core.records import Call, Event, Message, Place, Record
from openiir.core.storage import Log, RunFile, find_facts
from openiir.core.storage.folder import database_stamp
from openiir.core.sums import int_sum
from openiir.runs.build import RunSources, build_run_context
from openiir.runs.edge import run_coroutine
from openiir.runs.engine import Silent, run_steps
from openiir.runs.run_io import check_replayable, open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import ModelSpec
from openiir.runs.types import find_package

KEPT = 2_000
"""Most computed prompts that are kept in memory."""
AHEAD = 200
"""Most questions of the same step that are computed beyond the one inspected, for those who read on."""

Messages = tuple[dict[str, Any], ...]
"""Messages as the ledger stores them: role, text, and pictures if there are any."""

_OF_REPLY = {"attempt", "answerer", "reply", "usable", "error"}


class InspectedReply(Record):
    """One reply to a question."""

    attempt: int
    """0, or 1 for the repair."""
    answerer: str
    reply: str
    """The text as received; offline, the reply as JSON."""
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
    tokens: int = 0
    """Tokens of the replies."""


class InspectedQuestion(Record):
    """A question of a run with all that was sent and received."""

    event: Event
    """The `asked` event: outcome, answerer, attempts, debit."""
    place: Place
    sent: InspectedPrompt
    """Empty if nobody was asked, since the agent had no tokens left."""
    shadow: InspectedReply | None
    """The shadow's reply to the same prompt; its text is empty if it was not usable."""
    executed: bool
    """Whether the prompt was never sent, and was written from its facts or by executing the run."""


class ComputedPrompts:
    """Cache of the newest KEPT prompts of offline questions, which are written again from their facts.

    With `whole`, the first execution goes on to the end of the run and keeps all, for those who want every
    question.
    """

    def __init__(self, whole: bool = False) -> None:
        self.whole = whole
        self.lock = Lock()
        """Held while a run is executed, so that this is done once for neighbouring questions."""
        self.kept: dict[tuple[Any, ...], InspectedPrompt] = {}
        """By run and place."""

    def keep(self, key: tuple[Any, ...], prompt: InspectedPrompt) -> None:
        """Cache a prompt, dropping the oldest beyond KEPT."""
        self.kept[key] = prompt
        if len(self.kept) > KEPT and not self.whole:
            del self.kept[next(iter(self.kept))]


def inspect_question(
    run: RunFile, seq: int, settings: Settings, computed: ComputedPrompts | None = None, compute: bool = True
) -> InspectedQuestion:
    """Return all data on a question by its event number, from the run's folder alone.

    Without `compute`, a prompt that is not stored is left out. Raises InputError for an unknown number,
    Untrusted for a run that lacks leave for its code, ReplayDifference for one that cannot be executed again
    as recorded.
    """
    event = _find_event(run, seq)
    place = _place_of(event)
    calls = [call for n in range(ATTEMPTS) if (call := run.find_call(place, n)) is not None]
    beside = Log(run).events("shadow", actor=event.actor, since=event.step - 1, until=event.step)
    shadow = next((_shadow_reply(one) for one in beside if _place_of(one) == place), None)
    executed = compute and event.payload.get("answerer") == "offline"
    sent = _recorded_prompt(calls) if calls else InspectedPrompt()
    if executed:
        sent = _restore_prompt(run, event) or _compute_prompt(
            run.folder, place, settings, computed or ComputedPrompts()
        )
        if sent.tokens != event.payload["reply_tokens"]:
            raise ReplayDifference(f"first difference: {place} is answered otherwise than on record")
    return InspectedQuestion(event=event, place=place, sent=sent, shadow=shadow, executed=executed)


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


def _recorded_prompt(calls: list[Call]) -> InspectedPrompt:
    """The prompt on record with every reply; of a turn of a dialogue with a system, its words."""
    requests = [json.loads(call.request) for call in calls]
    sent = [tuple(one.get("messages") or [{"role": "user", "text": one["said"]}]) for one in requests]
    replies = [
        InspectedReply(**call.model_dump(include=_OF_REPLY), repair=messages[len(sent[0]) :])
        for call, messages in zip(calls, sent, strict=True)
    ]
    return InspectedPrompt(
        messages=sent[0],
        reply_schema=requests[0].get("schema"),
        replies=tuple(replies),
        tokens=int_sum(call.reply_tokens for call in calls),
    )


def _offline_prompt(question: Question[Any], messages: Sequence[Message], answer: Answer) -> InspectedPrompt:
    reply = answer.reply.model_dump_json() if answer.reply else ""
    return InspectedPrompt(
        messages=tuple(message.model_dump() for message in messages),
        reply_schema=question_schema(question),
        replies=(InspectedReply(attempt=0, answerer="offline", reply=reply),),
        tokens=answer.reply_tokens,
    )


def _restore_prompt(run: RunFile, event: Event) -> InspectedPrompt | None:
    """Write an offline prompt from its recorded facts; None without these, or if the reply differs."""
    recorded = find_facts(run.db, event.seq)
    if recorded is None:
        return None
    study = run.study()
    form: Form = ModelSpec.model_validate(study["model"]).form if study["model"] else "example"
    found = restore_question(recorded, {"openiir", find_package(study["type"])}, form)
    if found is None or found.answer.reply_tokens != event.payload["reply_tokens"]:
        return None
    return _offline_prompt(*found)


def _compute_prompt(
    folder: Path, place: Place, settings: Settings, computed: ComputedPrompts
) -> InspectedPrompt:
    """Find an offline prompt among those computed before, or execute the run again as far as needed."""
    run = (folder.resolve(), *database_stamp(folder))
    with computed.lock:
        if (*run, place) not in computed.kept:
            run_coroutine(_Passage(run, place, computed).execute_apart(folder, settings))
        found = computed.kept.get((*run, place))
    if found is None:
        raise ReplayDifference(f"first difference: the record has {place}, which is not asked now")
    return found


class _Passage(Silent):
    """Executes a run again and keeps the offline prompts; ends soon after the one looked for."""

    def __init__(self, run: tuple[Any, ...], place: Place, computed: ComputedPrompts) -> None:
        self.run, self.place, self.computed = run, place, computed
        self.left: int | None = None
        """Questions still to be computed, once the one looked for is found."""

    async def execute_apart(self, folder: Path, settings: Settings) -> None:
        """Execute in a task of its own, which can be cancelled without cancelling this one."""
        self.task = asyncio.create_task(self._execute(folder, settings))
        (ended,) = await asyncio.gather(self.task, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended

    async def _execute(self, folder: Path, settings: Settings) -> None:
        async with AsyncExitStack() as exits:
            run = exits.enter_context(open_checked(folder))
            check_replayable(run)
            self.last = len(run.steps()) if self.computed.whole else self.place.step
            machine = await build_run_context(run, settings, RunSources(live=False), exits)
            machine.stage.answering.watch = self._hear
            await run_steps(machine, run, self)

    def _hear(self, asked: PlacedQuestion, answer: Answer) -> None:
        if answer.answerer == "offline":
            prompt = _offline_prompt(asked.question, asked.messages(), answer)
            self.computed.keep((*self.run, asked.place), prompt)
            if asked.place == self.place and not self.computed.whole:
                self.left = AHEAD
            elif self.left is not None:
                self.left -= 1
        if self.left == 0:
            self._end()

    def step(self, number: int, label: str) -> None:
        if number >= self.last:
            self._end()

    def _end(self) -> None:
        """End the execution from within, also out of one of several lanes."""
        if self.task is not asyncio.current_task():
            self.task.cancel()
        raise asyncio.CancelledError
