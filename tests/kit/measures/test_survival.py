"""Collapse times by a naive loop, survival against a published table and a plain integral."""

import math

import numpy as np
import pytest
from scipy.stats import rankdata

from openiir.core.seeds import Draw
from openiir.kit.measures.survival import collapse_times, kaplan_meier, order_collapses, restricted_mean

# Weeks in remission under 6-mercaptopurine; + were still in it (Freireich et al., Blood 1963).
WEEKS = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+".split()
TIMES = [float(week.rstrip("+")) for week in WEEKS]
ENDED = [not week.endswith("+") for week in WEEKS]


class TestCollapseTimes:
    def test_it_is_the_first_of_the_lasting_rounds(self):
        control = np.ones(8)
        found = [1.0, 0.5, 1.0, 0.89, 0.88, 0.87, 1.0, 1.0]
        assert collapse_times(found, control) == 4
        assert collapse_times(found, control, lasting=1) == 2
        assert math.isnan(collapse_times(found, control, departure=0.2))

    def test_a_drift_that_the_control_shares_is_none(self):
        fading = np.linspace(1, 0.1, 20)
        assert math.isnan(collapse_times(0.95 * fading, fading))

    def test_a_missing_value_departs_from_nothing(self):
        assert math.isnan(collapse_times([math.nan] * 9, np.ones(9)))

    def test_fewer_rounds_than_have_to_last_hold_no_collapse(self):
        assert np.isnan(collapse_times(np.zeros((2, 2)), np.ones((2, 2)))).all()

    def test_arrays_are_many_series(self):
        drawn = Draw(3, "series").uniform(item=np.arange(600)).reshape(5, 4, 30)
        for departure, lasting in ((0.3, 2), (0.5, 3)):
            found = collapse_times(drawn, np.full(30, 0.5), departure, lasting)
            for at in np.ndindex(5, 4):
                away = [abs(value - 0.5) > departure * 0.5 for value in drawn[at]]
                first = [n + 1 for n in range(31 - lasting) if all(away[n : n + lasting])]
                assert found[at] == first[0] if first else math.isnan(found[at])


class TestOrderCollapses:
    def test_the_censored_share_the_last_ranks(self):
        order = order_collapses([[3, 5, math.nan, math.nan], [2, 9, math.nan, 30]])
        assert order.ranks.tolist() == [1.0, 2.0, 3.75, 3.25]
        assert order.agreement.value > 0.9

    def test_seeds_of_one_order_agree_wholly(self):
        assert order_collapses([[1, 2, 3], [4, 8, 9]]).agreement.value == 1.0

    def test_one_seed_agrees_with_nobody(self):
        order = order_collapses([[1, 2, 3]])
        assert math.isnan(order.agreement.value)
        assert order.agreement.reason

    def test_ranks_are_those_of_scipy(self):
        times = Draw(1, "times").below(6, item=np.arange(40)).reshape(8, 5)
        assert order_collapses(times).ranks == pytest.approx(rankdata(times, axis=1).mean(axis=0))


class TestKaplanMeier:
    def test_the_published_table(self):
        curve = kaplan_meier(TIMES, ENDED)
        assert curve.times.tolist() == [6, 7, 10, 13, 16, 22, 23]
        assert curve.share == pytest.approx([0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], abs=5e-4)
        # Of R's survfit(..., conf.type = "log-log").
        assert curve.low[[0, -1]] == pytest.approx([0.620, 0.188], abs=5e-4)
        assert curve.high[[0, -1]] == pytest.approx([0.952, 0.680], abs=5e-4)

    def test_nobody_ended(self):
        assert kaplan_meier([3, 4], [False, False]).times.size == 0

    @pytest.mark.parametrize(("times", "ended"), [([], []), ([1.0], [True, False]), ([-1.0], [True])])
    def test_bad_input(self, times, ended):
        with pytest.raises(ValueError, match="give both"):
            kaplan_meier(times, ended)


class TestRestrictedMean:
    def test_it_is_the_area_under_the_curve(self):
        curve = kaplan_meier(TIMES, ENDED)
        at = np.linspace(0, 30, 300_001)[:-1]
        steps = np.append(1.0, curve.share)[np.searchsorted(curve.times, at, side="right")]
        found = restricted_mean(TIMES, ENDED, 30)
        assert found.value == pytest.approx(30 * steps.mean(), abs=1e-3)
        assert found.low < found.value < found.high <= 30

    def test_without_censoring_it_is_the_mean_of_capped_times(self):
        times = [1.0, 4.0, 4.0, 9.0, 30.0]
        found = restricted_mean(times, [True] * 5, 10)
        capped = np.minimum(times, 10)
        assert found.value == pytest.approx(capped.mean())
        assert found.high - found.value == pytest.approx(1.959964 * capped.std() / math.sqrt(5))

    def test_all_that_last_give_the_whole_span_without_error(self):
        assert restricted_mean([9, 9], [False, False], 9)[:3] == (9, 9, 9)

    def test_it_is_undefined_beyond_the_last_that_was_seen(self):
        found = restricted_mean(TIMES, ENDED, 40)
        assert math.isnan(found.value)
        assert "35" in found.reason
