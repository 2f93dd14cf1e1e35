import numpy as np
import pytest

from openiir.kit.items import Ratings, Scale
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.taste.probit import Probit, cutpoints, rating_shares

ML1M = np.array([56_174, 107_557, 261_197, 348_971, 226_310])


def ratings(values, scale=None):
    values = np.asarray(values, dtype=np.float64)
    return Ratings(
        len(values),
        1,
        np.arange(len(values)),
        np.zeros(len(values), dtype=np.int64),
        values,
        scale or Scale(),
    )


@pytest.fixture(scope="module")
def drawn():
    """Predictions and ratings that follow an ordered probit with r2 = .4."""
    generator = np.random.default_rng(4)
    z, e = generator.normal(size=(2, 20_000))
    latent = np.sqrt(0.4) * z + np.sqrt(0.6) * e
    cuts = cutpoints(ML1M / ML1M.sum())
    return 3.5 + 0.7 * z, ratings(1.0 + (latent[:, None] > cuts).sum(axis=1))


def test_cut_points_of_movielens_1m():
    assert cutpoints(ML1M / ML1M.sum()).round(3).tolist() == [-1.588, -0.979, -0.190, 0.751]


def test_the_share_explained_is_found(drawn):
    predicted, real = drawn
    assert Probit.fit(real, predicted, real).r2 == pytest.approx(0.4, abs=0.02)


def test_chances_sum_to_1_and_have_the_marginal(drawn):
    predicted, real = drawn
    model = Probit.fit(real, predicted, real)
    chances = model.chances(predicted)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    assert chances.mean(axis=0) == pytest.approx(rating_shares(real)[1], abs=0.01)
    assert (model.most_likely_rating(predicted) == 1 + chances.argmax(axis=1)).mean() > 0.999


def test_half_steps_have_their_own_cut_points():
    values, shares = rating_shares(ratings([0.5, 1.0, 4.5, 4.5], Scale(0.5, 5.0, 0.5)))
    assert len(values) == 10 and shares[8] == 0.5


def test_a_rating_between_steps_is_refused():
    with pytest.raises(InputError, match="3.5"):
        rating_shares(ratings([3.0, 3.5]))
