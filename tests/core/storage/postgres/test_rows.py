"""Every table and column of a run file has its place in the lab's database."""

import re
from contextlib import closing

from openiir.core.storage import database
from openiir.core.storage.postgres.connection import list_migrations
from openiir.core.storage.postgres.rows import STATE, TABLES, list_tables

TABLE = re.compile(r"^create table openiir\.(\w+) \(.*?\n(.*?)^\);", re.MULTILINE | re.DOTALL)
COLUMN = re.compile(
    r'^  "?(\w+)"? +(?:text|integer|bigint|json|bytea|boolean|double|timestamptz)\b', re.MULTILINE
)
ADDED = re.compile(r"^alter table openiir\.(\w+) add column (\w+)", re.MULTILINE)


def test_a_table_that_is_added_to_run_files_is_added_to_the_lab_database(tmp_path):
    there: dict[str, list[str]] = {}
    for _, _, sql in list_migrations():
        there |= {name: COLUMN.findall(body) for name, body in TABLE.findall(sql)}
        for name, column in ADDED.findall(sql):
            there[name].append(column)
    with closing(database.create_database(tmp_path / "run.db", "run")) as db:
        tables = list_tables(db)
    assert {table.name for table in tables} == {*TABLES, STATE}
    for table in tables:
        assert sorted(there[table.name]) == sorted(["run", *table.sent]), table.name
