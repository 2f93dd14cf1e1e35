"""Inequality and exposure against known values."""

import numpy as np
import pytest

from openiir.kit.arrays import Ints
from openiir.kit.measures import discounts
from openiir.scenarios.tiered_capability.model.outcomes import TierArmRecord, measure_misplaced


def record(outcome: list[list[float]], exposure=(1.0,), merit=(1.0,)) -> TierArmRecord:
    """An arm whose members have these outcomes, (rounds, members), and meet the one need by the first."""
    values = np.array(outcome)
    zeros: Ints = np.zeros(values.shape, dtype=np.int64)
    names = ("page", "cost", "latency", "web", "opened", "denied", "need")
    columns = {**dict.fromkeys(names, zeros), "outcome": values, "correct": values >= 1}
    return TierArmRecord(columns, np.array(exposure), np.array(merit), 1)


def test_inequality_is_that_of_the_golden_values():
    """Of members whose means are 1, 2, 3 and 4, up to scale: the indices do not depend on it."""
    found = record([[0.1, 0.1, 0.2, 0.4], [0.1, 0.3, 0.4, 0.4]]).measure()
    known = {"gini": 0.25, "atkinson": 0.05558585736954513, "atkinson_1": 0.11465446423974279}
    for name, value in (known | {"theil": 0.10644013528622318}).items():
        assert found[name].value == pytest.approx(value)
    assert found["palma"].value == pytest.approx(0.4 * 4 / (1 + 0.6 * 2))


def test_a_member_with_nothing_makes_the_stronger_index_one_and_nobody_with_anything_has_no_index():
    found = record([[0.0, 0.5], [0.0, 0.5]]).measure()
    assert found["atkinson_1"].value == 1.0 and 0 < found["atkinson"].value < 1
    found = record([[0.0, 0.0]]).measure()
    for name in ("gini", "atkinson", "theil", "palma"):
        assert np.isnan(found[name].value) and found[name].reason
    assert found["outcome"].value == 0.0 and found["denied"].reason == "nobody opened anything"


def test_attention_falls_from_place_to_place():
    shares = discounts(10) / discounts(10).sum()
    assert (round(shares[0], 3), round(shares[-1], 3)) == (0.220, 0.064)


def test_misplaced_attention_is_what_would_have_to_move():
    assert measure_misplaced(np.array([3.0, 1.0]), np.array([6.0, 2.0])).value == 0.0
    assert measure_misplaced(np.array([1.0, 1.0]), np.array([1.0, 0.0])).value == 0.5
    assert measure_misplaced(np.array([0.0, 2.0]), np.array([1.0, 0.0])).value == 1.0
    assert measure_misplaced(np.zeros(2), np.ones(2)).reason == "no page showed anything"


def test_a_need_once_met_stays_known():
    assert record([[1.0, 0.2], [0.1, 0.3], [0.0, 1.0]]).known.tolist() == [[1, 0], [1, 0], [1, 1]]
