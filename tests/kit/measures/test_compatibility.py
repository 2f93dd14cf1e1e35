"""Compatibility, against published golden values, ir_measures, and a loop over ranks."""

import math

import ir_measures
import pytest

from openiir.kit.measures import HelpAndHarm, compatibility, measure_help_and_harm, rank_biased_overlap
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Draw, Ranking

DRAW = Draw(5, "compatibility")


def overlap_by_loop(one, other, p, depth):
    score = whole = 0.0
    for d in range(1, depth + 1):
        score += p ** (d - 1) * len(set(one[:d]) & set(other[:d])) / d
        whole += p ** (d - 1)
    return score / whole


@pytest.mark.parametrize(("depth", "value"), [(1_000, 0.788839), (3, 0.482910)])
def test_a_reversed_ranking_has_the_golden_values(depth, value):
    found = compatibility("cba", {"a": 3, "b": 2, "c": 1}, depth=depth)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert overlap_by_loop("cba", "abc", 0.95, depth) / overlap_by_loop(
        "abc", "abc", 0.95, depth
    ) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("case", range(30))
def test_overlap_is_that_of_a_loop_over_ranks(case):
    draw = DRAW.at("loop", item=case)
    items = [f"d{n}" for n in range(2 + case)]
    one = draw.order(items)[: 1 + case % 7]
    other = draw.at("other").order(items)
    p, depth = 0.5 + 0.015 * case, 1 + case
    assert rank_biased_overlap(one, other, p, depth) == pytest.approx(overlap_by_loop(one, other, p, depth))


def test_compatibility_is_that_of_ir_measures():
    scored = [
        (f"q{t}", f"d{i:02d}", float(DRAW.uniform(agent=t, item=i))) for t in range(8) for i in range(40)
    ]
    grades = {
        f"q{t}": {f"d{i:02d}": DRAW.at("grade").below(4, agent=t, item=i) - 1 for i in range(0, 60, 3)}
        for t in range(8)
    }
    run = [ir_measures.ScoredDoc(*row) for row in scored]
    qrels = [ir_measures.Qrel(t, d, g) for t, graded in grades.items() for d, g in graded.items()]
    measure = ir_measures.parse_measure("Compat(p=0.9)")
    theirs = {found.query_id: found.value for found in ir_measures.iter_calc([measure], qrels, run)}
    ranking = Ranking.of(scored, "noise")
    for topic, graded in grades.items():
        items = [row.item for row in ranking.rows if row.topic == topic]
        ours = compatibility(items, graded, p=0.9, depth=40)
        assert ours.value == pytest.approx(theirs[topic])


def test_the_best_ranking_has_1_and_no_order_among_ties_has_more():
    grades = {"a": 2, "b": 1, "c": 1, "x": 0}
    assert compatibility("abc", grades).value == compatibility("acb", grades).value == 1
    assert compatibility("bac", grades).value < 1
    assert compatibility("", grades).value == 0


def test_it_is_undefined_without_a_positive_grade():
    found = compatibility("ab", {"a": 0, "b": -1})
    assert math.isnan(found.value) and found.reason == "no item has a positive grade"


def test_help_and_harm_are_means_over_judged_topics():
    ranking = Ranking.of([("1", "good", 2.0), ("1", "bad", 1.0), ("9", "good", 1.0)], "run")
    helpful = [Judgement("1", "good", 3), Judgement("2", "good", 3)]
    harmful = [Judgement("1", "bad", 1), Judgement("3", "bad", 0)]
    found = measure_help_and_harm(ranking, helpful, harmful)
    second = compatibility(["good", "bad"], {"bad": 1}).value
    assert (found.helpful.total, found.helpful.counted) == (1.0, 2)
    assert (found.harmful.total, found.harmful.counted, found.harmful.dropped) == (second, 1, 1)
    assert found.difference.value == pytest.approx(0.5 - second)
    empty: HelpAndHarm = measure_help_and_harm(ranking, helpful, [])
    assert math.isnan(empty.difference.value) and "harmful" in (empty.difference.reason or "")
