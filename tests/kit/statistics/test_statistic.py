"""A measure is a float, and where it is none it is NaN and says why."""

import math

import pytest

from openiir.kit import measures
from openiir.kit.statistics import Estimate
from openiir.kit.statistics.statistic import Statistic, Undefined

UNDEFINED = {
    "variance_ratio": [([1.0, 2.0], [3.0, 3.0]), ([], [1.0])],
    "mean_pairwise_distance": [([1.0],), ([],)],
    "r_wg": [([3.0], 5), ([1.0, 2.0], 1)],
    "agreement": [([0, 0, 0],), ([1, 2],), ([-1, 2, 3],)],
    "esteban_ray": [([], []), ([0.0, 0.0], [1.0, 2.0]), ([1.0], [1.0, 2.0])],
    "bimodality": [([1.0, 2.0, 3.0],), ([0.1] * 9,)],
    "polarisation": [([],), ([math.nan],)],
    "disagreement": [([1.0, 2.0], [[0.0]]), ([1.0, 2.0], [[0.0, 1.0], [0.0, 0.0]])],
    "iqr": [([],), ([1.0, math.nan],), ([1.0, 2.0], "median")],
    "percent_agreement": [([],)],
    "coefficient_of_variation": [([1.0, -1.0],), ([1.0],)],
    "kendalls_w": [([[1, 1], [2, 2]],), ([[1, 2, 3]],), ([],), ([[1, 2], [math.nan, 1]],)],
    "brier_score": [([], []), ([0.5], [True]), ([1.5, 0.1], [True, False]), ([math.nan, 0.1], [True, False])],
    "calibration_error": [([], []), ([-0.1], [True])],
    "recall_at_false_positives": [([], []), ([0.5], [True])],
    "gini": [([],), ([0, 0],), ([-1, 2],)],
    "entropy": [([],), ([0, 0],), ([4], True)],
    "hill_number": [([],), ([0, 0],)],
    "coverage": [([], {}), (["a"], {"a": []})],
    "atkinson": [([],), ([0, 0],), ([1, 2], 0.0)],
    "theil": [([],), ([0, 0],), ([-1, 2],)],
    "theil_between": [([], []), ([0, 0], "ab"), ([-1, 2], "ab")],
    "palma": [([],), ([0, 0],), ([0, 0, 0, 1],)],
    "kl": [([], []), ([1, 1], [1, 1, 1]), ([1, 1], [1, 0])],
    "jensen_shannon": [([0, 0], [1, 1]), ([1, 1], [1])],
    "opinion_variance": [([], [], 1), ([1.0], [1.0, 2.0], 2), ([1.0], [1.0], 0)],
    "total_variance": [([1.0], [[1.0, 0.0], [0.0, 1.0]], 2), ([1.0], [[1.0]], 0)],
    "issue_alignment": [([1.0], [[0.5]], 2), ([0.0], [[0.0]], 2)],
    "expected_jaccard": [(5, 0), (5, 6), (5, 3, -1)],
    "drift": [([[1.0]], [[1.0, 2.0]]), ([1.0], [1.0])],
}
CASES = [(name, given) for name, many in UNDEFINED.items() for given in many]


def test_every_statistic_has_its_edges_here():
    statistics = {name for name in measures.__all__ if isinstance(getattr(measures, name), Statistic)}
    assert statistics == set(UNDEFINED)


@pytest.mark.parametrize(("name", "given"), CASES)
def test_undefined_is_nan_with_a_reason(name, given):
    statistic = getattr(measures, name)
    assert math.isnan(statistic(*given))
    measured = statistic.measure(*given)
    assert math.isnan(measured.value)
    assert len(measured.reason) > 10


def test_defined_is_a_plain_float_without_a_reason():
    measured = measures.gini.measure([1, 2, 3, 4])
    assert (measured.value, measured.reason) == (0.25, None)
    assert type(measures.gini([1, 2, 3, 4])) is float


def test_a_formula_that_overflows_is_undefined_too():
    @Statistic
    def too_large(x: float) -> float:
        """Docstring of the formula."""
        return x * math.inf

    assert math.isnan(too_large(2.0))
    assert "out of range" in (too_large.measure(2.0).reason or "")
    assert too_large.__doc__ == "Docstring of the formula."


def test_other_errors_are_not_swallowed():
    @Statistic
    def broken(x: float) -> float:
        raise KeyError(x)

    with pytest.raises(KeyError):
        broken(1.0)
    assert not issubclass(Undefined, ValueError)


def test_an_estimate_is_a_measure_with_its_ends_and_says_why_one_is_undefined():
    found = Estimate(0.5, 0.25, math.nan, "t", "one seed").measures("gap")
    assert list(found) == ["gap", "gap.low", "gap.high"]
    assert found["gap"] == (0.5, None) and found["gap.low"] == (0.25, None)
    assert math.isnan(found["gap.high"].value) and found["gap.high"].reason == "one seed"
