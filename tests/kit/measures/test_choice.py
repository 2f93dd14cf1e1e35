"""Borda's count and greedy coverage."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.kit.measures import borda, coverage, greedy_coverage

laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)
ballots = st.lists(
    st.permutations("abcde").flatmap(lambda p: st.integers(0, 5).map(lambda k: p[:k])), max_size=6
)
sets = st.dictionaries(
    st.sampled_from("abcdef"), st.sets(st.sampled_from("123456789")), min_size=1, max_size=6
)


class TestBorda:
    def test_by_hand(self):
        assert borda(["abc", "acb", "bac"]) == [("a", 5.0), ("b", 3.0), ("c", 1.0)]

    def test_what_a_ballot_leaves_out_shares_its_lowest_places(self):
        assert borda([["a"]], options=["b", "c"]) == [("a", 2.0), ("b", 0.5), ("c", 0.5)]

    def test_ties_go_by_approvals_then_by_id(self):
        rows = borda(["ba", "ab"], options=["c", "d"], approvals={"b": 2, "a": 1})
        assert [name for name, _ in rows] == ["b", "a", "c", "d"]

    @laws
    @given(ballots)
    def test_every_ballot_gives_the_same_points(self, votes):
        rows = borda(votes, options="abcde")
        assert sum(points for _, points in rows) == pytest.approx(10 * len(votes))

    @laws
    @given(ballots, st.randoms(use_true_random=False))
    def test_the_order_of_ballots_does_not_matter(self, votes, random):
        assert borda(random.sample(votes, len(votes)), "abcde") == borda(votes, "abcde")

    def test_an_option_named_twice_is_refused(self):
        with pytest.raises(ValueError, match="twice: a, a"):
            borda([["a", "a"]])


class TestGreedyCoverage:
    def test_what_adds_nothing_is_not_chosen(self):
        assert greedy_coverage({"a": "12", "b": "123", "c": "4", "d": "3"}, 9) == ["b", "c"]

    def test_ties_go_by_id_whatever_the_order_given(self):
        assert greedy_coverage({"z": "1", "a": "2"}, 1) == ["a"]

    @laws
    @given(sets, st.integers(1, 4))
    def test_it_reaches_the_bound(self, covers, k):
        best = max(
            len(set().union(*(covers[n] for n in some))) for some in combinations(covers, min(k, len(covers)))
        )
        got = len(set().union(*(covers[n] for n in greedy_coverage(covers, k))))
        assert got >= (1 - 1 / 2.718281828) * best

    def test_greedy_can_miss_the_best_pair(self):
        covers = {"left": "123", "right": "456", "wide": "1245"}
        assert greedy_coverage(covers, 2) == ["wide", "left"]
        assert coverage(["wide", "left"], covers) < coverage(["left", "right"], covers) == 1.0

    def test_coverage_is_a_share_of_all_that_could_be(self):
        covers = {"a": "12", "b": "3", "c": "4"}
        assert coverage(["a", "b"], covers) == 0.75
        assert coverage(greedy_coverage(covers, 9), covers) == 1.0
