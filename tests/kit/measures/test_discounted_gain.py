"""nDCG over arrays, against trec_eval's by ir_measures and the mean over all orders."""

import math
from itertools import permutations

import numpy as np
import pytest

from openiir.kit.measures import discounts, ndcg, random_ndcg
from openiir.kit.measures.retrieval import evaluate
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Ranking

RNG = np.random.default_rng(2)


def test_discounts_are_those_of_dcg():
    assert discounts(3).tolist() == [1 / math.log2(2), 1 / math.log2(3), 1 / math.log2(4)]


@pytest.mark.parametrize("found", [10, 4], ids=["full", "short"])
def test_ndcg_is_that_of_trec_programs(found):
    gains = RNG.integers(-2, 8, (6, 15)).astype(float)
    order = np.argsort(RNG.random((6, 15)), axis=1)[:, :10]
    order[:, found:] = -1
    scored = [(f"q{q}", f"d{d}", -float(n)) for q in range(6) for n, d in enumerate(order[q]) if d >= 0]
    judged = [Judgement(f"q{q}", f"d{d}", int(gains[q, d])) for q in range(6) for d in range(15)]
    theirs = evaluate(Ranking.of(scored, "x"), judged, ["nDCG@10"])["nDCG@10"].value
    assert ndcg(gains, order).mean() == pytest.approx(theirs)


def test_a_random_order_is_expected_to_have_the_mean_over_all_orders():
    gains = np.array([[7.0, 1.0, 0.0, 3.0], [0.0, -2.0, 1.0, 0.0]])
    for places in (3, 4, 6):
        orders = np.array(list(permutations(range(4))))[:, :places]
        means = [ndcg(np.repeat(row[None], len(orders), axis=0), orders).mean() for row in gains]
        assert random_ndcg(gains, places) == pytest.approx(means)


def test_a_query_without_a_relevant_document_has_no_ndcg():
    assert np.isnan(ndcg(np.array([[0.0, -1.0, 0.0]]), np.array([[0, 1]]))).all()
    assert np.isnan(random_ndcg(np.zeros((1, 3)), 2)).all()


def test_a_ranking_holds_a_document_once_and_empty_places_as_often_as_it_likes():
    gains = np.ones((1, 3))
    assert ndcg(gains, np.array([[2, -1, -1]])) == pytest.approx(1 / discounts(3).sum())
    with pytest.raises(ValueError, match="a document twice"):
        ndcg(gains, np.array([[1, 2, 1]]))
