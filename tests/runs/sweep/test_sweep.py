"""Sweeps: what cells are, and what becomes of them."""

import json
import shutil

import pytest

from openiir.core.errors import InputError, RunBusy
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.sweep.execute import hold_folder
from openiir.runs.sweep.planning import SweepOrder, plan_sweep
from openiir.runs.sweep_record import read_plan, read_sweep

TABLE = '[sweep]\n"config.warmth" = [0.2, 0.8]\n"config.free" = [-1.5, 2.0]\nseeds = 2\n'


def test_a_cell_is_the_very_run_that_its_assignments_give(small, sweep, sit, tmp_path):
    study = small(TABLE)
    swept = sweep(study, tmp_path / "sweep", 'cast=[["ada", "ben"], ["cleo"]]')
    assert len(swept.cells) == 2 * 2 * 2 * 2 and {c.status for c in swept.cells} == {"done"}
    for cell in (swept.cells[0], swept.cells[7], swept.cells[-1]):
        sets = [f"{key}={json.dumps(value)}" for key, value in cell.arm.items()]
        assert sit(study, tmp_path / cell.id, None, *sets, f"seed={cell.seed}") == cell.content
    assert len({c.content for c in swept.cells}) == 16


def test_a_study_that_says_what_a_sweep_varies_is_the_same_run(small, sit, tmp_path):
    assert sit(small(), tmp_path / "one") == sit(small(TABLE), tmp_path / "other")
    assert "sweep" not in load_study(str(small(TABLE))).document()


def test_the_folder_is_what_its_page_says(small, sweep, tmp_path):
    sweep(small(TABLE), tmp_path / "sweep")
    found = json.loads((tmp_path / "sweep" / "sweep.json").read_text())
    assert set(found) == {"format", "study", "design", "axes", "seeds", "cells"}
    assert found["format"] == 1 and found["design"] == "grid" and found["seeds"] == [11, 12]
    assert found["axes"] == {"config.warmth": [0.2, 0.8], "config.free": [-1.5, 2.0]}
    first = found["cells"][0]
    assert set(first) == {"id", "arm", "seed", "folder", "status", "content", "reason"}
    assert first["id"] == "0001" and first["arm"] == {"config.warmth": 0.2, "config.free": -1.5}
    manifest = json.loads((tmp_path / "sweep" / first["folder"] / "manifest.json").read_text())
    assert manifest["content"] == first["content"] and manifest["seed"] == first["seed"] == 11
    assert not list((tmp_path / "sweep").glob("*.part"))


def test_arms_share_their_seeds_and_keep_together(small):
    plan = plan_sweep(SweepOrder(str(small(TABLE)), sets=("seed=40",), seeds=3), Settings()).plan
    assert plan.seeds == (40, 41, 42)
    cells = plan.cells()
    for n in range(0, len(cells), 3):
        assert [c.seed for c in cells[n : n + 3]] == [40, 41, 42] and len(
            {str(c.arm) for c in cells[n : n + 3]}
        ) == 1


def test_what_arms_share_is_kept_once(small):
    plan = plan_sweep(
        SweepOrder(
            str(small()), vary=('personas=["people.toml", ["people.toml"]]', "world.chunk_words=[20, 30]")
        ),
        Settings(),
    ).plan
    assert len(plan.arms) == 4 and len(plan.personas) == 1 and len(plan.worlds) == 2


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ("config.warmth=[0.5, 7.0]", r"the axis config\.warmth=7\.0: .*less than or equal to 1"),
        ("config.wormth=[0.5]", r"the axis config\.wormth=0\.5: .*did you mean 'warmth'"),
        ('answers=["offline", "oracle"]', "the axis answers=.oracle.: .*no answerer is called"),
        ('personas=["people.toml", "nobody.toml"]', "the axis personas=.nobody.toml.: .*does not exist"),
        ('answers=["model"]', "the axis answers=.model.: .*no model is named"),
        ('answers=["recording"]', "plays no recording"),
        ('answers=["human"]', "cannot be asked at the terminal"),
        ("world.chunk_words=[20, 5]", r"the axis world\.chunk_words=5: "),
    ],
)
def test_a_value_that_cannot_be_is_told_before_anything_is_written(small, openiir, tmp_path, vary, words):
    refused = openiir("sweep", small(TABLE), "--vary", vary, "--out", tmp_path / "sweep")
    assert refused.code == 2 and not (tmp_path / "sweep").exists()
    with pytest.raises(InputError, match=words):
        raise InputError(refused.err)


