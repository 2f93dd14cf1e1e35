"""One run's folder: `run.db`, `tables/` and the lock. Everything that writes to them is here."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.hashing import canonical, sha256
from openiir.core.records import Call, Chunk, Persona, Place, TransportTry
from openiir.core.storage import callrows, checkpoints, database, dialogues, tables
from openiir.core.storage.content import declared_hash
from openiir.core.storage.folder import DATABASE, STUDY, is_free, keep_study, kept_study, locked, missing_run
from openiir.core.storage.steprows import StepRows, calls_digest, insert_chunks, insert_step


class RunFile:
    """A run's folder, open for reading or (by one process at a time) for writing."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: Any = None) -> None:
        self.folder = folder
        self.path = folder / DATABASE
        self.db = connection
        self._lock = lock
        self.commit_each_call = True
        self._kept: list[Call] = []
        self._closed = False
        self._types = tables.KnownTypes(folder)
        self.replaces: Path | None = None
        """Where the run lies that this one replaces: gone with the first step, back in its place if this one is
        withdrawn."""

    @classmethod
    def create(cls, folder: Path, *, scratch: bool = False) -> "RunFile":
        """A fresh run in a folder that `is_free`; there is none until it is declared, which a kill cannot cut in two.

        A `scratch` run commits a step at a time and is not made safe against a crash: for what is thrown away.
        Raises InputError for a folder with something in it, RunBusy, StorageFull.
        """
        path = folder / DATABASE
        with database.guarded(path):
            folder.mkdir(parents=True, exist_ok=True)
            lock = locked(folder)
            if not is_free(folder):
                lock.release()
                raise InputError(f"{folder} is not empty; name another folder")
            try:
                (folder / STUDY).unlink(missing_ok=True)
                (folder / "tables").mkdir(exist_ok=True)
                tables.drop_unnamed(folder, set())
                run = cls(folder, database.create_aside(path, "run", scratch=scratch), lock)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                lock.release()
                raise
        if scratch:
            run.commit_each_call = False
        return run

    @classmethod
    def open(cls, folder: Path, *, writable: bool = False) -> "RunFile":
        """An existing run; raises DamagedRun, InputError for none, and RunBusy where another process writes it."""
        path = folder / DATABASE
        if not path.is_file():
            raise missing_run(folder)
        if not writable:
            return cls(folder, database.open_existing(path, writable=False))
        database.version_of(path)  # a folder without a run gets no lock file
        lock = locked(folder)
        try:
            connection = database.open_existing(path, writable=True)
            try:
                database.complete(connection, path, "run")
            except BaseException:
                connection.close()
                raise
            return cls(folder, connection, lock)
        except BaseException:
            lock.release()
            raise

    @property
    def writable(self) -> bool:
        return self._lock is not None

    def close(self) -> None:
        """Fold the write-ahead log into the file and let go of the lock; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._lock and self.commit_each_call and not self.db.in_transaction:
                database.seal(self.db)
        finally:
            self.db.close()
            if self._lock:
                self._lock.release()

    def withdraw(self) -> None:
        """Close the run and delete it; one that it was to replace comes back."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.replaces is not None:
            self.replaces.replace(self.folder)

    def __enter__(self) -> "RunFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Setting up

    def declare(
        self,
        study: dict[str, Any],
        personas: Sequence[Persona],
        chunks: Iterable[Chunk],
        fitted: dict[str, bytes],
        place: Path | None = None,
        also: Callable[[sqlite3.Connection], None] = lambda db: None,
    ) -> None:
        """Write what a run starts from, in one transaction, after which the run exists.

        `place` is the study's folder, None for that of the type's reference; `also` writes what else the run has from
        the start.
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
            db.execute("insert into state values ('status', 'running')")
            db.execute("insert into state values ('declared', ?)", (declared_hash(db),))
            if place is not None:
                db.execute("insert into state values ('folder', ?)", (keep_study(self.folder, place),))
            also(db)
        self.db = database.move_in(self.db, self.path, scratch=not self.commit_each_call)

    # The ledger

    def find_call(self, place: Place, attempt: int, prompt: tuple[str, str] = ("", "")) -> Call | None:
        """The recorded reply at a place, if there is one.

        Whoever knows the prompt gives it as (hash, body): the body of a call with this hash is not read again.
        """
        self._write_kept()
        row = self.db.execute(callrows.FIND, callrows.key_of(place, attempt)).fetchone()
        return callrows.call_at(self.db, place, row, prompt)

    def record_call(self, *calls: Call) -> None:
        """Append replies that came together; committed at once, so that a crash cannot lose what was paid for.

        A scratch run keeps them back until the step is committed or calls are read.
        """
        self._kept += calls
        if self.commit_each_call:
            self._write_kept()

    def _write_kept(self) -> None:
        if self._kept:
            kept, self._kept = self._kept, []
            with self._committed() as db:
                db.executemany(callrows.INSERT_PROMPT, [(call.prompt_hash, call.request) for call in kept])
                db.executemany(callrows.INSERT, [callrows.call_row(call) for call in kept])

    def record_try(self, tried: TransportTry) -> None:
        """Note a try that brought no reply."""
        with self._committed() as db:
            db.execute(callrows.INSERT_TRY, callrows.try_row(tried))

    def note_opening(self, system: str, place: Place) -> int:
        """Note, before a system hears of it, that a session is opened; its number in this lane and step, from 1."""
        with self._committed() as db:
            return dialogues.note_opening(db, system, place)

    def abandon(self, lane: str, step: int) -> None:
        """Set a lane's replies in a step aside: they stay in the run and never enter its hash."""
        with self._committed() as db:
            dialogues.set_aside(db, lane, step)

    def _committed(self) -> Any:
        if self.commit_each_call:
            return database.transaction(self.db, self.path)
        if not self.db.in_transaction:
            self.db.execute("begin")
        return nullcontext(self.db)

    def calls(self) -> Iterator[Call]:
        """All replies in canonical order."""
        self._write_kept()
        for row in self.db.execute(f"{callrows.SELECT} order by {callrows.PLACE}, attempt"):
            yield callrows.call_of(row)

    def usage(self, abandoned: bool = False) -> dict[str, int]:
        """Calls, prompt tokens and reply tokens so far; on request with those of replies that were set aside."""
        self._write_kept()
        rows = "select prompt_tokens as sent, reply_tokens as came from call"
        if abandoned:
            rows += " union all select prompt_tokens, reply_tokens from abandoned"
        row = self.db.execute(
            f"select count(*), coalesce(sum(sent), 0), coalesce(sum(came), 0) from ({rows})"
        ).fetchone()
        return dict(zip(("calls", "prompt_tokens", "reply_tokens"), row, strict=True))

    # Steps

    def commit_step(
        self, rows: StepRows, digest: str | None = None, kept: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        """Write a step: its table parts as files, then everything else in one transaction that names them.

        Whoever has its digest at hand gives it. Arrays that are `kept` become the run's checkpoint.
        """
        self._write_kept()
        if self.db.in_transaction:
            self.db.execute("commit")
        parts = []
        for name, batches in sorted(rows.tables.items()):
            if len(batches):
                self._types.check(batches, self._last_part(name))
                with database.guarded(self.path):
                    parts.append(tables.write_part(self.folder, rows.number, batches))
        with database.guarded(self.path):
            entry = None if kept is None else checkpoints.write(self.folder, rows.number, kept)
        with database.transaction(self.db, self.path) as db:
            calls = (
                calls_digest(db, rows.number) if self.commit_each_call else ""
            )  # nobody checks a scratch run
            insert_step(db, rows, (digest or rows.digest(), calls), parts)
            if entry is not None:
                db.execute("insert or replace into state values ('checkpoint', ?)", (entry,))
        if entry is not None:
            checkpoints.drop_others(self.folder, entry)
        if self.replaces is not None:
            shutil.rmtree(self.replaces, ignore_errors=True)
            self.replaces = None

    def checkpoint(self) -> tuple[int, dict[str, NDArray[Any]]] | None:
        """Step and arrays of the newest checkpoint, where there is one; raises DamagedRun."""
        return checkpoints.read(self.folder, self.state("checkpoint") or "")

    def has_touched_agents(self, kinds: Iterable[str]) -> bool:
        """Whether anything was asked, claimed or searched for so far, or an event of these kinds is in the log."""
        named = sorted(kinds)
        events = f"select 1 from event where kind in ({','.join('?' * len(named))})"
        sql = " or ".join(f"exists (select 1 from {table})" for table in ("call", "claim", "search"))
        return bool(self.db.execute(f"select {sql} or exists ({events})", named).fetchone()[0])

    def _last_part(self, table: str) -> str | None:
        sql = "select file from part where tbl = ? order by step desc limit 1"
        row = self.db.execute(sql, (table,)).fetchone()
        return row[0] if row else None

    def settle(self) -> None:
        """Fold what was committed into `run.db` and onto the disk, so that what is written next cannot precede it."""
        self._write_kept()
        with database.guarded(self.path):
            if self.db.in_transaction:
                self.db.execute("commit")
            self.db.execute("pragma wal_checkpoint(truncate)")

    def steps(self) -> dict[int, str]:
        """Digest of each committed step."""
        return dict(self.db.execute("select number, digest from step order by number"))

    # State, embeddings, fitted parts

    def state(self, key: str) -> str | None:
        row = self.db.execute("select value from state where key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_state(self, **values: str) -> None:
        with database.transaction(self.db, self.path) as db:
            self._put_state(db, values)

    def end(self, content: str, write: Callable[[], str]) -> None:
        """Mark the run done, once `write` has written the manifest of a run that is so marked and given its hash."""
        with database.transaction(self.db, self.path) as db:
            self._put_state(db, {"status": "done", "reason": "", "content": content, "checkpoint": ""})
            self._put_state(db, {"manifest": write()})

    def _put_state(self, db: sqlite3.Connection, values: Mapping[str, str]) -> None:
        db.executemany("insert or replace into state values (?, ?)", values.items())

    def study(self) -> dict[str, Any]:
        """The study's document as declared."""
        return dict(json.loads(self.db.execute("select document from study").fetchone()[0]))

    def study_folder(self) -> Path | None:
        """What the study's relative paths start from; None for the folder of the type's reference study."""
        noted = self.state("folder")
        return None if noted is None else kept_study(self.folder, noted)

    def personas(self) -> tuple[Persona, ...]:
        rows = self.db.execute("select document from persona order by position")
        return tuple(Persona.model_validate_json(row[0]) for row in rows)

    def chunks(self, world: str | None = None, until: int | None = None) -> list[Chunk]:
        """The chunks that the run started from (`until` = 0) or had found by a step, by world and id."""
        sql = 'select world, id, source, start, "end", text, sha256 from chunk where 1'
        args: list[Any] = []
        for clause, value in (("world = ?", world), ("step <= ?", until)):
            if value is not None:
                sql += f" and {clause}"
                args.append(value)
        names = ("world", "id", "source", "start", "end", "text", "sha256")
        return [
            Chunk.model_construct(**dict(zip(names, row, strict=True)))
            for row in self.db.execute(f"{sql} order by world, id", args)
        ]

    def fitted(self) -> dict[str, bytes]:
        """Parts fitted on the run's own data, by name."""
        return dict(self.db.execute("select name, body from fitted order by name"))

    def get_many(self, hashes: Sequence[str]) -> dict[str, bytes]:
        """Stored vectors, by the hash they were kept under."""
        found: dict[str, bytes] = {}
        for n in range(0, len(hashes), 500):
            some = hashes[n : n + 500]
            marks = ",".join("?" * len(some))
            found.update(self.db.execute(f"select hash, vector from embedding where hash in ({marks})", some))
        return found

    def put_many(self, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors; a hash already there stays as it is."""
        with self._committed() as db:
            rows = [(name, vector, sha256(vector)) for name, vector in vectors.items()]
            db.executemany("insert or ignore into embedding values (?, ?, ?)", rows)

    def drop_unnamed(self) -> None:
        """Delete table parts and checkpoints that no committed step names: a crash left them."""
        checkpoints.drop_others(self.folder, self.state("checkpoint"))
        tables.drop_unnamed(self.folder, {row[0] for row in self.db.execute("select file from part")})
