"""What `openiir doctor` says of endpoints and systems."""

import asyncio
from pathlib import Path

from openiir.cli.trusting import with_leave
from openiir.core.llm.probe import ProbeReport
from openiir.core.llm.probe import probe as probe_endpoint
from openiir.core.systems import probe as probe_system
from openiir.core.systems import read_systems
from openiir.runs.settings import endpoints_of, load_settings
from openiir.runs.terminal import say
from openiir.runs.trust import importing, system_permissions


def try_endpoint(model: str | None, settings_file: Path | None) -> None:
    """Print what the model endpoints of the settings can do; exit code 1 where no study could run on one of them."""
    endpoints = endpoints_of(load_settings(settings_file))
    reports = [asyncio.run(probe_endpoint(endpoint, model)) for endpoint in endpoints]
    for report in reports:
        _print_endpoint(report)
    if not all(report.usable for report in reports):
        raise SystemExit(1)


def _print_endpoint(report: ProbeReport) -> None:
    say(report.url)
    if report.models:
        say(f"  models: {', '.join(report.models)}")
    for finding in report.findings:
        say(f"  {'ok    ' if finding.ok else 'FAILED'}  {finding.name}: {finding.seen}")
        if finding.remedy:
            say(f"          -> {finding.remedy}")
    if report.seconds is not None:
        say(f"  a short reply of {report.model} took {report.seconds:.2f} s")


def try_systems(file: Path, settings_file: Path | None, trust: bool) -> None:
    """Print what each declared system answers; exit code 1 where one fails."""
    systems = read_systems(file)
    found = system_permissions(systems, file.parent)
    with_leave(load_settings(settings_file), trust, lambda leave: leave.trust.check(found, str(file)))
    with importing(found):
        reports = [asyncio.run(probe_system(spec)) for spec in systems.values()]
    for report in reports:
        say("\n".join(report.lines()))
    if not all(report.ok for report in reports):
        raise SystemExit(1)
