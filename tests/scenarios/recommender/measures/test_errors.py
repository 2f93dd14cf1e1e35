import math

import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.measures.consistency import check_rating_errors
from openiir.scenarios.recommender.measures.errors import rating_difference, rating_errors

NAN = math.nan


def rated(n=400, users=30, kept=0.7, seed=0):
    rng = np.random.default_rng(seed)
    meant = rng.integers(1, 6, n)
    given = np.clip(meant + rng.integers(-2, 3, n), 1, 5).astype(float)
    given[rng.random(n) > kept] = NAN
    return rng.integers(0, users, n), meant, given


def test_errors_are_sklearns():
    from sklearn import metrics as sk

    user, meant, given = rated()
    there = ~np.isnan(given)
    found = rating_errors(user, meant, given)
    assert found.rmse_of_rated.value == pytest.approx(sk.root_mean_squared_error(meant[there], given[there]))
    assert found.mae_of_rated.value == pytest.approx(sk.mean_absolute_error(meant[there], given[there]))
    own = [np.sqrt(np.mean((meant - given)[there & (user == u)] ** 2)) for u in np.unique(user[there])]
    assert found.rmse_by_user.value == pytest.approx(np.mean(own))
    assert found.rmse_of_rated.low < found.rmse_of_rated.value < found.rmse_of_rated.high
    assert found.whole and not check_rating_errors(
        found.rmse_of_rated.value, found.mae_of_rated.value, found.whole
    )
    assert not check_rating_errors(found.rmse_by_user.value, found.mae_by_user.value)


def test_an_error_of_rated_only_never_stands_alone():
    user, meant, given = rated()
    found = rating_errors(user, meant, given)
    measures = found.measures()
    assert measures["coverage"].value == found.rated / 400 < 1
    assert math.isnan(measures["rmse"].value) and "rmse_of_rated beside coverage" in measures["rmse"].reason
    assert measures["rmse_of_rated"].value == found.rmse_of_rated.value
    assert f"on {found.rated} of 400 asked" in str(found)
    whole = rating_errors(user, meant, np.where(np.isnan(given), 3, given)).measures()
    assert whole["rmse"] == whole["rmse_of_rated"] and whole["coverage"].value == 1


def test_where_nothing_was_rated_the_reason_is_given():
    found = rating_errors([1, 1], [3, 4], [NAN, NAN])
    measures = found.measures()
    assert measures["coverage"].value == 0 and all(
        math.isnan(m.value) and m.reason for n, m in measures.items() if n != "coverage"
    )
    assert "none of 2" in str(found)
    assert rating_errors([], [], []).measures()["coverage"].reason == "no rating was asked for"


def test_one_user_has_errors_without_an_interval():
    found = rating_errors([1, 1], [3, 4], [4.5, 4])
    assert found.mae_of_rated.value == 0.75 and not found.mae_of_rated.bounded and not found.whole
    assert found.measures()["mae"].reason is None


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([1, 2], [3, 4], [3]), "one length"),
        (([1, 2], [3, NAN], [3, 3]), "row 1 holds a rating that is no number"),
        (([1, 2], [3, 3], [math.inf, 3]), "row 0 holds a rating that is no number"),
    ],
)
def test_what_does_not_fit_is_refused(columns, words):
    with pytest.raises(InputError, match=words):
        rating_errors(*columns)


def test_histograms_are_apart_as_scipy_has_it():
    from scipy.spatial.distance import jensenshannon
    from scipy.stats import wasserstein_distance

    rng = np.random.default_rng(3)
    values = [0.5, 1, 2, 3.5, 5]
    given, real = rng.choice(values, 60), rng.choice(values, 900, p=[0.05, 0.1, 0.2, 0.25, 0.4])
    found = rating_difference(given, real, values)
    p, q = ([np.mean(x == v) for v in values] for x in (given, real))
    assert found.jensen_shannon.value == pytest.approx(jensenshannon(p, q, base=2) ** 2)
    assert found.earth_mover.value == pytest.approx(wasserstein_distance(given, real))


def test_histograms_that_are_alike_or_share_nothing():
    alike = rating_difference([1, 2, 2, NAN], [1, 1, 2, 2, 2, 2], range(1, 6))
    assert [one.value for one in alike] == pytest.approx([0, 0], abs=1e-12)
    apart = rating_difference([1, 1], [5], range(1, 6))
    assert [one.value for one in apart] == pytest.approx([1, 4])
    assert all(math.isnan(one.value) and one.reason for one in rating_difference([NAN], [5], range(1, 6)))


@pytest.mark.parametrize("rating", [3.2, 0, 9])
def test_a_rating_off_the_scale_is_refused(rating):
    with pytest.raises(InputError, match=f"given holds the rating {rating:g}"):
        rating_difference([3, rating], [5], range(1, 6))
