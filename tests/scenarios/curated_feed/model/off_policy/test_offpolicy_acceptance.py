"""A simulated feed with a known truth: which estimator is right under which click model, and which is not.

Twelve items, slates of five, a logging ranker that puts the worst first, and a target the best.
The simulators are written out here, on a generator of numpy's, as a reference that shares nothing with the
package. `benchmarks/offpolicy.py` does the same with three million slates.
"""

from functools import cache

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.kit.rankers.propensities import in_slate, item_position, prefix
from openiir.scenarios.curated_feed.model.off_policy.clickfit import predict_cross_fitted
from openiir.scenarios.curated_feed.model.off_policy.estimators import OffPolicyRules, estimate
from openiir.scenarios.curated_feed.model.off_policy.logged import Logged, Target

N = 200_000
APPEAL = 0.558 * 0.72 ** np.arange(12)
WITHIN_3_SE = 3 / 1.96


def position_based(rng, slates):
    return rng.random(slates.shape) < APPEAL[slates] / np.arange(1, slates.shape[1] + 1)


def dbn(rng, slates, going_on=0.67, satisfied=0.25):
    clicks = np.zeros(slates.shape, dtype=bool)
    reading = np.ones(len(slates), dtype=bool)
    for r in range(slates.shape[1]):
        clicks[:, r] = reading & (rng.random(len(slates)) < APPEAL[slates[:, r]])
        reading &= (rng.random(len(slates)) < going_on) & ~(
            clicks[:, r] & (rng.random(len(slates)) < satisfied)
        )
    return clicks


def logged(model, epsilon, top=12, length=5, n=N):
    rng = np.random.default_rng(2_026)
    ranked = np.arange(top)[::-1]
    slates = rng.permuted(np.tile(ranked, (n, 1)), axis=1)[:, :length]
    slates[rng.random(n) >= epsilon] = ranked[:length]
    return the_log(slates, model(rng, slates), epsilon, top), slates


def the_log(slates, clicks, epsilon, top):
    length, at = slates.shape[1], np.arange(1, slates.shape[1] + 1)
    ranks = top - slates
    log = Logged(
        clicks=clicks,
        user=np.arange(len(slates)) % 500,
        item_position=item_position(ranks, at, top, epsilon),
        prefix=prefix(ranks, top, epsilon),
        in_slate=in_slate(ranks, length, top, epsilon),
    )
    wanted = np.tile(np.arange(length), (len(slates), 1))
    return log, Target.ranking(slates, wanted, item_position(top - wanted, at, top, epsilon))


@cache
def truth(model, length=5):
    """Clicks a slate where the target serves: by another, larger simulation."""
    return model(np.random.default_rng(7), np.tile(np.arange(length), (300_000, 1))).sum(axis=1).mean()


def judged(estimator, log, target, **rules):
    return estimate(
        estimator, log, target, Draw(3, "test.acceptance"), OffPolicyRules(resamples=200, **rules)
    )


def off(found, true):
    """The error in half-widths of the 95 % interval."""
    return (found.value.value - true) / ((found.high - found.low) / 2)


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_position_based_clicks(epsilon):
    ((log, target), _), true = logged(position_based, epsilon), truth(position_based)
    for estimator in ("iips", "snips"):
        assert abs(off(judged(estimator, log, target), true)) < WITHIN_3_SE, estimator
    wrong = judged("item_only", log, target)
    assert wrong.value.value / true == pytest.approx(0.78, abs=0.03)
    assert wrong.high < true
    assert min(judged("rips", log, target).ess_by_position) < 5


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_cascading_clicks(epsilon):
    ((log, target), _), true = logged(dbn, epsilon), truth(dbn)
    for estimator in ("iips", "snips"):
        wrong = judged(estimator, log, target)
        assert wrong.value.value / true == pytest.approx(1.066, abs=0.03)
        assert wrong.low > true


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
@pytest.mark.parametrize("model", [position_based, dbn])
def test_prefix_weights_are_right_under_both_where_slates_are_enough(model, epsilon):
    ((log, target), _), true = logged(model, epsilon, top=6, length=3, n=60_000), truth(model, 3)
    assert abs(off(judged("rips", log, target), true)) < WITHIN_3_SE
    assert abs(off(judged("slate", log, target), true)) < WITHIN_3_SE


def test_doubly_robust_is_right_and_narrower():
    ((log, target), slates), true = logged(position_based, 0.3, n=100_000), truth(position_based)
    wanted = np.tile(np.arange(5), (100_000, 1))
    q_logged, q_expected = predict_cross_fitted(slates, log.clicks, log.user, wanted, 12)
    with_model = Target(target.position, target.prefix, target.unsupported, q_logged, q_expected)
    found, plain = judged("dr", log, with_model), judged("iips", log, target)
    assert abs(off(found, true)) < WITHIN_3_SE
    assert found.high - found.low < 0.95 * (plain.high - plain.low)
