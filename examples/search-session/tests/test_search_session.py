"""The contract of every type, and this one's measures and sessions against independent computations."""

import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from search_session import SearchSession
from search_session.measures import discount_gains
from search_session.questions import FURTHER, OPEN, RETYPE, STOP, GoOn, SearchReply, SearchSessionConfig
from search_session.run import plan_queries

from openiir.plugin import InputError, UnusableAnswer
from openiir.testing import ScenarioContract, run_offline

SMALL = ("config.searchers=12", "config.sessions=2")


class TestContract(ScenarioContract):
    type = SearchSession
    sets = SMALL
    lives_apart = True


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the reference study with these settings; gives its log and measures."""
    from openiir.runs import types

    monkeypatch.setitem(types.AT_HAND, SearchSession.name, SearchSession)

    def start(*sets, study=SearchSession.name):
        log = run_offline(study, tmp_path / str(len(list(tmp_path.iterdir()))), *sets).log
        return log, {name: one.value for name, one in SearchSession().metrics(log).items()}

    return start


def sessions(log):
    """The rows of each session, by arm, step and searcher."""
    found = {}
    for row in log.table("results"):
        found.setdefault((row["arm"], row["step"], row["searcher"]), []).append(row)
    return found


def test_sdcg_of_an_example_by_hand():
    """Grades 3, 0, 1 for the first query, 2 for the second: 7 + 1 / log2(4) + 3 / log4(5)."""
    found = discount_gains(np.array([3, 0, 1, 2]), np.array([1, 1, 1, 2]), np.array([1, 2, 3, 1]))
    assert found.sum() == pytest.approx(7 + 0.5 + 3 / (math.log(5) / math.log(4)))


def test_measures_are_those_of_a_loop_over_sessions(run):
    log, measures = run(*SMALL)
    assert measures["session/queries"] > measures["fixed/queries"] == 1
    for arm in ("fixed", "session"):
        sums = Counter()
        for (of, *_), rows in sessions(log).items():
            seen = set()
            for row in rows if of == arm else ():
                if row["document"] not in seen:
                    sums["sdcg"] += (
                        (2 ** row["grade"] - 1) / math.log2(row["rank"] + 1) / math.log(row["query"] + 3, 4)
                    )
                seen.add(row["document"])
                if row["helped"] and row["grade"]:
                    sums["tbg"] += math.exp(-row["seconds"] * math.log(2) / 224)
                    sums["found"] += 1
            if of == arm:
                sums["queries"] += rows[-1]["query"]
                sums["minutes"] += rows[-1]["seconds"] / 60
        for name, value in sums.items():
            assert measures[f"{arm}/{name}"] == pytest.approx(value / 24), (arm, name)


def test_time_biased_gain_is_what_chances_and_times_imply(run):
    """Of one query read to its end: sum over relevant ranks of P(click) P(save) E[D(time to finish it)].

    D is exponential, so its mean is a product over ranks: a document that is opened with chance p and takes r
    seconds multiplies it by 1 - p + p D(r). Smucker & Clarke (SIGIR 2012) put the mean time into D instead.
    """
    need = "how to bring dahlia tubers through a winter with frost without rot"
    only = f'config.needs={{dahlias = "{need}"}}'
    sizes = ("config.searchers=150", "config.sessions=1", "config.satisfaction=100", "config.budget=86400")
    log, measures = run(only, "config.strategy=need", *sizes)
    fixed = [rows for (arm, *_), rows in sessions(log).items() if arm == "fixed"]
    ranked = max(fixed, key=len)
    lengths = {chunk.source: len(chunk.text.split()) for chunk in log.chunks()}

    def discount(seconds):
        return 2.0 ** (-seconds / 224)

    expected, before = 0.0, discount(10.0)
    for row in ranked:
        relevant = row["grade"] > 0
        click = 0.64 if relevant else 0.39
        before *= discount(4.4)
        reading = discount(7.8 + 0.018 * lengths[row["document"]])
        expected += click * 0.77 * before * reading * relevant
        before *= 1 - click + click * reading
    kept = [[discount(r["seconds"]) * (r["helped"] and r["grade"] > 0) for r in rows] for rows in fixed]
    gains = [math.fsum(one) for one in kept]
    error = np.std(gains) / math.sqrt(len(gains))
    assert measures["fixed/tbg"] == measures["session/tbg"] == pytest.approx(np.mean(gains))
    assert abs(measures["fixed/tbg"] - expected) < 3 * error < 0.15 * expected


def test_what_appeals_and_helps_is_as_frequent_as_published(run):
    log, _ = run(
        "config.searchers=300", "config.sessions=1", "config.satisfaction=100", "config.strategy=need"
    )
    rows = [row for row in log.table("results") if row["arm"] == "fixed" and row["new"]]
    for relevant, click, save in ((True, 0.64, 0.77), (False, 0.39, 0.27)):
        own = [row for row in rows if (row["grade"] > 0) == relevant]
        opened = [row for row in own if row["opened"]]
        for found, of, chance in (
            (len(opened), len(own), click),
            (sum(r["helped"] for r in opened), len(opened), save),
        ):
            assert abs(found / of - chance) < 4 * math.sqrt(chance * (1 - chance) / of)


def test_without_reformulation_the_arms_are_the_same(run):
    log, measures = run(*SMALL, "config.reformulate=false")
    arms = [
        [row | {"arm": ""} for row in log.table("results") if row["arm"] == arm]
        for arm in ("fixed", "session")
    ]
    assert arms[0] == arms[1] and measures["gain.tbg"] == 0


def test_sessions_end_by_the_rules(run):
    log, _ = run(
        *SMALL, "config.satisfaction=2", "config.frustration=3", "config.depth=8", "config.budget=200"
    )
    ends = Counter()
    for (arm, *_), rows in sessions(log).items():
        helped = sum(row["helped"] for row in rows)
        assert helped <= 2 and rows[-1]["seconds"] - rows[-1]["opened"] * 20 < 205
        ends[helped == 2] += 1
        by_query = {}
        for row in rows:
            by_query.setdefault(row["query"], []).append(row)
        last = max(by_query)
        for query, own in by_query.items():
            assert [row["rank"] for row in own] == list(range(1, len(own) + 1))
            if query < last:  # it was left for another one
                vain = next((n for n, row in enumerate(reversed(own)) if row["helped"]), len(own))
                assert arm == "session" and (vain >= 3 or len(own) <= 8)
                assert len(own) <= 8 and vain <= 3
    assert ends[True] and ends[False]


@pytest.mark.parametrize(
    ("strategy", "queries"),
    [
        ("S1", ["a", "b", "c", "d"]),
        ("S2", ["a b", "a c", "a d"]),
        ("S3", ["a b c", "a b d"]),
        ("S4", ["a", "a b", "a b c", "a b c d"]),
        ("S5", ["a b", "a b c", "a b c d"]),
        ("need", ["what a b c d is"]),
    ],
)
def test_strategies_plan_queries(strategy, queries):
    assert plan_queries(strategy, "what a b c d is", list("abcd")) == queries
    assert plan_queries(strategy, "x", ["a"]) == ["x" if strategy == "need" else "a"]
    assert plan_queries(strategy, "x", []) == ["x"]


def ask(**state):
    """A question with two results, of which the second appeals; another query is planned."""
    config = SearchSessionConfig(needs={"n": "words"}, qrels="q.txt")
    usual = {
        "need": "words",
        "remembered": (),
        "minutes": 10,
        "query": "words",
        "read": "",
        "results": ("x", "y"),
    }
    usual |= {"choices": (STOP, OPEN, RETYPE), "helps": True, "appeals": (False, True), "place": 0, "vain": 0}
    return GoOn(**usual | {"wanted": 5, "left": 600.0, "planned": "other", "behaviour": config} | state)


@pytest.mark.parametrize(
    ("state", "next", "looked", "helped"),
    [
        ({}, OPEN, 2, False),
        ({"left": 4.0}, STOP, 1, False),
        ({"left": 0.0, "read": "text"}, STOP, 0, True),
        ({"wanted": 1, "read": "text"}, STOP, 0, True),
        ({"wanted": 1, "read": "text", "helps": False}, OPEN, 2, False),
        ({"vain": 4}, RETYPE, 1, False),
        ({"vain": 4, "planned": ""}, OPEN, 2, False),
        ({"vain": 5, "read": "text"}, OPEN, 2, True),
        ({"place": 10}, RETYPE, 0, False),
        ({"appeals": (False, False)}, RETYPE, 2, False),
        ({"appeals": (False, False), "choices": (STOP, OPEN, FURTHER)}, FURTHER, 2, False),
        ({"appeals": (False, False), "planned": ""}, STOP, 2, False),
    ],
)
def test_a_searcher_goes_on_by_its_rules(state, next, looked, helped):
    reply = ask(**state).offline(SimpleNamespace())
    assert (reply.next, reply.looked, reply.helped) == (next, looked, helped)
    assert reply.words == ("other" if next == RETYPE else "")


def test_a_reply_that_leaves_out_what_it_does_is_refused():
    usual = {"helped": False, "looked": 0}
    for next, why in ((OPEN, "which"), (RETYPE, "words")):
        with pytest.raises(UnusableAnswer, match=why):
            ask().check(SearchReply(next=next, **usual))
    ask().check(SearchReply(next=STOP, **usual))


def test_a_need_without_relevant_documents_is_named(run):
    with pytest.raises(InputError, match="'tides'"):
        run('config.needs={tides = "when the tide turns"}')
