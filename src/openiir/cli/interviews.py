"""Asking agents after a run, and asking people whether they agree with what their persona said."""

import asyncio
from pathlib import Path

from openiir.cli.trusting import with_leave
from openiir.core.errors import InputError
from openiir.core.storage import AfterFile, Log
from openiir.runs.after import agents_named, interview, interview_of, scenario_of
from openiir.runs.artefact import open_run
from openiir.runs.settings import load_settings
from openiir.runs.terminal import read_line, say

VERDICTS = {"a": "agree", "d": "disagree", "s": "skip"}


def interview_agents(
    folder: Path, agent: str, question: str, settings_file: Path | None, trust: bool
) -> None:
    """Print each agent's answer to the question."""
    if not question.strip():
        raise InputError('there is no question; write it last: openiir ask RUN --agent ID "question"')
    settings = load_settings(settings_file)
    _, answers = with_leave(
        settings, trust, lambda leave: asyncio.run(interview(folder, agent, question, leave))
    )
    for persona, answer in answers:
        said = [] if answer.reply is None else _texts(answer.reply.model_dump(exclude={"thoughts"}))
        words = "(no usable answer came)" if answer.reply is None else " ".join(said)
        say(f"{persona.name}: {words}")
    failed = [persona.id for persona, answer in answers if answer.reply is None]
    if failed:
        raise SystemExit(1)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    return [value] if isinstance(value, str) else []


def validate_statements(folder: Path, agent: str) -> None:
    """Go through a persona's statements with its participant; verdicts go to the after-file one by one."""
    with open_run(folder, finished=True) as run:
        asks, log = interview_of(scenario_of(run)), Log(run)
        people = agents_named(run, agent)
        content = str(run.state("content"))
    with open_run(folder, finished=True) as run, AfterFile(folder, content) as after:
        log = Log(run)
        given = {(who, statement) for who, statement, *_ in after.validations()}
        for persona in people:
            left = [s for s in asks.statements(log, persona.id) if (persona.id, s[0]) not in given]
            if left:
                after.check_writable()
            say(f"{persona.name}: {len(left)} statements to validate (a agree, d disagree, s skip, q stop)")
            for statement, text in left:
                verdict, comment = _verdict(statement, text)
                if verdict is None:
                    return
                after.add_validation(persona.id, statement, verdict, comment)
        _summary(after)


def _verdict(statement: str, text: str) -> tuple[str | None, str]:
    """One verdict, with what is typed after the letter as a comment; None to stop."""
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


def _summary(after: AfterFile) -> None:
    verdicts = [verdict for _, _, verdict, _ in after.validations()]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in VERDICTS.values())
    say(f"\nvalidated: {counts}")
