"""Studies that cannot be are refused before they start, with words that name the key."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from openiir.plugin import InputError
from openiir.runs.study import load_study
from openiir.scenarios.multi_generational.scenario import MultiGenerational
from openiir.testing.offline import offline_study, run_offline

ROWS = [
    {
        "id": f"{topic}/{n}",
        "topic": topic,
        "true": f"The {n} of {topic} is old.",
        "false": f"The {n} of {topic} is new.",
    }
    for topic in ("mills", "locks", "kilns")
    for n in ("wall", "door", "roof")
]
TABLE = ("config.set.table=table.jsonl", "config.set.matched=false")


def write_study(folder: Path, rows: list[dict[str, Any]]) -> str:
    shutil.copytree(MultiGenerational.reference, folder, dirs_exist_ok=True)
    (folder / "table.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    text = (folder / "study.toml").read_text().split("[config.set]")[0]
    (folder / "study.toml").write_text(text)
    return str(folder / "study.toml")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("config.producers=1", "producers = 1"),
        ("config.detectors=1", "detectors = 1"),
        ("config.mutation.rate=2", "mutation.rate = 2"),
        ("config.mutation.text=-0.1", "mutation.text = -0.1"),
        ("config.hazard=0", "hazard = 0"),
        ("config.generations=0", "generations = 0"),
        ("config.pairs=900", "900"),
        ('config.controls=["neutral", "coevolution"]', "among the controls as well"),
        ('config.controls=["neutral", "neutral"]', "named twice"),
        ("config.matrix.generations=1", "no other to meet"),
        ("config.set.distance=0", "were dropped"),
        ("config.arm=random_genomes", "input should be"),
        ("config.arm=famous", "famous"),
        ('config.set.held_out=["zeppelins"]', "zeppelins"),
        ("config.no_such_key=1", "no_such_key"),
    ],
)
def test_a_study_that_cannot_be_is_refused_before_it_starts(tmp_path: Path, setting: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run_offline("multi_generational", tmp_path, setting)
    assert not (tmp_path / "run").exists()


def test_a_study_without_personas_is_refused(tmp_path: Path) -> None:
    study = write_study(tmp_path, ROWS)
    Path(study).write_text(Path(study).read_text().replace('personas = "personas.toml"', ""))
    with pytest.raises(InputError, match="no personas"):
        offline_study(study, tmp_path)


@pytest.mark.parametrize(
    ("rows", "settings", "words"),
    [
        ([*ROWS, {"id": "x", "topic": "mills", "true": "One.", "false": ""}], (), "x"),
        ([*ROWS, {"id": "x", "topic": "mills", "true": "One."}], (), "false"),
        ([*ROWS, {"id": "x", "topic": "mills", "true": "One.", "false": "One."}], (), "x"),
        ([*ROWS, ROWS[0]], (), "mills/wall"),
        (ROWS, ("config.set.matched=true",), "rating"),
        (ROWS, ('config.set.held_out=["mills", "locks", "kilns"]',), "held out|held_out"),
        (ROWS, ("config.set.held_out_topics=3",), "topics"),
        (ROWS, ("config.set.covid_fact=table.jsonl",), "covid_fact"),
    ],
)
def test_pairs_that_cannot_be_met_are_refused(
    tmp_path: Path, rows: list[dict[str, Any]], settings: tuple[str, ...], words: str
) -> None:
    few = ("config.pairs=1", "config.set.held_out_topics=1")
    study = write_study(tmp_path, rows)
    with pytest.raises(InputError, match=words):
        offline_study(study, tmp_path, (*TABLE, *few, *settings))


def test_what_is_logged_from_the_start_cannot_change_under_way(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="structural"):
        offline_study("multi_generational", tmp_path, ["change=[{step=2, set={producers=5}}]"])


def test_personas_with_one_bio_and_too_many_elites_are_refused(tmp_path):
    bio = 'bio = "Mends nets."'
    people = [f'[[persona]]\nid = "{name}"\nname = "{name.title()}"\n{bio}\n' for name in ("ona", "pell")]
    (tmp_path / "personas.toml").write_text("\n".join(people))
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "nets.md").write_text("Nets are mended with twine.")
    study = tmp_path / "study.toml"
    study.write_text(
        'type = "multi_generational"\nname = "one-bio"\nseed = 1\npersonas = "personas.toml"\n'
        '[world]\nsources = ["pages"]\n'
    )
    with pytest.raises(InputError, match="have one bio"):
        load_study(str(study))
    with pytest.raises(InputError, match="elites = 5 of 4"):
        load_study("multi_generational", ["config.producers=4", "config.selection.elites=5"])
