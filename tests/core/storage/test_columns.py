"""Tables by columns: one hash for one content, however it is gathered, cut, written or read."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.errors import InputError, UnknownName
from openiir.core.storage import Log, StepRows, TableRows, check_run, table_difference, tables
from openiir.core.storage.columns import column_hash

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "run-folder.md"
MIXED = {
    "week": np.array([1, 1, 2, 2], np.int16),
    "user": np.array([0, 2**64 - 1, 5, 7], np.uint64),
    "score": np.array([0.5, np.nan, -0.0, np.inf]),
    "weight": np.array([0.1, -0.0, np.nan, 3], np.float32),
    "click": np.array([True, False, False, True]),
    "arm": ["a", "", "naïve ☕", "b"],
}


def of(columns, table="t"):
    batches = TableRows(table)
    batches.add_columns(columns)
    return batches


def hashed(values, kind=None, name="x"):
    return column_hash(name, pa.chunked_array([pa.array(values, kind)]))


@pytest.fixture
def printed():
    """The names that the page's programs define."""
    names: dict = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)), names)
    return names


def test_the_page_hashes_all_that_a_column_can_hold(printed, tmp_path):
    (tmp_path / "tables").mkdir()
    nested = [{"a": [1, 2], "b": None}, None, {"a": [], "b": "ü"}, {"a": [3], "b": "x"}]
    batches = TableRows("t")
    for n in range(4):
        batches.add_row(
            {
                "l": nested[n],
                "n": None,
                "i": [3, None, 5, 0][n],
                "s": [None, "é", "", "y"][n],
                "b": [True, None, False, True][n],
                "f": [None, -0.0, 1.5, float("nan")][n],
            }
        )
    for made in (of(MIXED), batches):
        file, _, _, rows, digest = tables.write_part(tmp_path, 1, made)
        assert printed["part_hash"](tmp_path / "tables" / file) == digest
        assert tables.part_hash(tmp_path, file) == (rows, digest)


@pytest.mark.parametrize(
    "how",
    [
        {"compression": "none", "use_dictionary": True},
        {"row_group_size": 1, "version": "1.0", "compression": "gzip"},
        {"data_page_version": "2.0", "use_dictionary": False, "write_statistics": False},
    ],
)
def test_the_hash_does_not_depend_on_how_parquet_is_written(how, tmp_path):
    (tmp_path / "tables").mkdir()
    columns = {name: MIXED[name] for name in MIXED if name not in ("week", "user")}
    made = of(columns)
    pq.write_table(made.arrow(), tmp_path / "tables" / "x-000001.parquet", **how)
    assert tables.part_hash(tmp_path, "x-000001.parquet") == (4, made.digest())


@given(st.lists(st.integers(0, 4), max_size=4), st.booleans())
def test_nor_on_the_batches_and_lanes_it_was_written_in(cuts, by_rows):
    edges = [0, *sorted(cuts), 4]
    step = StepRows(1)
    for start, end in zip(edges, edges[1:], strict=False):
        lane = StepRows(1)
        if by_rows:
            for n in range(start, end):
                lane.row("t", {"arm": MIXED["arm"][n], "score": float(MIXED["score"][n])})
        elif end > start:
            lane.columns("t", {"arm": MIXED["arm"][start:end], "score": MIXED["score"][start:end]})
        step.join(lane)
    assert step.tables["t"].digest() == of({"arm": MIXED["arm"], "score": MIXED["score"]}).digest()


def test_rows_and_columns_follow_each_other_as_written():
    mixed = TableRows("t")
    mixed.add_row({"n": 1, "s": "a"})
    mixed.add_columns({"s": ["b", "c"], "n": np.array([2, 3])})
    mixed.add_row({"n": 4, "s": "d"})
    assert len(mixed) == 4
    assert mixed.arrow().to_pylist() == [{"n": n, "s": s} for n, s in zip((1, 2, 3, 4), "abcd", strict=True)]
    assert mixed.digest() == of({"n": np.arange(1, 5), "s": list("abcd")}).digest()


def test_one_text_stands_for_every_row():
    numbers = np.arange(3)
    assert of({"feed": "main", "n": numbers}).digest() == of({"feed": ["main"] * 3, "n": numbers}).digest()
    with pytest.raises(InputError, match="one column in full"):
        of({"feed": "main"})
    with pytest.raises(InputError, match="no name"):
        of({"no name": "main", "n": numbers})


def test_every_nan_is_one_and_zero_has_no_sign():
    payloads = np.array([0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001], np.uint64).view(
        np.float64
    )
    assert hashed(payloads) == hashed(np.full(3, np.nan)) != hashed(np.zeros(3))
    assert hashed(np.array([0.0, -0.0])) == hashed(np.zeros(2))
    assert hashed(np.array([-0.0], np.float32)) == hashed(np.zeros(1, np.float32)) != hashed(np.zeros(1))


