"""Where somebody else answers for a persona, its choice decides, and it is told what its arm can see."""

import pytest
from answered_runs import run_by_standin
from prompts_asked import asked_in

from openiir.scenarios.coordination_emergent.model.access import COUNTS, HIDDEN, NAMES, Requested
from openiir.scenarios.coordination_emergent.questions import AskSources

SMALL = ("config.members=30", "config.rounds=4", "config.sources=9", "config.choice.requests=3")
CAST = ("ines-marot", "jonas-wieck", "amara-diallo", "ruth-abel")


@pytest.fixture(scope="module")
def asked():
    """Ask in a small study, answered by behaviour models under a model's name; by arm, persona and step."""
    found = asked_in("coordination_emergent", SMALL)[AskSources.kind]
    return {(one.place.lane, one.place.asker, one.place.step): one.question for one in found}


def test_the_cast_is_asked_in_each_arm_and_round(asked):
    assert asked.keys() == {
        (arm, id, step) for arm in (HIDDEN, COUNTS, NAMES) for id in CAST for step in range(1, 5)
    }


def test_a_prompt_tells_of_others_what_can_be_seen(asked):
    for (arm, _, step), question in asked.items():
        text = question.prompt()
        assert ("requests of others" in text) == (arm == COUNTS and step > 1)
        assert ("Lately it served" in text) == (arm == NAMES and step > 1)
        assert ("you often meet" in text) == bool(question.known) == (arm == NAMES and step > 1)
        assert ("Yesterday" in text) == (step > 1)
        assert len(question.sources) == 9 and question.goal in text


def test_a_prompt_tells_what_was_answered(asked):
    first, last = (asked[HIDDEN, "ruth-abel", step] for step in (1, 4))
    assert "You had" not in first.prompt()
    told = [line for line in last.sources if "You had" in line]
    assert 1 <= len(told) <= 9 and all(" answers from it (" in line for line in told)


def test_who_remembers_nothing_is_told_nothing_of_answers():
    for one in asked_in("coordination_emergent", [*SMALL, 'memory="none"'])[AskSources.kind]:
        assert "You had" not in one.question.prompt()
    last = [
        one.question
        for one in asked_in("coordination_emergent", [*SMALL, 'memory="window:1"'])[AskSources.kind]
        if one.place.step == 4
    ]
    assert all(question.prompt().count("You had") <= 1 for question in last)
    assert any("You had" in question.prompt() for question in last)


def test_a_persona_asks_what_it_chose_and_a_stopped_run_goes_on(tmp_path):
    log, whole = run_by_standin("coordination_emergent", SMALL, tmp_path / "whole")
    _, stopped = run_by_standin("coordination_emergent", SMALL, tmp_path / "stopped", stop=2)
    assert whole == stopped
    chosen = {}
    for call in log._run.calls():
        if call.usable:
            reply = AskSources.Reply.model_validate_json(call.reply)
            chosen[call.place.lane, call.place.step, CAST.index(call.place.asker)] = set(reply.asks)
    assert chosen
    done: dict[tuple[str, int, int], set[int]] = {}
    for row in log.table(Requested.table()):
        if row["member"] < 4:
            done.setdefault((row["arm"], row["step"], row["member"]), set()).add(row["source"] + 1)
    assert done == chosen


def test_who_gives_no_usable_answer_asks_nothing(tmp_path):
    log, _ = run_by_standin("coordination_emergent", SMALL, tmp_path / "run", malformed=1.0)
    rows = log.columns(Requested.table())
    assert rows["member"].min() == 4 and (rows["source"] >= 0).all()
    assert log.table("capacity")[0]["places"] == 12, "places are as many as for all"
