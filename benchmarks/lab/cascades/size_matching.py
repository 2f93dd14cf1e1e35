"""Comparison of two sets of cascades at equal size, so that structure is not confounded with size."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats, Ints
from openiir.kit.statistics import Estimate, cluster_bootstrap
from openiir.plugin import order_by

_MATCHING = Draw(0, "cascades.matching")


class SizeMatched(NamedTuple):
    """A measure compared between cascades of two sets, matched one to one by size."""

    pairs: int
    """Number of pairs of one cascade of each set."""
    first_mean: float
    second_mean: float
    difference: Estimate
    """Mean of second minus first, with a percentile bootstrap interval over pairs."""
    distance: float
    """Kolmogorov-Smirnov distance between the matched distributions."""
    p: float
    """Its p-value under exchange within pairs: (1 + exchanges at least as far) / (1 + exchanges)."""


def compare_at_equal_size(
    sizes: tuple[ArrayLike, ArrayLike],
    values: tuple[ArrayLike, ArrayLike],
    edges: ArrayLike | None = None,
    draw: Draw = _MATCHING,
    draws: int = 1_999,
) -> SizeMatched:
    """Compare a measure of two sets of cascades after matching them by size (Juul & Ugander, PNAS 2021).

    Within each size, or each bin [edge, next edge) of sizes, as many cascades of either set are drawn as the
    smaller one has, and paired. If size were all that differs, the two of a pair could change places, which
    gives an exact test. Cascades whose measure is NaN and sizes outside of all bins are left out; without
    pairs all is NaN.
    """
    columns = []
    for arm, (size, value) in enumerate(zip(sizes, values, strict=True)):
        n, x = np.asarray(size), np.asarray(value, dtype=np.float64)
        group = n
        if edges is not None:  # bins by number, -1 outside of all
            group = np.digitize(n, edges) - 1
            group = np.where(group < len(edges) - 1, group, -1)
        kept = ~np.isnan(x) & (group >= 0)
        group, x = group[kept], x[kept]
        order = order_by(group, draw.at("order", agent=arm).bits(item=np.flatnonzero(kept)))
        columns.append((group[order], x[order]))
    first, second = _pair(*columns)
    if not len(first):
        nothing = Estimate(math.nan, reason="no size occurs in both sets")
        return SizeMatched(0, math.nan, math.nan, nothing, math.nan, math.nan)
    ones = np.ones(len(first))
    difference = cluster_bootstrap(second - first, ones, draw=draw.at("bootstrap"), draws=draws)
    distance, p = _exchange_test(first, second, draw.at("exchange"), draws)
    return SizeMatched(len(first), float(first.mean()), float(second.mean()), difference, distance, p)


def _pair(first: tuple[Ints, Floats], second: tuple[Ints, Floats]) -> tuple[Floats, Floats]:
    """Pair the first cascades of each group, as many as the smaller side has."""
    halves = []
    for (group, values), (other, _) in ((first, second), (second, first)):
        rank = np.arange(len(group)) - np.searchsorted(group, group)
        there = np.searchsorted(other, group, side="right") - np.searchsorted(other, group)
        halves.append(values[rank < there])
    return halves[0], halves[1]


def _exchange_test(first: Floats, second: Floats, draw: Draw, draws: int) -> tuple[float, float]:
    """Compute the Kolmogorov-Smirnov distance of paired samples, and its p-value under exchange."""
    n = len(first)
    pooled = np.concatenate((first, second))
    order = order_by(pooled)
    ends = np.append(np.diff(pooled[order]) > 0, True)
    pair = order % n
    sign = np.where(order < n, 1, -1)
    found = int(np.abs(np.cumsum(sign)[ends]).max())
    as_far, rows = 0, max(1, 4_000_000 // n)
    for start in range(0, draws, rows):
        step = np.arange(start, min(start + rows, draws))[:, None]
        swapped = np.where(draw.chance(0.5, item=np.arange(n)[None, :], step=step), -1, 1)
        walks = np.cumsum(sign * swapped[:, pair], axis=1)[:, ends]
        as_far += int((np.abs(walks).max(axis=1) >= found).sum())
    return found / n, (1 + as_far) / (1 + draws)
