"""Content hash of a run, independent of user, machine and number of interruptions."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from openiir.core.errors import DamagedRun
from openiir.core.hashing import canonical, fingerprint, hash_rows, sha256
from openiir.core.records import Record

RECIPE = 2
"""Recipe by which the content of new runs is hashed."""
LONG = 256
"""Most characters of a text that enters the hash of its row itself; a longer one is hashed first."""
SECTIONS = {
    "study": ("study", "document", "id"),
    "personas": ("persona", "document", "position"),
    "chunks": ("chunk", 'world, id, source, start, "end", sha256, step', "world, id"),
    "searches": (
        "search",
        "lane, asker, step, ordinal, query, justification, refused, hits",
        "lane, asker, step, ordinal",
    ),
    "calls": (
        "call",
        "lane, asker, kind, subject, step, ordinal, attempt, answerer, prompt_hash, reply, usable, error, "
        "model, prompt_tokens, reply_tokens",
        "lane, asker, kind, subject, step, ordinal, attempt",
    ),
    "events": ("event", "seq, step, lane, kind, actor, payload", "seq"),
    "claims": ("claim", "document", "position"),
    "edges": ("edge", "step, source, target, type, confidence, extractor", "position"),
    "tables": ("part", "tbl, step, rows, hash", "tbl, step"),
}
"""SQL table, columns and order of each hashed section; `rest_digests` covers everything else."""


class ContentHash(Record):
    """Hash of each section of a run, and one over all sections."""

    content: str
    sections: dict[str, str]


def content_hash(db: sqlite3.Connection) -> ContentHash:
    """Compute a run's content hash: hash each section's rows in order, then hash these hashes."""
    recipe = hash_recipe(db)
    sections = {name: hash_section(section_rows(db, name), recipe) for name in SECTIONS}
    return ContentHash(content=hash_sections(sections, recipe), sections=sections)


def hash_recipe(db: sqlite3.Connection) -> int:
    """Return the version number (recipe) of a run's content hash, 1 by default; raises DamagedRun."""
    row = db.execute("select value from state where key = 'recipe'").fetchone()
    named = row[0] if row else "1"
    if named not in ("1", str(RECIPE)):
        raise DamagedRun(
            f"the content is hashed by recipe {named}, which this version of openiir does not know; use the "
            "version named in the run's manifest.json"
        )
    return int(named)


def section_rows(db: sqlite3.Connection, section: str) -> Iterator[tuple[Any, ...]]:
    """Iterate over a section's rows as the content hash reads them."""
    return db.execute(_select(section))


def hash_section(rows: Iterable[Sequence[Any]], recipe: int) -> str:
    """Hash rows in order: a chain of the rows (recipe 1), or of the rows' own hashes (recipe 2)."""
    return _chain(rows) if recipe == 1 else hash_row_hashes(row_hashes(rows))


def hash_row_hashes(hashes: Iterable[bytes]) -> str:
    """Compute the hash of a section (recipe 2) from the hashes of its rows."""
    digest = hashlib.sha256()
    for one in hashes:
        digest.update(one)
    return digest.hexdigest()


def row_hashes(rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Hash each row by itself (recipe 2), with a text over LONG characters replaced by its own hash."""
    new = hashlib.sha256
    for row in rows:
        try:
            spelled = canonical(row)
        except (TypeError, ValueError):
            spelled = _spell_tampered(row)
        if len(spelled) > LONG:  # a shorter row has no long text
            short = [replace_by_hash(v) if type(v) is str and len(v) > LONG else v for v in row]
            if short != list(row):
                spelled = _spell(short)
        yield new(spelled.encode("utf-8", "surrogatepass")).digest()


def replace_by_hash(text: str) -> dict[str, str]:
    """Return the JSON object that replaces a long text in its row before hashing: the text's hash."""
    return {"sha256": sha256(text)}


def hash_sections(sections: Mapping[str, str], recipe: int) -> str:
    """Compute the content hash from the hashes of the sections."""
    return "sha256:" + fingerprint({"recipe": recipe, **sections})


def _select(section: str, where: str = "true") -> str:
    table, columns, order = SECTIONS[section]
    return f"select {columns} from {table} where {where} order by {order}"


def _chain(rows: Iterable[Sequence[Any]]) -> str:
    return hash_rows(_spell(row) for row in rows)


def _spell(row: Sequence[Any]) -> str:
    """Write a row as canonical JSON."""
    try:
        return canonical(row)
    except (TypeError, ValueError):
        return _spell_tampered(row)


def _spell_tampered(row: Sequence[Any]) -> str:
    """Write a row with bytes or infinite numbers, which nothing but tampering puts into a content."""
    return canonical(
        [
            sha256(v) if isinstance(v, bytes) else v if isinstance(v, str | dict | None) else repr(v)
            for v in row
        ]
    )


def hash_inputs(db: sqlite3.Connection) -> str:
    """Hash the inputs that a run started from: study, personas, chunks, fitted parts."""
    fitted = "select name, hash from fitted order by name"
    start = (_select("study"), _select("personas"), _select("chunks", "step = 0"), fitted)
    return fingerprint([_chain(db.execute(sql)) for sql in start])


def rest_digests(db: sqlite3.Connection) -> dict[str, str]:
    """Compute digests of what the content hash leaves out: the schema, and other columns and tables.

    The tables are those that the file has, whatever they are. Of `state` the hash of the manifest is left
    out, since the manifest holds this digest.
    """
    hashed = {table: columns.replace('"', "").split(", ") for table, columns, _ in SECTIONS.values()}
    schema = "select type, name, tbl_name, sql from sqlite_master order by type, name"
    digests = {"schema": _chain(db.execute(schema))}
    for table, keyed in db.execute(
        "select name, wr from pragma_table_list where schema = 'main' and type = 'table'"
    ):
        columns = db.execute("select name, pk from pragma_table_xinfo(?)", (table,)).fetchall()
        rest = [name for name, key in columns if key or name not in hashed.get(table, ())]
        if table == "sqlite_schema" or set(rest) <= set(hashed.get(table, ())):
            continue
        where = "key <> 'manifest'" if table == "state" else "true"
        names = ", ".join(f'"{name}"' for name in rest)
        order = ", ".join(f'"{name}"' for name, key in columns if key) if keyed else "rowid"
        digests[table] = _chain(db.execute(f'select {names} from "{table}" where {where} order by {order}'))
    return digests
