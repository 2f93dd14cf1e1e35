"""`openiir measure`: compute the measures of a run again from its log."""

import json
from typing import Annotated

import typer

from openiir.cli.options import MeasureSets, RunFolder, command_app
from openiir.cli.surface_output import print_definitions, print_measures
from openiir.core.errors import UnknownName
from openiir.core.storage import is_writable
from openiir.runs.changes import parse_settings
from openiir.runs.post_run import measure as measure_run
from openiir.runs.terminal import print_for_program, print_message

app = command_app()


@app.command()
def measure(
    folder: RunFolder,
    sets: MeasureSets = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    explain: Annotated[bool, typer.Option("--explain", help="Say what each measure is.")] = False,
) -> None:
    """Compute the measures of a run from its log, anew."""
    if form not in ("text", "json"):
        raise UnknownName("format of measures", form, ("text", "json"))
    found = measure_run(folder, parse_settings(sets or ()))
    if not is_writable(folder):
        print_message(f"{folder} is read-only: these measures are not kept there")
    if form == "json":
        print_for_program(json.dumps({k: m.as_json() for k, m in found.items()}, indent=1) + "\n")
    else:
        print_measures(found)
    if explain and form == "text":
        print_definitions(folder, found)
