"""The reaction kernel beside its golden values, numerical integrals and draws."""

import numpy as np
import pytest
from scipy.integrate import quad

from openiir.core.seeds import Draw
from openiir.scenarios.social_media.model.activity import (
    reaction_quantile,
    reaction_share,
    select_due_rows,
)

THETA, S0, C = 0.2314843, 300, 0.0006265725
DRAW = Draw(5, "test.delays")


def density(seconds):
    return C if seconds <= S0 else C * (seconds / S0) ** -(1 + THETA)


def test_the_kernel_integrates_to_one():
    whole = quad(density, 0, S0)[0] + quad(density, S0, np.inf)[0]
    assert whole == pytest.approx(1, abs=1e-5)
    assert reaction_share(1e30) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("minutes", [0.5, 5, 5.01, 60, 360, 1_440])
def test_shares_are_integrals_of_the_density(minutes):
    naive = quad(density, 0, 60 * minutes, points=[min(S0, 60 * minutes)], limit=200)[0]
    assert reaction_share(minutes) == pytest.approx(naive, abs=1e-6)


def test_golden_values():
    assert reaction_share([60, 1_440]) == pytest.approx([0.5431669369, 0.7810926745], abs=2e-6)
    assert reaction_quantile(0.5) == pytest.approx(2437.28697 / 60, rel=1e-5)
    assert reaction_quantile(0.75) == pytest.approx(13.5219060 * 60, rel=1e-4)
    assert reaction_share([-3, 0]).tolist() == [0, 0]


def test_the_quantile_is_the_inverse():
    shares = np.linspace(0, 0.999, 1_000)
    assert reaction_share(reaction_quantile(shares)) == pytest.approx(shares, abs=1e-12)


def test_rows_that_fall_due_come_in_the_order_of_their_minutes():
    minutes = np.array([61.0, 5.0, 59.9, 5.0, 60.0, 0.0, 120.0])
    assert select_due_rows(minutes, 0, 60).tolist() == [5, 1, 3, 2]
    assert select_due_rows(minutes, 60, 120).tolist() == [4, 0]