def test_what_stands_behind_a_missing_value_does_not_matter():
    gaps = pa.py_buffer(bytes([0b101]))
    one, other = (
        pa.Array.from_buffers(pa.int64(), 3, [gaps, pa.py_buffer(np.array([1, behind, 3]))])
        for behind in (7, 9)
    )
    assert column_hash("x", pa.chunked_array([one])) == column_hash("x", pa.chunked_array([other]))
    assert hashed([1, None, 3]) == column_hash("x", pa.chunked_array([one])) != hashed([1, 0, 3])
    assert hashed(["a", None]) != hashed(["a", ""])


@pytest.mark.parametrize("name", MIXED)
def test_a_slice_hashes_as_its_content(name):
    column = of(MIXED).arrow()[name]
    pieces = pa.chunked_array(
        [column.chunk(0).slice(0, 1), column.chunk(0).slice(1, 3), column.chunk(0).slice(4)]
    )
    assert column_hash(name, pieces) == column_hash(name, column)
    tail = pa.chunked_array([pa.array(column.to_pylist()[1:], column.type)])
    assert column_hash(name, column.slice(1)) == column_hash(name, tail)


def test_whatever_tells_columns_apart_enters_the_hash():
    one = {
        hashed([1, 2]),
        hashed([2, 1]),
        hashed([1, 2], pa.int32()),
        hashed([1, 2], pa.uint64()),
        hashed([1.0, 2.0]),
        hashed([1, 2], name="y"),
        hashed([1, 2, 0]),
        hashed([None, None], pa.null()),
        hashed([], pa.int64()),
        hashed(["ab", "c"]),
        hashed(["a", "bc"]),
        hashed([True, False]),
        hashed([1, 0], pa.uint8()),
        hashed([[1], [2]]),
    }
    assert len(one) == 14
    assert hashed(["ab", "c"], pa.large_string()) == hashed(["ab", "c"]), (
        "its width in memory is no part of a type"
    )
    names = {"a": np.arange(2), "b": np.arange(2)}
    assert of(names).digest() == of(dict(reversed(names.items()))).digest(), "nor is the order of the columns"


BAD = {
    "another length": ({"a": np.arange(2), "b": np.arange(3)}, "differ in length (a 2, b 3)"),
    "two dimensions": ({"a": np.zeros((2, 2))}, "column 'a'"),
    "complex numbers": ({"a": np.zeros(2, complex)}, "column 'a'"),
    "half precision": ({"a": np.zeros(2, np.float16)}, "float16"),
    "dates": ({"a": np.array(["2020-01-01"], "datetime64[D]")}, "column 'a'"),
    "a list of numbers": ({"a": [1, 2]}, "column 'a'"),
    "a lone surrogate": ({"a": ["\ud800"]}, "column 'a'"),
    "a mask": ({"a": np.ma.masked_array([1, 2], [True, False])}, "column 'a'"),
    "no columns": ({}, "no columns"),
    "an odd name": ({"a.b": np.arange(2)}, "'a.b' is no name of a column"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_column_is_refused_by_name(what):
    columns, words = BAD[what]
    with pytest.raises(InputError, match=re.escape(words)) as told:
        of(columns, "posts")
    assert "'posts'" in str(told.value)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"a": 1}, {"b": 1}], "some rows have a column 'a'"),
        ([{"a": 1}, {"a": "x"}], "column 'a'"),
        ([{"a": 2**70}], "column 'a'"),
        ([{"a": b"x"}], "column 'a' holds binary"),
        ([{"a": {"b": float("nan")}}], "column 'a'"),
        ([{"a": np.datetime64("2020-01-01")}], "column 'a'"),
    ],
)
def test_rows_that_are_no_table_are_refused_by_name(rows, words):
    batches = TableRows("posts")
    for row in rows:
        batches.add_row(row)
    with pytest.raises(InputError, match=f"'posts'.*{re.escape(words)}"):
        batches.digest()


def test_a_table_keeps_its_columns_and_types_throughout(declared):
    def step(number, columns):
        rows = StepRows(number)
        rows.columns("t", columns)
        return rows

    declared.commit_step(step(1, {"a": np.arange(2), "b": ["x", "y"]}))
    for columns, words in (
        (
            {"a": np.zeros(2), "b": ["x", "y"]},
            "column 'a' holds int64 in earlier rows and float64 in later ones",
        ),
        ({"a": np.arange(2)}, "has the column 'b' in earlier rows and lacks it"),
        (
            {"a": np.arange(2), "b": ["x", "y"], "c": np.arange(2)},
            "lacks the column 'c' in earlier rows and has it",
        ),
    ):
        with pytest.raises(InputError, match=words):
            declared.commit_step(step(2, columns))
    declared.commit_step(step(2, {"b": ["z"], "a": np.array([9])}))
    assert Log(declared).columns("t")["a"].tolist() == [0, 1, 9]
    within = step(3, {"a": np.arange(2), "b": ["x", "y"]})
    within.columns("t", {"a": np.arange(2, dtype=np.int32), "b": ["x", "y"]})
    with pytest.raises(InputError, match="column 'a' holds int64 in earlier rows and int32"):
        within.digest()
    check_run(declared)


