"""SQL and row formats of the ledger: calls by place, and tries without a reply."""

import sqlite3
from typing import Any

from openiir.core.hashing import sha256
from openiir.core.records import Call, CallDetails, Place, TransportTry

PLACE = "lane, asker, kind, subject, step, ordinal"
COLUMNS = f"{PLACE}, attempt, answerer, prompt_hash, reply, usable, error, model, prompt_tokens, reply_tokens"
_PLACE = PLACE.split(", ")
_FIELDS = (*COLUMNS.split(", "), "request")
PROMPT_HASH = COLUMNS.split(", ").index("prompt_hash")
SELECT = f"select {COLUMNS}, body from call join prompt on hash = prompt_hash"
FIND = (
    f"select {COLUMNS} from call where lane = ? and asker = ? and kind = ? and subject = ? and step = ? and "
    "ordinal = ? and attempt = ?"
)
FIND_DETAILS = (
    f"select {', '.join(CallDetails._fields)} from call_details where lane = ? and asker = ? and kind = ? "
    "and subject = ? and step = ? and ordinal = ? and attempt = ?"
)
OF_STEP = f"select {COLUMNS} from call where step = ?"
KEY = slice(0, 7)
"""Position of a call's primary key within COLUMNS."""
INSERT_PROMPT = "insert or ignore into prompt values (?, ?)"
INSERT = f"insert into call values ({','.join('?' * 16)})"
INSERT_DETAILS = f"insert or replace into call_details values ({','.join('?' * 13)})"
INSERT_TRY = f"insert into transport ({PLACE}, attempt, number, what, waited) values ({','.join('?' * 10)})"


def call_key(place: Place, attempt: int) -> tuple[str | int, ...]:
    """Return a recorded call's primary key, in the order of the table's columns."""
    return (place.lane, place.asker, place.kind, place.subject, place.step, place.ordinal, attempt)


def call_row(call: Call) -> tuple[Any, ...]:
    """Return a call's values for the statement INSERT."""
    return (
        *call_key(call.place, call.attempt),
        *(call.answerer, call.prompt_hash, call.reply, sha256(call.reply), int(call.usable), call.error),
        *(call.model, call.prompt_tokens, call.reply_tokens),
    )


def details_row(call: Call, details: CallDetails) -> tuple[Any, ...]:
    """Return the values of a call's details for the statement INSERT_DETAILS."""
    return (*call_key(call.place, call.attempt), *details)


def try_row(tried: TransportTry) -> tuple[Any, ...]:
    """Return a request try's values for the statement INSERT_TRY."""
    return (*call_key(tried.place, tried.attempt), tried.number, tried.what, tried.waited)


def find_call_body(
    db: sqlite3.Connection, place: Place, row: tuple[Any, ...] | None, prompt: tuple[str, str]
) -> Call | None:
    """Convert a result row of FIND to a call; the stored prompt is read only if its hash differs."""
    if row is None:
        return None
    digest, body = prompt
    if row[PROMPT_HASH] != digest:
        body = db.execute("select body from prompt where hash = ?", (row[PROMPT_HASH],)).fetchone()[0]
    return read_call((*row, body), place)


def read_call(row: tuple[Any, ...], place: Place | None = None) -> Call:
    """Convert a row of SELECT to a call; passing `place` saves building it again."""
    found = dict(zip(_FIELDS, row, strict=True))
    where = {name: found.pop(name) for name in _PLACE}
    return Call(**found | {"place": place or Place(**where), "usable": bool(found["usable"])})
