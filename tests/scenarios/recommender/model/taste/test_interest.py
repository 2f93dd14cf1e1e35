import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from openiir.plugin import InputError
from openiir.scenarios.recommender.model.taste.discrimination import (
    draw_users,
    percentiles,
    tasks,
    threshold,
)
from openiir.scenarios.recommender.model.taste.interest import Interest
from openiir.scenarios.recommender.model.taste.signals import RandomWalkSignal


@pytest.fixture(scope="module")
def folds(recommender_world):
    return recommender_world[0]


@pytest.fixture(scope="module")
def interest(recommender_world):
    folds, collection = recommender_world
    return Interest.fit(folds.train, folds.validation, collection, seed=1)


def judged(folds, against):
    users = draw_users(folds.test, 7, least=2)
    return tasks(folds.test, (folds.train, folds.validation, folds.test), users, 1, against, seed=5, items=4)


@pytest.mark.parametrize("against", ["uniform", "popular"])
def test_picked_items_score_higher(folds, interest, against):
    task = judged(folds, against)
    scores = np.take_along_axis(interest.block(task.users, against), task.items, axis=1)
    assert np.mean([roc_auc_score(task.truth, row) for row in scores]) > 0.62


def test_a_score_is_the_same_whatever_it_is_asked_with(interest):
    block = interest.block(np.arange(120))
    assert (interest.block(np.array([11])) == block[11]).all()
    assert (block == np.round(block * 2**20) / 2**20).all()


def test_chances_are_calibrated(folds, interest):
    task = judged(folds, "uniform")
    chances = 1 / (1 + np.exp(-np.take_along_axis(interest.block(task.users), task.items, axis=1)))
    assert chances.mean() == pytest.approx(0.5, abs=0.06)


def test_without_validation_picks_the_weights_are_those_stated(recommender_world):
    folds, collection = recommender_world
    nothing = folds.validation.select(np.zeros(0, dtype=np.int64))
    model = Interest.fit(folds.train, nothing, collection, 1, signals=("walk", "spectrum"))
    assert model.weights["uniform"].tolist() == [0.5, 0.5, 0.0]


def test_an_unknown_signal_is_refused(recommender_world):
    folds, collection = recommender_world
    with pytest.raises(InputError, match="'ease'"):
        Interest.fit(folds.train, folds.validation, collection, 1, signals=("ease",))


def test_walks_are_products_of_chances(folds):
    train = folds.train
    seen = train.seen.toarray()
    steps = (seen.T / seen.sum(axis=0)[:, None]) @ (seen / seen.sum(axis=1)[:, None])
    steps = steps / train.counts**0.4
    np.fill_diagonal(steps, 0)
    assert RandomWalkSignal.fit(train, k=60).links.toarray() == pytest.approx(steps)


def test_tasks_hold_what_was_picked_and_what_never_was(folds):
    task = judged(folds, "popular")
    ever = np.zeros((120, 60), dtype=bool)
    for fold in (folds.train, folds.validation, folds.test):
        ever[fold.user, fold.item] = True
    rows = task.users[:, None]
    assert ever[rows, task.items[:, :2]].all() and not ever[rows, task.items[:, 2:]].any()
    assert all(len(set(row)) == 4 for row in task.items.tolist())


def test_a_users_task_does_not_depend_on_the_others(folds):
    task = judged(folds, "uniform")
    alone = tasks(
        folds.test, (folds.train, folds.validation, folds.test), task.users[3:4], 1, "uniform", 5, 4
    )
    assert (alone.items[0] == task.items[3]).all()


def test_too_few_picks_are_refused(folds):
    with pytest.raises(InputError, match="a task takes 10"):
        tasks(folds.test, (folds.train,), np.array([0]), 1, "uniform", 5)


def test_percentiles_are_shares_of_candidates_below():
    scores = np.array([[1.0, 2.0, 2.0, 3.0, 9.0]])
    among = np.array([[True, True, True, True, False]])
    assert percentiles(scores, among, np.array([[0, 1, 3, 4]])).tolist() == [[0.125, 0.5, 0.875, 1.0]]


def test_the_threshold_is_the_best_on_its_grid():
    places = np.array([[0.9, 0.8, 0.6, 0.1], [0.95, 0.7, 0.65, 0.2]])
    at = threshold(places, np.array([True, True, False, False]), "accuracy")
    assert 0.65 < at <= 0.7
