"""Where somebody else answers for a persona, its choice decides, and it is told what its agent shows."""

from collections import defaultdict

import pytest
from answered_runs import run_answered, run_by_standin
from prompts_asked import asked_in

from openiir.core.asking import Answer, OfflineAnswerer
from openiir.core.storage import Log
from openiir.scenarios.tiered_capability.model.divide import MIXED
from openiir.scenarios.tiered_capability.model.visits import Opened
from openiir.scenarios.tiered_capability.questions import OpenResults, PageDecision

SMALL = ("config.members=20", "config.rounds=4")
ARMS = (MIXED, "T0", "T1", "T2", "T3")
CAST = ("lena-ott", "samir-aziz", "greta-holm", "tobi-klein")


@pytest.fixture(scope="module")
def asked():
    """Ask in a small study, answered by behaviour models under a model's name."""
    return asked_in("tiered_capability", SMALL)[OpenResults.kind]


def test_the_cast_is_asked_in_each_arm_and_round_and_again_about_the_web(asked):
    local = {
        (one.place.lane, one.place.asker, one.place.step) for one in asked if one.place.subject == "main"
    }
    assert local == {(arm, id, step) for arm in ARMS for id in CAST for step in range(1, 5)}
    web = [one for one in asked if one.place.subject == "web"]
    assert web and {one.place.lane for one in web} <= {MIXED, "T3"}


def test_a_prompt_tells_what_the_agent_finds_and_can_do(asked):
    sizes = defaultdict(set)
    for one in asked:
        question, text = one.question, one.question.prompt()
        sizes[one.place.lane].add(len(question.page))
        assert all(result in text for result in question.page) and question.query in text
        assert ("It searches the web and finds" in text) == (one.place.subject == "web") == question.on_web
        may = one.place.lane == "T3" and one.place.subject == "main"
        if one.place.lane != MIXED:
            assert ("web searches left" in text) == may and ("cannot search any further" in text) != may
        assert one.place.step > 1 or "What you looked up before" not in text
        assert not any(name in text for name in ("T0", "T3", "tier", "rerank", "keyword"))
    assert any("- Day 1: you asked" in one.question.prompt() for one in asked)
    assert max(sizes["T0"]) <= 3 < 5 == max(sizes["T1"]) < max(sizes["T2"]) == 10


def test_who_remembers_nothing_is_told_nothing_of_before():
    for one in asked_in("tiered_capability", [*SMALL, 'memory="none"'])[OpenResults.kind]:
        assert "looked up before" not in one.question.prompt()


class Scripted(OfflineAnswerer):
    """A model that opens the last result and the first, and searches the web where it can; one is mute."""

    name = label = "model"

    async def answer(self, asked):
        if asked.place.asker == "tobi-klein":
            return Answer(None, self.name, failure="said nothing")
        facts = asked.question.facts_only
        opened = tuple(dict.fromkeys((len(facts.page), 1))) if facts.page else ()
        return self.wrap(PageDecision(open=opened, web=True))


def test_a_persona_opens_what_it_chose(tmp_path):
    with run_answered(
        "tiered_capability", [*SMALL, "answers=model", "model.name=any"], tmp_path / "run", Scripted()
    ) as run:
        log = Log(run)
        pages, opened = defaultdict(list), defaultdict(list)
        for row in log.table("pages"):
            pages[row["tier"], row["world"], row["need"]].append(row["document"])
        for row in log.table(Opened.table()):
            opened[row["arm"], row["step"], row["member"]].append(row["document"])
        budget = dict.fromkeys(range(3), 10)
        for row in log.table("visits"):
            if row["arm"] == "T3" and row["member"] < 3:
                shown = [pages["T3", world, row["need"]] for world in ("main", "web")]
                due = [one for page in shown for one in dict.fromkeys((page[0], page[-1]))]
                assert row["web"] and opened["T3", row["step"], row["member"]] == due
                budget[row["member"]] -= 1
        assert set(budget.values()) == {6}
        mute = [row for row in log.table("visits") if row["member"] == 3]
        assert mute and not any(row["opened"] or row["web"] or row["outcome"] for row in mute)


def test_a_stopped_run_by_a_stand_in_goes_on_to_the_same(tmp_path):
    _, whole = run_by_standin("tiered_capability", SMALL, tmp_path / "whole")
    _, stopped = run_by_standin("tiered_capability", SMALL, tmp_path / "stopped", stop=2)
    assert whole == stopped
