import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from openiir.kit.items import split
from openiir.kit.items.bias import BiasModel
from openiir.kit.items.loaders.movielens import movielens_100k
from openiir.scenarios.recommender.model.taste.discrimination import draw_users, tasks
from openiir.scenarios.recommender.model.taste.interest import Interest
from openiir.scenarios.recommender.model.taste.rating import RatingModel

ROOT = Path(os.environ.get("OPENIIR_DATA", "unset")) / "ml-100k"
pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason="OPENIIR_DATA holds no ml-100k")


def error(predicted, held_out):
    return float(np.sqrt(((predicted - held_out.value) ** 2).mean()))


def test_tastes_on_movielens_100k():
    data = movielens_100k(ROOT)
    folds = split(data.ratings, 42)
    model = RatingModel.fit(folds.train, folds.validation, data.collection, 1)
    test = folds.test
    blend = model.predict(test.user, test.item)
    assert (
        0.85
        < error(blend, test)
        < error(BiasModel.fit(folds.train).block(np.arange(943))[test.user, test.item], test) - 0.03
    )

    interest = Interest.fit(folds.train, folds.validation, data.collection, 1, model)
    judged = draw_users(test, 7, most=200)
    for against, least in (("uniform", 0.9), ("popular", 0.75)):
        task = tasks(test, (folds.train, folds.validation, test), judged, 1, against, 3)
        scores = np.take_along_axis(interest.block(judged, against), task.items, axis=1)
        assert np.mean([roc_auc_score(task.truth, row) for row in scores]) > least
