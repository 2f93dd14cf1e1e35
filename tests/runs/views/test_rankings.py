"""Rankings on a terminal and as TREC runs."""

import pytest

from openiir.core.errors import InputError
from openiir.plugin import Ranking, Table
from openiir.runs.views.emit import _narrow, output_view

FEED = Ranking.of([("ada", "i2", 0.5), ("ada", "i1", 0.5), ("bo", "i1", -1.0)], "popularity")


def test_a_ranking_is_written_as_a_trec_run(tmp_path):
    output_view("Feed", FEED, "trec", tmp_path / "feed.run", "run")
    assert (tmp_path / "feed.run").read_text(encoding="utf-8") == (
        "ada Q0 i1 1 0.5 popularity\nada Q0 i2 2 0.5 popularity\nbo Q0 i1 1 -1.0 popularity\n"
    )


def test_a_ranking_is_drawn_as_a_table_and_n_cuts_each_list(tmp_path):
    output_view("Feed", _narrow(FEED, 1), "text", tmp_path / "feed.txt", "run")
    drawn = (tmp_path / "feed.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split() for line in drawn] == [
        ["Feed"],
        ["topic", "rank", "item", "score", "tag"],
        ["ada", "1", "i1", "0.5", "popularity"],
        ["bo", "1", "i1", "-1", "popularity"],
    ]


def test_what_is_no_ranking_is_no_trec_run():
    with pytest.raises(InputError, match="for rankings, and this is none"):
        output_view("Numbers", Table(columns=("a",), rows=((1,),)), "trec", None, "run")
