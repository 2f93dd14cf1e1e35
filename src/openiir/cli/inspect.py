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
LISTED = ("step", "asker", "question", "subject", "answerer", "outcome")


@app.command()
def inspect(
    folder: RunFolder,
    number: Annotated[
        int | None, typer.Argument(metavar="[NUMBER]", help="A question's number; none lists them.")
    ] = None,
) -> None:
    """Show a question of a run: its prompt as sent, the schema of the reply, and every reply."""
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
        print_result(
            f"\n--- reply of {reply.answerer}{'' if reply.usable else ' (not usable)'}\n{reply.reply}"
        )
    if found.shadow:
        print_result(f"\n--- shadow: {found.shadow.answerer}\n{found.shadow.reply or '(no usable reply)'}")


def _print_messages(messages: Messages) -> None:
    for message in messages:
        print_result(f"\n--- {message['role']}\n{message['text']}")
