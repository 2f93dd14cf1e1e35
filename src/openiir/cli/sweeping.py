"""The command that runs a study many times: sweep."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app
from openiir.cli.running import SettingsFile, Trusted

Vary = Annotated[
    list[str] | None,
    typer.Option("--vary", metavar="K=[V,...]", help="An axis: values, or low..high. Repeatable."),
]
Design = Annotated[str | None, typer.Option("--design", help="grid, random, lhs, ofat, morris or sobol.")]
Seeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", help="Master seeds, the same in every arm.")
]
Samples = Annotated[
    int | None, typer.Option("--samples", metavar="N", help="Points, where a design samples.")
]


@app.command()
def sweep(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A file, a folder, or a type.")],
    vary: Vary = None,
    design: Design = None,
    samples: Samples = None,
    seeds: Seeds = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Runs at a time.")] = None,
    engine: Annotated[str, typer.Option("--engine", help="local or ray.")] = "local",
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The sweep's folder.")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="K=V", help="Replace a key.")] = None,
    settings_file: SettingsFile = None,
    trust: Trusted = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave unreadable sources out.")] = False,
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch the URLs that worlds name.")] = False,
) -> None:
    """Run a study under many settings and seeds."""
    from openiir.cli.sweeps import Hands, run_sweep
    from openiir.runs.sweep.planning import Order

    order = Order(study, tuple(sets or ()), tuple(vary or ()), design, samples, seeds)
    run_sweep(order, out, Hands(engine, workers), settings_file, skip_bad=skip_bad, fetch=fetch, trust=trust)
