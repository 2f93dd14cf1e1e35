"""One process writes a run; others are told, and may read."""

import asyncio

import pytest

from openiir.core.errors import InputError, RunBusy
from openiir.core.storage import RunFile
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study


def test_a_second_process_is_refused_and_told_why(evening, sittings, openiir, tmp_path):
    study, out = evening(), tmp_path / "run"
    with prepare_run(load_study(str(study)), out, Settings()) as run:
        again, resumed = sittings(
            {"argv": ["run", str(study), "--out", str(out)]},
            {"argv": ["resume", str(out)]},
        )
        with pytest.raises(RunBusy):
            prepare_run(load_study(str(study)), out, Settings(), again=True)
        shown = openiir("show", out, "ratings")
        assert asyncio.run(drive(run, Settings(), Watcher()))
    assert again["code"] == 2 and "there is a run at" in again["err"]
    assert resumed["code"] == 2 and "being written by another process" in resumed["err"]
    assert shown.code == 0, shown.err
    assert openiir("replay", out).code == 0


def test_again_replaces_a_run_and_never_one_that_is_being_written(
    evening, served, openiir, fingerprints, tmp_path
):
    study, out = evening(), tmp_path / "run"
    with prepare_run(load_study(str(study)), out, Settings()) as run:
        replaced = openiir("run", study, "--out", out, "--again")
        assert replaced.code == 2 and "being written by another process" in replaced.err
        asyncio.run(drive(run, Settings(), Watcher()))
    before = fingerprints(out)
    assert openiir("run", study, "--out", out, "--again", "--forecast").code == 0
    played = ("--set", "answers=recording", "--recording")
    assert openiir("run", study, "--out", out, "--again", *played, tmp_path / "nowhere").code == 2
    assert openiir("run", study, tmp_path / "nowhere", "--out", out, "--again").code == 2
    assert fingerprints(out) == before
    assert openiir("run", study, "--out", out, "--again", "--set", "seed=12").code == 0
    assert fingerprints(out) != before


def test_of_several_studies_none_begins_where_one_cannot(evening, openiir, tmp_path):
    one, other = evening(folder="one"), evening(folder="other")
    other.write_text(
        other.read_text().replace('name = "evening"', 'name = "morning"').replace("sea.md", "see.md")
    )
    refused = openiir("run", one, other, "--out", tmp_path / "runs")
    assert refused.code == 2 and "see.md" in refused.err
    assert not list((tmp_path / "runs").glob("*"))


def test_the_lock_goes_with_the_process_that_held_it(evening, sittings, openiir, tmp_path):
    out = tmp_path / "run"
    (died,) = sittings({"argv": ["run", str(evening()), "--out", str(out)], "kill": 20})
    assert died["signal"] == 9
    assert openiir("resume", out).code == 0


def test_two_writers_in_one_process_are_refused_as_well(tmp_path):
    with RunFile.create(tmp_path / "run"), pytest.raises(RunBusy):
        RunFile.create(tmp_path / "run")


def test_a_folder_with_anything_in_it_is_left_alone(evening, fingerprints, tmp_path):
    loaded = load_study(str(evening()))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("three years")
    (tmp_path / "file").write_text("three more")
    before = fingerprints(tmp_path)
    for name, words in (("full", "is not empty"), ("file", "is a file")):
        for again in (False, True):
            with pytest.raises(InputError, match=words):
                prepare_run(loaded, tmp_path / name, Settings(), again=again)
    assert fingerprints(tmp_path) == before


def test_a_run_is_replaced_only_once_the_new_one_can_begin(evening, sit, fingerprints, tmp_path):
    study = evening()
    sit(study, tmp_path / "run")
    before = fingerprints(tmp_path / "run")
    loaded = load_study(str(study))
    (study.parent / "sea.md").write_bytes(b"")
    with pytest.raises(InputError, match=r"sea\.md"):
        prepare_run(loaded, tmp_path / "run", Settings(), again=True)
    assert fingerprints(tmp_path / "run") == before
    evening()
    prepare_run(loaded, tmp_path / "run", Settings(), again=True).close()
    assert not (tmp_path / "run" / "manifest.json").exists()
