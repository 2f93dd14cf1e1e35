"""Copies of a run in another folder: one from elsewhere, or one that was made on another disk."""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from openiir.core.errors import DamagedRun
from openiir.core.storage import database, receipts
from openiir.core.storage.after_file import NAME as AFTER
from openiir.core.storage.checkpoints import checkpoint_path
from openiir.core.storage.folder import DATABASE, STUDY, is_free
from openiir.core.storage.gate import FOLDERS, copy_file
from openiir.core.storage.integrity import MANIFEST, check_run
from openiir.core.storage.live_file import LIVE
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.tables import part_path


def copy_run(folder: Path, copy: Path, *, ours: bool = False) -> None:
    """Copy what a run is made of into an empty folder, without journal, log and links.

    `ours` says that this process may be writing the run; its last committed state is copied then.
    Raises DamagedRun.
    """
    for name in FOLDERS:
        _refuse_link(folder / name, "folder")
    _copy_database(folder / DATABASE, copy / DATABASE, "run", ours)
    if (folder / AFTER).is_file() and (folder / AFTER).stat().st_size:
        _copy_database(folder / AFTER, copy / AFTER, "after", ours)
    for name in (MANIFEST, LIVE, STUDY):
        if (folder / name).is_file() and not (folder / name).is_symlink():
            copy_file(folder / name, copy / name)
    (copy / "tables").mkdir()
    with RunFile.open(copy) as run:
        for (file,) in run.db.execute("select file from part"):
            copy_file(part_path(folder, file), part_path(copy, file))
        kept = checkpoint_path(folder, run.state("checkpoint") or "")
        if kept is not None:
            (copy / "checkpoints").mkdir()
            with suppress(FileNotFoundError):
                copy_file(kept, copy / kept.relative_to(folder))


def put_run(run: Path, folder: Path, aside: Path) -> None:
    """Copy a run of this process to a folder on another disk, verified, completely or not at all.

    The copy is made in the folder `aside` of that disk. A run that is there already is replaced;
    `recover_run` completes a replacement that was cut off. Raises DamagedRun, StorageFull.
    """
    arriving = aside / f"{folder.name}.{uuid4().hex}.arriving"
    leaving = arriving.with_suffix(".leaving")
    with database.translate_errors(folder):
        aside.mkdir(parents=True, exist_ok=True)
        folder.parent.mkdir(exist_ok=True)
        try:
            with TemporaryDirectory(dir=run.parent) as here:  # SQLite need not write on a network's disk
                still = Path(here) / run.name
                still.mkdir()
                copy_run(run, still, ours=True)
                shutil.copytree(still, arriving)
            with RunFile.open(arriving) as copied:
                check_run(copied)
            for path in (*arriving.rglob("*"), arriving):
                _sync(path)
            if folder.exists():
                folder.rename(leaving)
            arriving.rename(folder)
        finally:
            shutil.rmtree(arriving, ignore_errors=True)
        _sync(folder.parent)
        shutil.rmtree(leaving, ignore_errors=True)


def recover_run(folder: Path, aside: Path) -> None:
    """Put a run back that `put_run` was killed while replacing, and delete what it left half copied."""
    for left in aside.glob(f"{folder.name}.*.leaving"):
        if not folder.exists():
            left.rename(folder)
    for left in aside.glob(f"{folder.name}.*"):
        shutil.rmtree(left, ignore_errors=True)


def receive_run(folder: Path, study: Path) -> None:
    """Write the receipt of a run that another machine put into a folder of this one's; none if there is none.

    From then on it is resumed and replayed here, as one that was made here.
    """
    if not folder.is_symlink() and not is_free(folder) and not receipts.has_receipt(folder):
        receipts.write_receipt(folder, study)


def _copy_database(source: Path, target: Path, schema: str, ours: bool) -> None:
    _refuse_link(source, "file")
    read = database.open_reading(source, schema, ours=ours, as_it_stands=True)
    with closing(read), closing(sqlite3.connect(target)) as written:
        read.backup(written)


def _refuse_link(path: Path, what: str) -> None:
    if path.is_symlink():
        remedy = f"put the {what} that it leads to there"
        raise DamagedRun(f"{path} is a link, and no link in a run is followed; {remedy}")


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
