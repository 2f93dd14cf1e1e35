"""`openiir fork`: share a run's first steps, then continue with other values."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import Recording, RunFolder, SettingsFile, Trusted, command_app
from openiir.cli.run_output import print_end
from openiir.runs.changes import parse_assignment
from openiir.runs.execute import ForkOrder, LocalOptions, fork_run

app = command_app()


@app.command()
def fork(
    folder: RunFolder,
    step: Annotated[
        int | None, typer.Option("--step", metavar="N", help="The first step that may differ.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="LABEL", help="The same step by its label.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="K=V", help="A key of [config] or [answers] from then on."),
    ] = None,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--event", metavar="EVENT", help="kind=KIND,key=value,... or a TOML file with [[event]] entries."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The fork's folder.")] = None,
    settings_file: SettingsFile = None,
    recording: Recording = None,
    trust: Trusted = False,
) -> None:
    """Share a run's steps before N, then go on with other values or with events."""
    values = dict(parse_assignment(assignment) for assignment in sets or ())
    order = ForkOrder(step, at, values, tuple(events or ()))
    forked = fork_run(folder, order, out, recording, LocalOptions(settings_file, None, trust))
    print_end(forked.folder, forked.content, settings_file)
