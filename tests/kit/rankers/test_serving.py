"""From scores to slates: the order against a plain sort, the shuffle against its own propensities."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.rankers import NONE, RankedItems, check_name, propensities, rank_items, ranker, serve_slates
from openiir.kit.rankers.propensities import prefix


def sorted_out(scores: np.ndarray, items: np.ndarray, blocked: np.ndarray, top: int) -> list[list[int]]:
    rows = []
    for user in range(len(scores)):
        own = items if items.ndim == 1 else items[user]
        left = [c for c in range(scores.shape[1]) if not blocked[user, c]]
        order = sorted(left, key=lambda c: (-round(scores[user, c] * 2**20), own[c]))[:top]
        rows.append([int(own[c]) for c in order] + [NONE] * (min(top, scores.shape[1]) - len(order)))
    return rows


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    ("columns", "top"), [(1, 1), (1, 4), (7, 3), (8, 8), (33, 10), (64, 64), (65, 20), (5, 9)]
)
def test_best_is_a_sort_by_falling_score_and_rising_id(columns: int, top: int, own: bool) -> None:
    rng = np.random.default_rng(columns)
    scores = rng.choice([-3.25, -0.5, 0.0, 0.1, 0.5, 2.0], (30, columns))
    blocked = rng.random((30, columns)) < rng.choice([0.0, 0.3, 0.8, 1.0], (30, 1))
    items = np.arange(columns) * 3 + 1
    if own:
        items = np.sort(np.argsort(rng.random((30, 100)), axis=1)[:, :columns], axis=1)
    found = rank_items(scores, items, blocked, top)
    assert found.items.tolist() == sorted_out(scores, items, blocked, top)
    assert found.found.tolist() == [sum(i != NONE for i in row) for row in found.items.tolist()]
    assert (np.isnan(found.scores) == (found.items == NONE)).all()
    if not blocked.any(axis=None):
        assert (rank_items(scores, items, None, top).items == found.items).all()


def test_best_keeps_the_scores_it_is_given() -> None:
    scores = np.random.default_rng(1).normal(size=(6, 20))
    before = scores.copy()
    found = rank_items(scores, np.arange(20), None, 20)
    assert (scores == before).all()
    for row in range(6):
        assert found.scores[row] == pytest.approx(scores[row, found.items[row]], abs=2**-20)


def test_scores_apart_by_less_than_the_grid_are_tied() -> None:
    found = rank_items(np.array([[0.5, 0.5 + 2**-23, 0.5 + 2**-19]]), np.arange(3), None, 3)
    assert found.items.tolist() == [[2, 0, 1]]


@pytest.mark.parametrize("size", [1e9, -1e9, 4e8])
def test_large_scores_are_ranked_and_larger_ones_refused(size: float) -> None:
    scores = np.tile(np.array([[1.0, 3.0, 2.0]]) * size, (2, 1))
    expected = [1, 2, 0] if size > 0 else [0, 2, 1]
    assert rank_items(scores, np.arange(3), None, 3).items.tolist() == [expected, expected]
    with pytest.raises(ValueError, match="too large"):
        rank_items(scores * 1e6, np.arange(3), None, 3)


def ordered(users: int, top: int) -> RankedItems:
    return rank_items(-np.tile(np.arange(top, dtype=float), (users, 1)), np.arange(top), None, top)


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_slates_come_as_often_as_their_propensities_say(epsilon: float) -> None:
    top, slots, users, sessions = 4, 2, 500, 40
    ranked, draw, seen = ordered(users, top), Draw(4, "serve"), Counter[tuple[int, ...]]()
    for session in range(sessions):
        slates = serve_slates(ranked, slots, epsilon, draw, np.arange(users), session)
        seen.update(map(tuple, slates.det_rank.tolist()))
    every = list(permutations(range(1, top + 1), slots))
    expected = prefix(np.array(every), top, epsilon)[..., -1] * users * sessions
    assert sum(seen.values()) == users * sessions == pytest.approx(expected.sum())
    assert chisquare([seen[one] for one in every], expected).pvalue > 1e-3


def test_without_exploration_the_best_are_served_and_with_it_alone_the_order_is_forgotten() -> None:
    ranked, users = ordered(4_000, 5), np.arange(4_000)
    still = serve_slates(ranked, 3, 0.0, Draw(4, "serve"), users, 0)
    assert (still.items == [0, 1, 2]).all() and not still.explored.any()
    shuffled = serve_slates(ranked, 3, 1.0, Draw(4, "serve"), users, 0)
    assert shuffled.explored.all()
    for position in range(3):
        counts = np.bincount(shuffled.items[:, position], minlength=5)
        assert chisquare(counts).pvalue > 1e-3


def test_a_users_slate_is_the_same_alone_and_in_any_block() -> None:
    scores = np.random.default_rng(3).normal(size=(40, 12))
    blocked = np.random.default_rng(4).random((40, 12)) < 0.6
    draw, everyone = Draw(5, "serve"), np.arange(40)
    ranked = rank_items(scores, np.arange(12), blocked, 6)
    together = serve_slates(ranked, 4, 0.5, draw, everyone, 9)
    chances = propensities(together, 0.5)
    for user in range(40):
        one = slice(user, user + 1)
        alone = serve_slates(
            rank_items(scores[one], np.arange(12), blocked[one], 6), 4, 0.5, draw, everyone[one], 9
        )
        assert (alone.items[0] == together.items[user]).all() and alone.explored[0] == together.explored[user]
        for name, chance in propensities(alone, 0.5).items():
            assert np.array_equal(chance[0], chances[name][user], equal_nan=True)


def test_short_slates_hold_what_was_left_once_each() -> None:
    scores = np.zeros((60, 6))
    blocked = np.arange(6)[None, :] >= (np.arange(60) % 7)[:, None]
    ranked = rank_items(scores, np.arange(6), blocked, 5)
    slates = serve_slates(ranked, 4, 0.7, Draw(1, "short"), np.arange(60), 0)
    for user in range(60):
        left, served = min(user % 7, 5), slates.items[user]
        there = served[served != NONE].tolist()
        assert len(there) == len(set(there)) == min(left, 4) and all(item < left for item in there)
        assert (served[len(there) :] == NONE).all()
    chances = propensities(slates, 0.7)
    assert all((np.isnan(chance) == (slates.items == NONE)).all() for chance in chances.values())
    assert (chances["p_slate"][~np.isnan(chances["p_slate"])] > 0).all()


class TestCallables:
    """`module:function` rankers, which tests below put where imports find them."""

    @pytest.fixture
    def named(self, tmp_path, monkeypatch):
        import sys

        def write(body: str) -> str:
            (tmp_path / "own_rankers_here.py").write_text(
                "import numpy as np\n\ndef rank(view):\n    " + body + "\n"
            )
            monkeypatch.syspath_prepend(str(tmp_path))
            monkeypatch.delitem(sys.modules, "own_rankers_here", raising=False)
            return "own_rankers_here:rank"

        return write

    def test_scores_are_taken_as_they_are(self, named, seen) -> None:
        view = seen([1, 2])
        assert (ranker(named("return view.cosine(view.taste)"))(view) == view.cosine(view.taste)).all()

    def test_what_is_the_platforms_cannot_be_written_to(self, named, seen) -> None:
        view = seen([1, 2])
        body = "return np.full(view.shape, float(any(a.flags.writeable for a in (view.users, view.chart))))"
        assert not ranker(named(body))(view).any() and view.chart.flags.writeable

    @pytest.mark.parametrize("own", [False, True])
    def test_an_order_of_items_ranks_them_and_what_it_leaves_out_comes_last(self, named, seen, own) -> None:
        view = seen([1, 2], own)
        name = named("return np.broadcast_to(view.items, view.shape)[:, ::-1][:, :4].copy()")
        ranked = rank_items(ranker(name)(view), view.items, None, 7)
        offered = np.broadcast_to(view.items, view.shape)
        assert (ranked.items[:, :4] == offered[:, ::-1][:, :4]).all()
        assert (ranked.items[:, 4:] == offered[:, :3]).all(), "ties of the rest go by id"

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ("return np.full(view.shape, np.nan)", "nan for user 0"),
            ("return np.full(view.shape, np.inf)", "inf for user 0"),
            ("return np.zeros((1, 2))", r"shape \(1, 2\)"),
            ("return np.zeros(view.shape)[:, 1:]", "shape"),
            ("return 'well'", "no numbers"),
            ("return None", "shape|no numbers|nan"),
            ("return np.zeros((len(view.users), 3), dtype=np.int64)", "item 0 twice for user 1"),
            ("return np.full((len(view.users), 1), 99)", "item 99 for user 1, which was not offered"),
            ("return np.zeros((5, 1), dtype=np.int64)", "5 orders for 2 users"),
            ("return np.zeros((2, 0), dtype=np.int64)", "ranked nothing"),
            ("return np.full(view.shape, 1e300)", "too large"),
        ],
    )
    def test_what_cannot_be_served_is_refused_by_name(self, named, seen, body, words) -> None:
        name = named(body)
        with pytest.raises(InputError, match=words) as told:
            rank_items(ranker(name)(seen([1, 2])), np.arange(24), None, 5)
        assert "own_rankers_here:rank" in str(told.value)

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("famous", "known: popularity"),
            ("no_such_module_here:rank", "no_such_module_here"),
            ("math:famous", "famous"),
        ],
    )
    def test_a_name_that_leads_nowhere_is_refused_with_its_key(self, name, words) -> None:
        with pytest.raises(InputError, match=words) as told:
            check_name(name, "config.ranker")
        assert str(told.value).startswith(f"config.ranker = {name!r}")


def test_both_ways_of_packing_sort_alike() -> None:
    scores = np.round(np.random.default_rng(3).normal(0, 2, (40, 300)), 2)
    items, blocked = np.arange(300), np.random.default_rng(4).random((40, 300)) < 0.2
    as_floats = rank_items(scores, items, blocked, 25)
    one_huge = np.concatenate(
        [scores, np.full((40, 1), 2.0**31)], axis=1
    )  # too large for the bits of a float
    closed = np.concatenate([blocked, np.ones((40, 1), dtype=np.bool_)], axis=1)
    as_integers = rank_items(one_huge, np.arange(301), closed, 25)
    assert np.array_equal(as_floats.items, as_integers.items)
    assert np.array_equal(as_floats.place, as_integers.place)
    assert np.array_equal(as_floats.scores, as_integers.scores, equal_nan=True)


def test_groups_of_users_joined_are_those_of_the_whole() -> None:
    scores, items = np.random.default_rng(5).normal(size=(30, 12)), np.arange(12)
    whole = rank_items(scores, items, None, 4)
    parts = RankedItems.concatenate(
        [rank_items(scores[:7], items, None, 4), rank_items(scores[7:], items, None, 4)]
    )
    for name in ("items", "place", "scores", "found"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
