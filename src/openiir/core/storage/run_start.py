"""Inputs that a run started from: study, personas, chunks and fitted parts."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from openiir.core.errors import InputError
from openiir.core.hashing import canonical, sha256
from openiir.core.records import Chunk, Persona
from openiir.core.storage import database, receipts
from openiir.core.storage.content import RECIPE, hash_inputs
from openiir.core.storage.folder import note_study_folder
from openiir.core.storage.run_database import RunDatabase
from openiir.core.storage.step_rows import insert_chunks


class RunHome(NamedTuple):
    """Where a run that is executed elsewhere belongs, and where its study lies."""

    run: Path
    study: Path


class RunStart(RunDatabase):
    """Tables of a run file with the run's inputs, and the chunks of its worlds."""

    _place: Path | None = None
    """Folder of the study, if the run was declared by this object."""

    def declare(
        self,
        study: dict[str, Any],
        personas: Sequence[Persona],
        chunks: Iterable[Chunk],
        fitted: dict[str, bytes],
        place: Path | None = None,
        also: Callable[[sqlite3.Connection], None] = lambda db: None,
        home: RunHome | None = None,
    ) -> None:
        """Write a run's inputs (study, personas, chunks, models) in one transaction; then the run exists.

        `place` is the study's folder, None for that of the type's reference; `also` writes what else the run
        has from the start; `home` is where run and study belong, if these are copies.
        """
        with database.transaction(self.db, self.path) as db:
            row = (study["type"], study["name"], study["seed"], canonical(study))
            db.execute("insert into study values (1, ?, ?, ?, ?)", row)
            db.executemany(
                "insert into persona values (?, ?, ?)",
                [(p.id, n, canonical(p)) for n, p in enumerate(personas)],
            )
            insert_chunks(db, chunks, 0)
            db.executemany(
                "insert into fitted values (?, ?, ?)",
                [(name, sha256(body), body) for name, body in fitted.items()],
            )
            stated = {"status": "running", "declared": hash_inputs(db), "recipe": str(RECIPE)}
            if place is not None:
                belongs = home or RunHome(self.folder, place)
                stated["folder"] = note_study_folder(self.folder, belongs.study, belongs.run)
            self._put_state(db, stated)
            also(db)
        self._place = place
        if self.commit_each_call:
            with suppress(InputError):  # the run can be made, if not gone on with later
                receipts.write_receipt(self.folder, place, database.temporary_path(self.path))
        self.db = database.rename_finished(self.db, self.path, scratch=not self.commit_each_call)

    def study(self) -> dict[str, Any]:
        """Read the study as declared."""
        return dict(json.loads(self.db.execute("select document from study").fetchone()[0]))

    def study_folder(self) -> Path | None:
        """Return the folder that the study's relative paths start from; None for a type's reference study.

        For a run that was not made on this machine it is the run's own folder, whatever the run says.
        """
        if self._place is not None:
            return self._place
        return None if self.state("folder") is None else receipts.study_folder_of(self.folder)

    def personas(self) -> tuple[Persona, ...]:
        rows = self.db.execute("select document from persona order by position")
        return tuple(Persona.model_validate_json(row[0]) for row in rows)

    def chunks(self, world: str | None = None, until: int | None = None) -> list[Chunk]:
        """List chunks, by world and id: those at the start (`until` = 0) or up to a step."""
        sql, args = "1", list[Any]()
        for clause, value in (("world = ?", world), ("step <= ?", until)):
            if value is not None:
                sql += f" and {clause}"
                args.append(value)
        return self._read_chunks(f"{sql} order by world, id", args)

    def found_chunks(self, until: int) -> list[Chunk]:
        """List the passages that searches found up to a step, in the order found."""
        return self._read_chunks("step between 1 and ? order by rowid", [until])

    def _read_chunks(self, where: str, args: Sequence[Any]) -> list[Chunk]:
        names = ("world", "id", "source", "start", "end", "text", "sha256")
        sql = f'select world, id, source, start, "end", text, sha256 from chunk where {where}'
        return [
            Chunk.model_construct(**dict(zip(names, row, strict=True))) for row in self.db.execute(sql, args)
        ]

    def fitted_parts(self) -> dict[str, bytes]:
        """Return the models fitted on the run's own texts, such as an LSA, as bytes by name."""
        return dict(self.db.execute("select name, body from fitted order by name"))
