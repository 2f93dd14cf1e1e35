"""Top-N measures against a plain spelling and against ir_measures."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from openiir.scenarios.recommender.model.topn import top_n

RNG = np.random.default_rng(6)
K, USERS, ITEMS = 10, 40, 60


@pytest.fixture(scope="module")
def judged() -> tuple[np.ndarray, csr_array]:
    """Lists of up to ten items, some short, and what is relevant: nothing for user 0."""
    shown = np.array([RNG.permutation(ITEMS)[:K] for _ in range(USERS)])
    for user in range(0, USERS, 5):
        shown[user, RNG.integers(0, K) :] = -1
    dense = RNG.random((USERS, ITEMS)) < RNG.random((USERS, 1)) * 0.5
    dense[:, 0] = True
    dense[0] = False
    dense[1] = True
    return shown, csr_array(dense.astype(np.float64))


def naive(shown: list[int], relevant: set[int]) -> tuple[float, float, float]:
    if not relevant:
        return math.nan, math.nan, math.nan
    hits = [item in relevant for item in shown]
    ideal = sum(1 / math.log2(n + 2) for n in range(min(K, len(relevant))))
    precision, recall = sum(hits) / K, sum(hits) / len(relevant)
    f1 = 2 * precision * recall / (precision + recall) if sum(hits) else 0.0
    return sum(hit / math.log2(n + 2) for n, hit in enumerate(hits)) / ideal, recall, f1


def test_each_user_against_the_definition(judged: tuple[np.ndarray, csr_array]) -> None:
    shown, relevant = judged
    found = top_n(shown, relevant)
    for user in range(USERS):
        row = [item for item in shown[user].tolist() if item >= 0]
        wanted = set(np.flatnonzero(relevant.toarray()[user]).tolist())
        expected = naive(row, wanted)
        np.testing.assert_allclose([column[user] for column in found], expected, atol=1e-12)
    averages = found.averages()
    assert averages.keys() == {"ndcg", "recall", "f1"}
    assert all(one.dropped == 1 and one.counted == USERS - 1 for one in averages.values())


def test_ir_measures_says_the_same(judged: tuple[np.ndarray, csr_array]) -> None:
    import ir_measures as irm

    shown, relevant = judged
    run = [
        irm.ScoredDoc(str(user), str(item), float(-place))
        for user in range(USERS)
        for place, item in enumerate(shown[user].tolist())
        if item >= 0
    ]
    rows, columns = relevant.nonzero()
    qrels = [
        irm.Qrel(str(user), str(item), 1) for user, item in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    found = top_n(shown, relevant)
    for one in irm.iter_calc([irm.nDCG @ K, irm.R @ K], qrels, run):
        mine = found.ndcg if str(one.measure) == "nDCG@10" else found.recall
        assert mine[int(one.query_id)] == pytest.approx(one.value, abs=1e-6), one


def test_what_is_stored_is_relevant_whatever_its_value() -> None:
    relevant = csr_array((np.array([0.0]), (np.array([0]), np.array([2]))), shape=(1, 3))
    assert top_n(np.array([[2, 1]]), relevant).ndcg.tolist() == [1.0]


def test_an_item_shown_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        top_n(np.array([[1, 1]]), csr_array(np.eye(1, 3)))


def test_nobody() -> None:
    assert len(top_n(np.empty((0, 5), dtype=np.int64), csr_array((0, 7))).f1) == 0
