"""Overlap is compared with what goals and popularity explain, and each step with a naive reference."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from openiir.kit.access import grant_access
from openiir.kit.measures import expected_jaccard, pairwise_jaccard
from openiir.plugin import Draw
from openiir.scenarios.coordination_emergent.model.co_access import (
    AccessRecord,
    Cluster,
    CoAccessMeasuring,
    WindowTest,
    compare_denials,
    compare_window,
    displace,
    find_clusters,
    inverse_frequencies,
    similarities,
)

DRAW = Draw(3, "tests.co_access")
OPTIONS = CoAccessMeasuring(window=1)


def draw_sets(agents, popularity, size, draw=DRAW):
    """Sets of a size, drawn without replacement by the popularity of each source."""
    noise = draw.gumbel(agent=np.arange(agents)[:, None], item=np.arange(len(popularity)))
    ranked = np.argsort(-(np.log(popularity) + noise), axis=1)
    sets = np.zeros(noise.shape, dtype=bool)
    np.put_along_axis(sets, ranked[:, :size], True, axis=1)
    return sets


def record_of(requests, goals=None, places=1_000, seed=5):
    requests = np.asarray(requests, dtype=bool)
    goals = np.zeros(requests.shape[1], dtype=np.int64) if goals is None else np.asarray(goals)
    return AccessRecord.of(requests, np.full(len(requests), places), goals, seed)


class TestPopularity:
    """What popularity alone does to overlap, and what is left of it against the null."""

    @pytest.mark.parametrize(
        ("exponent", "jaccard"), [(0.0, 0.055), (0.5, 0.078), (1.0, 0.183), (1.5, 0.313)]
    )
    def test_popular_sources_alone_make_sets_overlap(self, exponent, jaccard):
        """Sets of 10 of 100 sources whose popularity follows Zipf's law with these exponents."""
        sets = draw_sets(400, np.arange(1, 101.0) ** -exponent, 10)
        found = pairwise_jaccard(*np.nonzero(sets), 400, 100, DRAW, 80_000)
        assert found.jaccard.measure("").value == pytest.approx(jaccard, abs=0.006)
        assert found.expected.measure("").value == pytest.approx(0.0551, abs=0.0001)
        window = compare_window(record_of(sets[None, :150]), OPTIONS)
        assert window.mean == pytest.approx(jaccard, abs=0.008)
        assert window.mean - window.expected == pytest.approx(0, abs=0.001)
        assert len(window.pairs) <= 1, "of 11,175"

    @pytest.mark.parametrize(("size", "jaccard"), [(5, 0.0283), (10, 0.0551), (20, 0.1134)])
    def test_uniform_sets_overlap_by_the_hypergeometric_law(self, size, jaccard):
        assert expected_jaccard(100, size) == pytest.approx(jaccard, abs=0.00005)
        assert expected_jaccard(100, size) == pytest.approx(size / (200 - size), rel=0.11)
        sets = draw_sets(120, np.ones(100), size)
        window = compare_window(record_of(sets[None]), OPTIONS)
        assert window.mean == pytest.approx(jaccard, abs=0.003)

    def test_goals_alone_are_no_excess(self):
        """Two goals with sources of their own: overlap within goals is large, and so is its null's."""
        goals = np.repeat([0, 1], 40)
        few = np.where(np.arange(30) < 15, 1.0, 0.02)
        sets = np.concatenate([draw_sets(40, few, 8), draw_sets(40, few[::-1], 8, DRAW.at("other"))])
        with_goals = compare_window(record_of(sets[None], goals), OPTIONS)
        without = compare_window(record_of(sets[None]), OPTIONS)
        assert len(with_goals.pairs) == 0 and abs(with_goals.mean - with_goals.expected) < 0.003
        assert len(without.pairs) > 100, "a null without goals takes them for coordination"


