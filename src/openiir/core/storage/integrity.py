"""Whether a run folder is still what its own record says it is."""

import json
import sqlite3
from pathlib import Path

from openiir.core.errors import DamagedRun
from openiir.core.hashing import sha256
from openiir.core.storage import database, tables
from openiir.core.storage.content import content_hash
from openiir.core.storage.runfile import RunFile


def check_run(run: RunFile) -> None:
    """Raises DamagedRun naming what is wrong: file, reply, chunk, table part or section."""
    with database.guarded(run.path):
        verdict = run.db.execute("pragma quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise DamagedRun(f"{run.path} is damaged: {verdict}; restore it from a copy")
        _check_replies(run)
        _check_chunks(run)
        _check_parts(run)
        _check_content(run)


def _check_replies(run: RunFile) -> None:
    sql = "select lane, asker, kind, step, ordinal, attempt, reply, reply_hash, prompt_hash, body from call"
    sql += " left join prompt on hash = prompt_hash"
    for lane, asker, kind, step, ordinal, attempt, reply, reply_hash, prompt_hash, body in run.db.execute(sql):
        where = f"{kind} to {asker} (lane {lane}, step {step}, no. {ordinal}, attempt {attempt})"
        if sha256(reply) != reply_hash:
            raise DamagedRun(f"{run.path}: the reply to {where} was changed after it was recorded")
        if body is None or sha256(body) != prompt_hash:
            raise DamagedRun(f"{run.path}: the prompt of {where} was changed after it was recorded")


def _check_chunks(run: RunFile) -> None:
    for world, name, text, digest in run.db.execute("select world, id, text, sha256 from chunk"):
        if sha256(text) != digest:
            raise DamagedRun(f"{run.path}: chunk {name} of world {world} was changed after it was recorded")


def _check_parts(run: RunFile) -> None:
    for file, rows, digest in run.db.execute("select file, rows, hash from part order by file"):
        path = run.folder / "tables" / file
        if not path.is_file():
            raise DamagedRun(f"{path} is missing: the run file names it with {rows} rows")
        try:
            found = tables.read_part(run.folder, file)
        except (OSError, ValueError) as error:
            raise DamagedRun(f"{path} cannot be read: {error}") from error
        if len(found) != rows or tables.rows_hash(found) != digest:
            raise DamagedRun(f"{path} is not the part that was written: its rows or their hash differ")


def _check_content(run: RunFile) -> None:
    if run.state("status") != "done":
        return
    found = content_hash(run.db)
    recorded = run.state("content")
    manifest = _manifest(run.folder)
    if found.content != recorded or found.content != manifest.get("content"):
        changed = [
            name for name, digest in manifest.get("sections", {}).items() if found.sections.get(name) != digest
        ]
        raise DamagedRun(
            f"{run.folder}: the content hash is {found.content}, the record says {recorded} and the manifest "
            f"{manifest.get('content')}; changed: {', '.join(changed) or 'the manifest or the recorded hash'}"
        )


def _manifest(folder: Path) -> dict[str, object]:
    path = folder / "manifest.json"
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DamagedRun(f"{path} is missing; a finished run has one") from None
    except (ValueError, sqlite3.Error) as error:
        raise DamagedRun(f"{path} is not JSON: {error}") from error
