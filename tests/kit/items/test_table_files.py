"""Files of rows: every mistake is told by file and row."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from openiir.kit.items.table_files import TableFile, digest_of, read_table
from openiir.plugin import InputError


@pytest.fixture
def file(tmp_path):
    def write(content, name="x.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


def read(path, wanted=None, **ways):
    return read_table(TableFile(file=path.name, **ways), path, wanted)


class TestTexts:
    @pytest.mark.parametrize(
        ("content", "ways"),
        [
            ("a,b\n1,x y\n2,\n", {}),
            ("a,b\r\n1,x y\r\n2,\r\n", {}),
            ("\ufeffa,b\n1,x y\n\n2,\n\n", {}),
            ('a,b\n"1","x y"\n2,""\n', {}),
            ("a;b\n1;x y\n2;", {"separator": ";"}),
            ("1::x y\n2::\n", {"separator": "::", "names": ("a", "b")}),
            ("1\tx y\n2\t\n", {"separator": "\t", "names": ("a", "b")}),
        ],
    )
    def test_the_same_rows_in_many_spellings(self, file, content, ways):
        table = read(file(content), **ways)
        assert len(table) == 2
        assert table.texts("b").to_pylist() == ["x y", ""] and table.numbers("a").tolist() == [1, 2]

    def test_quotes_hold_separators_and_line_ends_in_commas_files_alone(self, file):
        assert read(file('a,b\n1,"x,\ny ""z"""\n')).texts("b").to_pylist() == ['x,\ny "z"']
        assert read(file('a\tb\n1\t"x\n'), separator="\t").texts("b").to_pylist() == ['"x']

    def test_other_encodings(self, file):
        path = file("a\nLéon\n".encode("latin-1"))
        assert read(path, encoding="latin-1").texts("a").to_pylist() == ["Léon"]
        with pytest.raises(
            InputError,
            match=r"x.csv is not utf-8 \(byte 0xe9 in row 2\); save it as UTF-8, or say which `encoding`",
        ):
            read(path)
        with pytest.raises(InputError, match="'utf-9', which is no encoding"):
            read(path, encoding="utf-9")

    @pytest.mark.parametrize(
        ("content", "ways", "told"),
        [
            ("a,b\n1,2\n1,2,3\n", {}, r"x.csv, row 3: 3 fields where there are 2 columns \(a, b\)"),
            ('a,b\n1,"p\nq"\n\n1\n', {}, "x.csv, row 4: 1 fields"),
            (
                "1::2\n1:2\n",
                {"separator": "::", "names": ("a", "b")},
                "x.csv, row 2: 1 fields.*separated by '::'",
            ),
            ("", {}, "x.csv is empty"),
            ("a,a\n", {}, "two columns of one name"),
        ],
    )
    def test_rows_that_do_not_fit(self, file, content, ways, told):
        with pytest.raises(InputError, match=told):
            read(file(content), **ways)

    def test_columns_and_files_that_are_not_there(self, file, tmp_path):
        with pytest.raises(InputError, match="has no column 'stars'; it has a, b"):
            read(file("a,b\n"), ("stars",))
        with pytest.raises(InputError, match="none.csv does not exist; check the path"):
            read(tmp_path / "none.csv")
        with pytest.raises(InputError, match="is a folder"):
            read(tmp_path)

    def test_no_rows(self, file):
        assert len(read(file("a,b\n"))) == 0
        assert len(read(file(""), names=("a",))) == 0

    @pytest.mark.parametrize("value", ["x", "", "nan", "1e400"])
    def test_what_is_no_number(self, file, value):
        with pytest.raises(InputError, match=rf"x.csv, row 4: a = '{value}' is no number; mend that row"):
            read(file(f"a,b\n1, \n\n{value},y\n")).numbers("a")

    def test_numbers_may_stand_among_blanks(self, file):
        assert read(file("a,b\n 1 ,x\n")).numbers("a").tolist() == [1]

    def test_a_row_without_an_id(self, file):
        with pytest.raises(InputError, match="row 3: a is empty"):
            read(file("a,b\n1,x\n,y\n")).ids("a")

    def test_several_values(self, file):
        table = read(file("a,b\n1,x| y||z\n2,\n"))
        assert table.lists("b", "|") == [("x", "y", "z"), ()] and table.lists("b") == [("x| y||z",), ()]


