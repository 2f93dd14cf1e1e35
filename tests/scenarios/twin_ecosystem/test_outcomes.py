"""Outcomes beside plain loops, closed forms, and the kit's measures over whole rankings."""

import math

import numpy as np
import pytest

from openiir.kit.measures import gini, measure_help_and_harm
from openiir.kit.measures.trec import Judgement
from openiir.kit.statistics import tost
from openiir.plugin import Ranking
from openiir.scenarios.twin_ecosystem.model.outcomes import MARGINS, PageOutcomes

ROUNDS, ARMS, NEEDS, PLACES, WORKS = 3, 3, 4, 3, 6
GRADES = np.array(
    [[1, 0.5, 0, -1, 0, 0], [0, 0, 1, 0, -0.5, 0], [0.5, 0, 0, 0, 0, 1], [0, 0, 0, 0.5, 0, -0.5]]
)
PROVIDER = np.array([0, 0, 1, 1, 2, 2])


def build(grades=GRADES, **columns):
    noise = np.random.default_rng(7)
    shape = (ROUNDS, ARMS, NEEDS, PLACES)
    searchers = np.repeat(noise.integers(5, 20, shape[:3])[..., None], PLACES, axis=-1)
    relevance = np.sort(noise.random(shape))[..., ::-1]
    found = {
        "document": np.full(shape, "x", dtype=object),
        "work": np.argsort(noise.random((*shape[:3], WORKS)))[..., :PLACES],
        "used": noise.integers(0, 2, shape),
        "searchers": searchers,
        "relevance": relevance * 0.9,
        "plain": relevance,
        "moved": noise.random(shape) < 0.5,
        **columns,
    }
    return PageOutcomes(np.arange(1, ROUNDS + 1), grades, PROVIDER, 3, dict(MARGINS), **found)


@pytest.fixture(scope="module")
def pages():
    return build()


def test_shares_are_those_of_a_loop(pages):
    for t, arm in np.ndindex(ROUNDS, ARMS):
        gain = harm = shown = attention = moved = kept = plain = people = 0.0
        for need in range(NEEDS):
            n = pages.searchers[t, arm, need, 0]
            people += n
            for place in range(PLACES):
                grade = GRADES[need, pages.work[t, arm, need, place]]
                used, weight = pages.used[t, arm, need, place], n / math.log2(place + 2)
                gain += used * max(grade, 0)
                harm += used * (grade < 0)
                shown += weight * (grade < 0)
                attention += weight
                moved += n * pages.moved[t, arm, need, place] / PLACES
                kept += weight * pages.relevance[t, arm, need, place]
                plain += weight * pages.plain[t, arm, need, place]
        expected = {
            "utility": gain / people,
            "harm": harm / people,
            "harm_shown": shown / attention,
            "moved": moved / people,
            "cost": 1 - kept / plain,
        }
        assert {name: pages.by_round[name][t, arm] for name in expected} == pytest.approx(expected)


def test_concentration_and_coverage_are_those_of_a_loop(pages):
    for t, arm in np.ndindex(ROUNDS, ARMS):
        given = [0.0] * 3
        for need, place in np.ndindex(NEEDS, PLACES):
            weight = pages.searchers[t, arm, need, 0] / math.log2(place + 2)
            given[PROVIDER[pages.work[t, arm, need, place]]] += weight
        whole = math.fsum(given)
        assert pages.by_round["hhi"][t, arm] == pytest.approx(math.fsum((one / whole) ** 2 for one in given))
        assert pages.by_round["gini"][t, arm] == pytest.approx(gini(given))
        assert pages.by_round["coverage"][t, arm] == len(set(pages.work[t, arm].ravel().tolist())) / WORKS


def test_help_less_harm_is_that_of_the_kit_over_whole_rankings(pages):
    helpful = [Judgement(str(q), str(w), GRADES[q, w]) for q, w in zip(*np.nonzero(GRADES > 0), strict=True)]
    harmful = [Judgement(str(q), str(w), -GRADES[q, w]) for q, w in zip(*np.nonzero(GRADES < 0), strict=True)]
    for t, arm in np.ndindex(ROUNDS, ARMS):
        rows = [
            (str(need), str(work), 1 / place)
            for need in range(NEEDS)
            for place, work in enumerate(pages.work[t, arm, need].tolist(), 1)
        ]
        expected = measure_help_and_harm(Ranking.of(rows, "x"), helpful, harmful).difference.value
        assert pages.by_round["help_harm"][t, arm] == pytest.approx(expected)


def test_versions_of_one_work_help_no_more_than_the_first():
    shape = (ROUNDS, ARMS, NEEDS, PLACES)
    once = build(work=np.broadcast_to([0, 1, 2], shape))
    again = build(work=np.broadcast_to([0, 0, 1], shape))
    thrice = build(work=np.broadcast_to([0, 0, 0], shape))
    assert (
        once.by_round["help_harm"][0, 0]
        >= again.by_round["help_harm"][0, 0]
        > thrice.by_round["help_harm"][0, 0]
    )


def test_a_page_of_the_best_alone_has_the_best_outcomes():
    grades = np.array([[1.0, 0, 0, 0, 0, -1]] * NEEDS)
    shape = (ROUNDS, ARMS, NEEDS, PLACES)
    used = np.zeros(shape, dtype=int)
    used[..., 0] = 10
    tens = np.full(shape, 10)
    found = build(grades, work=np.broadcast_to([0, 1, 2], shape), used=used, searchers=tens).by_round
    assert (found["utility"] == 1).all() and (found["harm"] == 0).all() and (found["harm_shown"] == 0).all()
    np.testing.assert_allclose(found["help_harm"], 1.0)
    bad = build(grades, work=np.broadcast_to([5, 1, 2], shape), used=used, searchers=tens).by_round
    assert (bad["utility"] == 0).all() and (bad["harm"] == 1).all()
    np.testing.assert_allclose(bad["help_harm"], -1.0)


def test_without_harmful_judgements_harm_is_undefined():
    found = build(np.abs(GRADES)).by_round
    assert all(np.isnan(found[name]).all() for name in ("harm", "harm_shown", "help_harm"))
    assert np.isfinite(found["utility"]).all()


def test_differences_divide_into_direct_effect_and_feedback(pages):
    free, regulated, direct = pages.by_round["utility"].T
    parts = pages.differences("utility")
    assert (parts["direct"] == direct - free).all() and (parts["feedback"] == regulated - direct).all()
    np.testing.assert_allclose(parts["total"], parts["direct"] + parts["feedback"])


def test_equivalence_is_that_of_the_kit_paired_over_needs(pages):
    grade = GRADES[np.arange(NEEDS)[:, None], pages.work]
    gains = (pages.used * np.maximum(grade, 0)).sum(axis=(0, 3)) / pages.searchers[..., 0].sum(axis=0)
    assert pages.compare_needs("utility") == tost(gains[1] - gains[0], MARGINS["utility"])
    assert pages.compare_needs("gini") is None and pages.compare_needs("help_harm") is None


def test_first_rounds_are_the_first_with_other_documents():
    shape = (ROUNDS, ARMS, NEEDS, PLACES)
    document = np.full(shape, "x", dtype=object)
    document[1:, 1] = "y"
    document[2, 2, 3, 0] = "z"
    found = build(document=document)
    assert found.first_rounds == {"total": 2, "direct": 3, "feedback": 2}
    assert build().first_rounds == {"total": None, "direct": None, "feedback": None}
