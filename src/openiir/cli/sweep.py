"""`openiir sweep`: run a study under many settings and seeds."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import Fetch, Sets, SettingsFile, SkipBad, Trusted, command_app
from openiir.cli.sweep_output import print_sweep
from openiir.runs.execute import LocalOptions
from openiir.runs.sweep.execute import run_sweep
from openiir.runs.sweep.planning import SweepOrder

app = command_app()
Vary = Annotated[
    list[str] | None,
    typer.Option("--vary", metavar="K=[V,...]", help="An axis: values, or low..high. Repeatable."),
]
Design = Annotated[
    str | None, typer.Option("--design", help="grid, random, lhs, ofat, morris, sobol or evolve.")
]
Seeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", help="Master seeds, the same in every arm.")
]
Samples = Annotated[
    int | None, typer.Option("--samples", metavar="N", help="Points, where a design samples.")
]


Generations = Annotated[
    int | None, typer.Option("--generations", metavar="N", help="Generations of --design evolve.")
]
Fitness = Annotated[
    str | None, typer.Option("--fitness", metavar="MEASURE", help="Measure that --design evolve selects by.")
]


@app.command()
def sweep(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A file, a folder, or a type.")],
    vary: Vary = None,
    design: Design = None,
    samples: Samples = None,
    seeds: Seeds = None,
    generations: Generations = None,
    fitness: Fitness = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Runs at a time.")] = None,
    engine: Annotated[str, typer.Option("--engine", help="local or ray.")] = "local",
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The sweep's folder.")] = None,
    sets: Sets = None,
    settings_file: SettingsFile = None,
    trust: Trusted = False,
    skip_bad: SkipBad = False,
    fetch: Fetch = False,
) -> None:
    """Run a study under many settings and seeds."""
    order = SweepOrder(
        study, tuple(sets or ()), tuple(vary or ()), design, samples, seeds, generations, fitness
    )
    local = LocalOptions(settings_file, workers, trust)
    print_sweep(*run_sweep(order, out, local, engine=engine, skip_bad=skip_bad, fetch=fetch))
