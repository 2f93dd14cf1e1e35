"""A measure is a number or a reason."""

import math

from openiir.core.records.measure import Measure, ratio, undefined_measure


def test_a_ratio_over_nothing_says_why():
    got = ratio(0, 0, "nobody spoke")
    assert math.isnan(got.value)
    assert got.reason == "nobody spoke"
    assert not got.defined
    assert got.as_json() == {"value": None, "reason": "nobody spoke"}


def test_a_defined_measure_has_no_reason():
    assert ratio(1, 4, "unused") == Measure(0.25)
    assert Measure(0.0).as_json() == {"value": 0.0, "reason": None}
    assert undefined_measure("x").value != undefined_measure("x").value
