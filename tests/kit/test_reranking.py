"""Re-ranking policies against plain loops over one ranking."""

import numpy as np
import pytest

from openiir.core.records import Chunk
from openiir.core.world import Hit
from openiir.kit.reranking import (
    Candidates,
    Diversity,
    DownRank,
    ExposureCap,
    HitReranker,
    Identity,
    PolicyChoice,
    ProvenanceBoost,
    Quota,
)
from openiir.plugin import Draw, InputError, quantise

RANKINGS, SIZE, K = 30, 12, 5


def drawn(name, shape=(RANKINGS, SIZE)):
    return Draw(4, name).uniform(item=np.arange(int(np.prod(shape)))).reshape(shape)


@pytest.fixture(scope="module")
def candidates():
    scores = -np.sort(-quantise(drawn("scores")), axis=1)
    scores[3, 4:] = np.nan
    scores[5, :] = 0.5
    vectors = drawn("vectors", (RANKINGS, SIZE, 3)) - 0.5
    return Candidates(
        scores,
        group=(drawn("group") * 3).astype(np.int64),
        trusted=drawn("trusted") < 0.4,
        harmful=drawn("harmful") < 0.3,
        vectors=vectors / np.linalg.norm(vectors, axis=2, keepdims=True),
    )


def there(candidates, row):
    return np.flatnonzero(~np.isnan(candidates.scores[row])).tolist()


def relevance(candidates, row):
    scores = candidates.scores[row]
    low, high = np.nanmin(scores), np.nanmax(scores)
    return {m: (scores[m] - low) / (high - low) if high > low else 1.0 for m in there(candidates, row)}


def fill(candidates, row, worth):
    """Fill the first places one by one, each by the most worth, ties to the better ranked."""
    placed = []
    for _ in range(K):
        left = [m for m in there(candidates, row) if m not in placed]
        if left:
            placed.append(min(left, key=lambda m: (-quantise(float(worth(m, placed))), m)))
    return placed


def check(policy, candidates, worth_of):
    order = policy.order(candidates, K)
    for row in range(RANKINGS):
        placed = fill(candidates, row, worth_of(row))
        assert order[row, : len(placed)].tolist() == placed
        assert order[row, len(placed) :].tolist() == [m for m in range(SIZE) if m not in placed]


def test_the_identity_changes_nothing(candidates):
    assert (Identity().order(candidates, K) == np.arange(SIZE)).all()


def test_mmr(candidates):
    def worth_of(row):
        own = relevance(candidates, row)
        cosines = candidates.vectors[row] @ candidates.vectors[row].T
        return lambda m, placed: 0.6 * own[m] - 0.4 * max([0.0, *cosines[m][placed]])

    check(Diversity(weight=0.6), candidates, worth_of)


def test_mmr_of_relevance_alone_is_the_order_given(candidates):
    assert (Diversity(weight=1.0).order(candidates, K) == np.arange(SIZE)).all()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_quota(candidates, share):
    policy = Quota(group=1, share=share)

    def worth_of(row):
        own, group = relevance(candidates, row), candidates.group[row]

        def worth(m, placed):
            owed = int(share * (len(placed) + 1) + 1e-9) > sum(group[one] == 1 for one in placed)
            return own[m] + (2 if owed and group[m] == 1 else 0)

        return worth

    check(policy, candidates, worth_of)
    order = policy.order(candidates, K)
    for row in range(RANKINGS):
        groups = candidates.group[row][order[row, : min(K, len(there(candidates, row)))]]
        most = int((candidates.group[row][there(candidates, row)] == 1).sum())
        for first in range(1, len(groups) + 1):
            assert (groups[:first] == 1).sum() >= min(int(share * first + 1e-9), most)


def test_exposure_cap(candidates):
    def worth_of(row):
        own, group = relevance(candidates, row), candidates.group[row]
        return lambda m, placed: own[m] - 2 * (sum(group[one] == group[m] for one in placed) >= 2)

    check(ExposureCap(most=2), candidates, worth_of)


def test_provenance_and_harm(candidates):
    def boosted(row):
        own = relevance(candidates, row)
        return lambda m, placed: own[m] * (2.0 if candidates.trusted[row, m] else 1.0)

    def lowered(row):
        own = relevance(candidates, row)
        return lambda m, placed: own[m] * (0.25 if candidates.harmful[row, m] else 1.0)

    check(ProvenanceBoost(factor=2.0), candidates, boosted)
    check(DownRank(factor=0.25), candidates, lowered)


def test_a_factor_of_nothing_puts_the_harmful_last(candidates):
    order = DownRank(factor=0.0).order(candidates, SIZE)
    for row in range(RANKINGS):
        harmful = candidates.harmful[row][order[row, : len(there(candidates, row))]]
        assert (np.sort(harmful) == harmful).all()


def test_what_a_policy_reads_must_be_there():
    with pytest.raises(InputError, match="'quota' reads group"):
        Quota().order(Candidates(np.ones((1, 2))), 1)


def passage(name, score, source):
    chunk = Chunk(id=name, world="main", source=source, start=0, end=1, text="x", sha256="0" * 64)
    return Hit(chunk, score, 0.0)


def test_a_policy_re_ranks_passages():
    hits = [passage("a", 0.9, "ads/1"), passage("b", 0.8, "news/1"), passage("c", 0.2, "news/2")]
    regulated = HitReranker(DownRank(factor=0.0), harmful=lambda hit: hit.chunk.source.startswith("ads/"))
    assert [hit.chunk.id for hit in regulated(hits, 2)] == ["b", "c"]
    assert [hit.chunk.id for hit in regulated(hits, 9)] == ["b", "c", "a"]
    assert regulated([], 2) == []
    plain = HitReranker(Identity())
    assert (plain.name, plain(hits, 2)) == ("", hits[:2])


def test_no_rankings():
    assert Quota().order(Candidates(np.ones((0, 4)), group=np.zeros((0, 4), dtype=int)), 2).shape == (0, 4)


@pytest.mark.parametrize(
    ("keys", "policy"),
    [
        ({}, Identity()),
        ({"by": "mmr", "weight": 0.2}, Diversity(weight=0.2)),
        ({"by": "quota", "share": 0.6}, Quota(group=4, share=0.6)),
        ({"by": "cap", "most": 5}, ExposureCap(most=5)),
        ({"by": "provenance", "factor": 2.0}, ProvenanceBoost(factor=2.0)),
        ({"by": "down_rank", "factor": 0.0}, DownRank(factor=0.0)),
    ],
)
def test_a_study_chooses_a_policy_by_its_name(keys, policy):
    assert PolicyChoice(**keys).build(4) == policy


@pytest.mark.parametrize(("by", "factor"), [("provenance", 0.3), ("down_rank", 1.5)])
def test_a_factor_that_a_policy_cannot_have_is_refused(by, factor):
    with pytest.raises(ValueError, match=f"factor = {factor}: with by = '{by}' it is"):
        PolicyChoice(by=by, factor=factor)
