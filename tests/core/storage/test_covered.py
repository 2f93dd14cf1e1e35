"""Nothing of a run file changes unseen: each column is hashed, with the content or beside it."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from openiir.core.records import CallDetails, TransportTry
from openiir.core.storage import RunFile, content_hash, rest_digests

OTHER = {"TEXT": "'another'", "INTEGER": "98765", "REAL": "9e999", "BLOB": "x'00ff'"}


@pytest.fixture
def full(declared: RunFile, call: Callable[..., Any], rows: Callable[..., Any]) -> RunFile:
    """A run with two rows or more in every table, and a table that a later version might bring."""
    for step in (1, 2):
        place = call("zoe", step).place
        for ordinal in (0, 1):
            one = call("zoe", step, ordinal)
            declared.record_call(one, details=[(one, CallDetails("lab", "strict", "stop", 1, 2, 0.5))])
            declared.record_try(TransportTry(place=place, attempt=0, number=1, what="429", waited=0.5))
            declared.note_opening("bot", place)
        declared.put_many({f"hash {step}": bytes([step])})
        declared.commit_step(rows(step))
    declared.record_call(call("abe", 3))
    declared.record_call(call("abe", 3, 1))
    declared.abandon("main", 3)
    db = declared.db
    db.execute("insert into asked_facts values (1, 1, 5, x'01'), (2, 2, 5, x'02')")
    db.execute("create table later (name text primary key, x real, y blob) strict")
    db.execute("insert into later values ('a', 0.5, x'01'), ('b', null, x'02')")
    db.execute("pragma ignore_check_constraints = on")
    db.execute("pragma foreign_keys = off")
    return declared


def covered(db: sqlite3.Connection) -> tuple[Any, ...]:
    return content_hash(db).content, rest_digests(db)


def test_a_change_of_any_column_of_any_table_shows(full: RunFile) -> None:
    db, tables = (
        full.db,
        [name for (name,) in full.db.execute("select name from sqlite_master where type = 'table'")],
    )
    before, tried = covered(db), 0
    for table in tables:
        columns = db.execute("select name, type from pragma_table_info(?)", (table,)).fetchall()
        assert db.execute(f"select count(*) from {table}").fetchone()[0], f"{table} has no row to change"
        for name, kind in columns:
            db.execute("savepoint untouched")
            some = f"(select {name!r} from {table} limit 1)".replace("'", '"')
            db.execute(f'update {table} set "{name}" = {OTHER[kind]} where "{name}" is {some}')
            assert covered(db) != before, f"{table}.{name}"
            db.execute("rollback to untouched")
            tried += 1
    assert covered(db) == before and tried > 100


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("update persona set position = 1 - position", "persona"),
        ("delete from transport where id = 2", "transport"),
        ("create index extra on event (actor)", "schema"),
        ("create view shown as select 1", "schema"),
        ("delete from later where name = 'a'", "later"),
        ("update state set value = 'x' where key = 'status'", "state"),
    ],
)
def test_the_part_that_was_changed_is_named(statement: str, named: str, full: RunFile) -> None:
    before = rest_digests(full.db)
    full.db.execute(statement)
    after = rest_digests(full.db)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == {named}


def test_the_hash_of_the_manifest_is_left_out(full: RunFile) -> None:
    before = rest_digests(full.db)
    full.set_state(manifest="what holds these digests")
    assert rest_digests(full.db) == before


def test_it_does_not_depend_on_how_the_file_is_laid_out(full: RunFile) -> None:
    before = covered(full.db)
    full.db.execute("vacuum")
    assert covered(full.db) == before
