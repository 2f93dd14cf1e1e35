"""Measures of many finished runs, in as many processes as are given."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import cpu_count
from pathlib import Path
from time import monotonic
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.core.records import Measure
from openiir.runs.post_run import compute_measures
from openiir.runs.processes import process_pool
from openiir.runs.run_io import open_checked

BOUNDS = (".low", ".high")
"""Ends of intervals within one run, which seeds as units do without."""
WORTH_A_POOL = 8.0
"""Seconds of measuring under which processes of their own take longer to start than they save."""


def measure_all(
    folders: Sequence[Path], settings: Mapping[str, Any], workers: int | None = None
) -> list[dict[str, Measure]]:
    """Each run's measures but for interval bounds, in the order given; nothing is written, so folders may be read-only.

    Values kept in after-files are not used: they do not say which version of the code measured them, and two arms
    measured by two versions are no comparison. Raises InputError naming the run that cannot be measured.
    """
    job, found = partial(_measure, dict(settings)), list[dict[str, Measure]]()
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


def _measure(settings: dict[str, Any], folder: Path) -> dict[str, Measure]:
    try:
        with open_checked(folder, finished=True) as run:
            found = compute_measures(run, settings)
    except (
        OpeniirError
    ) as error:  # told anew, since not every error of ours survives the way between processes
        raise InputError(f"{folder}: {error}") from None
    return {name: measure for name, measure in found.items() if not name.endswith(BOUNDS)}
