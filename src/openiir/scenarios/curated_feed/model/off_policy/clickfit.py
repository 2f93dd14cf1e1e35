"""Click model for doubly robust estimates, fitted on other users than those it predicts."""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats


def fit_position_click_model(
    item: ArrayLike, clicks: ArrayLike, items: int, rounds: int = 20
) -> tuple[Floats, Floats]:
    """Fit a position-based click model: click probability = item appeal x position examination.

    Returns the appeal of each item (items,) and the examination of each position (K,), the first of which is
    1. `item` and `clicks` have the shape (n, K), items as indices below `items`, negative where nothing was
    shown (nor clicked). Alternates the two closed-form updates of a product of rates; each item begins with
    one examined impression at the mean rate, so that rare ones are drawn to it.
    """
    shown, clicked = np.asarray(item), np.asarray(clicks, dtype=np.float64)
    k = shown.shape[1]
    exam = np.ones(k)
    places = np.where(shown < 0, items, shown)  # one more column for nothing, cut off
    got = np.bincount(places.ravel(), clicked.ravel(), items + 1)[:items]
    cells = np.stack([np.bincount(column, minlength=items + 1)[:items] for column in places.T], axis=1)
    at, appeal = clicked.sum(axis=0), np.zeros(items)
    for _ in range(rounds):
        seen = cells @ exam
        mean = got.sum() / seen.sum() if seen.sum() else 0.0
        appeal = (got + mean) / (seen + 1)
        likely = (cells * appeal[:, None]).sum(axis=0)
        exam = np.divide(at, likely, out=np.zeros(k), where=likely > 0)
        exam = exam / exam[0] if exam[0] > 0 else np.ones(k)
    return appeal, exam


def predict_cross_fitted(
    item: ArrayLike, clicks: ArrayLike, user: ArrayLike, wanted: ArrayLike, items: int
) -> tuple[Floats, Floats]:
    """Predict clicks for logged and target slates by two-fold cross-fitting.

    Returns `q_logged` and `q_expected` of a deterministic target, (n, K) both, by models of two halves
    (`fit_position_click_model`). `wanted` (n, K) is what the target would have shown where `item` was. Every
    second user (by sorted id) is predicted from the others and the others from them: a model that has seen
    the clicks that it corrects would bias the estimate. A half without slates predicts no clicks.
    """
    shown, meant, clicked = np.asarray(item), np.asarray(wanted), np.asarray(clicks)
    half = np.unique(user, return_inverse=True)[1].ravel() % 2
    logged, expected = np.zeros(shown.shape), np.zeros(shown.shape)
    for side in (0, 1):
        here, there = half == side, half != side
        if not there.any():
            continue
        appeal, exam = fit_position_click_model(shown[there], clicked[there], items)
        for q, items_there in ((logged, shown[here]), (expected, meant[here])):
            q[here] = np.where(items_there < 0, 0, np.minimum(appeal[items_there] * exam, 1))
    return logged, expected
