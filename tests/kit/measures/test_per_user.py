import math

import numpy as np
import pytest

from openiir.kit.measures.per_user import over_users
from openiir.kit.statistics import cluster_bootstrap, mean_interval
from openiir.plugin import InputError


@pytest.mark.parametrize("n", [2, 7, 19])
def test_the_interval_is_that_of_seeds_where_that_is_students_t(n):
    x = np.random.default_rng(n).random(n)
    found, seeds = over_users(x, "none"), mean_interval(x)
    assert seeds.method == "t" and (found.value, found.low, found.high) == pytest.approx(seeds[:3])
    assert found.standard_error == pytest.approx(x.std(ddof=1) / np.sqrt(n))


def test_the_interval_lies_within_the_bounds_of_the_values():
    x = [0.0] * 40 + [0.04]
    found, seeds = over_users(x, "none", bounds=(0.0, 1.0)), mean_interval(x[-19:], bounds=(0.0, 1.0))
    assert over_users(x, "none").low < 0 < found.low < found.value < found.high
    assert over_users(x[-19:], "none", bounds=(0.0, 1.0))[1:3] == seeds[1:3]
    beyond = over_users([1.5, 1.7], "none", bounds=(0.0, 1.0))
    assert beyond.value == 1.6 and math.isnan(beyond.low) and "between the bounds" in beyond.reason


def test_with_many_users_a_bootstrap_gives_the_same():
    x = np.random.default_rng(0).beta(0.5, 2, 400)
    found, resampled = over_users(x, "none"), cluster_bootstrap(x, np.ones(400))
    assert (found.low, found.high) == pytest.approx(resampled[1:3], abs=0.1 * found.standard_error)


def test_users_without_a_value_are_counted_and_not_taken_for_0():
    found = over_users([1.0, math.nan, 3.0, math.nan], "nothing was shown")
    assert (found.value, found.users, found.without) == (2.0, 2, 2)


def test_what_is_undefined_says_why():
    nothing = over_users([math.nan, math.nan], "nothing was shown")
    assert (
        math.isnan(nothing.value)
        and nothing.measure.reason == "none of 2 users has a value: nothing was shown"
    )
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
