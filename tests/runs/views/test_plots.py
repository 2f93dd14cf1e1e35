"""Pictures of views: the same bytes, gaps, intervals and what is refused;
the numbers of a table on a terminal."""

import json
from math import nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from openiir.core.errors import InputError
from openiir.plugin import Graph, Mark, Matrix, Ranking, Series, Table, half_width, interval_ends
from openiir.runs.views.emit import output_view
from openiir.runs.views.plotting import MOST_BARS, _grouped_bars, _row_names, _single_bars, is_picture
from openiir.runs.views.table_text import read_columns

LINES = Series(
    unit="share",
    low=0.0,
    high=1.0,
    lines={"_a & <b>": ((1, 0.5), (2, nan), (3, 0.25)), "x": ((1, nan),), "none": ()},
    marks=(Mark(x=2, label="outage"),),
)
SYSTEMS = Table(
    columns=("system", "P_view", half_width("P_view"), "less", half_width("less")),
    rows=(
        ("random", 0.28, 0.063, None, None),
        ("als $x_1$", 0.5, 0.06, -0.1, nan),
        ("ease", nan, None, -2, 0.05),
    ),
)
SHARES = Table(
    columns=("system", "share", *interval_ends("share")),
    rows=(("als", 1.0, 0.25, 1.0), ("ease", 0.25, 0.125, 0.5), ("none", 0.5, None, None)),
)
TASKS = Table(
    columns=("negatives", "1:m", "scorer", "accuracy", "note"),
    rows=tuple((k, m, s, 0.5, "n") for k in "up" for m in ("1:1", "1:9") for s in ("agent", "ease")),
)


def drawn(view: Any, file: Path, form: str = "text") -> bytes:
    output_view("Title", view, form, file, "run")
    return file.read_bytes()


def words(svg: bytes) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


HEAT = Matrix(
    rows=("early", "late"),
    columns=("x", "y", "z"),
    cells=((0.0, 0.5, 1.0), (1.0, None, 0.0)),
    unit="share",
    low=0.0,
    high=1.0,
)


@pytest.mark.parametrize("view", [LINES, SYSTEMS, TASKS, HEAT], ids=["lines", "bars", "groups", "cells"])
@pytest.mark.parametrize("ending", [".svg", ".pdf", ".png"])
def test_the_same_view_gives_the_same_bytes(view, ending, tmp_path):
    once, again = drawn(view, tmp_path / f"a{ending}"), drawn(view, tmp_path / f"b{ending}")
    assert once == again and once.startswith({".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG"}[ending])
    assert not any(word in once for word in (b"dc:date", b"Creat", b"Software", b"matplotlib.org", b"tIME"))


def test_lines_have_their_names_unit_and_steps(tmp_path):
    said = words(drawn(LINES, tmp_path / "a.svg"))
    assert {"Title", "_a & <b>", "x", "share", "step", "1", "2", "3", "outage"} <= set(said)
    assert "none" not in said


def test_bars_have_names_and_numbers_and_gaps_have_none(tmp_path):
    said = words(drawn(SYSTEMS, tmp_path / "a.svg"))
    assert {"random", "als $x_1$", "ease", "P_view", "less", "0.28", "0.5", "-0.1", "-2"} <= set(said)
    assert "+-" not in said and "nan" not in said


def test_every_bar_and_interval_stands_where_its_number_is(monkeypatch, tmp_path):
    from matplotlib.axes import Axes

    bars, halves = [], []
    monkeypatch.setattr(Axes, "barh", lambda self, place, value, *more, **looks: bars.append(value))
    monkeypatch.setattr(
        Axes, "errorbar", lambda self, value, place, xerr, **looks: halves.append((value, *sum(xerr, [])))
    )
    drawn(SYSTEMS, tmp_path / "a.svg")
    assert bars == [0.28, 0.5, -0.1, -2.0] and halves == [
        (0.28, 0.063, 0.063),
        (0.5, 0.06, 0.06),
        (-2.0, 0.05, 0.05),
    ]
    bars.clear(), halves.clear()
    drawn(SHARES, tmp_path / "b.svg")
    assert bars == [1.0, 0.25, 0.5] and halves == [(1.0, 0.75, 0.0), (0.25, 0.125, 0.25)]


