"""The two recipes of the content hash: what each row stands as, and that old runs keep theirs."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from openiir.core.errors import DamagedRun
from openiir.core.storage import RunFile, check_run, content_hash
from openiir.core.storage.content import LONG, RECIPE, SECTIONS, hash_section, hash_sections, row_hashes

OLD = Path(__file__).parents[2] / "runs" / "recipe-1"


def test_a_long_text_stands_as_its_hash_and_a_short_one_as_itself() -> None:
    short, long = "ä" * LONG, "ä" * (LONG + 1)
    stand_in = {"sha256": hashlib.sha256(long.encode()).hexdigest()}
    spelled = json.dumps([1, None, 0.5, short, stand_in], separators=(",", ":"), ensure_ascii=False)
    found = list(row_hashes([(1, None, 0.5, short, long), ("short",)]))
    assert found == [hashlib.sha256(text.encode()).digest() for text in (spelled, '["short"]')]


def test_no_text_passes_for_the_hash_of_another() -> None:
    text = "a text that is left out, " * 19
    digest = hashlib.sha256(text.encode()).hexdigest()
    rows = [(text,), (digest,), (f"sha256:{digest}",), (json.dumps({"sha256": digest}),)]
    assert len(set(row_hashes(rows))) == len(rows)


@pytest.mark.parametrize("recipe", [1, 2])
def test_order_number_and_bounds_of_rows_count(recipe: int) -> None:
    rows = [("a", "b"), ("ab", ""), ("x" * 100, "y")]
    others = [
        rows[::-1],
        rows[:2],
        [*rows, rows[0]],
        [("ab", "b"), *rows[1:]],
        [("a", "b"), ("ab",), rows[2]],
    ]
    assert len({hash_section(some, recipe) for some in [rows, *others]}) == 1 + len(others)


def test_new_runs_name_recipe_two_and_a_run_without_a_name_has_recipe_one(declared: RunFile) -> None:
    assert declared.state("recipe") == str(RECIPE) == "2"
    new = content_hash(declared.db).content
    declared.db.execute("delete from state where key = 'recipe'")
    assert content_hash(declared.db).content != new


def test_a_recorded_run_of_recipe_one_keeps_its_hash() -> None:
    manifest = json.loads((OLD / "manifest.json").read_text("utf-8"))
    with RunFile.open(OLD) as run:
        check_run(run)
        assert content_hash(run.db).content == manifest["content"] == run.state("content")
        assert content_hash(run.db).sections == manifest["sections"]


def test_the_recipe_is_part_of_the_hash() -> None:
    sections = dict.fromkeys(SECTIONS, "0" * 64)
    assert hash_sections(sections, 1) != hash_sections(sections, 2)


def test_a_recipe_of_a_later_version_is_refused_with_advice() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("create table state (key text, value text)")
    db.execute("insert into state values ('recipe', '3')")
    with pytest.raises(DamagedRun, match=r"recipe 3, .* named in the run's manifest"):
        content_hash(db)