class TestWindow:
    @pytest.mark.parametrize("overlap", ["jaccard", "cosine"])
    def test_similarities_are_those_of_a_naive_loop(self, overlap):
        sets = draw_sets(12, np.arange(1, 9.0) ** -1, 3)
        sets[0] = False
        found = similarities(sets, inverse_frequencies(sets, overlap), overlap)
        weight = np.log(12 / np.maximum(sets.sum(axis=0), 1)) * (sets.sum(axis=0) > 0)
        for a, b in combinations(range(12), 2):
            one, two = set(np.flatnonzero(sets[a])), set(np.flatnonzero(sets[b]))
            naive = len(one & two) / len(one | two)
            if overlap == "cosine":
                lengths = [np.sqrt(sum(weight[s] ** 2 for s in some)) for some in (one, two)]
                inner = sum(weight[s] ** 2 for s in one & two)
                naive = inner / np.prod(lengths) if all(lengths) else 0.0
            assert found[a, b] == found[b, a] == pytest.approx(naive, abs=1e-6)

    def test_z_and_q_are_those_of_a_naive_computation(self):
        sets = draw_sets(20, np.arange(1, 31.0) ** -0.5, 6)
        sets[[1, 2, 3]] = sets[0]
        window = compare_window(record_of(sets[None]), OPTIONS)
        pairs = list(combinations(range(20), 2))

        def compare(some):
            return np.array([(some[a] & some[b]).sum() / (some[a] | some[b]).sum() for a, b in pairs])

        null = np.array([compare(one) for one in window.shuffled])
        first, second = null[:30], null[30:]
        scale = np.maximum(first.std(axis=0, ddof=1), 0.5 / 12)
        z = (compare(sets) - first.mean(axis=0)) / scale
        under = ((second - first.mean(axis=0)) / scale).ravel()
        p = [(1 + (under >= np.floor(one * 64) / 64).sum()) / (1 + len(under)) for one in z]
        q = false_discovery_control(p)
        assert window.expected == pytest.approx(null.mean(), abs=1e-6)
        assert [tuple(pair) for pair in window.pairs.tolist()] == [pairs[n] for n in np.flatnonzero(q < 0.05)]
        assert window.z == pytest.approx(z[q < 0.05], abs=1e-4)
        assert window.q == pytest.approx(q[q < 0.05], rel=0.05)
        assert {(0, 1), (2, 3)} <= {tuple(pair) for pair in window.pairs.tolist()}

    def test_the_null_keeps_sums_within_goals(self):
        sets, goals = draw_sets(30, np.arange(1, 11.0) ** -1, 4), np.arange(30) % 3
        window = compare_window(record_of(sets[None], goals), OPTIONS)
        assert (window.shuffled.sum(axis=2) == sets.sum(axis=1)).all()
        for goal in range(3):
            own = goals == goal
            assert (window.shuffled[:, own].sum(axis=1) == sets[own].sum(axis=0)).all()

    def test_chance_is_seldom_taken_for_excess(self):
        """Of windows without any coordination, about one in twenty has a pair below a rate of .05."""
        found = []
        for n in range(60):
            sets = draw_sets(30, np.arange(1, 21.0) ** -1, 5, DRAW.at(step=n))
            goals = DRAW.at("goals", step=n).below(3, agent=np.arange(30))
            found.append(len(compare_window(record_of(sets[None], goals), OPTIONS).pairs) > 0)
        assert np.mean(found) <= 0.12

    def test_the_sets_of_a_window_are_what_was_asked_in_any_of_its_rounds(self):
        requests = np.zeros((7, 4, 9), dtype=bool)
        requests[np.arange(7), 0, np.arange(7)] = True
        window = record_of(requests).window(1, 3)
        assert np.flatnonzero(window.requests[0, 0]).tolist() == [3, 4, 5]
        assert not window.requests[0, 1:].any() and window.draw != record_of(requests).window(0, 3).draw


def window_of(pairs):
    pairs, sets = np.array(pairs, dtype=np.int64).reshape(-1, 2), np.zeros((9, 3), dtype=bool)
    numbers = np.ones(len(pairs))
    return WindowTest(sets, sets[None], "jaccard", 0.0, 0.0, pairs, numbers, numbers)


