"""Against tastes that are known because they made the data."""

import numpy as np
import pytest

from openiir.kit.items import known_tastes, split
from openiir.kit.items.bias import BiasModel
from openiir.scenarios.recommender.model.taste.interest import Interest
from openiir.scenarios.recommender.model.taste.rating import RatingModel

USERS = np.arange(300)


@pytest.fixture(scope="module")
def known():
    return known_tastes(seed=1)


@pytest.fixture(scope="module")
def folds(known):
    return split(known.data.ratings, 1)


@pytest.fixture(scope="module")
def model(known, folds):
    return RatingModel.fit(folds.train, folds.validation, known.data.collection, 1)


def from_truth(known, block, test):
    return float(np.sqrt(((block - known.expected)[test.user, test.item] ** 2).mean()))


def test_predictions_come_nearer_to_the_true_expectation_than_biases(known, folds, model):
    plain = from_truth(known, BiasModel.fit(folds.train).block(USERS), folds.test)
    assert from_truth(known, model.block(USERS), folds.test) < 0.8 * plain
    own = model.only(("content",), folds.validation)
    assert from_truth(known, own.block(USERS), folds.test) < 0.8


def test_interest_goes_to_what_suits(known, folds, model):
    interest = Interest.fit(folds.train, folds.validation, known.data.collection, 1, model)
    unseen = folds.train.seen.toarray() == 0
    found = np.corrcoef(interest.block(USERS, "popular")[unseen], known.match[unseen])[0, 1]
    assert found > 0.3
