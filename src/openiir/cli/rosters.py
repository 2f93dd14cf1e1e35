"""Rosters: generating a draft, checking it, going through it with the participants, keeping it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from openiir.cli.lists import roster_entry
from openiir.cli.worlds import located
from openiir.core.errors import InputError, OpeniirError
from openiir.core.personas import Library, check, load_personas, save_personas, to_toml
from openiir.core.records import Persona
from openiir.core.world import WorldSpec
from openiir.runs.begin import Gathering, gather
from openiir.runs.roster import draft_roster
from openiir.runs.settings import load_settings
from openiir.runs.terminal import hand_over, note, read_line, say


def generate_roster(
    sources: Sequence[str],
    topic: str,
    n: int,
    seed: int,
    model: str | None,
    out: Path | None,
    skip_bad: bool,
    settings_file: Path | None,
) -> None:
    """Write the draft to a file, or print it."""
    if out is not None and out.is_dir():
        raise InputError(f"--out {out} is a folder; name a .toml file in it")
    settings = load_settings(settings_file)
    gathering = Gathering(skip_bad, tell=note)
    named, root = located(sources)
    chunks = gather("main", WorldSpec(sources=named), root, settings, gathering)
    drafted = asyncio.run(draft_roster(chunks, topic, n, seed, model, settings))
    if out is None:
        hand_over(to_toml(drafted) + "\n")
        return
    save_personas(out, drafted)
    say(f"{len(drafted)} personas drafted into {out}; review them: openiir personas check {out} --review")


def check_roster(file: Path, review: bool, keep: bool, settings_file: Path | None) -> None:
    """Print every finding; exit code 2 where the file cannot be used."""
    findings = check(file)
    for finding in findings:
        note(f"{finding.level}: {finding}")
    if any(finding.level == "error" for finding in findings):
        raise SystemExit(2)
    found = load_personas(file)
    if review:
        found = _reviewed(file, found)
    if keep:
        library = Library(load_settings(settings_file).library.expanduser())
        for persona in found:
            library.save(persona)
    say(f"{file}: {len(found)} personas, ready to use{' and kept in the library' if keep else ''}")


def _reviewed(file: Path, found: Sequence[Persona]) -> tuple[Persona, ...]:
    """Each persona is approved, given another bio or stance, or taken out; the file is rewritten at the end."""
    kept: list[Persona] = []
    try:
        for persona in found:
            say(roster_entry(persona))
            reviewed = _one(persona)
            if reviewed is not None:
                kept.append(reviewed)
    except (EOFError, KeyboardInterrupt):
        raise OpeniirError(
            f"the review stopped before its end; {file} stays as it was, review it again"
        ) from None
    if not kept:
        raise InputError(f"everybody was taken out; {file} stays as it was, delete it if you do not need it")
    save_personas(file, kept)
    return tuple(kept)


def _one(persona: Persona) -> Persona | None:
    while True:
        typed = read_line("approve (a), new bio (b TEXT), new stance (s NUMBER), take out (x): ").strip()
        letter, _, rest = typed.partition(" ")
        if letter == "x":
            return None
        if letter == "a":
            return persona.model_copy(update={"traits": {**persona.traits, "reviewed": True}})
        try:
            if letter == "b" and rest.strip():
                persona = Persona.model_validate({**persona.model_dump(), "bio": rest})
            elif letter == "s":
                persona = Persona.model_validate({**persona.model_dump(), "stance": float(rest)})
            else:
                say("type a, b and a new bio, s and a number from -1 to 1, or x")
                continue
        except ValueError:
            say("that does not fit: a bio has 1 to 4000 characters, a stance is a number from -1 to 1")
            continue
        say(roster_entry(persona))
