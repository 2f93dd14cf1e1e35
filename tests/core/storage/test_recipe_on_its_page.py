"""The content hash by the program printed in docs/reference/run-folder.md, which shares nothing with ours."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GOLDEN = sorted(path.parent for path in (ROOT / "tests" / "golden").glob("*/manifest.json"))
RUNS = [*GOLDEN, ROOT / "tests" / "runs" / "recipe-1"]


@pytest.fixture(scope="module")
def printed():
    """The names that the page's program defines."""
    page = (ROOT / "docs" / "reference" / "run-folder.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    names: dict = {}
    exec(program, names)
    return names


@pytest.mark.parametrize("run", RUNS, ids=[run.name for run in RUNS])
def test_it_gives_the_hash_that_the_run_ended_with(printed, run):
    assert (
        printed["content_hash"](run / "run.db")
        == json.loads((run / "manifest.json").read_text("utf-8"))["content"]
    )


def test_there_are_runs_of_both_recipes_to_try_it_on():
    named = {json.loads((run / "manifest.json").read_text("utf-8")).get("recipe", 1) for run in RUNS}
    assert named == {1, 2} and len(GOLDEN) >= 2


def test_it_gives_the_hash_of_every_table_part(printed):
    run = sqlite3.connect(f"file:{RUNS[0] / 'run.db'}?mode=ro", uri=True)
    parts = run.execute("select file, hash from part order by file").fetchall()
    assert parts
    for file, expected in parts:
        assert printed["part_hash"](RUNS[0] / "tables" / file) == expected
