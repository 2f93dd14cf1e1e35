"""A planted lag is found, unrelated and merely drifting series are not."""

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.statistics.lags import follow_series
from openiir.kit.statistics.statistic import Undefined

ROUNDS = 40


def noise(purpose, seeds=6, rounds=ROUNDS):
    return Draw(5, purpose).normal(agent=np.arange(seeds)[:, None], item=np.arange(rounds))


@pytest.mark.parametrize("lag", [0, 1, 4])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_planted_lag_is_found(lag, sign):
    leading = noise("lead", rounds=ROUNDS + 4).cumsum(axis=1)
    following = sign * np.roll(leading, lag, axis=1)[:, 4:] + 0.3 * noise("own")
    found = follow_series(leading[:, 4:], following, 6, Draw(1, "lags"), 199)
    assert found.lag == lag
    assert np.sign(found.correlation) == sign
    assert found.p == 1 / 200


def test_the_correlation_is_that_of_the_differences():
    a, b = noise("a", 1), noise("b", 1)
    found = follow_series(a, b, 3, Draw(1, "lags"), 9)
    change = np.diff(a[0]), np.diff(b[0])
    by_lag = [np.corrcoef(change[0][: ROUNDS - 1 - lag], change[1][lag:])[0, 1] for lag in range(4)]
    assert found.correlation == pytest.approx(max(by_lag, key=abs))
    assert found.lag == np.argmax(np.abs(by_lag))


def test_unrelated_series_are_rarely_related():
    """The p-values of 40 unrelated pairs with a common drift are about uniform."""
    drift = np.linspace(0, 5, ROUNDS)
    p = [
        follow_series(drift + noise(f"a{n}", 3), drift + noise(f"b{n}", 3), 4, Draw(n, "lags"), 99).p
        for n in range(40)
    ]
    assert np.mean(np.array(p) <= 0.1) <= 0.25
    assert 0.35 < np.mean(p) < 0.65


@pytest.mark.parametrize("series", [np.zeros((2, ROUNDS)), np.arange(ROUNDS), np.full(ROUNDS, np.nan)])
def test_no_change_has_no_lag(series):
    with pytest.raises(Undefined):
        follow_series(series, noise("b", len(np.atleast_2d(series))), 3, Draw(1, "lags"))


def test_too_few_rounds():
    with pytest.raises(Undefined, match="too few"):
        follow_series(noise("a", 2, 6), noise("b", 2, 6), 4, Draw(1, "lags"))
