"""`openiir ask`: interview agents after a run, or let people validate what their persona said."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import RunFolder, SettingsFile, Trusted, command_app
from openiir.core.storage import VERDICTS, AfterFile, Verdict
from openiir.runs.execute import LocalOptions, ask_run
from openiir.runs.interviews import agents_named
from openiir.runs.run_io import open_checked
from openiir.runs.terminal import print_result, read_line
from openiir.runs.validations import last_verdicts, list_statements, summarise

app = command_app()
LETTERS: dict[str, Verdict] = {verdict[0]: verdict for verdict in VERDICTS}


@app.command()
def ask(
    folder: RunFolder,
    question: Annotated[str, typer.Argument(metavar="[QUESTION]")] = "",
    agent: Annotated[str, typer.Option("--agent", metavar="ID|all", help="Whom to ask.")] = "all",
    validate: Annotated[
        bool, typer.Option("--validate", help="Collect agree or disagree for each statement of the agent.")
    ] = False,
    thread: Annotated[
        str, typer.Option("--thread", metavar="NAME", help="Of a question and those that follow it up.")
    ] = "",
    look_up: Annotated[
        str, typer.Option("--look-up", metavar="WORLD", help="Where they look the question up first.")
    ] = "",
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who validates.")] = "",
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Ask agents of a finished run about their part in it."""
    if validate:
        _validate_statements(folder, agent, by)
    else:
        _interview_agents(folder, agent, question, thread, look_up, LocalOptions(settings_file, None, trust))


def _interview_agents(
    folder: Path, agent: str, question: str, thread: str, look_up: str, local: LocalOptions
) -> None:
    """Print each agent's answer to the question; exit code 1 where an answer cannot be used."""
    replies = ask_run(folder, agent, question, local, thread, look_up)
    for persona, words in replies:
        print_result(f"{persona.name}: {'(no usable answer came)' if words is None else words}")
    if any(words is None for _, words in replies):
        raise SystemExit(1)


def _validate_statements(folder: Path, agent: str, by: str) -> None:
    """Let a participant judge a persona's statements one by one, storing each in the after-file."""
    with open_checked(folder, finished=True) as run:
        people = agents_named(run, agent)
        with AfterFile(folder, str(run.state("content"))) as after:
            given = {(one.agent, one.statement) for one in after.validations() if one.person == by}
            for persona in people:
                left = [s for s in list_statements(run, persona.id) if (persona.id, s[0]) not in given]
                if left:
                    after.check_writable()
                print_result(
                    f"{persona.name}: {len(left)} statements to validate (a)gree (d)isagree (u)nsure (q)uit"
                )
                for statement, text in left:
                    verdict, comment = _read_verdict(statement, text)
                    if verdict is None:
                        return
                    after.add_validation(persona.id, statement, verdict, comment, by)
            _print_summary(after)


def _read_verdict(statement: str, text: str) -> tuple[Verdict | None, str]:
    """Read one verdict, and a comment typed after its letter; None to stop."""
    while True:
        print_result(f"\n  {statement}: {text}")
        try:
            typed = read_line("  a/d/u/q [comment]: ").strip()
        except EOFError:
            return None, ""
        letter, _, comment = typed.partition(" ")
        letter = letter.lower()[:1]
        if letter == "q":
            return None, ""
        if letter in LETTERS:
            return LETTERS[letter], comment.strip()
        print_result("  type a, d, u or q")


def _print_summary(after: AfterFile) -> None:
    found = summarise(last_verdicts(after.validations()))
    print_result(f"\nvalidated: {', '.join(f'{getattr(found, one)} {one}' for one in VERDICTS)}")
    if found.same is not None:
        print_result(
            f"{found.same:.0%} of pairs of people decided alike, on {found.shared} statements they share"
        )
