"""One content hash however the crowd's work is spread, and one noise for all feeds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from openiir.runs.settings import Settings

SPREADS = {12: [(1, 4096), (4, 1), (2, 7)], 130: [(2, 4096), (1, 64), (4, 64)]}
"""Workers and blocks, by the number of users: a block of one user each takes its time."""
WAYS: list[dict[str, Any]] = [
    {"evaluate": ["popularity", "history"]},
    {
        "pool": 20,
        "ranker": "estimated",
        "beside": ["exploring"],
        "kept": 0.4,
        "epsilon": 0.6,
        "repeats": True,
    },
    {"clicks": {"model": "dbn", "leave": 0.1}, "beliefs": {"rule": "repulsion"}, "items": {"per_week": 6}},
]


@pytest.mark.parametrize("users", SPREADS)
@pytest.mark.parametrize("way", WAYS, ids=["evaluated", "pooled", "exhausted"])
def test_neither_workers_nor_blocks_change_the_content(
    feed: Callable[..., Any], way: Any, users: int
) -> None:
    few = {"users": users, "weeks": 2, "sessions": 1, "beside": ["history"], **way}
    contents = {s: feed(few, settings=Settings(workers=s[0], block=s[1])).content for s in SPREADS[users]}
    assert len(set(contents.values())) == 1, contents


def test_feeds_of_one_ranker_are_one_feed(feed: Callable[..., Any]) -> None:
    ran = feed({"ranker": "history", "beside": ["history"]})
    one, other = ran.rows("impressions", "main"), ran.rows("impressions", "history")
    assert len(one["item"]) > 0
    for name in one:
        if name != "feed":
            assert np.array_equal(one[name], other[name]), name


@pytest.mark.parametrize("model", ["position", "cascade", "dbn"])
def test_feeds_share_their_noise(feed: Callable[..., Any], model: str) -> None:
    """Where all items appeal alike, what is clicked depends on the noise alone, which is each user's own."""
    alike = {"items": {"per_week": 40, "quality": 0.0}, "clicks": {"alignment": 0.0, "model": model}}
    ran = feed({**alike, "beside": ["popularity", "random", "chronological"], "epsilon": 0.5})
    columns = ("user", "session", "position")
    told = {}
    for name in ("main", "popularity", "random", "chronological"):
        seen, latent = ran.rows("impressions", name), ran.rows("oracle", name)
        assert all(np.array_equal(seen[c], latent[c]) for c in columns)
        told[name] = [seen[c].tolist() for c in columns] + [seen["click"].tolist(), latent["looked"].tolist()]
    assert told["main"] == told["popularity"] == told["random"] == told["chronological"]
    assert any(told["main"][3]) and ran.value("exposure_entropy.per_user.less_random") != 0


def test_more_users_change_nothing_for_those_before_them(feed: Callable[..., Any]) -> None:
    """Under rankers that look at one user alone."""
    few = {"ranker": "similarity", "beside": ["random"]}
    one, other = feed({**few, "users": 10}), feed({**few, "users": 25})
    for name in ("main", "random"):
        first, second = one.rows("impressions", name), other.rows("impressions", name)
        mine = second["user"] < 10
        for column in ("item", "click", "score", "oracle_score", "p_item", "candidates"):
            assert np.array_equal(first[column], second[column][mine])


def test_a_share_of_impressions_is_kept_and_no_aggregate_notices(feed: Callable[..., Any]) -> None:
    whole, part, none = (feed({"kept": kept}) for kept in (1.0, 0.4, 0.0))
    for table in ("weeks", "topics", "products", "opinions", "items", "catalogue"):
        for other in (part, none):
            one, two = whole.rows(table, None), other.rows(table, None)
            assert all(np.array_equal(one[name], two[name]) for name in one), table
    everything, some = whole.rows("impressions"), part.rows("impressions")
    kept = np.isin(everything["user"], some["user"])
    assert 0 < kept.sum() < len(kept)
    assert all(np.array_equal(everything[name][kept], some[name]) for name in some)
    assert none.measures["regret"].reason and np.isnan(none.value("regret"))
    assert none.value("click_rate") == whole.value("click_rate")
