"""Adoption of a run from elsewhere: it gets a receipt, and is replaced by a clean copy if need be."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from openiir.core.errors import DamagedRun, InputError
from openiir.core.storage import database, receipts
from openiir.core.storage.after_file import NAME as AFTER
from openiir.core.storage.folder import DATABASE, find_study_folder, lock_folder
from openiir.core.storage.gate import check_folder
from openiir.core.storage.integrity import check_run
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.transfer import copy_run


class Adoption(NamedTuple):
    """Result of adopting a run (accepting one from another machine)."""

    study: Path | None
    """Folder whose files the run may read from now on; None for a type's reference study."""
    kept: Path | None
    """Folder with the run as it came; None where it was clean, and so was not copied."""


def adopt_run(folder: Path) -> Adoption | None:
    """Accept a run from another machine by writing a receipt for it here; None if it has one already.

    One with a journal, a write-ahead log or links is replaced by a copy of what the run is made of, read
    without them.
    """
    if receipts.has_receipt(folder):
        return None
    place = folder.resolve()
    kept = None
    if _is_clean(place):
        with RunFile.open(place) as run:
            check_run(run)
            noted = run.state("folder")
    else:
        lock = lock_folder(place)
        try:
            kept, noted = _replace_by_copy(place)
        finally:
            lock.release()
    study = None if noted is None else find_study_folder(place, noted).resolve()
    receipts.write_receipt(place, study)
    return Adoption(study, kept)


def _is_clean(folder: Path) -> bool:
    try:
        check_folder(folder)
    except DamagedRun:
        return False
    endings = ("-journal", "-wal")
    return not any(os.path.lexists(folder / f"{name}{end}") for name in (DATABASE, AFTER) for end in endings)


def _replace_by_copy(folder: Path) -> tuple[Path, str | None]:
    """Replace a run by a clean copy; returns where the run as it came is now, and its note of the study."""
    copy, kept = folder.with_name(f".{folder.name}.adopted"), folder.with_name(f"{folder.name}.as-it-came")
    if os.path.lexists(kept):
        raise InputError(f"{kept} is in the way, where {folder} is to be kept as it came; move it away")
    with database.translate_errors(copy):
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        try:
            copy_run(folder, copy)
            with RunFile.open(copy) as run:
                check_run(run)
                noted = run.state("folder")
            folder.rename(kept)
            copy.rename(folder)
        except BaseException:
            shutil.rmtree(copy, ignore_errors=True)
            raise
    return kept, noted
