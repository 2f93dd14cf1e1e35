"""What `[[change]]` does to a feed under way."""

from collections.abc import Callable
from typing import Any

import numpy as np


def weeks_alike(one: Any, other: Any, table: str, feed: str = "main") -> list[bool]:
    """Week by week, whether two runs have the same rows."""
    first, second = one.rows(table, feed), other.rows(table, feed)
    alike = []
    for week in np.unique(first["week"]):
        a, b = ({n: c[rows["week"] == week] for n, c in rows.items()} for rows in (first, second))
        alike.append(all(np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") for name in a))
    return alike


def test_another_ranker_takes_over_in_its_week_and_the_controls_go_on(feed: Callable[..., Any]) -> None:
    plain = feed()
    changed = feed(change=[{"step": 2, "set": {"ranker": "popularity"}}])
    assert weeks_alike(plain, changed, "impressions") == [True, False, False]
    assert weeks_alike(plain, changed, "impressions", "random") == [True, True, True]
    rankers = changed.rows("weeks")["ranker"].tolist()
    assert rankers == ["similarity", "popularity", "popularity"]
    late = changed.rows("impressions", week=3)
    assert set(late["ranker"]) == {"popularity"} and (late["score"][late["det_rank"] == 1] >= 0).all()


def test_a_change_to_what_holds_already_changes_nothing(feed: Callable[..., Any]) -> None:
    plain = feed({"beside": ["random"]})
    same = feed({"beside": ["random"]}, change=[{"step": 2, "set": {"ranker": "similarity", "epsilon": 0.1}}])
    for table in ("impressions", "oracle", "weeks", "opinions"):
        assert all(weeks_alike(plain, same, table)), table


def test_exploration_can_be_turned_off_and_fully_on(feed: Callable[..., Any]) -> None:
    ran = feed(
        {"epsilon": 0.5}, change=[{"step": 2, "set": {"epsilon": 0.0}}, {"step": 3, "set": {"epsilon": 1.0}}]
    )
    shuffled = [ran.rows("impressions", week=week)["explored"].mean() for week in (1, 2, 3)]
    assert 0.2 < shuffled[0] < 0.8 and shuffled[1:] == [0.0, 1.0]
    still = ran.rows("impressions", week=2)
    assert (still["det_rank"] == still["position"]).all() and (still["p_slate"] == 1).all()
    np.testing.assert_allclose(ran.rows("impressions", week=3)["p_item"], 1 / 12, rtol=2**-32)


def test_beliefs_stand_still_once_nothing_moves_them(feed: Callable[..., Any]) -> None:
    rule = {"rate": 0.0, "anchor": 0.0}
    changes = [{"step": 2, "set": {f"beliefs.{key}": value for key, value in rule.items()}}]
    ran = feed(change=changes)
    sums = [ran.rows("topics", week=week)["belief_sum"].tolist() for week in (1, 2, 3)]
    start = [ran.rows("users", None)[f"belief_{n}"].sum() for n in range(1, 5)]
    assert sums[0] != start and sums[0] == sums[1] == sums[2]


def test_injected_items_are_shown_and_move_beliefs_their_way(feed: Callable[..., Any]) -> None:
    item = {"items": 30, "topic": 3, "valence": 1.0, "quality": 3.0}
    few = {"beside": ["random"], "ranker": "popularity"}
    plain = feed(few)
    pushed = feed(few, event=[{"step": week, "kind": "inject", **item} for week in (2, 3)])
    assert weeks_alike(plain, pushed, "impressions")[0]
    for name in ("exposure_share.3", "random/exposure_share.3"):
        assert pushed.value(name) > plain.value(name) + 0.02
    catalogue = pushed.rows("catalogue", None)
    injected = (catalogue["valence"] == 1.0) & (catalogue["topic_3"] == 1.0)
    assert np.bincount(catalogue["week"][injected], minlength=4).tolist() == [0, 0, 30, 30]
    believed = [run.rows("topics", "random", week=3)["belief_sum"][2] for run in (plain, pushed)]
    assert believed[1] > believed[0] + 0.5
