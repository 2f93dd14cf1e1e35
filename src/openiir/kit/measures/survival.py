"""Collapse of a measure against its paired control: when it comes, whom it meets first, and who lasts."""

import math
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.records import Measure
from openiir.kit.arrays import Bools, Floats
from openiir.kit.measures.consensus import kendalls_w
from openiir.kit.statistics.estimate import Estimate


def collapse_times(
    values: ArrayLike, controls: ArrayLike, departure: float = 0.1, lasting: int = 3
) -> Floats:
    """Find when each series departs from its paired control for good enough to be called a collapse.

    Both are (..., rounds). A collapse is the first of `lasting` rounds in a row in which a value is more than
    the share `departure` of its control away from it. Returns its number, counted from 1, or NaN where there
    is none until the end (censored). A missing value departs from nothing.
    """
    found, control = np.asarray(values, dtype=np.float64), np.asarray(controls, dtype=np.float64)
    away = np.abs(found - control) > departure * np.abs(control)
    if away.shape[-1] < lasting:
        return np.full(away.shape[:-1], math.nan)
    lasts = np.lib.stride_tricks.sliding_window_view(away, lasting, axis=-1).all(axis=-1)
    return np.where(lasts.any(axis=-1), lasts.argmax(axis=-1) + 1.0, math.nan)


class CollapseOrder(NamedTuple):
    """In what order measures collapse, over seeds."""

    ranks: Floats
    """Mean rank of each measure, 1 for the first to collapse; those that did not share the last ranks."""
    agreement: Measure
    """Kendall's W of the seeds: 1 where all have one order, 0 where there is none."""


def order_collapses(times: ArrayLike) -> CollapseOrder:
    """Order measures by their collapse times, (seeds, measures), of which NaN are censored."""
    from scipy.stats import rankdata

    lasting = np.nan_to_num(np.asarray(times, dtype=np.float64), nan=math.inf)
    ranks = rankdata(lasting, axis=1)
    return CollapseOrder(ranks.mean(axis=0), kendalls_w.measure(ranks))


class SurvivalCurve(NamedTuple):
    """Share of units that last beyond each time at which some end, with a pointwise interval."""

    times: Floats
    share: Floats
    low: Floats
    high: Floats


def kaplan_meier(times: ArrayLike, ended: ArrayLike, level: float = 0.95) -> SurvivalCurve:
    """Estimate how long units last where some were still there when last seen.

    `ended` is false for a unit that still lasted at its time. Kaplan & Meier, JASA 1958; intervals on the
    log-minus-log scale (Borgan & Liestol, Scand. J. Statist. 1990), so within 0 to 1; NaN where nobody lasts.
    """
    from scipy.stats import CensoredData, ecdf

    time, over = _check_times(times, ended)
    curve = ecdf(CensoredData(uncensored=time[over], right=time[~over])).sf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of shares of 0 and 1
        within = curve.confidence_interval(level, method="log-log")
    at = np.isin(curve.quantiles, time[over])
    parts = (curve.quantiles, curve.probabilities, within.low.probabilities, within.high.probabilities)
    return SurvivalCurve(*(np.asarray(part, dtype=np.float64)[at] for part in parts))


def restricted_mean(times: ArrayLike, ended: ArrayLike, until: float, level: float = 0.95) -> Estimate:
    """Compute the mean time that units last, counted up to `until`: the area under their survival curve.

    `ended` as in `kaplan_meier`; the interval is normal, by Greenwood's variance (Royston & Parmar, BMC Med.
    Res. Methodol. 2013), and stays within 0 to `until`. Undefined where all that had not ended were last seen
    before `until`.
    """
    from scipy.special import ndtri

    time, over = _check_times(times, ended)
    if not over[time == time.max()].all() and time.max() < until:
        return Estimate(math.nan, reason=f"nobody was seen after {time.max():g}; ask up to there")
    at = np.unique(time[over & (time <= until)])
    risk, ends = (time[:, None] >= at).sum(axis=0), (time[over][:, None] == at).sum(axis=0)
    share = np.cumprod(1 - ends / risk)
    areas = np.diff(np.append(at, until)) * share
    value = float((at[0] if len(at) else until) + areas.sum())
    after = areas[::-1].cumsum()[::-1]
    still = risk > ends
    variance = float((after[still] ** 2 * ends[still] / (risk * (risk - ends))[still]).sum())
    half = float(ndtri((1 + level) / 2)) * math.sqrt(variance)
    return Estimate(value, max(value - half, 0.0), min(value + half, float(until)), "Greenwood")


def _check_times(times: ArrayLike, ended: ArrayLike) -> tuple[Floats, Bools]:
    time, over = np.asarray(times, dtype=np.float64), np.asarray(ended, dtype=np.bool_)
    if time.shape != over.shape or time.ndim != 1 or not len(time) or not (time >= 0).all():
        raise ValueError(
            f"times {time.shape} and ends {over.shape}: give both for each of one or more units, times from 0"
        )
    return time, over
