"""Bootstraps that resample whole units (users, seeds)."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import Estimate, percentile_interval, sample

BLOCK = 4_000_000
"""Number of draws held in memory at a time; results do not depend on it."""
_UNITS = Draw(0, "statistics.units")


def divide_arrays(numerators: Floats, denominators: Floats) -> Floats:
    """Divide element by element; NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominators == 0, np.nan, numerators / denominators)


def cluster_bootstrap(
    *values_by_unit: ArrayLike,
    statistic: Callable[..., Floats] = divide_arrays,
    draw: Draw = _UNITS,
    draws: int = 2_000,
    level: float = 0.95,
) -> Estimate:
    """Compute a statistic of per-unit sums, with a percentile interval by resampling units.

    Each of `values_by_unit` holds one sum a unit (clicks of each user, impressions of each user); `statistic`
    gets, for each of them, the sums over units in many resamples as an array, and gives an array of the same
    shape: a ratio for two, by default. Whatever happened inside a unit stays together (Field & Welsh, J. R.
    Stat. Soc. B 2007). Resample r takes unit `draw.below(units, item=position, step=r)` for each position.
    """
    columns = [np.asarray(values, dtype=np.float64).ravel() for values in values_by_unit]
    units = {len(column) for column in columns}
    if len(units) != 1:
        raise ValueError(f"sums for {sorted(units) or 'no'} units; give one a unit, for as many units each")
    n = units.pop()
    if n < 1:
        return Estimate(float("nan"), reason="there are no units")
    totals = [np.array([column.sum()]) for column in columns]
    value = float(np.asarray(statistic(*totals), dtype=np.float64)[0])
    if not np.isfinite(value):
        return Estimate(float("nan"), reason="the statistic has no value on the units as they are")
    if n == 1:
        return Estimate(value, reason="1 unit; an interval needs at least 2")
    blocks = [
        statistic(*(column[picked].sum(axis=1) for column in columns))
        for _, picked in resamples(n, draw, draws)
    ]
    return percentile_interval(value, np.concatenate(blocks), level, "percentile bootstrap")


def resamples(n: int, draw: Draw, draws: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield blocks of resamples: their numbers (as a column) and drawn units (resamples x n)."""
    rows = max(1, BLOCK // n)
    for start in range(0, draws, rows):
        step = np.arange(start, min(start + rows, draws))[:, None]
        yield step, draw.below(n, item=np.arange(n)[None, :], step=step)


def ratio_of_sums(a: ArrayLike, b: ArrayLike, level: float = 0.95, draws: int = 9_999) -> Estimate:
    """Compute the ratio of arm b's sum to arm a's, with an interval over resampled seeds.

    Seeds are resampled in pairs. For measures with a true zero. Undefined where the first sum is 0.
    """
    return cluster_bootstrap(b, a, draw=Draw(0, "statistics.ratio"), draws=draws, level=level)


def hierarchical_bootstrap(
    samples: Sequence[ArrayLike], draw: Draw = _UNITS, draws: int = 9_999, level: float = 0.95
) -> Estimate:
    """Compute the mean of seeds' means with an interval, where each seed has several samples.

    Samples are such as repeated calls of a model. Seeds are resampled, then within each picked seed its
    samples (Davison & Hinkley, Bootstrap Methods and their Application, 1997, 3.8): the interval holds the
    noise of both. Every seed weighs the same.
    """
    groups = [sample(group) for group in samples]
    if not groups:
        return Estimate(float("nan"), reason="there are no seeds")
    value = float(np.mean([group.mean() for group in groups]))
    if len(groups) < 2:
        return Estimate(value, reason="1 seed; an interval needs at least 2")
    sizes = np.array([len(group) for group in groups])
    table = np.zeros((len(groups), sizes.max()))
    for row, group in zip(table, groups, strict=True):
        row[: len(group)] = group
    places, inner, blocks = np.arange(sizes.max()), draw.at("samples"), []
    for step, picked in resamples(len(groups), draw, draws):
        means = []
        for place, seeds in enumerate(picked.T):
            unit = inner.uniform(agent=place, item=places[None, :], step=step)
            chosen = (unit * sizes[seeds][:, None]).astype(np.int64)
            used = places[None, :] < sizes[seeds][:, None]
            means.append((table[seeds[:, None], chosen] * used).sum(axis=1) / sizes[seeds])
        blocks.append(np.mean(means, axis=0))
    return percentile_interval(value, np.concatenate(blocks), level, "hierarchical bootstrap")
