"""The reference feed gives the published table, and what is known of the model's corners."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "reference_feed.py"
QUICK: dict[str, Any] = {"kept": 0.0, "audit_users": 1}


@pytest.fixture(scope="module")
def reference() -> Any:
    """The benchmark that runs ten seeds, as a module."""
    spec = importlib.util.spec_from_file_location("openiir_benchmark_reference_feed", BENCHMARK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_feed_gives_the_prototypes_table(reference: Any) -> None:
    """Two seeds, with the band that two seeds have; the benchmark runs ten."""
    found = reference.measured(range(1, 3))
    outside = [row for row in reference.compared(found) if not row[-1]]
    assert not outside, outside
    assert all(holds for _, holds in reference.ordered(found)), list(reference.ordered(found))
    assert (found["similarity", "oracle_tau"] == 1.0).all(), "the oracle agrees with itself"


def test_opinions_stand_still_without_a_feed(feed: Callable[..., Any]) -> None:
    ran = feed({"beside": ["none"], "weeks": 4})
    start = np.stack([ran.rows("users", None)[f"belief_{n}"] for n in range(1, 5)])
    for week in range(1, 5):
        sums = ran.rows("topics", "none", week=week)["belief_sum"]
        assert sums.tolist() == start.sum(axis=1).tolist()
    assert ran.value("none/opinion_variance") == pytest.approx(start.var(axis=1).mean(), rel=2**-30)
    assert ran.value("none/drift") == 0.0 and ran.value("drift") > 0.0


def test_where_beliefs_move_no_clicks_no_ranker_earns_more(feed: Callable[..., Any]) -> None:
    """All earn the mean over items of the logistic of -1 + quality, seen as often as 10 positions are."""
    few = {"users": 150, "weeks": 4, "clicks": {"alignment": 0.0}, "beside": ["history", "random"], **QUICK}
    ran = feed(few, whole=True)
    appeal = 1 / (1 + np.exp(1 - ran.rows("catalogue", None)["quality"]))
    looked = (1 / np.arange(1, 11)).mean()
    shown = ran.rows("weeks")["shown"].sum()
    by_chance = np.hypot(np.sqrt(0.08 * 0.92 / shown), looked * appeal.std() / np.sqrt(len(appeal)))
    for name in ("click_rate", "history/click_rate", "random/click_rate"):
        assert abs(ran.value(name) - appeal.mean() * looked) < 3 * by_chance < 0.007, name
        assert 0.079 < ran.value(name) < 0.086, "0.082 to 0.083 in the prototype"


def test_mere_exposure_flattens_most_by_popularity_and_not_at_all_by_similarity(
    feed: Callable[..., Any],
) -> None:
    rule = {"beliefs": {"exposure": 1.0}, "beside": ["popularity", "none"], **QUICK}
    ran = feed(rule, whole=True, seed=1)
    assert ran.value("opinion_variance") > ran.value("none/opinion_variance")
    assert ran.value("popularity/opinion_variance") < 0.25 * ran.value("none/opinion_variance")


def test_bounded_confidence_undoes_what_rankers_do_to_variance(feed: Callable[..., Any]) -> None:
    few = {"users": 100, "weeks": 4, "beside": ["popularity", "random"], **QUICK}
    spread = {}
    for rule in ("assimilation", "bounded"):
        ran = feed({**few, "beliefs": {"rule": rule}}, whole=True, seed=1)
        values = [
            ran.value("opinion_variance"),
            *(ran.value(f"{n}/opinion_variance") for n in ("popularity", "random")),
        ]
        spread[rule] = max(values) - min(values)
    assert spread["bounded"] < 0.3 * spread["assimilation"]


@pytest.mark.parametrize("per_week", [11, 90])
def test_catalogues_of_other_sizes_show_no_item_twice(feed: Callable[..., Any], per_week: int) -> None:
    """Eleven items a week for ten impressions leave fewer than are shuffled at most."""
    ran = feed({"items": {"per_week": per_week}})
    for name in ("main", "random"):
        rows = ran.rows("impressions", name)
        assert len(rows["item"]) == 30 * 30
        counts = np.bincount(rows["user"] * per_week * 3 + rows["item"])
        assert counts.max() == 1
        assert (rows["shuffled"].min() < 12) == (per_week == 11)
    assert len(ran.rows("catalogue", None)["item"]) == 3 * per_week


def test_repeats_fill_every_slate(feed: Callable[..., Any]) -> None:
    ran = feed({"items": {"per_week": 5}, "repeats": True, "slots": 5, "beside": ["none"], "epsilon": 0.0})
    assert ran.rows("weeks")["shown"].tolist() == [30 * 2 * 5] * 3


def test_one_topic_alone_has_no_entropy(feed: Callable[..., Any]) -> None:
    ran = feed({"topics": 1})
    for name in ("exposure_entropy", "exposure_entropy.per_user"):
        assert np.isnan(ran.value(name)) and ran.measures[name].reason
    assert ran.value("exposure_share.1") == 1.0 and ran.value("issue_alignment") == pytest.approx(1.0)


def test_controls_stand_beside_every_measure_and_differences_are_differences(
    feed: Callable[..., Any],
) -> None:
    ran = feed()
    for name in ("opinion_variance", "drift", "polarisation", "issue_alignment"):
        assert ran.value(f"{name}.less_random") == ran.value(name) - ran.value(f"random/{name}")
        assert ran.value(f"{name}.less_none") == ran.value(name) - ran.value(f"none/{name}")
    assert "click_rate.less_random" in ran.measures and "click_rate.less_none" not in ran.measures
