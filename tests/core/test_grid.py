"""Floats on grids: equal on every processor, and as they were written where they were written by people."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from openiir.core.grid import (
    first_largest,
    first_smallest,
    is_rounded,
    order_by,
    quantise,
    round_array,
    round_float,
    round_floats,
)
from openiir.core.seeds import Draw, happens

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
USUAL = st.floats(min_value=-1e6, max_value=1e6)


@given(FLOATS)
def test_a_float_moves_by_at_most_one_part_in_four_billion(value):
    assert math.isclose(round_float(value), value, rel_tol=2.0**-32, abs_tol=1e-300)


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_decimals_of_six_places_stay_as_they_are(number, places):
    value = number / 10**places
    assert round_float(value) == value


@given(USUAL)
def test_what_is_on_the_grid_of_decisions_stays_there(value):
    grid = quantise(value, 2.0 ** math.ceil(math.log2(max(abs(value), 1))))
    assert round_float(grid) == grid


@given(st.integers(-(2**53), 2**53))
def test_whole_numbers_stay_whole(number):
    assert round_float(float(number)) == number or abs(number) > 2**53


@given(st.lists(st.floats(), max_size=20))
def test_an_element_of_an_array_is_rounded_as_a_number(values):
    array = round_array(np.array(values, dtype=np.float64))
    np.testing.assert_array_equal(array, [round_float(one) for one in values])
    assert np.signbit(array).tolist() == [math.copysign(1, round_float(one)) < 0 for one in values]
    assert is_rounded(array)


def test_results_that_differ_in_their_last_bits_are_rounded_alike():
    value = np.exp(-5 * Draw(1, "last bits").uniform(item=np.arange(100_000)))
    above, below = np.nextafter(value, np.inf), np.nextafter(value, -np.inf)
    assert not is_rounded(value)
    alike = (round_array(value) == round_array(above)) & (round_array(value) == round_array(below))
    assert alike.mean() > 1 - 1e-4
    np.testing.assert_array_equal(quantise(value), quantise(above))


def test_data_for_json_are_rounded_wherever_floats_stand_in_them():
    class Row(BaseModel):
        share: float
        name: str

    third = 1 / 3
    found = round_floats(
        {"a": [third, "0.3333333333333333"], "b": Row(share=third, name="x"), "c": (1, True, None)}
    )
    short = round_float(third)
    assert short != third
    assert found == {
        "a": [short, "0.3333333333333333"],
        "b": {"share": short, "name": "x"},
        "c": [1, True, None],
    }
    assert round_floats(np.float64(third)) == short
    assert round_floats(0.1 + 0.2) == 0.3


def test_infinite_and_missing_values_keep_their_place():
    values = np.array([1.0, -np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(round_array(values), values)
    assert first_largest(np.array([0.2, np.inf, 5.0])) == 1
    assert first_smallest(np.array([0.2, -np.inf, 5.0])) == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_an_order_is_that_of_sorted(rows):
    keys = np.array(rows, dtype=np.float64).reshape(-1, 2)
    expected = sorted(range(len(rows)), key=lambda n: rows[n])
    assert order_by(keys[:, 0], keys[:, 1]).tolist() == expected


@pytest.mark.parametrize("pick", [first_largest, lambda v: order_by(-v)[0]])
def test_ties_that_only_last_bits_tell_apart_go_to_the_first(pick):
    assert pick(np.array([0.3, 0.1 + 0.2, 0.2])) == 0
    assert first_smallest(np.array([0.3, 0.7 - 0.4])) == 0


def test_a_chance_is_rounded_before_it_is_compared():
    chance = np.nextafter(0.3, 1)
    assert happens(np.array([0.3]), chance).tolist() == happens(np.array([0.3]), 0.3).tolist() == [False]
