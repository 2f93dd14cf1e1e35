"""Make runs and sweeps from elsewhere this machine's own, so that they can go on here."""

from collections.abc import Iterator
from pathlib import Path

from openiir.core.storage import receipts
from openiir.core.storage.adopting import adopt_run
from openiir.core.storage.folder import DATABASE, find_study_folder
from openiir.core.storage.gate import link_refused
from openiir.runs.sweep_record import is_sweep, read_plan


def adopt_runs(place: Path) -> Iterator[str]:
    """Accept a run, or a sweep with its runs, from another machine; yields messages on what was done.

    Raises DamagedRun, RunBusy and InputError; a study that is no run needs nothing.
    """
    if not is_sweep(place):
        if (place / DATABASE).is_file():
            yield from _adopt_run(place)
        return
    for path in (place / "cells", *sorted(place.glob("cells/*"))):
        if path.is_symlink():
            raise link_refused(path)
    if not receipts.has_receipt(place):
        study = find_study_folder(place, read_plan(place).folder).resolve()
        receipts.write_receipt(place, study)
        yield f"{place} is this machine's own now, and its runs read files of their study from {study}"
    for cell in sorted(place.glob(f"cells/*/{DATABASE}")):
        yield from _adopt_run(cell.parent)


def _adopt_run(folder: Path) -> Iterator[str]:
    adoption = adopt_run(folder)
    if adoption is None:
        return
    reads = f", and reads files of its study from {adoption.study}" if adoption.study else ""
    yield f"{folder} is this machine's own now{reads}"
    if adoption.kept:
        yield (
            "  it is a clean copy, without journal, write-ahead log, links and whatever else is no part of a "
            f"run; as it came it is kept in {adoption.kept}"
        )
