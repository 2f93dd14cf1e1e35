"""Tipping points: the closed form against iteration, the estimate against curves of known crossing."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from openiir.plugin import Draw
from openiir.scenarios.open_web.model.outcomes import DEFINITIONS
from openiir.scenarios.open_web.model.retreat import RetreatRule, estimate_tipping, find_crossing
from openiir.scenarios.open_web.model.spaces import SpaceRule, draw_beta


def stays_at(share, rule):
    """The share of people who stay, by letting those leave who see more than they bear, until nobody does."""
    a, b = rule.firmness * rule.threshold, rule.firmness * (1 - rule.threshold)
    stay = 1.0
    for _ in range(20_000):
        x = share / (share + (1 - share) * stay)
        seen = rule.false_alarms + (rule.detection - rule.false_alarms) * x
        stay, before = min(stay, 1 - float(beta.cdf(seen, a, b))), stay
        if before - stay < 1e-12:
            break
    return stay


@pytest.mark.parametrize("threshold", [0.35, 0.5, 0.65])
@pytest.mark.parametrize(("firmness", "detection"), [(4.0, 1.0), (10.0, 0.8), (40.0, 1.0)])
def test_the_tipping_point_is_where_iteration_loses_half(threshold, firmness, detection):
    rule = RetreatRule(threshold=threshold, firmness=firmness, detection=detection, false_alarms=0.05)
    found = rule.find_tipping()
    assert stays_at(found - 0.005, rule) > 0.5 > stays_at(found + 0.005, rule)


def test_where_nobody_can_tell_there_is_no_tipping_point():
    assert math.isnan(RetreatRule(detection=0.3, false_alarms=0.3).find_tipping())
    assert math.isnan(RetreatRule(threshold=0.9, detection=0.5).find_tipping()), "nobody ever sees that much"
    assert math.isnan(RetreatRule(threshold=0.1, false_alarms=0.4).find_tipping()), "half leave in any case"


def test_thresholds_are_those_of_the_closed_form():
    drawn = draw_beta(0.5, 10.0, Draw(1, "x"), np.arange(20_000))
    for x in (0.2, 0.5, 0.7):
        assert (drawn < x).mean() == pytest.approx(beta.cdf(x, 5, 5), abs=0.01)


def test_an_impression_is_the_weighted_mean_of_the_pages_seen():
    rule, seen = RetreatRule(recall=0.7), [0.5, 1.0, 0.0, 0.25]
    impression = np.zeros(1)
    for n, one in enumerate(seen, 1):
        impression = rule.update_impression(impression, np.array([one]), n)
        weights = 0.7 ** np.arange(n)[::-1]
        assert impression[0] == pytest.approx((weights * seen[:n]).sum() / weights.sum(), abs=1e-5)
    forgetful = RetreatRule(recall=0.0)
    assert forgetful.update_impression(np.array([0.9]), np.array([0.25]), 7)[0] == 0.25


def test_a_crossing_lies_on_the_line_between_two_shares():
    x = [0.0, 0.2, 0.6, 1.0]
    curves = [[1.0, 0.8, 0.2, 0.1], [1, 0.9, 0.8, 0.7], [0.4, 0.3, 0.2, 0.1], [1.0, 0.5, 0.4, 0.6]]
    found = find_crossing(x, curves)
    assert found[0] == pytest.approx(0.2 + 0.4 * 0.3 / 0.6) and found[3] == pytest.approx(0.2)
    assert np.isnan(found[1:3]).all()
    for curve in np.random.default_rng(1).uniform(size=(200, 4)):
        curve[0] = 1.0
        after = next((n for n in range(1, 4) if curve[n] < 0.5), None)
        value = float(find_crossing(x, curve))
        if after is None:
            assert math.isnan(value)
        else:
            assert value == pytest.approx(
                np.interp(-0.5, -curve[[after - 1, after]], x[after - 1 : after + 1])
            )


def test_the_interval_is_over_spaces():
    shares = np.linspace(0, 1, 21)
    tips = np.array([0.30, 0.34, 0.38, 0.42, 0.46, 0.50])
    found = estimate_tipping(shares, 1 / (1 + np.exp(40 * (shares[:, None] - tips))))
    assert found.value == pytest.approx(0.4, abs=0.01)
    assert 0.3 < found.low < 0.38 and 0.42 < found.high < 0.5
    alike = estimate_tipping(shares, np.repeat(shares[:, None] < 0.33, 6, axis=1))
    assert alike.low == alike.high == alike.value
    assert estimate_tipping([0.0, 1.0], [[1.0, 1.0], [0.9, 0.8]]).reason and estimate_tipping([], []).reason


def test_agents_share_of_a_space_keeps_its_mean_odds_and_its_ends():
    z = Draw(1, "z").normal(agent=np.arange(10_000))
    rule = SpaceRule(uneven=0.5)
    spread = rule.spread_share(0.3, z)
    odds = np.log(spread / (1 - spread))
    assert odds.mean() == pytest.approx(math.log(3 / 7), abs=0.02) and odds.std() == pytest.approx(0.5, 0.02)
    assert set(rule.spread_share(0.0, z)) == {0.0} and set(rule.spread_share(1.0, z)) == {1.0}
    assert SpaceRule(writing=0.5, uneven=0.0).spread_share(0.8, z)[0] == pytest.approx(0.4)


def test_measures_are_defined_in_words():
    assert all(label and words for label, words, *_ in DEFINITIONS.values())
