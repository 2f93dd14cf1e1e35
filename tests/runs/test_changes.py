"""`[[change]]` entries take effect at their step and not before, are logged, and leave structural keys
alone."""

from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError
from openiir.core.storage import Log
from openiir.runs.run_io import open_checked
from openiir.runs.study import load_study

CHANGE = "[config]\nsteps = 5\n[[change]]\nstep = 3\nset = { warmth = 1.0 }\n"


def history(folder: Path) -> tuple[list[Any], list[tuple[int, dict[str, Any]]]]:
    with open_checked(folder, finished=True) as run:
        log = Log(run)
        return log.table("ratings"), [(e.step, e.payload) for e in log.events("changed")]


def test_a_change_takes_effect_at_its_step(evening, sit, openiir, tmp_path):
    sit(evening(tables="[config]\nsteps = 5"), tmp_path / "plain")
    content = sit(evening(tables=CHANGE), tmp_path / "changed")
    plain, _ = history(tmp_path / "plain")
    changed, logged = history(tmp_path / "changed")
    assert logged == [(3, {"warmth": 1.0})]
    for was, now in zip(plain, changed, strict=True):
        warmer = (
            3 if now["step"] >= 3 else 0
        )  # the same draw on top of round(5 * 1.0) instead of round(5 * 0.5)
        assert now["score"] == min(10, was["score"] + warmer), now
    assert openiir("replay", tmp_path / "changed").content == content


def test_changes_of_one_step_are_all_logged_and_the_later_one_wins(evening, sit, tmp_path):
    both = (
        "[[change]]\nstep = 2\nset = {{ warmth = 0.1, free = 2.0 }}\n[[change]]\nstep = 2\nset = {{ warmth "
        "= {} }}\n"
    )
    sit(evening(tables=both.format("0.9")), tmp_path / "both")
    assert history(tmp_path / "both")[1] == [(2, {"warmth": 0.9, "free": 2.0})]


def test_a_change_after_a_kill_takes_effect_as_well(evening, sit, sittings, openiir, tmp_path):
    study = evening(tables=CHANGE)
    whole = sit(study, tmp_path / "whole")
    (died,) = sittings({"argv": ["run", str(study), "--out", str(tmp_path / "run")], "kill": 32})
    assert died["signal"] == 9
    assert openiir("resume", tmp_path / "run").content == whole


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("step = 2\nset = { steps = 9 }", "'steps' is structural"),
        ("step = 2\nset = { warmht = 0.2 }", "did you mean 'warmth'"),
        ("step = 2\nset = { warmth = 3 }", "less than or equal to 1"),
        ("step = 0\nset = { warmth = 0.1 }", "greater than or equal to 1"),
        ("set = { warmth = 0.1 }", "change.0 = .*: name its moment by one of two keys"),
        ("step = 2", "'change.0.set' is missing"),
        ("step = 2\nset = { warmth = nan }", "finite"),
        ('step = 2\nset = { "warmth.x" = 1 }', "'warmth' is no table"),
    ],
)
def test_a_change_that_cannot_be_is_refused_before_the_run(entry, words, evening):
    with pytest.raises(InputError, match=words) as told:
        load_study(str(evening(tables=f"[[change]]\n{entry}")))
    assert "study.toml" in str(told.value)


def test_a_change_that_never_comes_is_told(evening, openiir, tmp_path):
    study = evening(tables="[[change]]\nstep = 50\nset = { warmth = 0.1 }")
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert (
        ran.code == 0 and "the [[change]] at step 50 was never applied: the run ended after step 4" in ran.err
    )


@pytest.mark.parametrize(
    "set_",
    [
        '"answers.persona.ada" = "model"',
        'answers.persona.ada = "model"',
        'answers = { persona = { ada = "model" } }',
    ],
)
def test_who_answers_changes_at_its_step_however_it_is_written(set_, evening, served, openiir, tmp_path):
    study = evening(tables=f'[model]\nname = "standin"\n[[change]]\nstep = 4\nset = {{ {set_} }}')
    server, settings = served()
    forecast = openiir("run", study, "--settings", settings, "--forecast").err
    assert (
        "forecast by a rehearsal with offline answers: 3 calls (1 parlour.rate, 2 parlour.remark)" in forecast
    )
    content = openiir("run", study, "--out", tmp_path / "run", "--settings", settings).content
    assert server.counts.requests == 3
    with open_checked(tmp_path / "run") as run:
        by_model = [(e.step, e.actor) for e in Log(run).events("asked") if e.payload["answerer"] == "model"]
    assert by_model == [(4, "ada")] * 3
    assert openiir("replay", tmp_path / "run").content == content


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('"answers.persona.adda" = "offline"', "did you mean 'ada'"),
        ('"answers.kind.parlour.rat" = "offline"', "did you mean 'parlour.rate'"),
        ('"answers.default" = "model"', "no model is named"),
        ('"answers.default" = 3', "valid string"),
        ('"answers.who" = "offline"', "there is no key 'who'"),
    ],
)
def test_answerers_that_cannot_be_are_refused_before_the_run(entry, words, evening):
    with pytest.raises(InputError, match=words):
        load_study(str(evening(tables=f"[[change]]\nstep = 2\nset = {{ {entry} }}")))
