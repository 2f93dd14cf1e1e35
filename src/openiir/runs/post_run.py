"""Find and measure what a run can show; measures go to its after-file, and its content hash stays."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import cpu_count
from pathlib import Path
from time import monotonic
from typing import Any

from openiir.core.errors import InputError, OpeniirError, UnknownName
from openiir.core.records import Measure
from openiir.core.storage import AfterFile, Log, RunFile, is_writable
from openiir.core.toml import validate_record
from openiir.plugin import Scenario, Surface
from openiir.runs.interviews import agents_named
from openiir.runs.parity import measure_shadow_agreement
from openiir.runs.processes import process_pool
from openiir.runs.run_io import open_checked
from openiir.runs.types import find_type

_LISTED = 20
"""Largest number of ids that an error lists; of more it names the first and the last."""

BOUNDS = (".low", ".high")
"""Endings of the names of interval bounds within one run, which comparisons over seeds leave out."""
WORTH_A_POOL = 8.0
"""Seconds of measuring below which worker processes take longer to start than they save."""


def scenario_of(run: RunFile) -> Scenario:
    """Return the type of a run as an object; raises InputError where it is not installed."""
    return find_type(run.study()["type"])


def surfaces_of(scenario: Scenario) -> dict[str, Surface]:
    """Return the surfaces (declared views) of a type by name."""
    return {s.name: s for s in scenario.surfaces() if isinstance(s, Surface)}


def find_surface(run: RunFile, name: str) -> Surface:
    """Return a surface (declared view) of a run's type by name; raises UnknownName."""
    surfaces = surfaces_of(scenario_of(run))
    if name not in surfaces:
        raise UnknownName(f"surface of the type {run.study()['type']!r}", name, surfaces)
    return surfaces[name]


def check_agent(run: RunFile, surface: Surface, name: str) -> None:
    """Raise InputError where a surface cannot be shown for the agent of this name alone."""
    if surface.agents is None:
        if name not in Log(run).members:
            agents_named(run, name)
        return
    known = surface.agents(Log(run))
    if name in known:
        return
    if len(known) <= _LISTED:
        raise UnknownName(f"agent of the surface {surface.name!r}", name, known)
    raise InputError(
        f"the surface {surface.name!r} has no agent {name!r}, but {len(known):,} others, from {known[0]} on"
    )


def measure(folder: Path, settings: Mapping[str, Any]) -> dict[str, Measure]:
    """Compute a run's measures from its log, and shadow agreement if there is a shadow; store them.

    They are stored in the after-file, unless the folder is read-only.

    `settings` are what the type's `Measuring` lets be set; raises InputError for others.
    """
    with open_checked(folder, finished=True) as run:
        measures = compute_measures(run, settings)
        if is_writable(folder):
            with AfterFile(folder, str(run.state("content"))) as after:
                kept = {n: (m.value, None) if m.defined else (None, m.reason) for n, m in measures.items()}
                after.add_measures(kept, settings)
        return measures


def compute_measures(run: RunFile, settings: Mapping[str, Any]) -> dict[str, Measure]:
    """Compute the measures as `measure` does, without storing them; the folder may be read-only."""
    scenario = scenario_of(run)
    log = Log(run, measuring=validate_record(scenario.Measuring, dict(settings), "measure --set"))
    return {**scenario.metrics(log), **measure_shadow_agreement(log)}


def measure_all(
    folders: Sequence[Path], settings: Mapping[str, Any], workers: int | None = None
) -> list[dict[str, Measure]]:
    """Compute each run's measures except interval bounds, in the order given; writes nothing.

    Values kept in after-files are not used: they do not say which version of the code measured them, and two
    arms measured by two versions are no comparison. Raises InputError naming the run that cannot be measured.
    """
    job, found = partial(_measure_run, dict(settings)), list[dict[str, Measure]]()
    wanted = workers or 1
    if workers is None and len(folders) > 2:
        found.append(job(folders[0]))  # loads what the type needs, which says nothing of the others
        began = monotonic()
        found.append(job(folders[1]))
        wanted = (cpu_count() or 1) if (monotonic() - began) * len(folders) > WORTH_A_POOL else 1
    waiting = folders[len(found) :]
    if min(wanted, len(waiting)) <= 1:
        return found + [job(folder) for folder in waiting]
    with process_pool(min(wanted, len(waiting))) as pool:
        return found + list(pool.map(job, waiting))


def _measure_run(settings: dict[str, Any], folder: Path) -> dict[str, Measure]:
    try:
        with open_checked(folder, finished=True) as run:
            found = compute_measures(run, settings)
    except OpeniirError as error:  # told anew: not every error of ours survives the way between processes
        raise InputError(f"{folder}: {error}") from None
    return {name: measure for name, measure in found.items() if not name.endswith(BOUNDS)}
