"""Policies that re-rank the feed under study, beside the same ranker without one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

BESIDE = {"ranker": "similarity", "beside": ["similarity"], "epsilon": 0.0, "candidates": 40}


def shown(ran: Any, feed: str) -> np.ndarray:
    return ran.rows("impressions", feed)["item"]


def test_diversity_shows_users_more_topics_than_its_ranker_alone(feed: Callable[..., Any]) -> None:
    ran = feed({**BESIDE, "policy": {"by": "mmr", "weight": 0.2}})
    assert ran.value("exposure_entropy.per_user") > ran.value("similarity/exposure_entropy.per_user") + 0.1


@pytest.mark.parametrize("policy", [{"by": "none"}, {"by": "mmr", "weight": 1.0}, {"by": "cap", "most": 5}])
def test_a_policy_that_asks_for_nothing_changes_nothing(feed: Callable[..., Any], policy: Any) -> None:
    ran = feed({**BESIDE, "policy": policy})
    assert np.array_equal(shown(ran, "main"), shown(ran, "similarity"))


def test_a_cap_and_a_quota_hold_in_every_slate(feed: Callable[..., Any]) -> None:
    topics = feed(BESIDE).rows("catalogue", None)
    main = np.stack([topics[f"topic_{n}"] for n in range(1, 5)], axis=1).argmax(axis=1)
    capped = shown(feed({**BESIDE, "policy": {"by": "cap", "most": 2}}), "main").reshape(-1, 5)
    assert max(np.bincount(main[slate]).max() for slate in capped) == 2
    owed = shown(feed({**BESIDE, "policy": {"by": "quota", "group": 2, "share": 0.4}}), "main").reshape(-1, 5)
    there = shown(feed(BESIDE), "main").reshape(-1, 5)
    assert (main[owed] == 1).sum(axis=1).mean() > (main[there] == 1).sum(axis=1).mean()
    assert np.mean((main[owed] == 1).sum(axis=1) >= 2) > 0.9


def test_the_injected_are_shown_last_under_a_factor_of_nothing(feed: Callable[..., Any]) -> None:
    push = [{"step": 1, "kind": "inject", "items": 30, "topic": 2, "valence": 0.9, "quality": 3.0}]
    ran = feed({**BESIDE, "policy": {"by": "down_rank", "factor": 0.0}}, event=push)
    injected = ran.rows("catalogue", None)["injected"]
    share = {name: injected[shown(ran, name)].mean() for name in ("main", "similarity")}
    assert share["main"] < share["similarity"] / 4


def test_propensities_are_those_of_the_new_order(feed: Callable[..., Any]) -> None:
    rows = feed({**BESIDE, "epsilon": 0.3, "candidates": 20, "policy": {"by": "mmr", "weight": 0.2}}).rows(
        "impressions"
    )
    still = ~rows["explored"]
    assert (rows["det_rank"][still] == rows["position"][still]).all()
    np.testing.assert_allclose(rows["p_item"][still], 0.7 + 0.3 / 20, rtol=2**-32)


def test_a_change_puts_a_policy_in_force(feed: Callable[..., Any]) -> None:
    ran = feed(BESIDE, change=[{"step": 3, "set": {"policy": {"by": "mmr", "weight": 0.2}}}])
    for week, alike in ((2, True), (3, False)):
        first, second = (ran.rows("impressions", name, week=week)["item"] for name in ("main", "similarity"))
        assert np.array_equal(first, second) == alike
