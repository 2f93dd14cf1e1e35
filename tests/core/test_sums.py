"""Whole numbers have a sum of their own, which refuses floats."""

import numpy as np
import pytest

from openiir.core.sums import int_sum


def test_whole_numbers_and_truth_values_are_added():
    assert int_sum([]) == 0
    assert int_sum([1, True, np.int64(3), np.bool_(True)]) == 6
    assert type(int_sum([np.int64(3)])) is int


@pytest.mark.parametrize("values", [[0.1], [1, 2.0], [np.float64(1.0)]])
def test_floats_are_refused(values):
    with pytest.raises(TypeError, match="fsum"):
        int_sum(values)
