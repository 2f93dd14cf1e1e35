import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.model.taste.blocks import BLOCK, at_pairs
from openiir.scenarios.recommender.model.taste.interest import Interest
from openiir.scenarios.recommender.model.taste.rating import RatingModel


def test_pairs_are_read_from_blocks():
    matrix = np.random.default_rng(2).random((3 * BLOCK, 7))
    users, items = np.random.default_rng(3).integers(0, [3 * BLOCK, 7], (900, 2)).T
    asked = []

    def block(some):
        asked.append(len(some))
        return matrix[some]

    assert (at_pairs(block, users, items) == matrix[users, items]).all()
    assert sum(asked) == len(set(users.tolist())) and max(asked) <= BLOCK
    assert at_pairs(block, users[:0], items[:0]).shape == (0,)


@pytest.mark.parametrize("model", [RatingModel, Interest])
def test_a_held_out_rating_among_the_training_ratings_is_refused(recommender_world, model):
    folds, collection = recommender_world
    planted = folds.train.with_rows(
        folds.validation.user[:1], folds.validation.item[:1], folds.validation.value[:1]
    )
    with pytest.raises(InputError, match="1 held-out ratings are training ratings"):
        model.fit(planted, folds.validation, collection, 1)
