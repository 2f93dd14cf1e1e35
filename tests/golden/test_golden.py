"""Recorded runs are replayed byte for byte; `record.py` makes them anew where a change is meant to change them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
RUNS = sorted(path.parent.name for path in HERE.glob("*/run.db"))


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_replays_to_its_content_hash(name: str, openiir: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copytree(HERE / name, tmp_path / name)
    recorded = json.loads((HERE / name / "manifest.json").read_text())["content"]
    assert openiir("replay", tmp_path / name).content == recorded


def test_there_are_golden_runs_of_every_shape_and_both_answerers() -> None:
    assert RUNS == ["by-model-delphi", "by-model-ideation", "by-model-standard", "llm-assessors"]


def test_the_demo_is_the_golden_run(openiir: Callable[..., Any], tmp_path: Path) -> None:
    recorded = json.loads((HERE / "llm-assessors" / "manifest.json").read_text())["content"]
    assert openiir("run", "panel", "--out", tmp_path / "demo").content == recorded


def test_the_readme_shows_what_the_demo_says(openiir: Callable[..., Any], tmp_path: Path) -> None:
    page = (HERE.parents[1] / "README.md").read_text()
    excerpt = page.partition("<!-- excerpt")[2].partition("```text\n")[2].partition("```")[0]
    shutil.copytree(HERE / "llm-assessors", tmp_path / "run")
    shown = " ".join(openiir("show", tmp_path / "run", "transcript").out.split())
    assert excerpt.strip()
    for entry in excerpt.strip().split("\n\n"):
        assert " ".join(entry.split()) in shown
