"""Rows of the cast, picked from tables with rows of all members."""

from types import SimpleNamespace

import numpy as np

from openiir.kit.cast_rows import cast_rows
from openiir.plugin import Members, Persona

CAST = {row: Persona(id=id, name=id.title(), bio="X.") for row, id in ((1, "ada"), (4, "ben"))}
LOG = SimpleNamespace(members=Members(6, "reader", CAST))
COLUMNS = {
    "step": np.array([1, 1, 1, 2, 2]),
    "member": np.array([0, 4, 1, 1, 5]),
    "did": np.array(["a", "b", "c", "d", "e"], dtype=object),
}


def test_rows_of_the_cast_come_in_the_order_of_the_table():
    rows = list(cast_rows(LOG, COLUMNS))
    assert [row for row, _ in rows] == [
        {"step": 1, "member": 4, "did": "b"},
        {"step": 1, "member": 1, "did": "c"},
        {"step": 2, "member": 1, "did": "d"},
    ]
    assert rows[0][1] == {"step": 1, "actor": "Ben", "agent": "ben"}
    assert all(type(value) in (int, str) for row, _ in rows for value in row.values())
    assert [row["did"] for row, _ in cast_rows(LOG, COLUMNS, "ada")] == ["c", "d"]


def test_rows_may_come_by_member_within_a_step():
    columns = {"step": np.array([1, 1, 1, 2, 1]), "member": np.array([4, 1, 4, 1, 1]), "n": np.arange(5)}
    assert [row["n"] for row, _ in cast_rows(LOG, columns, by_member=True)] == [1, 4, 0, 2, 3]
    assert not list(cast_rows(LOG, {}, by_member=True))


def test_there_may_be_no_table_and_nobody_of_that_name():
    assert not list(cast_rows(LOG, {}))
    assert not list(cast_rows(LOG, COLUMNS, "eve"))