class TestJsonLines:
    def test_each_line_is_a_record(self, file):
        table = read(file('{"a": 1, "b": "x\u2028y", "c": ["s", "t"]}\n\n{"a": 2, "c": []}\r\n', "x.jsonl"))
        assert table.numbers("a").tolist() == [1, 2] and table.texts("b").to_pylist() == ["x\u2028y", ""]
        assert table.lists("c") == [("s", "t"), ()]

    @pytest.mark.parametrize(
        ("content", "message"),
        [('{"a": 1}\n{"a": 2', "x.jsonl, row 2 is not JSON"), ('{"a": 1}\n[2]', "record 2 is no object")],
    )
    def test_a_line_that_is_no_record_is_refused(self, file, content, message):
        with pytest.raises(InputError, match=message):
            read(file(content, "x.jsonl"))


class TestParquet:
    def test_as_a_text_would_say(self, tmp_path):
        columns = {"id": [10, 11], "stars": [4.5, None], "tags": [["x", "y"], None]}
        parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
        table = read(tmp_path / "x.parquet")
        assert table.ids("id").to_pylist() == ["10", "11"] and table.lists("tags") == [("x", "y"), ()]
        with pytest.raises(InputError, match="x.parquet, row 2: stars = '' is no number"):
            table.numbers("stars")
        with pytest.raises(InputError, match="has no column 'user'; it has id, stars, tags"):
            read(tmp_path / "x.parquet", ("user",))

    def test_what_is_none(self, file):
        with pytest.raises(InputError, match="x.parquet is no Parquet file"):
            read(file("a,b\n", "x.parquet"))


def test_a_digest_is_of_names_and_contents(file):
    one, two = file("1", "a"), file("2", "b")
    assert digest_of([one, two]) == digest_of([two, one]) != digest_of([one])
    before = digest_of([one])
    file("3", "a")
    assert digest_of([one]) != before != digest_of([file("1", "c")])


class TestLimits:
    def test_columns(self, file, limit_inputs, tmp_path):
        limit_inputs(columns=2)
        assert len(read(file("a,b\n1,2\n"))) == 1
        parquet.write_table(pa.table({"a": [1], "b": [2], "c": [3]}), tmp_path / "x.parquet")
        for path in (file("a,b,c\n1,2,3\n"), tmp_path / "x.parquet"):
            with pytest.raises(
                InputError, match=r"3 columns, the limit is 2; .*raise columns in the table \[inputs\]"
            ):
                read(path)

    def test_a_field_as_long_as_the_file_does_not_hide_the_mistake(self, file):
        path = file(f"a,b\n{'x' * 140_000},1\ny,none\n")
        with pytest.raises(InputError, match="row 3: b = 'none' is no number"):
            read(path).numbers("b")

    def test_parquet_is_measured_as_it_unfolds(self, tmp_path, limit_inputs):
        path = tmp_path / "x.parquet"
        parquet.write_table(pa.table({"a": ["x" * 1_000] * 1_000}), path)
        limit_inputs(file_bytes=100_000)
        assert path.stat().st_size < 10_000
        with pytest.raises(InputError, match="the limit is 100,000"):
            read(path)
        parquet.write_table(pa.table({"a": pa.nulls(30_000)}), path)
        with pytest.raises(InputError, match="120,000 bytes; the limit is 100,000"):
            read(path)

    def test_a_parquet_file_without_rows(self, tmp_path):
        parquet.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "x.parquet")
        assert read(tmp_path / "x.parquet").texts("a").to_pylist() == []

    @pytest.mark.parametrize("damage", [b"\xff\xff", b"\x00" * 40])
    def test_damaged_parquet(self, tmp_path, damage):
        parquet.write_table(pa.table({"a": ["words"] * 9}), tmp_path / "x.parquet")
        whole = (tmp_path / "x.parquet").read_bytes()
        at = whole.index(b"words")
        (tmp_path / "x.parquet").write_bytes(whole[:at] + damage + whole[at + len(damage) :])
        with pytest.raises(InputError, match="no Parquet file that can be read"):
            read(tmp_path / "x.parquet")
