"""Recorded runs are replayed byte for byte; `record.py` records them anew after an intended change."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from golden_runs import STUDIES, read_views, views_of

from openiir.runs.run_io import open_checked
from openiir.runs.study import load_study

HERE = Path(__file__).parent
RUNS = sorted(path.parent.name for path in HERE.glob("*/run.db"))


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_replays_to_its_content_hash(
    name: str, openiir: Callable[..., Any], tmp_path: Path
) -> None:
    shutil.copytree(HERE / name, tmp_path / name)
    recorded = json.loads((HERE / name / "manifest.json").read_text())["content"]
    assert openiir("replay", tmp_path / name).content == recorded


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_measures_and_shows_what_it_did(name: str, tmp_path: Path) -> None:
    shutil.copytree(HERE / name, tmp_path / name)
    recorded, found = read_views((HERE / name / "views.json").read_text()), views_of(tmp_path / name)
    for part in ("measures", "surfaces"):
        assert list(found[part]) == list(recorded[part])
        assert {k: (v, found[part][k]) for k, v in recorded[part].items() if v != found[part][k]} == {}


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_a_study_is_read_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    """A replay takes the study from the run, defaults filled in, and would not see a changed default."""
    shutil.copytree(HERE / name, tmp_path / name)
    study, sets = STUDIES[name]
    loaded = load_study(study, sets)
    with open_checked(tmp_path / name, finished=True) as run:
        assert loaded.document() == run.study()
        assert {p.id: p for p in loaded.personas} == {p.id: p for p in run.personas()}


def test_every_golden_run_has_its_study_and_every_type_its_golden_runs() -> None:
    assert sorted(STUDIES) == RUNS
    types = {json.loads((HERE / name / "manifest.json").read_text())["type"] for name in RUNS}
    assert types == {
        "asymmetric_memory",
        "panel",
        "curated_feed",
        "feedback_outage",
        "recommender",
        "conversational",
        "coordination_emergent",
        "social_media",
        "multi_generational",
        "tiered_capability",
        "twin_ecosystem",
        "open_web",
    }


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
