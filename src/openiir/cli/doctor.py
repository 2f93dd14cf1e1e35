"""`openiir doctor`: try the model endpoints of the settings, or the systems that a file declares."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, Trusted, command_app
from openiir.core.llm.probe import EndpointReport
from openiir.core.llm.probe import probe as probe_endpoint
from openiir.core.systems import probe as probe_system
from openiir.core.systems import read_systems
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
    """Print what the model endpoints of the settings can do; exit code 1 where no study could run on one of them."""
    endpoints = endpoints_of(load_settings(settings_file))
    reports = [wait_for(probe_endpoint(endpoint, model)) for endpoint in endpoints]
    for report in reports:
        _print_endpoint(report)
    if not all(report.usable for report in reports):
        raise SystemExit(1)


def _print_endpoint(report: EndpointReport) -> None:
    say(report.url)
    if report.models:
        say(f"  models: {', '.join(report.models)}")
    for finding in report.findings:
        say("\n".join(finding.lines()))
    if report.seconds is not None:
        say(f"  a short reply of {report.model} took {report.seconds:.2f} s")


def _try_systems(file: Path, settings_file: Path | None, trust: bool) -> None:
    """Print what each declared system answers; exit code 1 where one fails."""
    systems = read_systems(file)
    found = system_permissions(systems, file.parent)
    with_leave(load_settings(settings_file), trust, lambda leave: leave.trust.check(found, str(file)))
    with allow_imports(found):
        reports = [wait_for(probe_system(spec)) for spec in systems.values()]
    for report in reports:
        say("\n".join(report.lines()))
    if not all(report.ok for report in reports):
        raise SystemExit(1)
