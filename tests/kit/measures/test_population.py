"""Opinions of a population from sums, against the opinions themselves."""

import math

import numpy as np
import pytest

from openiir.kit.measures import drift, issue_alignment, opinion_covariance, opinion_variance, total_variance
from openiir.kit.statistics.statistic import Undefined

B = np.random.default_rng(8).uniform(-1, 1, (300, 5)) * [1, 0.5, 0.2, 1, 0.8] + [0, 0.1, 0.5, 0, 0.1]
SUMS, SQUARES, PRODUCTS = B.sum(axis=0), (B**2).sum(axis=0), B.T @ B


def test_opinion_variance_is_the_mean_of_the_topics():
    assert opinion_variance(SUMS, SQUARES, 300) == pytest.approx(np.mean([np.var(topic) for topic in B.T]))


def test_covariance_trace_and_alignment():
    expected = np.cov(B.T, ddof=0)
    assert opinion_covariance(SUMS, PRODUCTS, 300) == pytest.approx(expected)
    assert total_variance(SUMS, PRODUCTS, 300) == pytest.approx(5 * opinion_variance(SUMS, SQUARES, 300))
    singular = np.linalg.svd(B - B.mean(axis=0), compute_uv=False) ** 2
    assert issue_alignment(SUMS, PRODUCTS, 300) == pytest.approx(singular[0] / singular.sum())


def test_alignment_at_its_ends():
    line = np.outer(np.linspace(-1, 1, 50), [0.5, -0.2, 0.9])
    assert issue_alignment(line.sum(axis=0), line.T @ line, 50) == pytest.approx(1)
    axes = np.vstack([np.eye(4), -np.eye(4)])
    assert issue_alignment(axes.sum(axis=0), axes.T @ axes, 8) == pytest.approx(1 / 4)
    assert issue_alignment(SUMS[:1], PRODUCTS[:1, :1], 300) == pytest.approx(1)


def test_equal_opinions_vary_by_nothing_and_have_no_direction():
    same = np.tile([0.3, -0.7, 0.1], (1_000, 1))
    sums, squares, products = same.sum(axis=0), (same**2).sum(axis=0), same.T @ same
    assert opinion_variance(sums, squares, 1_000) == pytest.approx(0, abs=1e-15)
    assert opinion_variance(sums, squares, 1_000) >= 0
    assert issue_alignment.measure(sums, products, 1_000).reason == "all users hold the same opinions"
    assert math.isnan(issue_alignment(np.zeros(3), np.zeros((3, 3)), 10))


def test_drift_is_the_mean_distance():
    start = np.zeros((2, 2))
    assert drift([[3, 4], [0, 1]], start) == pytest.approx(3.0)
    assert drift(B, B) == 0.0
    assert "shape (2, 2) now, (3, 2) at the start" in drift.measure(start, np.zeros((3, 2))).reason


def test_what_has_no_value_says_why():
    assert opinion_variance.measure([0], [0], 0).reason == "there are no users"
    assert drift.measure(np.empty((0, 3)), np.empty((0, 3))).reason == "there are no users"
    assert opinion_variance.measure([0, 1], [1], 4).reason == "2 sums for 1 sums of squares"
    with pytest.raises(Undefined, match=r"cross-products of shape \(2, 2\) for 3 topics"):
        opinion_covariance([0, 0, 0], np.eye(2), 4)
