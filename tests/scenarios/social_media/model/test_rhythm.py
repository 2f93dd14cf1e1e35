"""Waking hours beside a loop over minutes."""

import numpy as np
import pytest

from openiir.scenarios.social_media.model.activity import DailyRhythm

AWAKE = np.isin(np.arange(24), [7, 8, 22])


def test_activity_follows_the_hours_and_keeps_its_volume() -> None:
    hours = np.arange(1.0, 25.0)
    rhythm = DailyRhythm(3, {1: AWAKE, 2: np.zeros(24, dtype=bool)})
    shares = np.array([rhythm.relative_activity(hours, 60.0 * hour, 60.0) for hour in range(24)])
    assert shares[:, 0] == pytest.approx(hours / hours.mean())
    assert shares[:, 1] == pytest.approx(np.where(AWAKE, 8.0, 0.0)) and not shares[:, 2].any()


def test_whoever_sleeps_wakes_at_the_same_minute_of_the_next_waking_hour() -> None:
    rhythm = DailyRhythm(2, {1: AWAKE})
    for minute in np.arange(0.5, 3_000, 37.0):
        awake = next(
            later for later in np.arange(minute, minute + 1_500, 60.0) if AWAKE[int(later // 60) % 24]
        )
        assert rhythm.postpone_to_waking(np.array([1, 0]), np.array([minute, minute])).tolist() == [
            awake,
            minute,
        ]
