"""Every promise of docs/reference/trust.md names tests that exist, and every attacker of SECURITY.md has
promises."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / "docs/reference/trust.md")
    .read_text("utf-8")
    .partition("## What is promised")[2]
    .partition("## What is not covered")[0]
    .splitlines()[5:]
    if line.startswith("| ") and not line.startswith("| who is hostile")
]


def defined(file):
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("row", ROWS)
def test_a_promise_names_tests_that_exist(row):
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", row.rpartition(" | ")[2])
    assert named and not [test for file, test in named if test not in defined(file)]


def test_every_attacker_has_a_promise():
    first = [row.split("|")[1].strip() for row in ROWS]
    assert len([one for one in first if one]) == 6 and first[0]
