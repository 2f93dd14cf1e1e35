"""Rates, hourly profiles and counts beside naive loops and published shares."""

import math

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.counts import draw_counts
from openiir.kit.measures.inequality import gini
from openiir.scenarios.social_media.model.activity import average_profile, draw_rates, scale_profile

DRAW = Draw(3, "test.activity")


def naive_count(unit, mean):
    """The smallest count whose Poisson distribution function reaches `unit`, term by term."""
    term = total = math.exp(-mean)
    count = 0
    while total < unit:
        count += 1
        term *= mean / count
        total += term
    return count


def test_a_tenth_of_the_members_acts_four_fifths_of_all_times():
    rates = np.sort(draw_rates(DRAW, np.arange(100_000), 2.0))
    assert rates[-10_000:].sum() / rates.sum() == pytest.approx(0.80, abs=0.01)
    assert gini(rates) == pytest.approx(0.87, abs=0.01)
    assert rates.mean() == pytest.approx(2.0, rel=0.1)
    assert np.median(rates) == pytest.approx(2.0 * math.exp(-(2.12**2) / 2), rel=0.02)


def test_rates_are_named_by_members():
    some = np.array([7, 99, 3])
    assert draw_rates(DRAW, some, 1.0).tolist() == draw_rates(DRAW, np.arange(100), 1.0)[some].tolist()
    assert (draw_rates(DRAW, some, 1.5, sigma=0.0) == 1.5).all()


def test_a_profile_moves_activity_and_removes_none():
    masked = scale_profile([0] * 8 + [1] * 16)
    assert masked.tolist() == [0.0] * 8 + [1.5] * 16
    assert average_profile(scale_profile(np.arange(24)), 17, 3 * 1_440) == pytest.approx(1)


@pytest.mark.parametrize(
    ("start", "minutes"), [(0, 60), (30, 60), (1_430, 20), (59.5, 0.25), (100, 3_000), (1_439, 1)]
)
def test_a_step_of_any_length_gets_the_average_of_its_moments(start, minutes):
    profile = scale_profile(np.arange(1, 25))
    moments = start + (np.arange(40_000) + 0.5) / 40_000 * minutes
    naive = np.mean([profile[int(moment // 60) % 24] for moment in moments])
    assert average_profile(profile, start, minutes) == pytest.approx(naive, rel=1e-4)


def test_short_steps_add_up_to_long_ones():
    profile = scale_profile(np.arange(24) ** 2)
    parts = [7 * average_profile(profile, start, 7) for start in range(50, 50 + 7 * 60, 7)]
    assert math.fsum(map(float, parts)) == pytest.approx(float(420 * average_profile(profile, 50, 420)))


def test_counts_are_quantiles_of_the_poisson_distribution():
    members = np.arange(3_000)
    means = np.geomspace(1e-9, 300, 3_000)
    unit = DRAW.uniform(agent=members)
    naive = [naive_count(u, mean) for u, mean in zip(unit.tolist(), means.tolist(), strict=True)]
    assert draw_counts(DRAW, members, means).tolist() == naive


def test_counts_have_mean_and_variance_of_their_rate():
    counts = draw_counts(DRAW, np.arange(50_000), np.array(2.5))
    assert counts.mean() == pytest.approx(2.5, abs=4 * math.sqrt(2.5 / 50_000))
    assert counts.var() == pytest.approx(2.5, rel=0.04)


def test_a_member_keeps_its_noise_whoever_else_is_drawn():
    members, means = np.arange(200), np.linspace(0, 5, 200)
    counts = draw_counts(DRAW.at(step=4), members, means)
    assert draw_counts(DRAW.at(step=4), members[60:], means[60:]).tolist() == counts[60:].tolist()
    assert (draw_counts(DRAW.at(step=4), members, 2 * means) >= counts).all()
    assert draw_counts(DRAW.at(step=5), members, means).tolist() != counts.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda: draw_counts(DRAW, np.arange(2), np.array([1.0, math.nan])),
        lambda: draw_counts(DRAW, np.arange(2), np.array([1.0, -0.1])),
    ],
)
def test_impossible_activity_is_refused(call):
    with pytest.raises(InputError, match="give|mend"):
        call()
