"""Committing of a run's steps, with their table parts and the newest checkpoint."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from openiir.core.storage import checkpoints, database, tables
from openiir.core.storage.call_ledger import CallLedger
from openiir.core.storage.step_rows import StepRows, calls_digest, insert_step
from openiir.core.storage.table_rows import merge_types, types_of


class StepStore(CallLedger):
    """Step tables of a run file, with the ledger, whose calls are part of the steps' digests."""

    replaces: Path | None = None
    """Folder of the run to replace: deleted with the first step, or restored by `withdraw`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._types: dict[str, dict[str, str]] = {}
        """Column types of each table so far, which later parts must match."""

    def commit_step(
        self, rows: StepRows, digest: str | None = None, kept: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        """Write a step: table parts as Parquet files, then all rows in a transaction that lists these files.

        `digest` saves computing it again. Arrays that are `kept` become the run's checkpoint.
        """
        self._write_calls()
        if self.db.in_transaction:
            self.db.execute("commit")
        parts = []
        for name, batches in sorted(rows.tables.items()):
            if len(batches):
                known = self._types.get(name) or self._stored_types(name)
                self._types[name] = merge_types(name, known, types_of(name, batches.arrow().schema))
                with database.translate_errors(self.path):
                    parts.append(tables.write_part(self.folder, rows.number, batches))
        with database.translate_errors(self.path):
            entry = None if kept is None else checkpoints.write_checkpoint(self.folder, rows.number, kept)
        with database.transaction(self.db, self.path) as db:
            # Nobody checks a scratch run.
            calls = calls_digest(db, rows.number) if self.commit_each_call else ""
            insert_step(db, rows, (digest or rows.digest(), calls), parts)
            if entry is not None:
                self._put_state(db, {"checkpoint": entry})
        if entry is not None:
            checkpoints.delete_other_checkpoints(self.folder, entry)
        if self.replaces is not None:
            shutil.rmtree(self.replaces, ignore_errors=True)
            self.replaces = None

    def checkpoint(self) -> tuple[int, dict[str, NDArray[Any]]] | None:
        """Read step and arrays of the newest checkpoint, or None; raises DamagedRun."""
        return checkpoints.read_checkpoint(self.folder, self.state("checkpoint") or "")

    def _stored_types(self, table: str) -> dict[str, str]:
        """Read the column types of a table's latest part; empty if there is no part."""
        sql = "select file from part where tbl = ? order by step desc limit 1"
        row = self.db.execute(sql, (table,)).fetchone()
        return tables.part_types(self.folder, row[0], table) if row else {}

    def sync_to_disk(self) -> None:
        """Sync all committed data of `run.db` to disk, so that it is there before files written later."""
        self._write_calls()
        with database.translate_errors(self.path):
            if self.db.in_transaction:
                self.db.execute("commit")
            self.db.execute("pragma wal_checkpoint(truncate)")

    def steps(self) -> dict[int, str]:
        """Return the digest of each committed step, by number."""
        return dict(self.db.execute("select number, digest from step order by number"))

    def delete_unlisted_files(self) -> None:
        """Delete table parts and checkpoints that no committed step lists, since a crash left them."""
        checkpoints.delete_other_checkpoints(self.folder, self.state("checkpoint"))
        tables.delete_unlisted_parts(
            self.folder, {row[0] for row in self.db.execute("select file from part")}
        )
