"""Measures of a contest against naive loops."""

import math

import numpy as np

from openiir.plugin import Draw
from openiir.scenarios.multi_generational.measures.judgements import (
    measure_compatibility,
    measure_contest,
    score_versions,
)
from openiir.scenarios.multi_generational.model.credibility.contest import (
    FALSE,
    TRUE,
    share_wins,
    weigh_fitness,
)

SHAPE = (3, 4, 2, 5)  # authors, pairs, versions, judges
P = np.round(Draw(3, "contest").uniform(item=np.arange(120)).reshape(SHAPE), 2)


def test_fitness_is_that_of_a_naive_loop():
    survival, attention = (
        Draw(3, name).uniform(item=np.arange(24)).reshape(SHAPE[:3]) for name in ("s", "a")
    )
    posted = Draw(3, "posted").uniform(item=np.arange(24)).reshape(SHAPE[:3]) < 0.8
    authors, judges = weigh_fitness(survival, attention, P, posted)
    for n in range(3):
        own = [survival[n, pair, FALSE] * attention[n, pair, FALSE] for pair in range(4)]
        assert math.isclose(authors[n], math.fsum(own) / 4)
    for n in range(5):
        loss = []
        for kind in (TRUE, FALSE):
            there = [(P[a, b, kind, n] - kind) ** 2 for a in range(3) for b in range(4) if posted[a, b, kind]]
            loss.append(math.fsum(there) / len(there))
        assert math.isclose(judges[n], 1 - math.fsum(loss) / 2)


def test_wins_are_those_of_a_naive_loop_over_what_was_written():
    posted = Draw(3, "wins").uniform(item=np.arange(24)).reshape(SHAPE[:3]) < 0.6
    posted[2, :, TRUE] = False
    authors, judges = share_wins(P, posted)
    gap = np.zeros((3, 5))
    for a in range(3):
        for n in range(5):
            mean = [[P[a, b, kind, n] for b in range(4) if posted[a, b, kind]] for kind in (TRUE, FALSE)]
            if all(mean):
                gap[a, n] = math.fsum(mean[1]) / len(mean[1]) - math.fsum(mean[0]) / len(mean[0])
    for beats, found in ((gap < 0, authors * 5), ((gap > 0).T, judges * 3)):
        assert np.allclose(found, [sum(1 / beats[:, n].sum() for n in np.flatnonzero(row)) for row in beats])
    assert authors[2] == 0.0 and not gap[2].any()


def test_a_tie_is_nobodys_win():
    authors, judges = share_wins(np.full(SHAPE, 0.5), np.ones(SHAPE[:3], dtype=np.bool_))
    assert not authors.any() and not judges.any()


def test_what_nobody_wrote_is_undefined():
    words = np.zeros(SHAPE[:3], dtype=np.int64)
    words[:, :, FALSE] = 7
    found = measure_contest(P, words, Draw(1, "test"))
    assert (
        math.isnan(found["mcnemar"])
        and math.isnan(found["train.majority.brier"])
        and math.isnan(found["train.brier"])
    )


def test_versions_are_scored_by_pairs_with_ties_half():
    p, words = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]), np.array([[4.0, 9.0], [3.0, 5.0], [6.0, 6.0]])
    found = score_versions(p, np.array([[0.1, 0.7], [0.6, 0.6], [0.9, 0.2]]), words)
    assert math.isclose(found["brier"], (0.04 + 0.25 + 0.81 + 0.04 + 0.25 + 0.81) / 6)
    assert math.isclose(found["majority.brier"], (0 + 0 + 1 + 0 + 1 + 1) / 6)
    assert [found[f"{name}discrimination"] for name in ("", "majority.", "length.")] == [0.5, 0.5, 2.5 / 3]


def agree(ranked, wanted, p=0.95, depth=1_000):
    """Rank-biased overlap with the nearest ideal ranking, as a share of its own."""
    first = [one for one in ranked if one in wanted]
    ideal = first + sorted(wanted - set(first))
    score = best = 0.0
    for d in range(1, depth + 1):
        score += p ** (d - 1) * len(set(ranked[:d]) & set(ideal[:d])) / d
        best += p ** (d - 1) * min(len(ideal), d) / d
    return score / best


def test_compatibility_is_that_of_a_loop_over_topics():
    there = Draw(3, "there").uniform(item=np.arange(24)).reshape(SHAPE[:3]) < 0.8
    topics = ["tides", "kilns", "tides", "kilns"]
    p = P.mean(axis=3)
    naive = []
    for kind in (TRUE, FALSE):
        found = []
        for topic in ("tides", "kilns"):
            places = [tuple(at) for at in np.argwhere(there).tolist() if topics[at[1]] == topic]
            ranked = sorted(places, key=lambda at: p[at])
            found.append(agree(ranked, {at for at in places if at[2] == kind}))
        naive.append(math.fsum(found) / 2)
    assert np.allclose(measure_compatibility(p, there, topics), naive)
    trusted = np.tile([0.1, 0.9], (3, 4, 1))
    helpful, harmful = measure_compatibility(trusted, np.ones_like(there), topics)
    assert math.isclose(helpful, 1.0) and harmful < 0.5
