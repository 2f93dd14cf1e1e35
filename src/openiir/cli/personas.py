"""`openiir personas`: list, draft, check and review persona files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, SkipBad, Sources, command_app
from openiir.cli.source_paths import resolve_sources
from openiir.core.errors import InputError, OpeniirError
from openiir.core.personas import (
    PersonaLibrary,
    check_persona_file,
    load_personas,
    personas_to_toml,
    save_personas,
)
from openiir.core.records import Persona
from openiir.core.world import WorldSpec
from openiir.runs.edge import run_coroutine
from openiir.runs.prepare import SourceOptions, gather_chunks
from openiir.runs.roster import draft_roster
from openiir.runs.settings import load_settings
from openiir.runs.terminal import print_for_program, print_message, print_result, read_line

app = command_app("List, generate and check personas.")


@app.command("list")
def list_personas(
    file: Annotated[
        Path | None, typer.Argument(help="A persona file or folder; the shared library by default.")
    ] = None,
    settings_file: SettingsFile = None,
) -> None:
    """List personas with bio, stance and budgets."""
    place = file or load_settings(settings_file).library.expanduser()
    found = load_personas(place) if file else PersonaLibrary(place).list()
    if not found:
        print_result(
            f"the library {place} is empty; `openiir personas check FILE --keep` puts personas into it"
        )
    for persona in found:
        print_result(describe_persona(persona))


@app.command("generate")
def generate_personas(
    sources: Sources,
    topic: Annotated[str, typer.Option("--topic", help="The proposition they are to debate.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many.")] = 8,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    model: Annotated[str | None, typer.Option("--model", help="Ask this model; offline by default.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where the draft goes.")] = None,
    skip_bad: SkipBad = False,
    settings_file: SettingsFile = None,
) -> None:
    """Draft personas from sources in one pass, as a roster to review before a run."""
    if out is not None and out.is_dir():
        raise InputError(f"--out {out} is a folder; name a .toml file in it")
    settings = load_settings(settings_file)
    gathering = SourceOptions(skip_bad, tell=print_message)
    named, root = resolve_sources(sources)
    chunks = gather_chunks("main", WorldSpec(sources=named), root, settings, gathering)
    drafted = run_coroutine(draft_roster(chunks, topic, n, seed, model, settings))
    if out is None:
        print_for_program(personas_to_toml(drafted) + "\n")
        return
    save_personas(out, drafted)
    print_result(
        f"{len(drafted)} personas drafted into {out}; review them: openiir personas check {out} --review"
    )


@app.command("check")
def check_personas(
    file: Annotated[Path, typer.Argument(help="A persona file.")],
    review: Annotated[
        bool, typer.Option("--review", help="Go through the bios with their participants.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Put the personas into the shared library.")] = False,
    settings_file: SettingsFile = None,
) -> None:
    """Check a persona file and list all mistakes, each with its line and remedy."""
    findings = check_persona_file(file)
    for finding in findings:
        print_message(f"{finding.level}: {finding}")
    if any(finding.level == "error" for finding in findings):
        raise SystemExit(2)
    found = load_personas(file)
    if review:
        found = _review_personas(file, found)
    if keep:
        library = PersonaLibrary(load_settings(settings_file).library.expanduser())
        for persona in found:
            library.save(persona)
    print_result(f"{file}: {len(found)} personas, ready to use{' and kept in the library' if keep else ''}")


def _review_personas(file: Path, found: Sequence[Persona]) -> tuple[Persona, ...]:
    """Review personas one by one: approve, change bio or stance, or remove; rewrites the file at the end."""
    kept: list[Persona] = []
    try:
        for persona in found:
            print_result(describe_persona(persona))
            reviewed = _review_persona(persona)
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


def _review_persona(persona: Persona) -> Persona | None:
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
                print_result("type a, b and a new bio, s and a number from -1 to 1, or x")
                continue
        except ValueError:
            print_result(
                "that does not fit: a bio has 1 to 4000 characters, a stance is a number from -1 to 1"
            )
            continue
        print_result(describe_persona(persona))


def describe_persona(persona: Persona) -> str:
    """Describe a persona in a paragraph of text."""
    stance = "left to the bio" if persona.stance is None else f"{persona.stance:+.2f}"
    factors = ", ".join(f"{name} {value:.2f}" for name, value in persona.big_five.model_dump().items())
    interests = ", ".join(persona.interests) or "none named"
    return (
        f"{persona.name} ({persona.id})\n  {persona.bio}\n"
        f"  stance {stance} (-1 against, +1 for); influence {persona.influence:g}; "
        f"{persona.tokens} tokens, {persona.searches} searches\n"
        f"  interests: {interests}\n  {factors}\n"
    )
