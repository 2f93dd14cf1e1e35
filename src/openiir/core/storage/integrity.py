"""Integrity check of a run folder: whether anything changed since it was written."""

import json
from pathlib import Path
from typing import Any

from openiir.core.errors import DamagedRun
from openiir.core.hashing import sha256
from openiir.core.storage import checkpoints, database, tables
from openiir.core.storage.content import content_hash, hash_inputs
from openiir.core.storage.gate import read_run_file
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.step_rows import calls_digest, stored_digests

_COPIED = {
    "study": ("type", "name", "seed"),
    "persona": ("id",),
    "claim": ("id", "step", "speaker", "utterance", "stance", "text"),
}
"""Columns that copy parts of a JSON document, for readers of the file by SQL."""
_RESTORE = "restore the run from a copy"
MANIFEST = "manifest.json"
MANIFEST_BYTES = 16_000_000


def _damage(run: RunFile, what: str) -> DamagedRun:
    return DamagedRun(f"{run.path}: {what}; {_RESTORE}")


def check_run(run: RunFile) -> None:
    """Verify a whole run's hashes; raises DamagedRun naming the file, reply, chunk, step or section."""
    with database.translate_errors(run.path):
        reading = not run.db.in_transaction
        if reading:
            run.db.execute("begin")  # one view of a run that may be growing
        try:
            _check_file(run)
            _check_calls(run)
            _check_blobs(run)
            _check_steps(run)
            _check_parts(run)
            checkpoints.check_checkpoint(run.folder, run.state("checkpoint") or "")
            _check_end(run)
        finally:
            if reading:
                run.db.execute("rollback")


def _check_file(run: RunFile) -> None:
    verdict = run.db.execute("pragma integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise DamagedRun(f"{run.path} is damaged: {verdict}; {_RESTORE}")
    for table, columns in _COPIED.items():
        differs = " or ".join(f"{name} is not json_extract(document, '$.{name}')" for name in columns)
        row = run.db.execute(f"select 1 from {table} where {differs} limit 1").fetchone()
        if row is not None:
            raise _damage(run, f"a row of {table} was changed after it was recorded")
    if run.state("declared") != hash_inputs(run.db):
        raise _damage(run, "study, personas or chunks were changed after the run began")


def _check_calls(run: RunFile) -> None:
    sql = "select lane, asker, kind, step, ordinal, attempt, reply, reply_hash, prompt_hash, body from call"
    sql += " left join prompt on hash = prompt_hash"
    for lane, asker, kind, step, ordinal, attempt, reply, reply_hash, prompt_hash, body in run.db.execute(
        sql
    ):
        where = f"{kind} to {asker} (lane {lane}, step {step}, no. {ordinal}, attempt {attempt})"
        if sha256(reply) != reply_hash:
            raise _damage(run, f"the reply to {where} was changed after it was recorded")
        if body is None or sha256(body) != prompt_hash:
            raise _damage(run, f"the prompt of {where} was changed after it was recorded")


def _check_blobs(run: RunFile) -> None:
    texts = {
        "chunk": "select world || '/' || id, text, sha256 from chunk",
        "fitted part": "select name, body, hash from fitted",
        "embedding": "select hash, vector, sha256 from embedding",
    }
    for what, sql in texts.items():
        for name, content, digest in run.db.execute(sql):
            if sha256(content) != digest:
                raise _damage(run, f"the {what} {name} was changed after it was recorded")


def _check_steps(run: RunFile) -> None:
    steps = run.db.execute("select number, digest, calls from step order by number").fetchall()
    for expected, (number, _, _) in enumerate(steps, start=1):
        if number != expected:
            raise _damage(run, f"step {expected} is missing")
    found = stored_digests(run.db, [number for number, _, _ in steps])
    for (number, digest, calls), stored in zip(steps, found, strict=True):
        if stored != digest:
            parts = "its events, claims, edges, searches, chunks or table parts"
            raise _damage(run, f"step {number} was changed after it was recorded ({parts})")
        if calls_digest(run.db, number) != calls:
            raise _damage(run, f"a call of step {number} was changed, added or deleted")
    for table in ("event", "claim", "edge", "search", "part"):
        later = run.db.execute(f"select min(step) from {table} where step > ?", (len(steps),)).fetchone()[0]
        if later is not None:
            raise _damage(run, f"step {later} is missing, but rows of {table} belong to it")


def _check_parts(run: RunFile) -> None:
    for file, rows, digest in run.db.execute("select file, rows, hash from part order by file"):
        path = tables.part_path(run.folder, file)
        if not path.is_file():
            raise DamagedRun(f"{path} is missing: the run file names it with {rows} rows; {_RESTORE}")
        try:
            same = tables.part_hash(run.folder, file) == (rows, digest)
        except Exception as error:  # a damaged part makes the reader fail in any way it likes
            raise DamagedRun(
                f"{path} cannot be read: {' '.join(str(error).split())[:200]}; {_RESTORE}"
            ) from error
        if not same:
            raise DamagedRun(
                f"{path} is not the part that was written: its rows or their hash differ; {_RESTORE}"
            )


def _check_end(run: RunFile) -> None:
    """Check manifest and content hash of a finished run, and that there are no foreign table parts."""
    manifest = run.folder / MANIFEST
    done = run.state("status") == "done"
    if not done and not manifest.exists():
        return
    recorded = read_manifest(run.folder)
    found = content_hash(run.db)
    if done and manifest_hash(run.folder) != run.state("manifest"):
        raise DamagedRun(f"{manifest} was changed after the run had ended; {_RESTORE}")
    if found.content != recorded.get("content") or (done and found.content != run.state("content")):
        sections = recorded.get("sections") or {}
        changed = [name for name, digest in found.sections.items() if sections.get(name) != digest]
        raise DamagedRun(
            f"{run.folder}: the content hash is {found.content}, the manifest says "
            f"{recorded.get('content')}; changed: {', '.join(changed) or 'the recorded hash'}; {_RESTORE}"
        )
    named = {file for (file,) in run.db.execute("select file from part")}
    extra = sorted({path.name for path in (run.folder / "tables").glob("*.parquet")} - named)
    if done and extra:
        raise DamagedRun(f"{run.folder / 'tables' / extra[0]} is no part of this run; move it away")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a finished run; raises DamagedRun."""
    manifest = folder / MANIFEST
    try:
        return dict(json.loads(_manifest_bytes(folder)))
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedRun(f"{manifest} is not the manifest of a run: {error}; {_RESTORE}") from None


def manifest_hash(folder: Path) -> str:
    """Hash the manifest of a finished run as it stands on disk; raises DamagedRun."""
    return sha256(_manifest_bytes(folder))


def _manifest_bytes(folder: Path) -> bytes:
    try:
        return read_run_file(folder / MANIFEST, MANIFEST_BYTES)
    except FileNotFoundError:
        raise DamagedRun(f"{folder / MANIFEST} is missing; a finished run has one; {_RESTORE}") from None
