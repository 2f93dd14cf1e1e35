"""The model of clicks behind doubly robust estimates."""

import numpy as np
import pytest

from openiir.scenarios.curated_feed.model.off_policy.clickfit import (
    fit_position_click_model,
    predict_cross_fitted,
)


def impressions(n, seed=5):
    rng = np.random.default_rng(seed)
    appeal, exam = np.array([0.7, 0.2, 0.5, 0.1]), np.array([1.0, 0.5, 0.2])
    items = rng.permuted(np.tile(np.arange(4), (n, 1)), axis=1)[:, :3]
    return items, rng.random(items.shape) < appeal[items] * exam, appeal, exam


def test_it_finds_appeal_and_examination_again():
    items, clicks, appeal, exam = impressions(40_000)
    found, positions = fit_position_click_model(items, clicks, 4)
    assert found == pytest.approx(appeal, abs=0.02)
    assert positions == pytest.approx(exam, abs=0.02)


def test_it_rests_where_both_updates_do():
    items, clicks, _, _ = impressions(500)
    appeal, exam = fit_position_click_model(items, clicks, 4, rounds=200)
    likely = appeal[items] * exam
    assert likely.sum(axis=0) / likely[:, 0].sum() == pytest.approx(
        clicks.sum(axis=0) / clicks[:, 0].sum(), rel=1e-6
    )


def test_an_item_never_shown_has_the_mean_appeal():
    items, clicks, _, _ = impressions(2_000)
    found, exam = fit_position_click_model(items, clicks, 5)
    seen = (np.ones(items.shape) * exam).sum()
    assert found[4] == pytest.approx(clicks.sum() / seen, rel=1e-6)


def test_no_clicks_are_predicted_from_no_clicks():
    found, exam = fit_position_click_model([[0, 1], [1, 0]], np.zeros((2, 2)), 2)
    assert found.tolist() == [0, 0] and exam.tolist() == [1, 1]


def test_nobody_is_predicted_from_their_own_clicks():
    items, clicks, _, _ = impressions(400)
    user = np.repeat(np.arange(40), 10)
    wanted = np.tile([2, 0, 1], (400, 1))
    before = predict_cross_fitted(items, clicks, user, wanted, 4)
    changed = np.where((user % 2 == 0)[:, None], ~clicks, clicks)
    after = predict_cross_fitted(items, changed, user, wanted, 4)
    even = user % 2 == 0
    for old, new in zip(before, after, strict=True):
        assert np.array_equal(old[even], new[even])
        assert not np.array_equal(old[~even], new[~even])


def test_one_user_alone_is_predicted_nothing():
    items, clicks, _, _ = impressions(20)
    logged, expected = predict_cross_fitted(items, clicks, np.zeros(20, dtype=int), items, 4)
    assert not logged.any() and not expected.any()


def test_nothing_shown_is_not_clicked_and_teaches_nothing():
    items, clicks, _, _ = impressions(600)
    user = np.arange(600) % 30
    short, none = items.copy(), clicks.copy()
    short[::3, 2], none[::3, 2] = -1, False
    logged, expected = predict_cross_fitted(short, none, user, short, 4)
    assert not logged[::3, 2].any() and np.array_equal(logged, expected)
    kept = np.arange(600) % 3 != 0
    assert fit_position_click_model(short[:, :2], none[:, :2], 4)[0] == pytest.approx(
        fit_position_click_model(items[:, :2], clicks[:, :2], 4)[0]
    )
    assert logged[kept].all()