@pytest.mark.parametrize(
    "words", ["--seeds 0", "--workers 0", "--engine spark", "--design gird", "--design lhs --samples 0"]
)
def test_an_option_that_cannot_be_is_refused(small, openiir, tmp_path, words):
    refused = openiir("sweep", small(TABLE), "--out", tmp_path / "sweep", *words.split())
    assert refused.code == 2 and refused.err.startswith("Error: ") and not (tmp_path / "sweep").exists()


def test_a_failing_cell_stops_no_other_and_is_told_with_its_reason(
    small, openiir, parlour, inlined, monkeypatch, tmp_path
):
    offline = parlour.Rate.offline

    def sour(question, draw):
        if question.warmth == 0.2 and draw.seed == 12:
            raise ZeroDivisionError("the fire went out")
        return offline(question, draw)

    study, out = small('[sweep]\n"config.warmth" = [0.2, 0.8]\n'), tmp_path / "sweep"
    monkeypatch.setattr(parlour.Rate, "offline", sour)
    done = openiir("sweep", study, "--seeds", "2", "--out", out)
    assert (
        done.code == 1
        and "1 of 4 cells failed" in done.err
        and "ZeroDivisionError: the fire went out" in done.err
    )
    assert f"sweep: {out}" in done.out and "content:" not in done.out
    assert [c.status for c in read_sweep(out).cells] == ["done", "failed", "done", "done"]
    monkeypatch.setattr(parlour.Rate, "offline", offline)
    mended = openiir("resume", out)
    assert mended.code == 0 and "3 of them done already" in mended.err
    assert mended.content == openiir("sweep", study, "--seeds", "2", "--out", tmp_path / "fresh").content


def test_a_sweep_lacks_only_what_has_no_finished_run(small, sweep, heard, tmp_path):
    study, out = small(TABLE), tmp_path / "sweep"
    whole = sweep(study, out)
    shutil.rmtree(out / "cells" / "0003")
    shutil.rmtree(out / "cells" / "0005")
    heard.cells.clear()
    assert sweep(study, out) == whole
    assert heard.kept == len(whole.cells) - 2 and [c.id for c in heard.cells] == ["0003", "0005"]


def test_a_damaged_cell_is_told_and_left_as_it_is(small, sweep, fingerprints, tmp_path):
    study, out = small(TABLE), tmp_path / "sweep"
    sweep(study, out)
    (out / "cells" / "0005" / "manifest.json").unlink()
    before = fingerprints(out / "cells")
    again = sweep(study, out)
    assert [c.id for c in again.cells if c.status == "failed"] == ["0005"] and "manifest" in again.cells[
        4
    ].reason
    assert fingerprints(out / "cells") == before


def test_a_resume_reads_nothing_of_the_study(small, sweep, openiir, inlined, tmp_path):
    study, out = small(TABLE), tmp_path / "sweep"
    whole = sweep(study, out)
    shutil.rmtree(out / "cells")
    shutil.rmtree(study.parent)
    resumed = openiir("resume", out)
    assert resumed.content == whole.content() and read_sweep(out) == whole


def test_another_declaration_in_a_used_folder_is_refused(small, sweep, fingerprints, tmp_path):
    study, out = small(TABLE), tmp_path / "sweep"
    sweep(study, out)
    before = fingerprints(out)
    for words, order in (
        ("axes", {"vary": ("config.free=[1.0]",)}),
        ("seeds", {"seeds": 3}),
        ("design", {"design": "ofat"}),
    ):
        with pytest.raises(InputError, match=f"is another one .its {words}"):
            sweep(study, out, *order.pop("vary", ()), **order)
    people = study.parent / "people.toml"
    people.write_text(people.read_text().replace("fished", "sailed"))
    with pytest.raises(InputError, match="have changed since"):
        sweep(study, out)
    assert fingerprints(out) == before


def test_a_folder_with_anything_else_in_it_is_left_alone(small, sweep, sit, tmp_path):
    study = small()
    sit(study, tmp_path / "run")
    (tmp_path / "file").write_text("three years")
    for name, words in (("run", "holds no sweep"), ("file", "is a file")):
        with pytest.raises(InputError, match=words):
            sweep(study, tmp_path / name)


@pytest.mark.parametrize(
    "left", [["plan.json.part"], ["plan.json"], ["run.lock", "plan.json", "sweep.json.part"]]
)
def test_what_a_sweep_left_that_was_killed_before_it_had_begun_is_no_hindrance(small, sweep, tmp_path, left):
    (tmp_path / "begun").mkdir()
    for name in left:
        (tmp_path / "begun" / name).write_text("{")
    assert {c.status for c in sweep(small(), tmp_path / "begun").cells} == {"done"}
    assert sorted(p.name for p in (tmp_path / "begun").iterdir()) == [
        "cells",
        "plan.json",
        "run.lock",
        "sweep.json",
    ]