class TestClusters:
    @pytest.mark.parametrize(
        ("pairs", "groups"),
        [
            ([], []),
            ([(0, 1)], []),
            ([(0, 1), (0, 2), (0, 3), (0, 4)], []),
            ([(0, 1), (0, 2), (1, 2)], [{0, 1, 2}]),
            ([(0, 1), (0, 2), (1, 2), (2, 5), (5, 6)], [{0, 1, 2}]),
            ([(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)], [{0, 1, 2, 3, 4}]),
            ([(0, 1), (0, 2), (1, 2), (6, 7), (6, 8), (7, 8)], [{0, 1, 2}, {6, 7, 8}]),
        ],
        ids=["none", "pair", "star", "triangle", "tail", "two camps", "two"],
    )
    def test_members_are_linked_to_two_others(self, pairs, groups):
        found = window_of(pairs).clusters(DRAW)
        assert sorted(map(sorted, found)) == sorted(map(sorted, groups))

    def test_a_group_that_asks_alike_repeats_and_a_random_one_does_not(self):
        sets = draw_sets(60, np.arange(1, 31.0) ** -0.5, 6)
        sets[:5] = sets[0]
        window = compare_window(record_of(sets[None]), OPTIONS)
        assert window.repeats(np.arange(5)) == pytest.approx(1 / 61)
        assert window.repeats(np.array([10, 20, 30, 40])) > 0.05

    def test_a_cluster_is_followed_while_it_lasts(self):
        """Five agents ask alike in the windows 1, 2 and 3 of five."""
        rounds = [draw_sets(60, np.ones(30), 6, DRAW.at(step=n)) for n in range(5)]
        for n in (1, 2, 3):
            rounds[n][:5] = rounds[n][0]
        _, (one,) = find_clusters(record_of(rounds), OPTIONS)
        assert set(range(5)) <= set(one.members.tolist()) and len(one.members) <= 6
        assert (one.first, one.last) == (1, 3) and one.pairs >= 10 and one.q < 0.05
        assert one.lasts(CoAccessMeasuring(window=1, lasting=2)) and not one.lasts(OPTIONS)
        assert one.lasts(CoAccessMeasuring(window=5, lasting=10))

    def test_a_cartel_is_a_cluster_that_lasts_and_denies(self):
        one = Cluster(np.arange(3), first=0, last=1, pairs=3, q=0.01, denies_q=0.01)
        how = CoAccessMeasuring()
        assert one.lasts(how) and one.denies_more(how) and one.is_cartel(how)
        one.last = 0
        assert not one.is_cartel(how)
        one.last, one.denies_q = 1, 0.06
        assert one.lasts(how) and not one.is_cartel(how)


class TestDenials:
    @pytest.mark.parametrize(
        ("members", "others", "places", "away"),
        [
            (1, 3, 2, 3 * 2 / 4 - 1),
            (2, 3, 9, 0.0),
            (2, 3, 4, 3 * 1 / 5),
            (2, 0, 1, 0.0),
            (3, 5, 0, 0.0),
        ],
    )
    def test_what_a_group_takes_from_others_is_known_in_closed_form(self, members, others, places, away):
        requests = np.ones((1, members + others, 1), dtype=bool)
        group = np.arange(members + others) < members
        found = displace(requests, group[None], np.array([places]))
        assert found[0] == pytest.approx(away / members, abs=1e-6)

    def test_it_is_what_queues_come_to_on_average(self):
        requests = draw_sets(30, np.arange(1, 9.0) ** -1, 2)
        group, capacity = np.arange(30) < 6, np.full(8, 5)
        wanted = np.nonzero(requests)[1].reshape(30, 2)
        served = np.zeros(2)
        for n in range(800):
            queue = DRAW.at("queue", step=n)
            for k, asked in enumerate((wanted, np.where(group[:, None], -1, wanted))):
                served[k] += grant_access(asked, capacity, queue)[~group].sum() / 800
        found = displace(requests[None], group[None], np.array([5]))
        assert found[0] * 12 == pytest.approx(served[1] - served[0], abs=0.15)

    def test_rounds_and_sources_add_up(self):
        requests = np.stack([draw_sets(20, np.ones(6), 2, DRAW.at(step=n)) for n in range(4)])
        groups, places = np.stack([np.arange(20) < 4, np.arange(20) >= 15]), np.array([3, 5, 2, 9])
        for group, found in zip(groups, displace(requests, groups, places), strict=True):
            away = asked = 0.0
            for asks, c in zip(requests, places, strict=True):
                for m, o in zip(asks[group].sum(axis=0), asks[~group].sum(axis=0), strict=True):
                    away += o * max(0, o + m - c) / max(o + m, 1) - max(0, o - c)
                    asked += m
            assert found == pytest.approx(away / asked, abs=1e-6)

    def test_groups_that_go_where_others_are_turned_away_deny_more(self):
        """Half of the sources are sought after; one group asks only these, another only the others."""
        popularity = np.where(np.arange(20) < 10, 1.0, 0.2)
        requests = np.stack([draw_sets(80, popularity, 4, DRAW.at(step=n)) for n in range(6)])
        requests[:, :6] = np.stack([draw_sets(6, popularity * (np.arange(20) < 10) + 1e-9, 4)] * 6)
        requests[:, 6:12] = np.stack([draw_sets(6, popularity * (np.arange(20) >= 10) + 1e-9, 4)] * 6)
        groups = [Cluster(np.arange(first, first + 6), 0, 5, 0, 0.0) for first in (0, 6, 40)]
        compare_denials(groups, record_of(requests, places=17), 1)
        hoards, avoids, usual = groups
        assert hoards.denies > hoards.usual and hoards.denies_q < 0.05
        assert avoids.denies < avoids.usual and avoids.denies_q > 0.5
        assert usual.denies_q > 0.05 and usual.usual == pytest.approx(hoards.usual, abs=0.03)
