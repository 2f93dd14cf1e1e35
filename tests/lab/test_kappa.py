"""Weighted kappa against scikit-learn, and its interval over units."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from lab.kappa import quadratic_kappa
from openiir.plugin import Draw

DRAW = Draw(2, "kappa")


@pytest.mark.parametrize("case", range(10))
def test_it_is_the_kappa_of_scikit_learn(case):
    texts = np.arange(40 + case)
    a = 1 + DRAW.below(7, agent=case, item=texts)
    b = np.clip(a + DRAW.at("noise").below(3 + case % 3, agent=case, item=texts) - 1, 1, 7)
    found = quadratic_kappa(a, b, texts // 2, draws=200)
    assert found.value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert found.low < found.value < found.high <= 1


def test_texts_of_a_unit_are_resampled_together():
    a, b = np.tile([1, 2, 5, 7], 30), np.tile([1, 3, 5, 6], 30)
    assert quadratic_kappa(a, b, np.repeat(np.arange(30), 4)).low == pytest.approx(
        quadratic_kappa(a, b, np.repeat(np.arange(30), 4)).value
    )
    single = quadratic_kappa(a, b, np.arange(120))
    assert single.high - single.low > 0.01


def test_it_is_undefined_where_all_ratings_are_one():
    found = quadratic_kappa([4, 4, 4], [4, 4, 4], [1, 2, 3])
    assert np.isnan(found.value) and found.reason


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="2 and of 3"):
        quadratic_kappa([1, 2], [1, 2, 3], [1, 2])
