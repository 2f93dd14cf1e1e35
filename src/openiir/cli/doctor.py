"""`openiir doctor`: try the endpoints of the settings, or the systems and retrievers that a file declares."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, Trusted, command_app
from openiir.cli.tier_output import print_tier
from openiir.core.records import ProbeReport
from openiir.core.systems import RetrieverSpec, SystemSpec, probe_system
from openiir.runs.edge import run_coroutine
from openiir.runs.endpoint_use import try_endpoint
from openiir.runs.retrievers import probe_retriever
from openiir.runs.settings import Settings, load_settings, require_endpoints, run_with_permissions
from openiir.runs.terminal import print_result
from openiir.runs.trust import allow_imports, read_declared_systems, system_permissions

app = command_app()


@app.command()
def doctor(
    model: Annotated[
        str | None, typer.Option("--model", help="The model to try; the first listed by default.")
    ] = None,
    system: Annotated[
        Path | None,
        typer.Option("--system", metavar="FILE", help="Try the systems and retrievers that a file declares."),
    ] = None,
    tier: Annotated[
        bool,
        typer.Option("--tier", help="Say how fast this machine and endpoint are for the reference studies."),
    ] = False,
    query: Annotated[str, typer.Option("--query", help="What a retriever is asked.")] = "wind power",
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Try the model endpoint, or a declared system."""
    settings = load_settings(settings_file)
    if tier:
        print_tier(settings, model)
        return
    if system is not None:
        reports = _try_systems(system, query, settings, trust)
    else:
        reports = [
            run_coroutine(try_endpoint(endpoint, model, settings)) for endpoint in require_endpoints(settings)
        ]
    for report in reports:
        print_result("\n".join(report.lines()))
    if not all(report.ok for report in reports):  # no study could run with one of what was tried
        raise SystemExit(1)


def _try_systems(file: Path, query: str, settings: Settings, trust: bool) -> list[ProbeReport]:
    systems = read_declared_systems(file)
    found = system_permissions(systems, file.parent)
    run_with_permissions(settings, trust, lambda leave: leave.trust.check(found, str(file)))
    with allow_imports(found):
        return [run_coroutine(_probe(name, spec, file.parent, query)) for name, spec in systems.items()]


async def _probe(name: str, spec: SystemSpec, folder: Path, query: str) -> ProbeReport:
    if not isinstance(spec, RetrieverSpec):
        return await probe_system(spec)
    world = name.removeprefix("world.").removesuffix("retriever").removesuffix(".") or "main"
    return await probe_retriever(spec, world, folder, query)
