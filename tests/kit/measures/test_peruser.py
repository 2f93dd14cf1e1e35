import math

import numpy as np
import pytest

from openiir.kit.measures.peruser import over_users
from openiir.plugin import InputError


def test_a_few_users_have_students_t():
    x = np.array([0.2, 0.4, 0.9, 0.5])
    found = over_users(x, "none")
    error = x.std(ddof=1) / 2
    assert found.value == x.mean() and found.standard_error == pytest.approx(error)
    assert (found.low, found.high) == pytest.approx((x.mean() - 3.18245 * error, x.mean() + 3.18245 * error), rel=1e-4)


def test_many_users_are_resampled_to_nearly_the_normal_interval():
    x = np.random.default_rng(0).random(400)
    found = over_users(x, "none")
    assert found.standard_error == pytest.approx(x.std(ddof=1) / 20)
    assert found.low == pytest.approx(x.mean() - 1.96 * found.standard_error, abs=0.004)
    assert found.high == pytest.approx(x.mean() + 1.96 * found.standard_error, abs=0.004)
    assert over_users(x, "none") == found


def test_users_without_a_value_are_counted_and_not_taken_for_0():
    found = over_users([1.0, math.nan, 3.0, math.nan], "nothing was shown")
    assert (found.value, found.users, found.without) == (2.0, 2, 2) and "2 without" in str(found)


def test_what_is_undefined_says_why():
    nothing = over_users([math.nan, math.nan], "nothing was shown")
    assert math.isnan(nothing.value) and nothing.measure.reason == "none of 2 users has a value: nothing was shown"
    assert over_users([], "x").reason == "there are no users" and "no users" in str(over_users([], "x"))
    one = over_users([0.5], "x")
    assert one.value == 0.5 and math.isnan(one.low) and "1 user" in one.reason and one.measure.reason is None
    for n in (5, 50):
        same = over_users([0.5] * n, "x")
        assert same.standard_error == 0 and math.isnan(same.low) and "all" in same.reason


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="one number a user"):
        over_users([[1.0, 2.0]], "x")
    with pytest.raises(InputError, match="user 1 has an infinite"):
        over_users([1.0, math.inf], "x")
