"""Simulated time, moments named by labels, and `[[event]]` entries."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.storage import Log
from openiir.plugin import CallableName, Record, Step, hour_of_day, time_text
from openiir.runs.audit import audit_keys
from openiir.runs.changes import Change, Terms
from openiir.runs.moments import plan_steps
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.sweep.planning import SweepOrder, plan_sweep
from openiir.runs.trust import Untrusted
from openiir.testing import cast
from openiir.testing.offline import replay_offline, run_loaded

FLOOD = '[[event]]\nstep = 2\nkind = "flood"\nheight = 2.0\n'
SPEECH = (
    '[[event]]\nat = "round 4"\nkind = "speech"\nspeaker = "ben"\ntext = "The harbour is dredged too '
    'seldom."\n'
)


@pytest.fixture
def study(village, tmp_path):
    """Writes a study of four villagers with these tables, and gives its file."""

    def write(tables="", config="rounds = 4", name="study"):
        people = "".join(f'[[persona]]\nid = "{p.id}"\nname = "{p.name}"\nbio = "{p.bio}"\n' for p in cast(4))
        (tmp_path / "people.toml").write_text(people)
        path = tmp_path / f"{name}.toml"
        path.write_text(
            f'type = "village"\nname = "village"\nseed = 5\npersonas = "people.toml"\n[config]\nusers = '
            f"40\n{config}\n{tables}"
        )
        return path

    return write


def run_study(path: Path, folder: Path, *sets: str) -> Any:
    return run_loaded(load_study(str(path), sets), folder)


# Time


@pytest.mark.parametrize(
    ("minute", "hour", "text"),
    [
        (0, 0, "day 1, 00:00"),
        (59, 0, "day 1, 00:59"),
        (1_439, 23, "day 1, 23:59"),
        (2_280, 14, "day 2, 14:00"),
    ],
)
def test_minutes_are_told_as_day_and_hour(minute, hour, text):
    assert (hour_of_day(minute), time_text(minute)) == (hour, text)
    assert hour_of_day(np.array([minute, 120])).tolist() == [hour, 2]


def test_a_step_has_the_time_of_its_end(study, openiir, tmp_path):
    finished = run_study(study(), tmp_path / "run")
    log = finished.log
    assert [log.time_of(n) for n in range(6)] == [None, 300, 600, 900, 1_200, 1_200]
    assert log.timed_steps()[-1] == (4, "round 4 (day 1, 20:00)") and log.steps()[-1] == (4, "round 4")
    hours = {e.step: e.payload["text"].rpartition(" ")[2] for e in log.events("village.talked")}
    assert hours == {1: "0.", 2: "5.", 3: "10.", 4: "15."}, (
        "the schedule sees the time at the start of its step"
    )
    assert Log(finished.run, until=2).time_of(4) == 600
    finished.run.close()
    assert "so far 4 steps, the last one: round 4 (day 1, 20:00)" in openiir("show", tmp_path / "run").out
    assert "step 2: round 2 (day 1, 10:00)" in openiir("run", study(), "--out", tmp_path / "told").err


def test_steps_may_last_no_time_and_a_clock_may_stand_still(village, study, tmp_path, monkeypatch):
    log = run_with_times(village, study, tmp_path, monkeypatch, (60, None, 60, 61))
    assert [log.time_of(n) for n in (1, 2, 3, 4)] == [60, 60, 60, 61]
    assert [label for _, label in log.timed_steps()][:2] == ["round 1 (day 1, 01:00)", "round 2"]


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (
            (60, 59),
            r"the type 'village' ends step 2 \('round 2'\) with at = 59, before .* 60; .* cannot "
            r"go back",
        ),
        ((-1,), "at = -1, before"),
        ((1.5,), "at = 1.5; give whole minutes"),
        ((True,), "at = True; give whole minutes"),
    ],
)
def test_a_wrong_time_is_refused(times, words, village, study, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=words):
        run_with_times(village, study, tmp_path, monkeypatch, times)


def run_with_times(
    village: Any, study: Callable[..., Path], folder: Path, patch: pytest.MonkeyPatch, times: tuple[Any, ...]
) -> Log:
    async def schedule(self: Any, stage: Any) -> Any:
        for n, at in enumerate(times, 1):
            stage.row("steps", clock=stage.clock)
            yield Step(f"round {n}", at=at)

    patch.setattr(village, "schedule", schedule)
    return run_study(study(config=f"rounds = {len(times)}"), folder / "run").log


# Moments


def test_a_label_names_the_same_moment_as_its_number(study, sit, tmp_path):
    change = "[[change]]\n{} \nset = {{ mu = 0.0 }}\n"
    named = study(change.format('at = "round 3"') + SPEECH, name="named")
    numbered = study(
        change.format("step = 3") + SPEECH.replace('at = "round 4"', "step = 4"), name="numbered"
    )
    assert sit(named, tmp_path / "named") == sit(numbered, tmp_path / "numbered")
    assert load_study(str(named)).document()["change"] == [{"step": 3, "set": {"mu": 0.0}}]


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        (
            '[[change]]\nat = "round 30"\nset = { mu = 0.0 }',
            r"no step is called 'round 30'; .* nearest are called 'round 3'",
        ),
        (
            '[[change]]\nat = "x"\nset = { mu = 0.0 }',
            "of the 4 steps the nearest are called 'round 1', 'round 4'",
        ),
        ('[[change]]\nat = "round 3"\nstep = 3\nset = { mu = 0.0 }', "name its moment by one of two keys"),
        ("[[change]]\nset = { mu = 0.0 }", "name its moment by one of two keys"),
        (FLOOD.replace("step = 2", ""), "name its moment by one of two keys"),
        (FLOOD.replace('kind = "flood"', ""), "the key 'event.0.kind' is missing"),
        (
            FLOOD.replace('"flood"', '"flod"'),
            "no kind of event of the type 'village' is called 'flod'; did you mean 'flood'",
        ),
        (FLOOD.replace('"flood"', '"fire"'), "known: flood, speech"),
        (
            FLOOD.replace("height = 2.0", "height = 20"),
            r"\[\[event\]\] 'flood' at step 2: height = 20: input should be less",
        ),
        (FLOOD.replace("height = 2.0", "hight = 2.0"), "there is no key 'hight'; did you mean 'height'"),
        (FLOOD.replace("height = 2.0", ""), "the key 'height' is missing"),
        (FLOOD.replace("step = 2", "step = 5"), "'flood' at step 5: the run has at most 4 steps"),
        (FLOOD.replace("[[event]]", "[event]"), r"there may be several events, so write \[\[event\]\]"),
        (SPEECH.replace('"ben"', '"zoe"'), r"\[\[event\]\]: speaker = 'zoe' is no persona of this study"),
    ],
)
def test_a_moment_or_event_that_cannot_be_is_refused(tables, words, study):
    with pytest.raises(InputError, match=words) as told:
        load_study(str(study(tables)))
    assert "study.toml" in str(told.value)


def test_a_type_without_events_or_labels_says_so(evening):
    with pytest.raises(
        InputError, match="no kind of event of the type 'parlour' is called 'flood'; known: none"
    ):
        load_study(str(evening(tables=FLOOD)))
    with pytest.raises(
        InputError, match="does not say beforehand which steps it will take; name the step by its number"
    ):
        load_study(str(evening(tables='[[change]]\nat = "evening 2"\nset = { warmth = 0.1 }')))


def test_labels_follow_the_configuration_in_force(village, study):
    """A change may lengthen or shorten the plan; labels after it are those of the changed plan."""
    longer = '[[change]]\nstep = 3\nset = { rounds = 6 }\n[[change]]\nat = "round 6"\nset = { mu = 0.0 }\n'
    assert [change.step for change in load_study(str(study(longer))).study.change] == [3, 6]
    shorter = Change(step=2, set={"rounds": 3})
    config = village.Config(rounds=5)
    assert plan_steps(village(), Terms(config, None), [shorter], "x") == ("round 1", "round 2", "round 3")  # type: ignore[arg-type]
    too_late = Change(step=9, set={"rounds": 20})
    assert len(plan_steps(village(), Terms(config, None), [too_late], "x")) == 5  # type: ignore[arg-type]


def test_a_label_of_several_steps_is_refused(village, study, monkeypatch):
    monkeypatch.setattr(village, "planned_steps", lambda self, config: ["talk", "rest", "talk"])
    with pytest.raises(InputError, match="'talk' is the label of the steps 1, 3; name one by its number"):
        load_study(str(study('[[change]]\nat = "talk"\nset = { mu = 0.0 }')))


# Events


def test_an_event_happens_at_its_step_and_changes_nothing_before(study, tmp_path):
    plain = run_study(study(), tmp_path / "plain").log
    ran = run_study(study(FLOOD + SPEECH, name="eventful"), tmp_path / "run")
    log = ran.log
    assert [(e.step, e.actor, e.payload) for e in log.events("event")] == [
        (2, None, {"kind": "flood", "height": 2.0, "message": "the quay is under water"}),
        (4, None, {"kind": "speech", "speaker": "ben", "text": "The harbour is dredged too seldom."}),
    ]
    assert log.study["event"][0] == {
        "step": 2,
        "kind": "flood",
        "height": 2.0,
        "message": "the quay is under water",
    }
    before, after = (one.columns("opinions", ["opinion"])["opinion"].reshape(4, 40) for one in (plain, log))
    assert (before[0] == after[0]).all() and (after[1] > before[1]).all()
    said = [event.payload["text"] for event in log.events("village.talked", since=3)]
    assert said[0] == "The harbour is dredged too seldom." and len(said) == 5
    assert next(log.events(since=3)).kind == "event", "it is logged when its step begins"
    assert replay_offline(ran.folder) == ran.content


def test_events_of_one_step_keep_the_order_of_the_study(study, tmp_path):
    speech = SPEECH.replace('at = "round 4"', "step = 2")
    for name, tables in (("one", FLOOD + speech + FLOOD), ("other", speech + FLOOD + FLOOD)):
        log = run_study(study(tables, name=name), tmp_path / name).log
        kinds = [e.payload["kind"] for e in log.events("event")]
        assert kinds == (["flood", "speech", "flood"] if name == "one" else ["speech", "flood", "flood"])


def test_a_study_without_events_keeps_its_document(study):
    assert "event" not in load_study(str(study())).document()


def test_an_event_beyond_the_largest_number_of_steps_is_refused(village, study, monkeypatch):
    """Also where the steps have no planned labels; a change may allow for more of them."""
    monkeypatch.setattr(village, "planned_steps", lambda self, config: config.rounds + 1)
    late = FLOOD.replace("step = 2", "step = 6")
    with pytest.raises(InputError, match="'flood' at step 6: the run has at most 5 steps"):
        load_study(str(study(late)))
    longer = "[[change]]\nstep = 4\nset = { rounds = 6 }\n"
    assert load_study(str(study(late + longer))).study.event[0].step == 6
    with pytest.raises(InputError, match="does not say beforehand which steps it will take"):
        load_study(str(study(SPEECH)))


def test_an_event_that_never_comes_is_told(village, study, openiir, tmp_path, monkeypatch):
    """Also the one at the step after the last, which begins but does nothing."""
    monkeypatch.setattr(village, "planned_steps", lambda self, config: 0)
    for step in (5, 50):
        tables = FLOOD.replace("step = 2", f"step = {step}")
        ran = openiir("run", study(tables), "--out", tmp_path / f"run-{step}")
        assert ran.code == 0
        told = f"the [[event]] 'flood' at step {step} was never applied: the run ended after step 4"
        assert told in ran.err and told in openiir("show", tmp_path / f"run-{step}").out
        with open_checked(tmp_path / f"run-{step}", finished=True) as run:
            assert len(run.steps()) == 4 and not list(Log(run).events("event"))


# Forks


@pytest.mark.parametrize("form", ["bare", "toml", "file"])
def test_a_fork_with_an_event_is_what_its_study_gives(form, study, openiir, tmp_path):
    openiir("run", study(SPEECH), "--out", tmp_path / "parent")
    (tmp_path / "flood.toml").write_text(
        '[[event]]\nkind = "flood"\nheight = 2.0\nmessage = "water, everywhere"\n'
    )
    event = {
        "bare": "kind=flood,height=2.0,message=water everywhere",
        "toml": 'kind = "flood", height = 2.0, message = "water, everywhere"',
        "file": str(tmp_path / "flood.toml"),
    }[form]
    comma = "" if form == "bare" else ","
    afresh = openiir(
        "run",
        study(f'{SPEECH}{FLOOD}message = "water{comma} everywhere"\n', name="afresh"),
        "--out",
        tmp_path / "afresh",
    )
    forked = openiir(
        "fork", tmp_path / "parent", "--at", "round 2", "--event", event, "--out", tmp_path / "fork"
    )
    assert forked.content == afresh.content
    assert "steps 1 to 1 are shared with" in forked.err
    assert "from step 2 on [[event]] 'flood' at step 2" in forked.err
    assert openiir("replay", tmp_path / "fork").content == afresh.content
    with open_checked(tmp_path / "fork") as run:
        assert run.state("origin") and '"events":[{"height":2.0' in str(run.state("origin"))


def test_a_fork_may_name_a_later_moment_and_change_keys_too(study, openiir, tmp_path):
    openiir("run", study(), "--out", tmp_path / "parent")
    words = ("--step", 2, "--set", "rounds=6", "--event", "at=round 6,kind=flood,height=1")
    forked = openiir("fork", tmp_path / "parent", *words, "--out", tmp_path / "fork")
    assert forked.code == 0, forked.err
    with open_checked(tmp_path / "fork", finished=True) as run:
        assert [e.step for e in Log(run).events("event")] == [6] and len(run.steps()) == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--at", "round 7"), "no step is called 'round 7'; of the 4 steps"),
        (("--at", "round 2", "--step", "2"), "name it either by number (--step 10) or by label"),
        ((), "name it either by number (--step 10) or by label"),
        (
            ("--step", "3", "--event", "step=2,kind=flood,height=1"),
            "'flood' at step 2 is in the shared steps; fork there",
        ),
        (("--step", "3", "--event", "kind=flood"), "the key 'height' is missing"),
        (("--step", "3", "--event", "flood.toml"), "flood.toml"),
        (("--step", "3", "--event", "kind=flood,high"), "--event 'high': write it as key=value"),
        (("--step", "3", "--event", "kind=speech,speaker=zoe,text=Well."), "speaker = 'zoe' is no persona"),
    ],
)
def test_a_fork_that_cannot_be_is_refused(words, told, study, openiir, tmp_path):
    openiir("run", study(), "--out", tmp_path / "parent")
    refused = openiir("fork", tmp_path / "parent", *words, "--out", tmp_path / "fork")
    assert refused.code == 2 and told in refused.err
    assert not (tmp_path / "fork").exists()


def test_a_run_on_its_way_forks_at_a_label(evening, openiir, tmp_path):
    """Labels on record are known for every type, those to come for types that plan them."""
    openiir("run", evening(), "--out", tmp_path / "parent")
    forked = openiir(
        "fork", tmp_path / "parent", "--at", "evening 3", "--set", "warmth=0.1", "--out", tmp_path / "fork"
    )
    assert forked.code == 0 and "steps 1 to 2 are shared" in forked.err


# Sweeps, audits and forecasts


def test_a_sweep_resolves_labels_for_each_arm(study, openiir, tmp_path):
    tables = SPEECH + '[[change]]\nat = "round 3"\nset = { mu = 0.0 }\n'
    path = study(tables)
    plan = plan_sweep(SweepOrder(str(path), vary=("config.rounds=[4, 5]",)), Settings()).plan
    documents = [arm.document for arm in plan.arms]
    assert [one["config"]["rounds"] for one in documents] == [4, 5]
    assert all(one["change"] == [{"step": 3, "set": {"mu": 0.0}}] for one in documents)
    assert all([event["step"] for event in one["event"]] == [4] for one in documents)
    refused = openiir("sweep", path, "--vary", "config.rounds=[3, 4]", "--out", tmp_path / "no")
    assert refused.code == 2 and "no step is called 'round 4'; of the 3 steps" in refused.err


def test_an_audit_runs_with_events_and_labels(study):
    loaded = load_study(str(study(FLOOD + '[[change]]\nat = "round 3"\nset = { mu = 0.2 }\n')))
    assert {verdict.key: verdict.status for verdict in audit_keys(loaded)} == dict.fromkeys(
        ("users", "rounds", "minutes", "mu", "persona.memory"), "acts"
    ) | {"persona.memory": "dead"}, "memory windows of this type are its own"


def test_code_named_by_an_event_needs_permission(village, study, monkeypatch):
    class Called(Record):
        scorer: CallableName

    monkeypatch.setattr(village, "events", {"call": Called})
    path = study('[[event]]\nstep = 2\nkind = "call"\nscorer = "code_of_theirs:rank"\n')
    with pytest.raises(Untrusted, match="code_of_theirs:rank"):
        load_study(str(path))
