import math

import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.measures.consistency import check_visits
from openiir.scenarios.recommender.measures.visits import visit_measures


def test_shares_are_per_user_first():
    found = visit_measures(shown=[4, 40], watched=[4, 10], liked=[2, 0], pages=[1, 10], satisfaction=[8, 3])
    values = {name: one.value for name, one in found.items()}
    assert values == {"P_view": 0.625, "N_like": 1.0, "P_like": 0.25, "N_exit": 5.5, "S_sat": 5.5}


def test_who_was_shown_nothing_or_not_asked_has_no_value():
    found = visit_measures([0, 8], [0, 2], [0, 1], [0, 2], [math.nan, 4])
    assert (found["P_view"].value, found["P_view"].without, found["S_sat"].without) == (0.25, 1, 1)
    nobody = visit_measures([0], [0], [0], [0], [math.nan])
    assert "nothing was shown" in nobody["P_like"].reason and "not asked" in nobody["S_sat"].measure.reason
    assert visit_measures([], [], [], [], [])["P_view"].reason == "there are no users"


def test_p_like_never_exceeds_p_view():
    rng = np.random.default_rng(0)
    for _ in range(30):
        shown = rng.integers(1, 80, 40)
        watched = rng.binomial(shown, rng.random())
        found = visit_measures(
            shown, watched, rng.binomial(watched, rng.random()), -(-shown // 4), rng.integers(1, 11, 40)
        )
        assert found["P_like"].value <= found["P_view"].value
        assert not check_visits(
            found["P_view"].value, found["P_like"].value, found["N_like"].value, found["N_exit"].value, 4
        )


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([4], [5], [0], [1], [3]), "user 0 watched 5 items of 4 shown"),
        (([4, 4], [4, 2], [4, 3], [1, 1], [3, 3]), "user 1 liked 3 items of 2 watched"),
        (([4], [-1], [0], [1], [3]), "watched of user 0 is -1"),
        (([4], [1], [0], [math.nan], [3]), "pages of user 0 is nan"),
        (([4, 4], [1], [0], [1], [3]), "one length"),
    ],
)
def test_what_cannot_be_is_refused(columns, words):
    with pytest.raises(InputError, match=words):
        visit_measures(*columns)
