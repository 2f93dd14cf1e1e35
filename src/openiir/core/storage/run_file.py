"""A run's folder with `run.db` and `tables/`: opening, locking and deleting it."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError
from openiir.core.storage import database, receipts, tables
from openiir.core.storage.folder import DATABASE, STUDY, is_free, lock_folder, missing_run
from openiir.core.storage.gate import check_folder
from openiir.core.storage.run_start import RunStart
from openiir.core.storage.step_store import StepStore
from openiir.core.storage.vector_table import VectorTable


class RunFile(StepStore, RunStart, VectorTable, AbstractContextManager["RunFile"]):
    """A run's folder, open for reading or (by one process at a time) for writing."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: Any = None) -> None:
        super().__init__(folder, connection)
        self._lock = lock
        self._closed = False

    @classmethod
    def create(cls, folder: Path, *, scratch: bool = False, made: Sequence[str] | None = None) -> "RunFile":
        """Create a run in a free folder (`is_free`); it exists once `declare` has written its inputs.

        A `scratch` run commits a step at a time and is not made safe against a crash: for what is thrown
        away; `made` are the statements of an earlier release that make the tables. Raises InputError for a
        folder with something in it, RunBusy, StorageFull.
        """
        path = folder / DATABASE
        with database.translate_errors(path):
            folder.mkdir(parents=True, exist_ok=True)
            check_folder(folder)
            lock = lock_folder(folder)
            if not is_free(folder):
                lock.release()
                raise InputError(f"{folder} is not empty; name another folder")
            try:
                (folder / STUDY).unlink(missing_ok=True)
                (folder / "tables").mkdir(exist_ok=True)
                tables.delete_unlisted_parts(folder, set())
                run = cls(folder, database.create_unnamed(path, "run", scratch=scratch, made=made), lock)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                lock.release()
                raise
        if scratch:
            run.commit_each_call = False
        return run

    @classmethod
    def open(cls, folder: Path, *, writable: bool = False) -> "RunFile":
        """Open an existing run; raises DamagedRun, InputError (no run) or RunBusy (another process writes).

        For writing, only a run that was made on this machine is opened; reading writes nothing, whosever the
        run is.
        """
        path = folder / DATABASE
        check_folder(folder)
        if not path.is_file():
            raise missing_run(folder)
        if not writable:
            ours = receipts.has_receipt(folder)
            return cls(folder, database.open_reading(path, "run", ours=ours))
        receipts.check_has_receipt(folder)
        lock = lock_folder(folder)
        try:
            connection = database.open_writable(path, "run")
            with database.closing_on_error(connection):
                database.upgrade_schema(connection, path, "run")
            return cls(folder, connection, lock)
        except BaseException:
            lock.release()
            raise

    @staticmethod
    def undo_half_written(folder: Path) -> None:
        """Roll back what a killed process left half written in a run, if it was made on this machine."""
        check_folder(folder)
        if database.is_half_written(folder / DATABASE) and receipts.has_receipt(folder):
            lock = lock_folder(folder)
            try:
                database.open_writable(folder / DATABASE, "run").close()
            finally:
                lock.release()

    @property
    def writable(self) -> bool:
        return self._lock is not None

    def close(self) -> None:
        """Merge the write-ahead log into the file and release the lock; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._lock and self.commit_each_call and not self.db.in_transaction:
                database.merge_write_ahead_log(self.db)
        finally:
            self.db.close()
            if self._lock:
                self._lock.release()

    def withdraw(self) -> None:
        """Close the run and delete it, restoring the earlier run that it was to replace."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.replaces is not None:
            self.replaces.replace(self.folder)

    def __exit__(self, *_: object) -> None:
        self.close()
