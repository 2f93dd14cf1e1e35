"""Judgements of truth beside scikit-learn, scipy and loops, and for calibrated uniform probabilities."""

import math

import numpy as np
import pytest
from scipy.stats import binom
from sklearn import metrics

from openiir.core.seeds import Draw
from openiir.kit.measures import (
    brier_parts,
    brier_score,
    calibration_error,
    discriminate_pairs,
    draw_calibration_null,
    recall_at_false_positives,
)

DRAW = Draw(8, "test.judgements")
N = 40_000
P = DRAW.at("p").uniform(item=np.arange(N))
FALSE = DRAW.at("false").uniform(item=np.arange(N)) < P


def test_calibrated_uniform_probabilities_have_the_published_losses() -> None:
    assert brier_score(P, FALSE, balanced=False) == pytest.approx(1 / 6, abs=0.004)
    null = draw_calibration_null(P[:2_000], DRAW.at("null"), 200)
    assert null.low <= calibration_error(P[:2_000], FALSE[:2_000]) <= null.high
    assert calibration_error(P[:2_000] ** 3, FALSE[:2_000]) > 2 * null.high


def test_losses_are_those_of_scikit_learn() -> None:
    p, false = P[:500] ** 2, FALSE[:500]
    assert brier_score(p, false, balanced=False) == pytest.approx(
        metrics.brier_score_loss(false, p), rel=1e-12
    )
    sides = [
        metrics.brier_score_loss(false[own], p[own], labels=[False, True], pos_label=True)
        for own in (false, ~false)
    ]
    assert brier_score(p, false) == pytest.approx(np.mean(sides), rel=1e-9)


def test_parts_add_up_to_the_score_and_are_those_of_a_loop() -> None:
    p, false = P[:3_000] ** 2, FALSE[:3_000]
    parts = brier_parts(p, false)
    whole = parts.reliability - parts.resolution + parts.uncertainty + parts.within
    assert whole == pytest.approx(brier_score(p, false, balanced=False), rel=1e-12)
    reliability = resolution = error = 0.0
    for n in range(10):
        own = [(a, b) for a, b in zip(p, false, strict=True) if min(int(a * 10), 9) == n]
        said, share = np.mean([a for a, _ in own]), np.mean([b for _, b in own])
        reliability += len(own) / len(p) * (said - share) ** 2
        resolution += len(own) / len(p) * (share - false.mean()) ** 2
        error += len(own) / len(p) * abs(said - share)
    assert parts[:2] == pytest.approx((reliability, resolution)) and calibration_error(
        p, false
    ) == pytest.approx(error)
    rounded = np.minimum(np.floor(p * 10), 9) / 10 + 0.05
    assert brier_parts(rounded, false).within == pytest.approx(0, abs=1e-12)
    assert math.isnan(brier_parts([], []).within)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_recall_is_the_best_of_all_thresholds(share: float) -> None:
    p, false = np.round(P[:400], 2), FALSE[:400]
    found = [
        (p[false] >= level).mean() for level in [*np.unique(p), 2.0] if (p[~false] >= level).mean() <= share
    ]
    assert recall_at_false_positives(p, false, share) == pytest.approx(max(found))


def test_pairs_are_compared_without_ties() -> None:
    found = discriminate_pairs([0.9, 0.8, 0.7, 0.2, 0.5, 0.6], [0.1, 0.1, 0.1, 0.3, 0.5, 0.1])
    assert (found.share.value, found.ties) == (0.8, 1)
    assert found.p == pytest.approx(2 * binom.sf(3, 5, 0.5))
    none = discriminate_pairs([0.5], [0.5])
    assert math.isnan(none.share.value) and (none.ties, none.p) == (1, 1.0)


def test_a_bin_of_one_judgement_counts() -> None:
    p, false = [0.15, 0.85], [False, True]
    assert brier_parts(p, false) == pytest.approx((0.0225, 0.25, 0.25, 0.0))
    assert calibration_error(p, false) == pytest.approx(0.15)
