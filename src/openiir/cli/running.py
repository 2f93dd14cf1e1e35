"""Commands that run: run, resume, replay, fork."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app

Sets = Annotated[list[str] | None, typer.Option("--set", metavar="K=V", help="Replace a key of the study.")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A settings file.")]
Trusted = Annotated[bool, typer.Option("--trust", help="Allow this once what the study needs leave for.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Threads for a crowd; changes no result.")
]
Recording = Annotated[
    Path | None, typer.Option("--recording", help='The run that answers = "recording" plays.')
]


@app.command()
def run(
    studies: Annotated[list[str], typer.Argument(metavar="STUDY...", help="A file, a folder, or a type.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The run's folder.")] = None,
    sets: Sets = None,
    settings_file: SettingsFile = None,
    recording: Recording = None,
    workers: Workers = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave unreadable sources out.")] = False,
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch the URLs that worlds name.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Replace a run that is already at DIR.")] = False,
    forecast: Annotated[bool, typer.Option("--forecast", help="Only say what it would ask for.")] = False,
    trust: Trusted = False,
) -> None:
    """Run a study, or several side by side."""
    from openiir.cli.sitting import Order, run_studies

    order = Order(out, tuple(sets or ()), recording, skip_bad, fetch, again, forecast)
    run_studies(studies, order, settings_file, workers, trust)


@app.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="RUN")],
    settings_file: SettingsFile = None,
    recording: Recording = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Threads for a crowd; a sweep's processes.")
    ] = None,
    trust: Trusted = False,
) -> None:
    """Go on with a run, or a sweep, that was stopped or killed."""
    from openiir.cli.sitting import resume_run
    from openiir.cli.sweeps import is_sweep, resume_sweep

    if is_sweep(folder):
        resume_sweep(folder, workers, settings_file, recording, trust)
    else:
        resume_run(folder, settings_file, recording, workers, trust)


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(metavar="RUN")],
    settings_file: SettingsFile = None,
    workers: Workers = None,
    trust: Trusted = False,
) -> None:
    """Execute a run again from its ledger alone, and compare."""
    from openiir.cli.sitting import replay_run

    replay_run(folder, settings_file, workers, trust)


@app.command()
def fork(
    folder: Annotated[Path, typer.Argument(metavar="RUN")],
    step: Annotated[int, typer.Option("--step", metavar="N", help="The first step that may differ.")],
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="K=V", help="A key of [config] or [answers] from then on."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The fork's folder.")] = None,
    settings_file: SettingsFile = None,
    recording: Recording = None,
    trust: Trusted = False,
) -> None:
    """Share a run's steps before N, then go on with other values."""
    from openiir.cli.forking import fork_run

    fork_run(folder, step, tuple(sets or ()), out, settings_file, recording, trust)
