"""Where somebody else answers for a persona, its memory is what its prompts tell, and its choice decides."""

import asyncio
from collections import defaultdict

import numpy as np
import pytest
from answered_runs import run_by_standin
from prompts_asked import asked_in

from openiir.core.storage import Log
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.asymmetric_memory.questions import ChooseSource

SMALL = ("config.members=40", "config.rounds=4")
CAST = ("mirela", "joost", "amara", "tomas")


def ask(*sets):
    """Ask in a small study, answered by behaviour models under a model's name; by world and persona."""
    found = defaultdict(dict)
    for one in asked_in("asymmetric_memory", [*SMALL, *sets])[ChooseSource.kind]:
        found[one.place.lane, one.place.asker][one.place.step] = one
    return found


@pytest.fixture(scope="module")
def asked():
    return ask()


def remembered(asked, world, persona):
    return [one.question.remembered for _, one in sorted(asked[world, persona].items())]


def test_the_cast_is_asked_in_each_world(asked):
    assert asked.keys() == {(world, id) for world in ("stateless", "mixed", "memory") for id in CAST}
    for one in asked.values():
        assert list(one) == [1, 2, 3, 4]


def test_without_memory_a_prompt_tells_nothing_of_before(asked, run):
    remembers = {}
    for persona in CAST:
        assert remembered(asked, "stateless", persona) == [()] * 4
        lengths = [len(texts) for texts in remembered(asked, "memory", persona)]
        assert lengths == [0, 1, 2, 3]
        mixed = remembered(asked, "mixed", persona)
        remembers[persona] = mixed != [()] * 4
        assert mixed in ([()] * 4, remembered(asked, "memory", persona)) or remembers[persona]
        prompts = [one.question.prompt() for one in asked["stateless", persona].values()]
        assert not any("remember" in prompt or "Day" in prompt for prompt in prompts), "but for the date"
    members = run(members=40, rounds=4).log.columns("members")["remembers"]
    assert list(remembers.values()) == members[:4].tolist()


def test_a_prompt_tells_what_was_asked_and_got(asked):
    (first, one) = (asked["memory", "mirela"][step].question for step in (1, 2))
    (told,) = one.remembered
    assert told.startswith(f'Day 1, on "{first.need}": the ') and told in one.prompt()
    assert any(told.split('": ')[1].startswith(line.partition(":")[0]) for line in first.looks)
    assert "Each of them serves only so many people a day" in one.prompt()
    assert "serves only so many" not in ask("config.capacity=0")["memory", "mirela"][2].question.prompt()


def test_policies_limit_what_is_told():
    last = ask('memory="window:1"')
    assert [len(texts) for texts in remembered(last, "memory", "joost")] == [0, 1, 1, 1]
    assert remembered(last, "memory", "joost")[3][0].startswith("Day 3, ")
    assert remembered(ask('config.memory="none"'), "memory", "joost") == [()] * 4


def test_a_shared_memory_tells_whose_a_note_is():
    """Two of the cast want to know the same, and one's notes bear on the other's need."""
    asked = ask('config.memory="shared:town"')
    last = {id: str(remembered(asked, "memory", id)[3]) for id in CAST}
    assert "Joost Beren remembers: " in last["mirela"] and "Mirela Stan remembers: " in last["joost"]
    assert "Mirela Stan" not in last["mirela"] and " remembers: " not in last["amara"] + last["tomas"]
    assert remembered(asked, "stateless", "joost") == [()] * 4


def test_a_run_by_model_goes_on_from_a_checkpoint_and_replays(tmp_path):
    shared = 'memory="shared:town"'
    _, whole = run_by_standin("asymmetric_memory", (*SMALL, shared), tmp_path / "whole")
    log, stopped = run_by_standin("asymmetric_memory", (*SMALL, shared), tmp_path / "stopped", stop=2)
    assert whole == stopped
    rows = log.columns("accesses")
    last = (rows["member"] < 4) & (rows["arm"] == "memory") & (rows["step"] == 4)
    assert rows["read"][last].tolist() == [6, 6, 3, 3], "two read each other's notes on the same need"
    assert (rows["read"][(rows["member"] < 4) & (rows["arm"] == "stateless")] == 0).all()


def test_a_persona_asks_whom_it_chose_and_nobody_else_is_touched(tmp_path):
    log, _ = run_by_standin("asymmetric_memory", (*SMALL, "config.capacity=0"), tmp_path / "run")
    chosen = {}
    for call in log._run.calls():
        if call.usable:
            reply = ChooseSource.Reply.model_validate_json(call.reply)
            chosen[call.place.lane, call.place.step, CAST.index(call.place.asker)] = reply.source - 1
    rows = log.table("accesses")
    assert len(chosen) == 3 * 4 * 4
    for row in rows:
        if row["member"] < 4:
            assert row["source"] == chosen[row["arm"], row["step"], row["member"]]
    offline = tmp_path / "offline"
    with prepare_run(
        load_study("asymmetric_memory", (*SMALL, "config.capacity=0")), offline, Settings()
    ) as run:
        asyncio.run(drive(run, Settings(), Watcher()))
        crowd = [row for row in Log(run).table("accesses") if row["member"] >= 4]
    assert [row for row in rows if row["member"] >= 4] == crowd


def test_who_gives_no_usable_answer_asks_nobody(tmp_path):
    log, _ = run_by_standin("asymmetric_memory", SMALL, tmp_path / "run", malformed=1.0)
    rows = log.columns("accesses")
    cast = rows["member"] < 4
    assert (rows["source"][cast] == -1).all() and not rows["granted"][cast].any()
    assert (rows["outcome"][cast] == 0).all() and (rows["read"][cast] == 0).all()
    assert (rows["source"][~cast] >= 0).all() and np.isfinite(rows["gain"]).all()


def test_an_offline_persona_reads_numbers_as_the_crowd_does(run):
    """A persona changes no row of the log, but for what it is told."""
    bare = run(1, "personas=[]", members=40, rounds=6).log
    peopled = run(1, members=40, rounds=6).log
    assert bare.table("accesses") == peopled.table("accesses") and len(peopled.personas) == 4
