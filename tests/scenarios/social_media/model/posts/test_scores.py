"""Formulas of ranking beside golden values, plain loops and the votes of real posts."""

import csv
import math
import os
from pathlib import Path

import numpy as np
import pytest

from openiir.kit.statistics.proportion import wilson_interval
from openiir.scenarios.social_media.model.posts.post_rankers import (
    REDDIT_EPOCH,
    TWITTER_WEIGHTS,
    controversy_score,
    engagement_score,
    hot_score,
    wilson_bound,
)


def naive_hot(ups, downs, seconds):
    net = ups - downs
    sign = (net > 0) - (net < 0)
    return round(sign * math.log10(max(abs(net), 1)) + (seconds - REDDIT_EPOCH) / 45_000, 7)


def naive_controversy(ups, downs):
    return (ups + downs) / max(abs(ups - downs), 1)


def naive_bound(ups, downs):
    return wilson_interval(ups, ups + downs, level=0.8).low if ups + downs else 0.0


def naive_order(scores):
    return sorted(range(len(scores)), key=lambda row: (-scores[row], row))


def test_golden_values():
    bounds = wilson_bound([10, 1, 60, 0, 0], [0, 0, 40, 0, 3])
    assert bounds == pytest.approx(
        [0.8589313179093836, 0.37844750322520615, 0.5360895561529684, 0, 0], abs=1e-12
    )
    assert hot_score([1, 10, 100, 0, 3], [0, 0, 0, 10, 3], REDDIT_EPOCH).tolist() == [0, 1, 2, -1, 0]
    assert hot_score(1, 0, REDDIT_EPOCH + 45_000) == hot_score(10, 0, REDDIT_EPOCH) == 1.0
    assert controversy_score([50, 90, 0], [50, 10, 0]).tolist() == [100, 1.25, 0]


def test_twelve_and_a_half_hours_are_worth_ten_times_the_net_votes():
    old, young = hot_score([1_000, 100], [0, 0], [REDDIT_EPOCH, REDDIT_EPOCH + 45_000])
    assert old == young == 3.0


def test_engagement_is_the_weighed_sum_of_its_chances():
    assert TWITTER_WEIGHTS["reply"] == 13.5 and TWITTER_WEIGHTS["report"] == -369.0
    assert sum(TWITTER_WEIGHTS.values()) == pytest.approx(-319.995)
    rates = {"like": [0.1, 0.0], "reply": [0.01, 0.02], "negative_feedback": [0.0, 0.003]}
    scores = engagement_score({kind: np.array(chances) for kind, chances in rates.items()})
    assert scores.tolist() == pytest.approx([0.185, 0.27 - 0.222])


@pytest.fixture(scope="module")
def top_posts():
    """Votes and times of the top posts of twelve forums, (ups, downs, seconds) by forum."""
    if "OPENIIR_DATA" not in os.environ:
        pytest.skip("OPENIIR_DATA is not set: the top posts of Reddit are not at hand")
    folder = Path(os.environ["OPENIIR_DATA"]) / "social-reddit-top"
    if not folder.is_dir():
        pytest.skip("OPENIIR_DATA holds no social-reddit-top")
    found = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = [(int(r["ups"]), int(r["downs"]), float(r["created_utc"])) for r in csv.DictReader(file)]
        found[path.stem] = list(zip(*rows, strict=True))
    return found


@pytest.mark.parametrize(
    ("score", "naive"),
    [
        (hot_score, naive_hot),
        (
            lambda ups, downs, _: controversy_score(ups, downs),
            lambda ups, downs, _: naive_controversy(ups, downs),
        ),
        (lambda ups, downs, _: wilson_bound(ups, downs), lambda ups, downs, _: naive_bound(ups, downs)),
    ],
    ids=["hot", "controversy", "wilson"],
)
def test_real_posts_are_ordered_by_the_formula(top_posts, score, naive):
    assert len(top_posts) == 12 and min(len(ups) for ups, _, _ in top_posts.values()) > 900
    for ups, downs, seconds in top_posts.values():
        plain = list(map(naive, ups, downs, seconds))
        scores = score(ups, downs, seconds)
        assert scores.tolist() == pytest.approx(plain, abs=1e-9)
        # numbers that differ in their last bits alone tie
        assert naive_order(np.round(scores, 7).tolist()) == naive_order([round(one, 7) for one in plain])
