"""`openiir inspect`: one question of a run, or the list of its questions."""

import json
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import RunFolder, command_app
from openiir.core.storage import Log
from openiir.plugin import Table
from openiir.runs.inspect import InspectedQuestion, Messages, inspect_question
from openiir.runs.run_io import open_checked
from openiir.runs.terminal import print_result
from openiir.runs.views.emit import output_view

app = command_app()
COUNTED = (
    "endpoint",
    "form",
    "calls",
    "prompt tokens",
    "cached",
    "reply tokens",
    "reasoning",
    "unusable",
    "cut short",
    "seconds held",
)
LISTED = ("step", "asker", "question", "subject", "answerer", "outcome")


@app.command()
def inspect(
    folder: RunFolder,
    number: Annotated[
        int | None, typer.Argument(metavar="[NUMBER]", help="A question's number; none lists them.")
    ] = None,
    calls: Annotated[
        bool, typer.Option("--calls", help="How the calls of models went, by endpoint and form.")
    ] = False,
) -> None:
    """Show a question of a run: its prompt as sent, the schema of the reply, and every reply."""
    if calls:
        _tabulate_calls(folder)
        return
    if number is None:
        _list_questions(folder)
        return
    with open_checked(folder) as run:
        found = inspect_question(run, number)
    _print_question(found)


def _list_questions(folder: Path) -> None:
    with open_checked(folder) as run:
        events = list(Log(run).events("asked"))
    rows = [
        (one.seq, *({**one.payload, "step": one.step, "asker": one.actor}.get(name) for name in LISTED))
        for one in events
    ]
    if not rows:
        print_result("no question is in the log (those that a crowd answers offline are not logged)")
        return
    output_view("Questions", Table(columns=("number", *LISTED), rows=tuple(rows)), "text", None, "")


def _tabulate_calls(folder: Path) -> None:
    with open_checked(folder) as run:
        counts = Log(run).model_calls()
    if not counts:
        print_result("no model was asked, or an earlier release asked it, which recorded no such details")
        return
    rows = tuple(
        (
            one.endpoint or "the endpoint",
            one.form,
            one.calls,
            one.prompt_tokens,
            _percent(one.cached_tokens, one.prompt_tokens),
            one.reply_tokens,
            _percent(one.reasoning_tokens, one.reply_tokens),
            _percent(one.unusable, one.calls),
            _percent(one.cut, one.calls),
            round(one.held, 1),
        )
        for one in counts
    )
    output_view("Calls of models", Table(columns=COUNTED, rows=rows), "text", None, "")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def _print_question(found: InspectedQuestion) -> None:
    entry, sent = found.event.payload, found.sent
    by = f" by {entry['answerer']}, {entry['debit']} tokens charged" if "answerer" in entry else ""
    made = "; written from its facts" if found.restored else ""
    print_result(f"{found.place}: {entry['outcome']}{by}{made}")
    if entry.get("answerer") == "offline" and not found.restored:
        print_result("\nno prompt: the run recorded no facts that the installed type can read")
    _print_messages(sent.messages)
    if sent.reply_schema is not None:
        print_result(f"\n--- schema of the reply\n{json.dumps(sent.reply_schema, ensure_ascii=False)}")
    for reply in sent.replies:
        _print_messages(reply.repair)
        if reply.reasoning:
            print_result(f"\n--- reasoning of {reply.answerer}, no part of the reply\n{reply.reasoning}")
        print_result(
            f"\n--- reply of {reply.answerer}{'' if reply.usable else ' (not usable)'}\n{reply.reply}"
        )
        if reply.details:
            told = (f"{name.replace('_', ' ')} {value}" for name, value in reply.details.items() if value)
            print_result(f"({', '.join(told)})")
    if found.shadow:
        print_result(f"\n--- shadow: {found.shadow.answerer}\n{found.shadow.reply or '(no usable reply)'}")


def _print_messages(messages: Messages) -> None:
    for message in messages:
        print_result(f"\n--- {message['role']}\n{message['text']}")
