"""`openiir run`: run a study, or several side by side."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import Fetch, Recording, Sets, SettingsFile, SkipBad, Trusted, Workers, command_app
from openiir.cli.run_output import print_end
from openiir.core.errors import InputError
from openiir.runs.execute import LocalOptions, RunOrder, forecast_studies, pilot_studies, run_studies
from openiir.runs.terminal import print_message, print_result

app = command_app()


@app.command()
def run(
    studies: Annotated[list[str], typer.Argument(metavar="STUDY...", help="A file, a folder, or a type.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The run's folder.")] = None,
    sets: Sets = None,
    settings_file: SettingsFile = None,
    recording: Recording = None,
    workers: Workers = None,
    skip_bad: SkipBad = False,
    fetch: Fetch = False,
    again: Annotated[bool, typer.Option("--again", help="Replace a run that is already at DIR.")] = False,
    forecast: Annotated[bool, typer.Option("--forecast", help="Only say what it would ask for.")] = False,
    pilot: Annotated[
        int | None,
        typer.Option("--pilot", metavar="N", min=1, help="With --forecast: run N steps, kept for `resume`."),
    ] = None,
    trust: Trusted = False,
) -> None:
    """Run a study, or several side by side."""
    order = RunOrder(out, tuple(sets or ()), recording, skip_bad, fetch, again)
    local = LocalOptions(settings_file, workers, trust)
    if pilot is not None:
        if not forecast:
            raise InputError("a pilot is run for a forecast; give --forecast as well, or leave --pilot out")
        for folder in pilot_studies(studies, order, local, pilot):
            print_message(f"`openiir resume {folder}` goes on with the run")
            print_result(f"run: {folder}")
        return
    if forecast:
        forecast_studies(studies, order, local)
        return
    outcomes = run_studies(studies, order, local)
    for folder, content, error in outcomes:
        if error is None:
            print_end(folder, content, settings_file)
        elif len(outcomes) > 1:
            print_message(f"{folder}: {error}")
    if errors := [outcome.error for outcome in outcomes if outcome.error is not None]:
        raise errors[0]
