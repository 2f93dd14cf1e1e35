"""`openiir resume`: continue a run or a sweep that was stopped."""

from typing import Annotated

import typer

from openiir.cli.options import Recording, RunFolder, SettingsFile, Trusted, command_app
from openiir.cli.run_output import print_end
from openiir.cli.sweep_output import print_sweep
from openiir.runs.execute import LocalOptions, resume_run
from openiir.runs.sweep.execute import resume_sweep
from openiir.runs.sweep_record import is_sweep

app = command_app()


@app.command()
def resume(
    folder: RunFolder,
    settings_file: SettingsFile = None,
    recording: Recording = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Threads for a crowd; a sweep's processes.")
    ] = None,
    engine: Annotated[str, typer.Option("--engine", help="Of a sweep: local or ray.")] = "local",
    trust: Trusted = False,
) -> None:
    """Go on with a run, or a sweep, that was stopped or killed."""
    local = LocalOptions(settings_file, workers, trust)
    if is_sweep(folder):
        print_sweep(folder, resume_sweep(folder, recording, local, engine))
    else:
        print_end(folder, resume_run(folder, recording, local), settings_file)
