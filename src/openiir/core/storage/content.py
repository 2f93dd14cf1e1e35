"""The content hash: what a run is, whoever ran it, wherever and however often it was interrupted."""

import sqlite3
from collections.abc import Iterator

from openiir.core.hashing import canonical, chain, fingerprint
from openiir.core.records import Record

_SECTIONS = {
    "study": "select document from study",
    "personas": "select document from persona order by position",
    "chunks": 'select world, id, source, start, "end", sha256, step from chunk order by world, id',
    "searches": "select * from search order by lane, asker, step, ordinal",
    "calls": "select lane, asker, kind, subject, step, ordinal, attempt, answerer, prompt_hash, reply, usable,"
    " error, model, prompt_tokens, reply_tokens from call"
    " order by lane, asker, kind, subject, step, ordinal, attempt",
    "events": "select seq, step, lane, kind, actor, payload from event order by seq",
    "claims": "select document from claim order by position",
    "edges": "select step, source, target, type, confidence, extractor from edge order by position",
    "tables": "select tbl, step, rows, hash from part order by tbl, step",
}


class ContentHash(Record):
    """One hash a section, and one over all of them."""

    content: str
    sections: dict[str, str]


def content_hash(db: sqlite3.Connection) -> ContentHash:
    """Recipe 1: per section the SHA-256 chain of its rows (canonical JSON, canonical order), then of the sections."""
    sections = {name: chain(_rows(db, sql)) for name, sql in _SECTIONS.items()}
    return ContentHash(content="sha256:" + fingerprint({"recipe": 1, **sections}), sections=sections)


def _rows(db: sqlite3.Connection, sql: str) -> Iterator[str]:
    for row in db.execute(sql):
        yield canonical(row)


def declared_hash(db: sqlite3.Connection) -> str:
    """Hash of what a run started from: study, personas, chunks, fitted parts."""
    chunks = _SECTIONS["chunks"].replace("order by", "where step = 0 order by")
    fitted = "select name, hash from fitted order by name"
    return fingerprint([chain(_rows(db, sql)) for sql in (_SECTIONS["study"], _SECTIONS["personas"], chunks, fitted)])