def test_cells_of_a_matrix_are_darker_where_there_is_more(tmp_path):
    picture = drawn(HEAT, tmp_path / "a.svg")
    assert {"Title", "early", "late", "x", "y", "z", "share"} <= set(words(picture))
    mesh = next(
        one for one in ElementTree.fromstring(picture).iter() if one.get("id", "").startswith("QuadMesh")
    )
    fills = [one.get("style") or "" for one in mesh.iter() if one.tag.endswith("path") and one.get("style")]
    assert fills.pop(4) == "fill: none", "a cell without a value"
    lightness = [int(fill.split("#")[1][:2], 16) for fill in fills]
    assert lightness[0] == lightness[4] > lightness[1] > lightness[2] == lightness[3]


def test_rows_are_called_by_the_first_texts():
    names, numbers = _row_names(read_columns(TASKS))
    assert [len(set(column)) for column in names] == [2, 2, 2] and [c.name for c in numbers] == ["accuracy"]
    found = _grouped_bars(names)
    assert found is not None and found.labels == ["u, 1:1", "u, 1:9", "p, 1:1", "p, 1:9"]
    assert found.legend == ["agent", "ease"] and found.colours == [0, 1] * 4
    assert found.places == sorted(found.places) and len(set(found.places)) == 8


def test_a_count_of_rows_is_no_bar():
    table = Table(
        columns=("group", "visitors", "age", "seen"), rows=((1, 9, "old", 2.5), (2, 9, "young", 3.5))
    )
    names, numbers = _row_names(read_columns(table))
    assert names == [["old", "young"]] and [c.name for c in numbers] == ["visitors", "seen"]
    names, numbers = _row_names(read_columns(Table(columns=("week", "users"), rows=((1, 7), (2, 7)))))
    assert names == [["1", "2"]] and [c.name for c in numbers] == ["users"]


def test_texts_that_do_not_come_again_are_no_colours():
    assert _grouped_bars([["a", "b"], ["x", "y"]]) is None
    assert _grouped_bars([["a", "a"], ["x", "x"]]) is None
    assert _grouped_bars([["a", "b"]]) is None
    assert _grouped_bars([["all", "all"], ["x", "y"]]) is None
    assert _single_bars([["all", "all"], ["x", "y"]], 2).labels == ["x", "y"]
    assert _single_bars([["all"], ["x"]], 1).labels == ["all, x"] and _single_bars([], 2).labels == ["1", "2"]


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ([], "no picture shows a timeline; a series, a matrix or a table with numbers can be drawn"),
        (Graph(topic="t", claims=(), edges=(), strengths={}), "shows a graph"),
        (Ranking.of([("ada", "i", 0.5)], "tag"), "shows a ranking"),
        (Series(unit="u", low=0.0, high=1.0, lines={"a": ((1, nan),)}), "nothing to draw"),
        (Matrix(rows=("a",), columns=("b",), cells=((None,),), low=0.0, high=1.0), "nothing to draw"),
        (Table(columns=("a", "b"), rows=(("x", None),)), "nothing to draw"),
        (Table(columns=("a", "b"), rows=()), "nothing to draw"),
        (Table(columns=("a",), rows=((0.5,),) * (MOST_BARS + 1)), "cut with --n"),
    ],
)
def test_what_no_picture_shows_is_refused(view, words, tmp_path):
    with pytest.raises(InputError, match=words):
        drawn(view, tmp_path / "a.svg")
    assert not (tmp_path / "a.svg").exists()


def test_endings_and_formats_that_are_no_picture(tmp_path):
    assert is_picture(Path("a.SVG")) and not is_picture(Path("a.txt")) and not is_picture(None)
    with pytest.raises(InputError, match="can be drawn as .svg, .pdf or .png"):
        drawn(SYSTEMS, tmp_path / "a.eps")
    with pytest.raises(InputError, match="leave out one"):
        drawn(SYSTEMS, tmp_path / "a.svg", "json")
    with pytest.raises(InputError, match="cannot be written"):
        drawn(SYSTEMS, tmp_path / "nowhere" / "a.png")


