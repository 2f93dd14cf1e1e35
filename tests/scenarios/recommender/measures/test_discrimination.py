import math

import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.scenarios.recommender.measures.consistency import check_discrimination
from openiir.scenarios.recommender.measures.discrimination import discrimination


def judged(users=25, seed=0, ties=True):
    rng = np.random.default_rng(seed)
    user = rng.integers(0, users, users * 12) * 7
    positive = rng.random(len(user)) < 0.4
    score = rng.normal(size=len(user)) + positive
    return user, positive, score > 0.6, np.round(score, 1) if ties else score


def test_each_user_is_measured_as_sklearn_has_it():
    from sklearn import metrics as sk

    user, positive, chosen, score = judged()
    found = discrimination(user, positive, chosen, score)
    for i, one in enumerate(found.users):
        mine = user == one
        truth, said = positive[mine], chosen[mine]
        with np.errstate(invalid="ignore"):
            expected = {
                "accuracy": sk.accuracy_score(truth, said),
                "precision": sk.precision_score(truth, said, zero_division=math.nan),
                "recall": sk.recall_score(truth, said, zero_division=math.nan),
                "f1": sk.f1_score(truth, said, zero_division=math.nan),
            }
            if truth.any() and not truth.all():
                expected |= {
                    "balanced_accuracy": sk.balanced_accuracy_score(truth, said),
                    "auc": sk.roc_auc_score(truth, score[mine]),
                }
        for name, value in expected.items():
            assert found.by_user[name][i] == pytest.approx(value, nan_ok=True), (one, name)


def test_means_weigh_users_alike_and_pooled_judgements_alike():
    user = ["a"] * 2 + ["b"] * 8
    positive = [1, 0] + [1] * 4 + [0] * 4
    chosen = [1, 0] + [0] * 4 + [1] * 4
    found = discrimination(user, positive, chosen)
    assert found.means()["accuracy"].value == 0.5 and found.pooled["accuracy"].value == 0.2
    assert "auc" not in found.means()


def test_who_has_no_value_is_left_out_and_counted():
    found = discrimination(
        [1, 1, 2, 2, 3, 3], [1, 0, 1, 0, 1, 1], [1, 0, 0, 0, 1, 1], [2, 1, 1, 1, 5, 4]
    ).means()
    assert (found["precision"].value, found["precision"].users, found["precision"].without) == (1, 2, 1)
    assert (found["auc"].value, found["auc"].users) == (0.75, 2)
    assert found["f1"].value == pytest.approx(2 / 3) and found["f1"].without == 0


def test_where_nobody_has_a_value_the_reason_is_given():
    found = discrimination([1, 2], [1, 1], [0, 0], [1.0, 2.0])
    means = found.means()
    for name, words in (
        ("precision", "yes was said to no item"),
        ("auc", "negatives"),
        ("balanced_accuracy", "negatives"),
    ):
        assert math.isnan(means[name].value) and words in means[name].measure.reason
    assert math.isnan(found.pooled["precision"].value) and "no item" in found.pooled["precision"].reason
    assert found.pooled["share"].value == 1
    assert discrimination([], [], []).means()["accuracy"].reason == "there are no users"


@pytest.mark.parametrize("m", [1, 2, 3, 9])
def test_our_own_numbers_never_contradict_themselves(m):
    rng = np.random.default_rng(m)
    k = round(20 / (m + 1))
    user, positive = np.repeat(np.arange(300), 20), np.tile(np.arange(20) < k, 300)
    skill = np.repeat(rng.normal(1.0, 0.6, 300), 20)
    score = rng.normal(size=len(user)) + positive * skill + np.repeat(rng.normal(0, 0.3, 300), 20)
    found = discrimination(user, positive, score > 0.5)
    pooled = {name: measure.value for name, measure in found.pooled.items()}
    names = ("accuracy", "precision", "recall", "share", "f1")
    assert not check_discrimination(*(pooled[n] for n in names), pooled=True)
    means = {name: mean.value for name, mean in found.means().items()} | {"share": k / 20}
    assert not check_discrimination(*(means[n] for n in names))


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="one length"):
        discrimination([1, 2], [1], [1, 0])
    with pytest.raises(InputError, match="positive is true or false"):
        discrimination([1, 2], [1, 4], [1, 0])
    with pytest.raises(InputError, match="score of row 1 is NaN"):
        discrimination([1, 2], [1, 0], [1, 0], [0.5, math.nan])
