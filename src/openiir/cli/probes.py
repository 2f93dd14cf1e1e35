"""What `openiir doctor` says of endpoints and systems."""

import asyncio
from pathlib import Path

from openiir.core.llm.probe import probe as probe_endpoint
from openiir.core.systems import probe as probe_system
from openiir.core.systems import read_systems
from openiir.runs.settings import endpoint_of, load_settings
from openiir.runs.terminal import say


def try_endpoint(model: str | None, settings_file: Path | None) -> None:
    """Print what the model endpoint of the settings can do; exit code 1 where no study could run on it."""
    report = asyncio.run(probe_endpoint(endpoint_of(load_settings(settings_file)), model))
    say(report.url)
    if report.models:
        say(f"  models: {', '.join(report.models)}")
    for finding in report.findings:
        say(f"  {'ok    ' if finding.ok else 'FAILED'}  {finding.name}: {finding.seen}")
        if finding.remedy:
            say(f"          -> {finding.remedy}")
    if report.seconds is not None:
        say(f"  a short reply of {report.model} took {report.seconds:.2f} s")
    if not report.usable:
        raise SystemExit(1)


def try_systems(file: Path) -> None:
    """Print what each declared system answers; exit code 1 where one fails."""
    reports = [asyncio.run(probe_system(spec)) for spec in read_systems(file).values()]
    for report in reports:
        say("\n".join(report.lines()))
    if not all(report.ok for report in reports):
        raise SystemExit(1)
