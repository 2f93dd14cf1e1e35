"""The built-in rankers against each score worked out for one user and one item."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from openiir.kit.rankers import ORACLES, RANKERS, RandomScores, View, rank_items

OBSERVING = [name for name in RANKERS if name != "retrieval"]
"""Rankers that need no world behind the catalogue."""
USERS = [0, 3, 4, 5, 7, 8, 12, 20, 31]


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    dot = sum(a * b for a, b in zip(one.tolist(), other.tolist(), strict=True))
    size = math.sqrt(sum(a * a for a in one.tolist())) * math.sqrt(sum(b * b for b in other.tolist()))
    return dot / size if size else 0.0


def by_hand(name: str, view: View, row: int, item: int) -> float:
    user, x = int(view.users[row]), view.shelf.catalogue.x[item]

    def noise(what: str) -> float:
        return float(view.draw.at(what).uniform(agent=user, item=item))

    def like(known: np.ndarray) -> float:
        return cosine(known, x) if known.any() else float(view.chart[item]) + 0.5 * noise("tie")

    if name == "popularity":
        return float(view.all_clicks[item]) + 0.5 * noise("tie")
    if name == "chronological":
        return float(view.shelf.catalogue.arrival[item]) + 0.5 * noise("tie")
    if name == "random":
        return noise("random")
    if name == "exploring":
        clicks, shown = int(view.all_clicks[item]), int(view.all_shown[item])
        bonus = math.sqrt(2 * math.log(int(view.all_shown.sum()) + 1) / (shown + 1))
        return (clicks + 1) / (shown + 2) + bonus + noise("tie") / 4096
    if name == "similarity":
        assert view.belief is not None
        return cosine(view.belief[row], x)
    return like(view.taste[row] if name == "history" else view.evidence[row])


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", OBSERVING)
def test_scores_are_those_of_the_formula(name: str, own: bool, seen: Callable[..., View]) -> None:
    view = seen(USERS, own)
    scores = RANKERS[name](view)
    assert scores.shape == view.shape
    items = np.broadcast_to(view.items, view.shape)
    for row in range(len(USERS)):
        for column, item in enumerate(items[row].tolist()):
            # A cosine is taken with an item's direction on the grid, half a step off on each axis.
            assert scores[row, column] == pytest.approx(by_hand(name, view, row, item), abs=3e-6), (row, item)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", OBSERVING)
def test_a_block_of_users_is_ranked_as_each_of_them_alone(
    name: str, own: bool, seen: Callable[..., View]
) -> None:
    view = seen(USERS, own)
    together = RANKERS[name](view)
    for row, user in enumerate(USERS):
        alone = RANKERS[name](seen([user], own))
        assert (together[row] == alone[0]).all()


def test_more_users_than_are_gathered_at_a_time(seen: Callable[..., View]) -> None:
    few = seen(list(range(40)), own=True)
    many = replace(
        few, users=np.tile(few.users, 5), items=np.tile(few.items, (5, 1)), taste=np.tile(few.taste, (5, 1))
    )
    assert (RANKERS["history"](many) == np.tile(RANKERS["history"](few), (5, 1))).all()


def test_cold_users_are_given_last_weeks_chart_and_others_are_not(seen: Callable[..., View]) -> None:
    view = seen(USERS)
    cold = ~view.taste.any(axis=1)
    ranked = rank_items(RANKERS["history"](view), view.items, None, len(view.items))
    assert cold.any() and not cold.all()
    for row in np.flatnonzero(cold):
        chart = view.chart[ranked.items[row]]
        assert (np.diff(chart) <= 0).all(), "by last week's clicks"
    other = replace(view, chart=view.chart[::-1].copy())
    changed = (RANKERS["history"](other) != RANKERS["history"](view)).any(axis=1)
    assert (changed == cold).all()


def test_the_history_of_a_user_without_beliefs_is_no_oracle(seen: Callable[..., View]) -> None:
    view = seen(USERS)
    blind = replace(view, belief=None)
    assert set(ORACLES) == {"similarity"}
    for name in OBSERVING:
        if name in ORACLES:
            with pytest.raises(ValueError, match="belief"):
                RANKERS[name](blind)
        else:
            assert (RANKERS[name](blind) == RANKERS[name](view)).all()


@pytest.mark.parametrize("own", [False, True])
def test_remembered_noise_is_what_would_be_drawn(own: bool, seen: Callable[..., View]) -> None:
    users = [3, 9, 21, 39]
    drawn = seen(users, own=own)
    remembering = replace(drawn, remembered=RandomScores(40, drawn.shelf))
    cold = np.array([True, False, True, False])
    for some in (slice(None), cold):
        assert np.array_equal(remembering.noise("tie", some), drawn.noise("tie", some))
    assert not np.array_equal(remembering.noise("tie"), remembering.noise("random"))


def test_a_part_of_a_view_is_that_of_its_users(seen: Callable[..., View]) -> None:
    for own in (False, True):
        whole = seen(list(range(20)), own=own)
        part = whole.part(slice(5, 9))
        for name in OBSERVING:
            assert np.array_equal(RANKERS[name](part), RANKERS[name](whole)[5:9]), name
