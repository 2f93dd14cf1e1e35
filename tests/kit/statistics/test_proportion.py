import math

import pytest
from scipy.stats import binomtest

from openiir.kit.statistics.proportion import wilson_interval


@pytest.mark.parametrize(("yes", "of"), [(0, 1), (0, 200), (200, 200), (3, 50), (17, 18), (25, 50)])
def test_the_interval_is_the_score_interval(yes, of):
    found, expected = wilson_interval(yes, of), binomtest(yes, of).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.low <= found.value == yes / of <= found.high and found.low < found.high


def test_no_units_no_share():
    assert math.isnan(wilson_interval(0, 0).value) and wilson_interval(0, 0).reason == "there are no units"
    with pytest.raises(ValueError, match="3 of 2"):
        wilson_interval(3, 2)
