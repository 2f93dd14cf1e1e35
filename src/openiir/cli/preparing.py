"""Commands that prepare a study: types, trust, personas, worlds, claims."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app

personas = typer.Typer(help="List, generate and check personas.", no_args_is_help=True)
world = typer.Typer(help="Build worlds from sources.", no_args_is_help=True)
claims = typer.Typer(help="Import argument graphs.", no_args_is_help=True)
app.add_typer(personas, name="personas")
app.add_typer(world, name="world")
app.add_typer(claims, name="claims")

SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A settings file.")]
Sources = Annotated[list[str], typer.Argument(metavar="SOURCES...", help="Files, folders or patterns.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave unreadable sources out.")]


@app.command()
def types() -> None:
    """List the types there are, built-in and plugged in."""
    from openiir.cli.lists import print_types

    print_types()


@app.command()
def trust(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A study, a run, a sweep, or a file of systems.")
    ],
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="K=V", help="Replace a key of the study.")
    ] = None,
) -> None:
    """Allow what a study needs of this machine: its commands, Python code, variables and addresses."""
    from openiir.cli.trusting import trust_study

    trust_study(study, tuple(sets or ()))


@personas.command("list")
def personas_list(
    file: Annotated[
        Path | None, typer.Argument(help="A persona file or folder; the shared library by default.")
    ] = None,
    settings_file: SettingsFile = None,
) -> None:
    """List personas with bio, stance and budgets."""
    from openiir.cli.lists import print_personas

    print_personas(file, settings_file)


@personas.command("check")
def personas_check(
    file: Annotated[Path, typer.Argument(help="A persona file.")],
    review: Annotated[
        bool, typer.Option("--review", help="Go through the bios with their participants.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Put the personas into the shared library.")] = False,
    settings_file: SettingsFile = None,
) -> None:
    """Check a persona file; the whole list of what is wrong, each with its line and remedy."""
    from openiir.cli.rosters import check_roster

    check_roster(file, review, keep, settings_file)


@personas.command("generate")
def personas_generate(
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
    from openiir.cli.rosters import generate_roster

    generate_roster(sources, topic, n, seed, model, out, skip_bad, settings_file)


@world.command("build")
def world_build(
    sources: Sources,
    skip_bad: SkipBad = False,
    words: Annotated[
        int, typer.Option("--chunk-words", min=10, max=2_000, help="Most words in a chunk.")
    ] = 120,
    query: Annotated[str, typer.Option("--query", help="Try a look-up in it.")] = "",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Chunks as JSON lines.")] = None,
) -> None:
    """Read and chunk sources as a study would, and say what is in them."""
    from openiir.cli.worlds import build_world

    build_world(sources, skip_bad, words, query, out)


@claims.command("import")
def claims_import(
    file: Annotated[Path, typer.Argument(help="An argument graph in AIF JSON.")],
    topic: Annotated[str, typer.Option("--topic", help="What the claims are about.")] = "",
    form: Annotated[str, typer.Option("--format", help="text, json, aif, graphml or cypher.")] = "",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE")] = None,
) -> None:
    """Read an argument graph made elsewhere: show it, measure it, or write it in another format."""
    from openiir.cli.views import import_claims

    import_claims(file, topic, form, out)