def test_a_second_sweep_of_a_folder_is_refused(small, sweep, openiir, tmp_path):
    study, out = small(TABLE), tmp_path / "sweep"
    sweep(study, out)
    with hold_folder(out):
        with pytest.raises(RunBusy):
            sweep(study, out)
        assert openiir("resume", out).code == 2


def test_a_plan_that_was_touched_is_noticed(small, sweep, openiir, tmp_path):
    out = tmp_path / "sweep"
    sweep(small(TABLE), out)
    file = out / "plan.json"
    file.write_text(file.read_text().replace("Ropes should", "Ropes must"))
    refused = openiir("resume", out)
    assert refused.code == 2 and "is not what the sweep began with" in refused.err
    file.write_text("{")
    assert openiir("resume", out).code == 2


def test_a_run_that_is_not_the_cells_own_is_not_taken_for_it(small, sweep, tmp_path):
    study, out = small(TABLE), tmp_path / "sweep"
    sweep(study, out)
    shutil.rmtree(out / "cells" / "0002")
    shutil.copytree(out / "cells" / "0001", out / "cells" / "0002")
    again = sweep(study, out)
    assert again.cells[1].status == "failed" and "another study" in again.cells[1].reason
    assert [c.status for c in again.cells].count("done") == len(again.cells) - 1


def test_the_study_may_say_the_whole_design(small):
    study = small(
        '[sweep]\ndesign = "lhs"\nsamples = 3\nseeds = 4\nconfig.warmth = { low = 0.0, high = 1.0 }\n'
    )
    planned = plan_sweep(SweepOrder(str(study)), Settings())
    assert planned.sweep.design == "lhs" and len(planned.sweep.cells) == 3 * 4
    assert len(planned.sweep.axes["config.warmth"]) == 3
    assert len(plan_sweep(SweepOrder(str(study), samples=2, seeds=1), Settings()).sweep.cells) == 2


def test_a_plan_reads_back_as_it_was_written(small, sweep, tmp_path):
    study = small(TABLE)
    sweep(study, tmp_path / "sweep")
    kept, plan = read_plan(tmp_path / "sweep"), plan_sweep(SweepOrder(str(study)), Settings()).plan
    assert kept == plan.model_copy(update={"folder": kept.folder})
    assert tmp_path / "sweep" / kept.folder == tmp_path / "sweep" / ".." / study.parent.name, (
        "no path of its author's"
    )


def test_cells_that_ask_a_model_have_the_settings_limits_each_for_itself(
    small, served, openiir, inlined, tmp_path
):
    study = small('[model]\nname = "standin"\n')
    words = [
        "sweep",
        study,
        "--vary",
        'answers=["offline", "model"]',
        "--seeds",
        "2",
        "--out",
        tmp_path / "sweep",
    ]
    nobody = openiir(*words)
    assert nobody.code == 2 and "name no endpoint" in nobody.err and not (tmp_path / "sweep").exists()
    few = served('[endpoint]\nurl = "URL"\n[limits]\ncalls = 5\n')[1]
    stopped = openiir(*words, "--settings", few)
    assert stopped.code == 1 and "2 runs ask a model" in stopped.err and "5 calls" in stopped.err
    assert "2 of 4 cells failed" in stopped.err and "its limit of 5 calls" in stopped.err
    assert openiir("resume", tmp_path / "sweep", "--settings", served()[1]).code == 0


def test_a_range_of_a_real_number_may_be_written_in_whole_ones(small):
    study, vary = str(small()), ("config.warmth=0..1", "world.chunk_words=20..40")
    arms = plan_sweep(SweepOrder(study, vary=vary, design="random", samples=6), Settings()).plan.assigned
    assert all(0 < arm["config.warmth"] < 1 and isinstance(arm["world.chunk_words"], int) for arm in arms)


def test_what_is_asked_of_a_run_names_a_run_of_the_sweep(small, sweep, openiir, tmp_path):
    sweep(small(), tmp_path / "sweep")
    for command in ("measure", "replay"):
        refused = openiir(command, tmp_path / "sweep")
        assert refused.code == 2 and "cells/0001" in refused.err
        assert openiir(command, tmp_path / "sweep" / "cells" / "0001").code == 0
