import numpy as np
import pytest

from openiir.kit.items import Ratings
from openiir.kit.items.bias import BiasModel
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.taste.factors import ResidualFactors, Spectrum
from openiir.scenarios.recommender.model.taste.neighbours import NeighbourModel, select_nearest
from openiir.scenarios.recommender.model.taste.rating import RatingModel


@pytest.fixture(scope="module")
def folds(recommender_world):
    return recommender_world[0]


@pytest.fixture(scope="module")
def collection(recommender_world):
    return recommender_world[1]


@pytest.fixture(scope="module")
def model(folds, collection):
    return RatingModel.fit(folds.train, folds.validation, collection, seed=1)


def error(predicted, held_out):
    return float(np.sqrt(((predicted - held_out.value) ** 2).mean()))


def test_the_blend_finds_tastes_that_biases_cannot(folds, model):
    test = folds.test
    blend = error(model.predict(test.user, test.item), test)
    assert blend < 0.8 * error(BiasModel.fit(folds.train).block(np.arange(120))[test.user, test.item], test)


def test_a_rating_is_the_same_whatever_it_is_asked_with(model):
    block = model.block(np.arange(120))
    assert (model.block(np.array([7])) == block[7]).all()
    users, items = np.array([9, 3, 9, 100]), np.array([0, 5, 1, 59])
    assert (model.predict(users, items) == block[users, items]).all()
    assert (block == np.round(block * 2**20) / 2**20).all() and 1 <= block.min() <= block.max() <= 5


def test_a_second_fit_is_the_first(folds, collection, model):
    again = RatingModel.fit(folds.train, folds.validation, collection, seed=1)
    assert again.weights == model.weights and (again.block(np.arange(5)) == model.block(np.arange(5))).all()


def test_the_content_only_agent_looks_at_its_own_history(folds, collection):
    train = folds.train
    model = RatingModel.fit(train, folds.validation, collection, seed=1, parts=("content",))
    others = train.value.copy()
    others[train.user != 4] = others[train.user != 4][::-1]
    changed = Ratings(train.users, train.items, train.user, train.item, others)
    again = RatingModel.fit(changed, folds.validation, collection, seed=1, parts=("content",))
    before, after = (m.parts["content"].block(np.array([4])) for m in (model, again))
    assert np.allclose(before, after, atol=1e-9)


def test_without_validation_ratings_the_parts_count_the_same(folds, collection):
    nothing = folds.validation.select(np.zeros(0, dtype=np.int64))
    model = RatingModel.fit(folds.train, nothing, collection, 1)
    assert set(model.weights.values()) == {0.25}


def test_an_unknown_part_is_refused(folds, collection):
    with pytest.raises(InputError, match="'graph'"):
        RatingModel.fit(folds.train, folds.validation, collection, 1, ("bias", "graph"))


def test_nearest_is_the_plain_ranking():
    similarities = np.random.default_rng(1).normal(size=(30, 30)).round(1)
    found = select_nearest(lambda start, end: similarities[start:end].copy(), 30, 4).toarray()
    for item, row in enumerate(similarities):
        order = [n for n in np.argsort(-row, kind="stable") if n != item and row[n] > 0][:4]
        assert sorted(np.flatnonzero(found[:, item])) == sorted(order)


def test_neighbours_are_a_weighted_mean(folds):
    train = folds.train
    residuals = BiasModel.fit(train).residuals(train)
    model = NeighbourModel.fit(train, residuals, k=10)
    weights, user = model.weights.toarray(), 3
    row = model.block(np.array([user]))[0]
    items = train.of(user)[0]
    for item in (0, 17, 41):
        said = sum(weights[i, item] * residuals[user, i] for i in items)
        assert row[item] == pytest.approx(said / (sum(weights[i, item] for i in items) + model.shrink))


def test_factors_follow_their_ratings(folds):
    train = folds.train
    residuals = BiasModel.fit(train).residuals(train)
    model = ResidualFactors.fit(residuals, Spectrum.fit(train, 5), seed=2, rank=4)
    predicted = model.block(np.arange(train.users))[train.user, train.item]
    left = train.value - BiasModel.fit(train).block(np.arange(train.users))[train.user, train.item]
    assert ((left - predicted) ** 2).sum() < 0.6 * (left**2).sum()


def test_the_spectrum_is_that_of_the_normalised_matrix(folds):
    from openiir.scenarios.recommender.model.taste.factors import normalise_picks

    model = Spectrum.fit(folds.train, 5)
    dense = normalise_picks(folds.train).toarray()
    left, values, right = np.linalg.svd(dense)
    assert model.values == pytest.approx(values[:5])
    assert model.block(np.arange(120)) == pytest.approx((left[:, :5] * values[:5]) @ right[:5], abs=1e-9)
