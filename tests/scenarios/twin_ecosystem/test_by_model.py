"""Where a model answers for personas, its choices feed rankers and providers, and are remembered by world."""

import numpy as np
from answered_runs import run_answered

from openiir.core.asking import Answer, OfflineAnswerer
from openiir.core.storage import Log, RunFile
from openiir.scenarios.twin_ecosystem.questions import UsedResult
from openiir.scenarios.twin_ecosystem.run import DIRECT, FREE, REGULATED, Used
from openiir.scenarios.twin_ecosystem.views import list_uses

SETS = ("config.searchers=30", "config.rounds=4", "answers=model", "model.name=any")


class Scripted(OfflineAnswerer):
    """A model that uses the last result that is no publisher's who is checked; Tom gives no usable answer."""

    name = label = "model"

    def __init__(self, asked):
        self.asked = asked

    async def answer(self, asked):
        self.asked.append(asked)
        if asked.place.asker == "tom-hagen":
            return Answer(None, self.name, failure="said nothing")
        results = asked.question.facts_only.results
        return self.wrap(UsedResult(thoughts="Why not?", uses=choose(results)))


def choose(results):
    return max((n for n, one in enumerate(results, 1) if "checked publisher" not in one), default=0)


def run_scripted(folder, *sets):
    asked = []
    return run_answered("twin_ecosystem", [*SETS, *sets], folder, Scripted(asked)), asked


def test_what_personas_choose_is_counted_and_learnt_from(tmp_path):
    run, asked = run_scripted(tmp_path / "run")
    with run:
        log = Log(run)
        for arm in (FREE, REGULATED):
            own = [one for one in asked if one.place.lane == arm]
            assert len(own) == 4 * 4
            used = Used.columns(log)
            for one in own:
                row = log.members.row(one.place.asker)
                at = (used["step"] == one.place.step) & (used["member"] == row) & (used["arm"] == arm)
                expected = 0 if row == 1 else choose(one.question.facts_only.results)
                assert used["place"][at].tolist() == [expected]
        pages = log.columns("pages")
        for step, arm in {(s, a) for s, a in zip(pages["step"], pages["arm"], strict=True) if a != DIRECT}:
            at, of = (pages["step"] == step) & (pages["arm"] == arm), Used.columns(log)
            mine = (of["step"] == step) & (of["arm"] == arm) & (of["place"] > 0)
            assert pages["used"][at].sum() == mine.sum()
    with RunFile.open(tmp_path / "run") as again:
        entries = list_uses(Log(again), agent="tom-hagen")
        assert {entry.text for entry in entries} == {"used nothing"} and len(entries) == 2 * 4


def test_memory_is_of_the_persona_and_the_world(tmp_path):
    run, asked = run_scripted(tmp_path / "run", 'config.queries={burn="how to treat a small burn"}')
    with run:
        for one in asked:
            remembered = one.question.facts_only.remembered
            if one.place.asker == "tom-hagen" or one.place.step == 1:
                assert remembered == ()
            elif one.place.lane != DIRECT:
                before = [
                    old.question.facts_only.results[choose(old.question.facts_only.results) - 1]
                    for old in asked
                    if (old.place.asker, old.place.lane) == (one.place.asker, one.place.lane)
                    and old.place.step < one.place.step
                ]
                titles = [result.partition("\n")[0] for result in before]
                assert [words.partition("followed: ")[2] for words in remembered] == titles[-3:]


def test_who_sees_the_same_page_is_not_asked_again(tmp_path):
    run, asked = run_scripted(tmp_path / "run", "config.policy.by=none")
    with run:
        assert not [one for one in asked if one.place.lane == DIRECT]
        pages = Log(run).columns("pages")
        free, direct = (pages["used"][pages["arm"] == arm] for arm in (FREE, DIRECT))
        assert np.array_equal(free, direct)
    run, asked = run_scripted(tmp_path / "regulated")
    with run:
        pages = Log(run).columns("pages")
        by_need = {}
        names = ("step", "arm", "need", "document")
        for step, arm, need, document in zip(*(pages[name] for name in names), strict=True):
            by_need.setdefault((step, need), {}).setdefault(arm, []).append(document)
        apart = {key for key, page in by_need.items() if page[FREE] != page[DIRECT]}
        queries = list(Log(run).columns("needs")["query"])
        again = {
            (one.place.step, queries.index(one.question.query)) for one in asked if one.place.lane == DIRECT
        }
        assert again and again <= apart
