"""`openiir doctor`: try the model endpoints of the settings, or the systems that a file declares."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, Trusted, command_app
from openiir.core.llm.probe import probe_endpoint
from openiir.core.records import ProbeReport
from openiir.core.systems import probe_system, read_systems
from openiir.runs.edge import wait_for
from openiir.runs.settings import endpoints_of, load_settings, with_leave
from openiir.runs.terminal import say
from openiir.runs.trust import allow_imports, system_permissions

app = command_app()


@app.command()
def doctor(
    model: Annotated[
        str | None, typer.Option("--model", help="The model to try; the first listed by default.")
    ] = None,
    system: Annotated[
        Path | None, typer.Option("--system", metavar="FILE", help="Try the systems that a file declares.")
    ] = None,
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Try the model endpoint, or a declared system."""
    if system is not None:
        _try_systems(system, settings_file, trust)
    else:
        _try_endpoints(model, settings_file)


def _try_endpoints(model: str | None, settings_file: Path | None) -> None:
    endpoints = endpoints_of(load_settings(settings_file))
    _print_reports([wait_for(probe_endpoint(endpoint, model)) for endpoint in endpoints])


def _try_systems(file: Path, settings_file: Path | None, trust: bool) -> None:
    systems = read_systems(file)
    found = system_permissions(systems, file.parent)
    with_leave(load_settings(settings_file), trust, lambda leave: leave.trust.check(found, str(file)))
    with allow_imports(found):
        reports = [wait_for(probe_system(spec)) for spec in systems.values()]
    _print_reports(reports)


def _print_reports(reports: list[ProbeReport]) -> None:
    """Print what was found; exit code 1 where no study could run with one of what was tried."""
    for report in reports:
        say("\n".join(report.lines()))
    if not all(report.ok for report in reports):
        raise SystemExit(1)