def test_the_views_of_a_run_that_can_be_drawn_are_named(openiir, tmp_path):
    golden = Path(__file__).parents[2] / "golden" / "llm-assessors"
    refused = openiir("show", golden, "transcript", "--out", tmp_path / "a.svg")
    assert refused.code == 2 and "of this run can be drawn: stances, activity" in refused.err


def test_more_lines_than_can_be_told_apart_are_grey(tmp_path):
    crowd = Series(
        unit="u", low=0.0, high=1.0, lines={f"agent {n}": ((1, n / 30), (2, 0.5)) for n in range(30)}
    )
    said = words(drawn(crowd, tmp_path / "a.svg"))
    assert "Title (30 lines)" in said and "agent 1" not in said


def test_json_says_null_where_there_is_no_number(tmp_path):
    said = json.loads(drawn(SYSTEMS, tmp_path / "a.json", "json"))
    assert [column["name"] for column in said["columns"]] == list(SYSTEMS.names) and said["rows"][2] == [
        "ease",
        None,
        None,
        -2,
        0.05,
    ]


def test_intervals_stand_beside_their_numbers_on_a_terminal(tmp_path):
    lines = drawn(SYSTEMS, tmp_path / "a.txt").decode().splitlines()
    assert [line.rstrip() for line in lines[1:]] == [
        "system     P_view        less",
        "random     0.28 ± 0.063",
        "als $x_1$  0.50 ± 0.060  -0.1",
        "ease                     -2.0 ± 0.05",
    ]


def test_an_interval_that_is_longer_on_one_side_is_shown_by_its_ends(tmp_path):
    lines = drawn(SHARES, tmp_path / "a.txt").decode().splitlines()
    assert [line.rstrip() for line in lines[1:]] == [
        "system  share",
        "als     1.00 [0.25, 1]",
        "ease    0.25 [0.125, 0.5]",
        "none    0.50",
    ]


def test_numbers_of_a_wide_table_are_never_cut(tmp_path):
    wide = Table(
        columns=("topic", *(f"{n}: exposure" for n in range(14)), "note"),
        rows=(
            ("artificial intelligence in the schools of tomorrow", *(-0.12345 - n for n in range(14)), "end"),
        ),
    )
    text = drawn(wide, tmp_path / "a.txt").decode()
    assert all(f"{-0.12345 - n:g}" in text for n in range(14)) and text.count("topic") == 2
    assert max(map(len, text.splitlines())) <= 100


def test_gaps_of_a_series_are_blank_on_a_terminal(tmp_path):
    text = drawn(LINES, tmp_path / "a.txt").decode()
    assert "▅ ▃" in text and "nan" not in text


def test_where_all_is_zero_the_axis_ends_at_one(tmp_path):
    nothing = Table(columns=("system", "rate"), rows=(("a", 0.0), ("b", 0.0)))
    assert {"0.0", "1.0"} <= set(words(drawn(nothing, tmp_path / "a.svg")))
    flat = Series(unit="rate", low=0.0, high=0.0, lines={"a": ((1, 0.0), (2, 0.0))})
    ticks = words(drawn(flat, tmp_path / "b.svg"))
    assert {"0.0", "1.0"} <= set(ticks) and not any(tick.startswith("\N{MINUS SIGN}") for tick in ticks)


def test_intervals_of_lines_are_drawn_as_bands(tmp_path):
    plain = Series(unit="rate", low=0.0, high=1.0, lines={"a": ((1, 0.5), (2, 0.4))})
    banded = plain.model_copy(update={"bands": {"a": ((1, 0.3, 0.7), (2, 0.2, 0.6))}})
    filled = [drawn(view, tmp_path / "a.svg").count(b"FillBetween") for view in (plain, banded)]
    assert filled[0] == 0 < filled[1]
