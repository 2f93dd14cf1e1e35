"""`openiir ask`: interview agents after a run, or let people validate what their persona said."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import RunFolder, SettingsFile, Trusted, command_app
from openiir.core.storage import AfterFile, Log
from openiir.runs.execute import LocalOptions, ask_run
from openiir.runs.post_run import agents_named, interview_of, scenario_of
from openiir.runs.run_io import open_checked
from openiir.runs.terminal import read_line, say

app = command_app()
VERDICTS = {"a": "agree", "d": "disagree", "s": "skip"}


@app.command()
def ask(
    folder: RunFolder,
    question: Annotated[str, typer.Argument(metavar="[QUESTION]")] = "",
    agent: Annotated[str, typer.Option("--agent", metavar="ID|all", help="Whom to ask.")] = "all",
    validate: Annotated[
        bool, typer.Option("--validate", help="Collect agree or disagree for each statement of the agent.")
    ] = False,
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Ask agents of a finished run about their part in it."""
    if validate:
        _validate_statements(folder, agent)
    else:
        _interview_agents(folder, agent, question, settings_file, trust)


def _interview_agents(
    folder: Path, agent: str, question: str, settings_file: Path | None, trust: bool
) -> None:
    """Print each agent's answer to the question; exit code 1 where an answer cannot be used."""
    replies = ask_run(folder, agent, question, LocalOptions(settings_file, None, trust))
    for persona, words in replies:
        say(f"{persona.name}: {'(no usable answer came)' if words is None else words}")
    if any(words is None for _, words in replies):
        raise SystemExit(1)


def _validate_statements(folder: Path, agent: str) -> None:
    """Let a participant validate a persona's statements one by one; each verdict is stored in the after-file."""
    with open_checked(folder, finished=True) as run:
        asks, log = interview_of(scenario_of(run)), Log(run)
        people = agents_named(run, agent)
        content = str(run.state("content"))
    with open_checked(folder, finished=True) as run, AfterFile(folder, content) as after:
        log = Log(run)
        given = {(who, statement) for who, statement, *_ in after.validations()}
        for persona in people:
            left = [s for s in asks.statements(log, persona.id) if (persona.id, s[0]) not in given]
            if left:
                after.check_writable()
            say(f"{persona.name}: {len(left)} statements to validate (a agree, d disagree, s skip, q stop)")
            for statement, text in left:
                verdict, comment = _read_verdict(statement, text)
                if verdict is None:
                    return
                after.add_validation(persona.id, statement, verdict, comment)
        _print_summary(after)


def _read_verdict(statement: str, text: str) -> tuple[str | None, str]:
    """Read one verdict, and a comment typed after its letter; None to stop."""
    while True:
        say(f"\n  {statement}: {text}")
        try:
            typed = read_line("  a/d/s/q [comment]: ").strip()
        except EOFError:
            return None, ""
        letter, _, comment = typed.partition(" ")
        letter = letter.lower()[:1]
        if letter == "q":
            return None, ""
        if letter in VERDICTS:
            return VERDICTS[letter], comment.strip()
        say("  type a, d, s or q")


def _print_summary(after: AfterFile) -> None:
    verdicts = [verdict for _, _, verdict, _ in after.validations()]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in VERDICTS.values())
    say(f"\nvalidated: {counts}")
