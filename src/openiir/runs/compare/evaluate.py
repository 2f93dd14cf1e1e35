"""Measures of many finished runs, in as many processes as are given."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, OpeniirError
from openiir.core.records import Measure
from openiir.runs.after import evaluated
from openiir.runs.artefact import open_run

RUNS_A_WORKER = 8
"""Under so many runs a process of its own takes longer to start than it saves."""


def measure_all(
    folders: Sequence[Path], settings: Mapping[str, Any], workers: int | None = None
) -> list[dict[str, Measure]]:
    """Each run's measures, in the order given; nothing is written, so folders may be read-only.

    Values kept in after-files are not used: they do not say which version of the code measured them, and two arms
    measured by two versions are no comparison. Raises InputError naming the run that cannot be measured.
    """
    wanted = min(workers or cpu_count() or 1, len(folders))
    if workers is None:
        wanted = min(wanted, -(-len(folders) // RUNS_A_WORKER))
    job = partial(_measure, dict(settings))
    if wanted <= 1:
        return [job(folder) for folder in folders]
    with _pool(wanted) as pool:
        return list(pool.map(job, folders))


def _measure(settings: dict[str, Any], folder: Path) -> dict[str, Measure]:
    try:
        with open_run(folder, finished=True) as run:
            return evaluated(run, settings)
    except OpeniirError as error:  # told anew, since not every error of ours survives the way between processes
        raise InputError(f"{folder}: {error}") from None


@contextmanager
def _pool(workers: int) -> Iterator[Any]:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
