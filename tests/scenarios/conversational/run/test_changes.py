"""A change of the study takes effect from its step on: in dialogues, prompts, measures, forks and
interviews."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from openiir.plugin import InputError
from openiir.runs.engine import Watcher, drive
from openiir.runs.fork import fork
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.conversational.measures.dialogue_rows import rows, setting
from openiir.scenarios.conversational.views.interviewing import interview
from openiir.testing.offline import Finished, replay_offline, run_loaded, run_with_stops

CONFIG: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 40, "items": 80}},
    "dialogues": 9,
    "batch": 3,
    "simulators": ["agenda", "single"],
    "systems": ["random", "attribute"],
    "users": {"patience": {"mean": 1.0, "sd": 0.0}},
    "judge": {"dialogues": 9},
}
IMPATIENT = {"users.patience.mean": 0.0, "turns": 4}
ORACLE = {"systems.0.by": "oracle", "judge.together": True}


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., str]:
    """Writes the study with these changes, by step, and returns its file."""

    def write(changes: dict[int, dict[str, Any]], **config: Any) -> str:
        entries = [{"step": step, "set": keys} for step, keys in changes.items()]
        table = {"type": "conversational", "name": "changing", "seed": 11, "config": CONFIG | config}
        (tmp_path / "study.toml").write_text(tomli_w.dumps({**table, "change": entries}))
        return str(tmp_path / "study.toml")

    return write


def dialogues(done: Finished) -> list[dict[str, Any]]:
    return [
        {"step": event.step, "lane": event.lane, **event.payload}
        for event in done.log.events("conversational.dialogue")
    ]


def test_patience_and_the_system_under_test_change_at_a_step(
    study: Callable[..., str], tmp_path: Path
) -> None:
    """Steps 2 to 4 hold dialogues, three needs each, and step 5 judges."""
    plain = run_loaded(load_study(study({})), tmp_path / "plain")
    changed = run_loaded(load_study(study({3: IMPATIENT, 4: ORACLE})), tmp_path / "changed")
    before, after = dialogues(plain), dialogues(changed)
    assert [one["lane"] for one in before] == [one["lane"] for one in after]
    assert [one for one in before if one["step"] < 3] == [one for one in after if one["step"] < 3]
    gave_up = [[one["end"] == "gave-up" for one in held if one["step"] == 3] for held in (before, after)]
    assert sum(gave_up[0]) < sum(gave_up[1]), "the impatient leave sooner"
    won = {one["step"]: one["accepted"] for one in after if one["lane"].startswith("agenda/random/")}
    named = {
        item: one["need"]["targets"]
        for one in after
        if one["step"] == 4 and one["system"] == "random"
        for offer in one["offers"]
        for item in offer["items"]
    }
    assert won and named and all(item in targets for item, targets in named.items()), "it is the oracle now"
    judged = [asked.question.kind for asked in changed.asked if asked.place.step == 5]
    assert set(judged) == {"conversational.judge-together"}


def test_users_are_told_their_changed_temper_and_keep_it_in_interviews(
    study: Callable[..., str], tmp_path: Path
) -> None:
    done = run_loaded(load_study(study({3: IMPATIENT})), tmp_path / "run")
    said = "talking to a machine tires you at once"
    told = {
        asked.place.step: said in " ".join(message.text for message in asked.messages()).lower()
        for asked in done.asked
        if asked.question.kind == "conversational.speak"
    }
    assert told == {2: False, 3: True, 4: True}
    first, *_, last = done.log.personas
    parts = [interview(done.log, persona, "How was it?").part.lower() for persona in (first, last)]
    assert [said in part for part in parts] == [False, True]


def test_the_turn_limit_of_a_step_is_that_of_its_dialogues(study: Callable[..., str], tmp_path: Path) -> None:
    log = run_loaded(load_study(study({3: IMPATIENT})), tmp_path / "run").log
    how = setting(log)
    assert (how.limit, how.limit_at(2), how.limit_at(3), how.limit_at(4)) == (10, 10, 4, 4)
    lost = {row.number: row.values["turns.restricted"] for row in rows(log) if not row.values["success"]}
    assert {number < 3: value for number, value in lost.items()} == {True: 10.0, False: 4.0}


def test_a_fork_shares_the_steps_before_and_is_the_changed_study(
    study: Callable[..., str], tmp_path: Path
) -> None:
    run_loaded(load_study(study({})), tmp_path / "parent")
    with fork(tmp_path / "parent", 3, IMPATIENT | ORACLE, tmp_path / "fork")[0] as run:
        forked = asyncio.run(drive(run, Settings(), Watcher()))
    fresh = run_loaded(load_study(study({3: IMPATIENT | ORACLE})), tmp_path / "fresh")
    assert forked == fresh.content


def test_a_changed_run_is_the_same_stopped_resumed_and_replayed(
    study: Callable[..., str], tmp_path: Path
) -> None:
    loaded = load_study(study({3: IMPATIENT, 4: ORACLE}))
    whole = run_loaded(loaded, tmp_path / "whole").content
    assert run_with_stops(loaded, tmp_path / "sittings", [1, 3, 4]) == whole
    assert replay_offline(tmp_path / "whole") == whole


@pytest.mark.parametrize("key", ["dialogues", "batch", "needs.stars", "data_seed", "config.held_out"])
def test_what_defines_needs_and_steps_cannot_change(study: Callable[..., str], key: str) -> None:
    name = key.removeprefix("config.")
    with pytest.raises(
        InputError, match=f"'{name}' is structural and cannot change during a run; start another"
    ):
        load_study(study({3: {key: 0.5}}))
