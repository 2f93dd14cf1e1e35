"""Gaps between groups and their trends, against least squares and plain means."""

import math

import numpy as np
import pytest

from openiir.kit.measures import gap_trend
from openiir.plugin import Draw

NORMAL = Draw(1, "values").normal(step=np.arange(12)[:, None], agent=np.arange(400))
ONE, OTHER = np.arange(400) % 4 == 0, np.arange(400) % 4 == 1
"""Masks of a hundred units each; half of all are in neither group."""


def regress(values: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Fit value ~ 1 + group + time + group x time by least squares; returns the four coefficients."""
    rows, found = [], []
    for time, line in enumerate(values):
        for unit, value in enumerate(line):
            if one[unit] or other[unit]:
                rows.append([1.0, one[unit], time, one[unit] * time])
                found.append(value)
    return np.linalg.lstsq(np.array(rows), np.array(found), rcond=None)[0]


def test_the_trend_is_the_interaction_of_group_and_time():
    values = NORMAL + 0.3 * ONE + 0.05 * ONE * np.arange(12)[:, None]
    gap, trend = gap_trend(values, ONE, OTHER)
    _, level, _, slope = regress(values, ONE, OTHER)
    assert trend.value == pytest.approx(10 * slope) and trend.low < 0.5 < trend.high
    assert gap.value == pytest.approx(level + slope * 5.5)
    assert gap.value == pytest.approx(values[:, ONE].mean() - values[:, OTHER].mean())
    assert gap_trend(values, ONE, OTHER, times=1).trend.value == pytest.approx(slope)


def test_intervals_are_over_units_not_over_their_values():
    """A unit that is alike at all times counts once: the gap has the interval of 100 values a group."""
    steady = np.repeat(NORMAL[:1], 12, axis=0) + ONE
    gap, trend = gap_trend(steady, ONE, OTHER)
    half = 1.96 * math.sqrt(NORMAL[0, ONE].var(ddof=1) / 100 + NORMAL[0, OTHER].var(ddof=1) / 100)
    assert gap.high - gap.low == pytest.approx(2 * half, rel=0.1) and gap.low < 1 < gap.high
    assert trend.value == pytest.approx(0, abs=1e-12) and trend.high - trend.low < 1e-12


def test_intervals_cover_as_often_as_they_say():
    inside = 0
    for seed in range(60):
        values = Draw(seed, "cover").normal(step=np.arange(6)[:, None], agent=np.arange(60))
        one = np.arange(60) < 20
        trend = gap_trend(values + 0.1 * one * np.arange(6)[:, None], one, ~one).trend
        inside += trend.low <= 1.0 <= trend.high
    assert 51 <= inside <= 60, "of 60 intervals of 95 %"


def test_groups_without_units_and_single_times_have_reasons():
    gap, trend = gap_trend(NORMAL, ONE, np.zeros(400, dtype=bool))
    assert math.isnan(gap.value) and math.isnan(trend.value) and gap.reason and trend.reason
    gap, trend = gap_trend(NORMAL[:1], ONE, OTHER)
    assert gap.value == pytest.approx(NORMAL[0, ONE].mean() - NORMAL[0, OTHER].mean())
    assert math.isnan(trend.value) and trend.reason == "one time has no trend"
