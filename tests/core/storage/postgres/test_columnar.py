"""Columnar tables through a real PostgreSQL: every value comes back, and columns that change with a type."""

import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.storage.columns import column_hash, table_hash
from openiir.core.storage.postgres import columnar
from openiir.core.storage.postgres.connection import connect
from openiir.core.storage.postgres.texts import MARK
from openiir.core.storage.postgres.url import read_url

pytestmark = pytest.mark.extras

NUMBERS = [
    *(
        (getattr(pa, f"int{bits}")(), st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
        for bits in (8, 16, 32, 64)
    ),
    *((getattr(pa, f"uint{bits}")(), st.integers(0, 2**bits - 1)) for bits in (8, 16, 32, 64)),
    (pa.float32(), st.floats(width=32)),
    (pa.float64(), st.floats() | st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 5e-324])),
]
TEXTS = st.text(max_size=8) | st.sampled_from(
    ["", " ", "\\.", "\\N", '"', "a,b\r\nc", "\0", f"{MARK}1", "NaN", "x" * 3000]
)
JSON = [
    (pa.list_(pa.int64()), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3)),
    (pa.list_(pa.string()), st.lists(TEXTS, max_size=2)),
    (
        pa.struct([("a", pa.list_(pa.float64())), ("b", pa.string())]),
        st.fixed_dictionaries(
            {
                "a": st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=2),
                "b": st.none() | TEXTS,
            }
        ),
    ),
]
KINDS = [
    *NUMBERS,
    (pa.bool_(), st.booleans()),
    (pa.string(), TEXTS),
    (pa.large_string(), TEXTS),
    *JSON,
    (pa.null(), st.none()),
]
NAMES = st.sampled_from(
    ["run", "step", "n", "user", "end", "Score", "score", "xmin", "_", "a" * 62, "a" * 80, "a" * 81]
)


@st.composite
def tables(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    rows = draw(st.integers(1, 8))
    arrays = []
    for _ in names:
        arrow, values = draw(st.sampled_from(KINDS))
        arrays.append(pa.array(draw(st.lists(st.none() | values, min_size=rows, max_size=rows)), arrow))
    return pa.table(arrays, names=names)


def hash_of(table):
    return table_hash({name: column_hash(name, table[name]) for name in table.column_names}, len(table))


@pytest.fixture(scope="module")
def connection(lab):
    with connect(read_url(lab.new_database().url)) as opened:
        yield opened


def send(connection, run, table, type="made", name="up"):
    relation = columnar.prepare_relation(connection, type, name, table.schema)
    columnar.send_part(connection, relation, run, 1, table)
    return relation


def read(connection, relation, run, table):
    return columnar.read_part(connection, relation, run, 1, table.schema)


@settings(max_examples=40)
@given(tables())
def test_every_table_comes_back_with_its_hash(connection, table):
    class Undone(Exception):
        pass

    with pytest.raises(Undone), connection.transaction():
        found = read(connection, send(connection, 1, table), 1, table)
        assert found.schema == table.schema and hash_of(found) == hash_of(table)
        raise Undone


def types_of(connection, relation):
    there = columnar.columns_of(connection, relation)
    return {name: kind for name, kind in there.items() if name not in columnar.KEYS}


def test_a_column_takes_what_later_versions_of_a_type_give_it(connection):
    versions = [
        pa.table({"x": pa.array([None, None], pa.null())}),
        pa.table({"x": pa.array([1, -2], pa.int8())}),
        pa.table({"x": pa.array([2**62, None], pa.int64()), "y": pa.array([0.1, 0.2], pa.float32())}),
        pa.table({"x": pa.array([2**64 - 1, 0], pa.uint64()), "y": pa.array([0.1, math.nan], pa.float64())}),
        pa.table({"x": pa.array([0.5, 1.5]), "y": pa.array(["a", None])}),
        pa.table({"x": pa.array(["a", "b"]), "y": pa.array([True, None])}),
        pa.table({"x": pa.array([5, 6], pa.int16())}),
    ]
    for run, table in enumerate(versions):
        relation = send(connection, run, table, name="versions")
    for run, table in enumerate(versions):
        assert hash_of(read(connection, relation, run, table)) == hash_of(table)
    assert types_of(connection, relation) == {
        "x": "numeric",
        "x$float": "double precision",
        "x$text": "text",
        "y": "double precision",
        "y$text": "text",
        "y$bool": "boolean",
    }


def test_tables_of_types_are_told_apart_whatever_their_names(connection):
    table = pa.table({"x": pa.array([1], pa.int8())})
    pairs = [
        ("a_b", "c"),
        ("a", "b_c"),
        ("event", "kinds"),
        ("t" * 60, "one"),
        ("t" * 60, "two"),
        ('o"d', "d"),
    ]
    relations = [send(connection, run, table, *pair) for run, pair in enumerate(pairs)]
    assert len(set(relations)) == len(pairs) and "event_kinds" not in relations
    assert relations == [columnar.find_relation(connection, *pair) for pair in pairs]
    assert all(len(name.encode()) <= 63 for name in relations)
    for run, relation in enumerate(relations):
        assert read(connection, relation, run, table) == table