def test_a_column_without_values_agrees_with_any(declared):
    for number, value in enumerate([None, 3.5, None], start=1):
        rows = StepRows(number)
        rows.row("t", {"x": value, "n": number})
        declared.commit_step(rows)
    read = Log(declared).columns("t")
    assert np.isnan(read["x"]).tolist() == [True, False, True] and read["n"].tolist() == [1, 2, 3]
    check_run(declared)


def test_a_log_reads_the_columns_it_is_asked_for(declared, monkeypatch):
    for number in (1, 2):
        rows = StepRows(number)
        rows.columns("t", {**MIXED, "step": np.full(4, number)})
        declared.commit_step(rows)
    log, read = Log(declared), []
    inner = tables.read_part
    monkeypatch.setattr(
        tables, "read_part", lambda folder, file, names=None: read.extend(names) or inner(folder, file, names)
    )
    found = log.columns("t", ["arm", "step"], since=1)
    assert (
        found["arm"].tolist() == MIXED["arm"]
        and found["step"].tolist() == [2] * 4
        and set(read) == {"arm", "step"}
    )
    whole = log.columns("t")
    assert list(whole) == [*MIXED, "step"]
    for name in MIXED:
        np.testing.assert_array_equal(whole[name], np.tile(np.array(MIXED[name], dtype=whole[name].dtype), 2))
        assert whole[name].dtype == (object if name == "arm" else MIXED[name].dtype)
    assert log.columns("none") == {} and log.parts("none") == []
    assert log.columns("t", []) == {}
    with pytest.raises(UnknownName, match="did you mean 'score'"):
        log.columns("t", ["scores"])
    assert [path.name for path in log.parts("t")] == ["t-000001.parquet", "t-000002.parquet"]
    assert Log(declared, until=1).parts("t") == log.parts("t")[:1]
    assert len(Log(declared, until=1).columns("t")["step"]) == 4


def test_duckdb_reads_the_parts(declared):
    import duckdb

    rows = StepRows(1)
    rows.columns("t", MIXED)
    declared.commit_step(rows)
    (path,) = Log(declared).parts("t")
    assert duckdb.sql(f"select sum(week), count(*) filter (click), max(arm) from '{path}'").fetchall() == [
        (6, 2, "naïve ☕")
    ]


def test_arrays_may_change_once_they_are_written():
    values = np.arange(3)
    batches = of({"a": values})
    values[:] = 9
    assert batches.arrow()["a"].to_pylist() == [0, 1, 2]
    values.flags.writeable = False
    kept = of({"a": values}).arrow()["a"].chunk(0)
    assert kept.buffers()[1].address == values.ctypes.data, "what nobody can write to is not copied"
    base = np.arange(3)
    view = base[:]
    view.flags.writeable = False
    safe = of({"a": view})
    base[:] = 9
    assert safe.arrow()["a"].to_pylist() == [0, 1, 2]


@given(st.integers(0, 3), st.sampled_from(sorted(MIXED)))
def test_the_first_difference_names_row_and_column(tmp_path_factory, row, name):
    folder = tmp_path_factory.mktemp("part")
    (folder / "tables").mkdir()
    file, *_ = tables.write_part(folder, 1, of(MIXED))
    assert table_difference(folder, file, of(MIXED)) is None
    column = list(MIXED[name]) if name == "arm" else MIXED[name].copy()
    column[row] = {"arm": "other", "click": not MIXED["click"][row]}.get(name, 42)
    was = MIXED[name][row]
    found = table_difference(folder, file, of({**MIXED, name: column}))
    assert found is not None and found[:2] == (row + 1, name)
    assert found[2] == repr(was.item() if hasattr(was, "item") else was)


def test_a_row_more_a_row_less_and_another_type_are_told(tmp_path):
    (tmp_path / "tables").mkdir()
    file, *_ = tables.write_part(tmp_path, 1, of({"a": np.arange(2)}))
    assert table_difference(tmp_path, file, of({"a": np.arange(3)})) == (3, None, None, "{'a': 2}")
    assert table_difference(tmp_path, file, of({"a": np.arange(1)})) == (2, None, "{'a': 1}", None)
    assert table_difference(tmp_path, file, TableRows("t")) == (1, None, "{'a': 0}", None)
    assert table_difference(tmp_path, None, of({"a": np.arange(1)})) == (1, None, None, "{'a': 0}")
    assert table_difference(tmp_path, file, of({"a": np.zeros(2)})) == (
        1,
        None,
        "{'a': 'int64'}",
        "{'a': 'float64'}",
    )


THREADS = """
import os, sys
from pathlib import Path
import pyarrow.parquet
from openiir.core.storage import tables

threads = os.listdir("/proc/self/task")
tables.read_part(Path(sys.argv[1]), "t-000001.parquet")
tables.part_hash(Path(sys.argv[1]), "t-000001.parquet")
print(len(os.listdir("/proc/self/task")) - len(threads))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux lists a process's threads")
def test_parts_are_read_without_threads_that_could_abort_an_ending_process(tmp_path):
    (tmp_path / "tables").mkdir()
    tables.write_part(tmp_path, 1, of(MIXED))
    read = [sys.executable, "-c", THREADS, str(tmp_path)]
    assert int(subprocess.run(read, capture_output=True, text=True, check=True).stdout) == 0
