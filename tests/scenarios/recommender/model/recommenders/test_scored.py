"""Scored lists from files: every form read alike, every mistake named with its row."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from openiir.core.errors import InputError
from openiir.kit.items import Collection, Ratings
from openiir.kit.measures.trec import to_trec
from openiir.plugin import Ranking
from openiir.scenarios.recommender.model.recommenders import recommender
from openiir.scenarios.recommender.model.recommenders.listing import list_top_items

USERS = tuple(f"u{n}" for n in range(40))
ROWS = [("u1", "m3", 0.5), ("u1", "m0", 0.75), ("u7", "m4", -2.0), ("u1", "m9", 0.0)]


@pytest.fixture
def opened(tmp_path: Path, collection: Collection) -> Callable[..., Any]:
    def read(name: str, text: str, **options: Any) -> Any:
        (tmp_path / name).write_text(text)
        return recommender(f"file:{tmp_path / name}", options, collection, 1, USERS)

    return read


def delimited(rows: list[Any], by: str = ",", header: str = "user,item,score") -> str:
    return "\n".join([header.replace(",", by), *(by.join(map(str, row)) for row in rows)]) + "\n"


def written(folder: Path, form: str) -> Path:
    path = folder / f"lists{form}"
    if form == ".parquet":
        users, items, scores = zip(*ROWS, strict=True)
        pyarrow.parquet.write_table(pa.table({"user": users, "item": items, "score": scores}), path)
    elif form in (".csv", ".tsv"):
        path.write_text(delimited(ROWS, "," if form == ".csv" else "\t"))
    else:
        path.write_text("".join(f"{u} Q0 {i} 1 {s} tag\n" for u, i, s in ROWS))
    return path


@pytest.mark.parametrize("form", [".csv", ".tsv", ".parquet", ".run", ".trec", ".txt"])
def test_every_form_says_the_same(form: str, tmp_path: Path, train: Ratings, collection: Collection) -> None:
    one = recommender(f"file:{written(tmp_path, form)}", {}, collection, 1, USERS)
    one.fit(train)
    found = list_top_items(one, np.array([7, 1, 2]), 4)
    assert found.items.tolist() == [[4, -1, -1, -1], [0, 3, 9, -1], [-1] * 4]
    assert one.skipped == {"users without a list": 38}
    assert one.name.endswith(form)


def test_ids_in_a_run_hold_blanks_as_the_kit_writes_them(opened: Callable[..., Any]) -> None:
    run = Ranking.of([("u1", "m3", 0.5), ("u7", "m4", 0.25)], tag="a tag")
    assert opened("a.run", to_trec(run) + "\n\n").scores(np.array([1, 7])).max(axis=1).tolist() == [0.5, 0.25]
    with pytest.raises(InputError, match="line 1: the data set has no user 'u 1'"):
        opened("b.run", to_trec(Ranking.of([("u 1", "m3", 0.5)], "tag")))


def test_columns_may_have_other_names_and_ids_may_be_numbers(tmp_path: Path, train: Ratings) -> None:
    path = tmp_path / "lists.parquet"
    pyarrow.parquet.write_table(pa.table({"who": [5, 5], "film": [20, 10], "value": [1, 2]}), path)
    films = Collection("movie", ("10", "20"), ("", ""))
    named = {"user": "who", "item": "film", "score": "value"}
    one = recommender(f"file:{path}", named, films, 1, ("5",))
    assert one.scores(np.array([0])).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", delimited([*ROWS, ("u1", "x9", 1)]), ["row 6", "no item 'x9'", "skip"]),
        ("a.csv", delimited([("nobody", "m1", 1), *ROWS]), ["row 2", "no user 'nobody'"]),
        ("a.tsv", delimited([*ROWS, ("u1", "m0", 4)], "\t"), ["row 6", "'u1'", "once"]),
        ("a.csv", delimited([("u1", "m1", "high")]), ["row 2", "'high'"]),
        ("a.csv", delimited([*ROWS, ("u2", "m1", "nan")]), ["row 6", "nan"]),
        ("a.csv", delimited(ROWS, header="user,film,score"), ["no column 'item'", "film"]),
        ("a.csv", "user,item,score\nu1,m1\n", ["row 2", "2 fields"]),
        ("a.parquet", "nothing of the kind", ["Parquet"]),
        ("a.run", "u1 Q0 m1 1 0.5\n", ["line 1", "6 columns"]),
        ("a.run", "u1 Q0 m1 1 nan tag\n", ["line 1", "'nan' is no number"]),
        ("a.xlsx", "", [".csv", ".parquet"]),
    ],
)
def test_mistakes_are_named_with_their_row(
    name: str, text: str, words: list[str], opened: Callable[..., Any]
) -> None:
    with pytest.raises(InputError) as refused:
        opened(name, text)
    assert all(word in str(refused.value) for word in [name, *words]), refused.value


def test_unknown_ids_may_be_skipped_and_are_counted(opened: Callable[..., Any]) -> None:
    one = opened(
        "a.csv", delimited([*ROWS, ("u1", "x9", 1), ("u0", "m1", 1), ("no", "m1", 1)]), unknown="skip"
    )
    assert one.skipped == {"unknown user": 1, "unknown item": 1, "users without a list": 37}
    assert one.scores(np.array([1])).max() == 0.75


def test_lists_that_are_too_short_are_refused_where_a_length_is_asked_for(opened: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"'u0' has 0 items, fewer than least = 1 \(38 such users\)"):
        opened("a.csv", delimited(ROWS), least=1)


def test_no_such_file(collection: Collection) -> None:
    with pytest.raises(InputError, match="does not exist"):
        recommender("file:gone.csv", {}, collection, 1, USERS)
