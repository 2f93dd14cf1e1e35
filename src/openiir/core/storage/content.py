"""Content hash of a run, independent of user, machine and number of interruptions."""

import sqlite3
from collections.abc import Iterator

from openiir.core.hashing import canonical, fingerprint, hash_rows, sha256
from openiir.core.records import Record

_SECTIONS = {
    "study": ("study", "document", "id"),
    "personas": ("persona", "document", "position"),
    "chunks": ("chunk", 'world, id, source, start, "end", sha256, step', "world, id"),
    "searches": (
        "search", "lane, asker, step, ordinal, query, justification, refused, hits", "lane, asker, step, ordinal"
    ),
    "calls": (
        "call",
        "lane, asker, kind, subject, step, ordinal, attempt, answerer, prompt_hash, reply, usable, error, model,"
        " prompt_tokens, reply_tokens",
        "lane, asker, kind, subject, step, ordinal, attempt",
    ),
    "events": ("event", "seq, step, lane, kind, actor, payload", "seq"),
    "claims": ("claim", "document", "position"),
    "edges": ("edge", "step, source, target, type, confidence, extractor", "position"),
    "tables": ("part", "tbl, step, rows, hash", "tbl, step"),
}  # fmt: skip
"""SQL table, columns and order of each hashed section; `rest_digests` covers everything else."""


class ContentHash(Record):
    """Hash of each section of a run, and one over all sections."""

    content: str
    sections: dict[str, str]


def content_hash(db: sqlite3.Connection) -> ContentHash:
    """Compute the content hash (recipe 1): SHA-256 chain of each section's rows in order, then of the sections."""
    sections = {name: hash_rows(_rows(db, _select(name))) for name in _SECTIONS}
    return ContentHash(content="sha256:" + fingerprint({"recipe": 1, **sections}), sections=sections)


def _select(section: str, where: str = "true") -> str:
    table, columns, order = _SECTIONS[section]
    return f"select {columns} from {table} where {where} order by {order}"


def _rows(db: sqlite3.Connection, sql: str) -> Iterator[str]:
    for row in db.execute(sql):
        try:
            yield canonical(row)
        except (
            TypeError,
            ValueError,
        ):  # bytes, and infinite numbers, which nothing but tampering puts into a content
            yield canonical(
                [
                    sha256(v) if isinstance(v, bytes) else v if isinstance(v, str | None) else repr(v)
                    for v in row
                ]
            )


def declared_hash(db: sqlite3.Connection) -> str:
    """Hash the inputs that a run started from: study, personas, chunks, fitted parts."""
    fitted = "select name, hash from fitted order by name"
    start = (_select("study"), _select("personas"), _select("chunks", "step = 0"), fitted)
    return fingerprint([hash_rows(_rows(db, sql)) for sql in start])


def rest_digests(db: sqlite3.Connection) -> dict[str, str]:
    """Compute digests of what the content hash leaves out: the schema, and other columns and tables.

    The tables are those that the file has, whatever they are. Of `state` the hash of the manifest is left out, since
    the manifest holds this digest.
    """
    hashed = {table: columns.replace('"', "").split(", ") for table, columns, _ in _SECTIONS.values()}
    schema = "select type, name, tbl_name, sql from sqlite_master order by type, name"
    digests = {"schema": hash_rows(_rows(db, schema))}
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
        digests[table] = hash_rows(_rows(db, f'select {names} from "{table}" where {where} order by {order}'))
    return digests
