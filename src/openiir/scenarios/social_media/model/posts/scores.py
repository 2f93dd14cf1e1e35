"""Published formulas that rank posts by votes, time and engagement, over arrays."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats
from openiir.plugin import InputError

REDDIT_EPOCH = 1_134_028_003
"""Second of the Unix clock from which Reddit's hot score counts (8 December 2005)."""
_HALF_DAY = 45_000
"""Seconds, 12.5 hours, that weigh as much as ten times the net votes."""
_Z = 1.281551565545
"""Normal quantile of Reddit's confidence sort, of .9."""

TWITTER_WEIGHTS: Mapping[str, float] = MappingProxyType({
    "like": 0.5,
    "repost": 1.0,
    "reply": 13.5,
    "profile_click": 12.0,
    "video_playback": 0.005,
    "reply_engaged_by_author": 75.0,
    "good_click": 11.0,
    "good_click_v2": 10.0,
    "negative_feedback": -74.0,
    "report": -369.0,
})  # fmt: skip
"""Weights of predicted engagement in Twitter's heavy ranker as of 5 April 2023 (twitter/the-algorithm-ml)."""


def hot_score(ups: ArrayLike, downs: ArrayLike, seconds: ArrayLike) -> Floats:
    """Compute Reddit's hot score: the signed decimal logarithm of the net votes, plus age in units of 12.5 hours.

    `seconds` are of the Unix clock. The version of reddit-archive's `_sorts.pyx`, in which the sign belongs to the votes;
    in the version of 2008 it multiplies the time. Rounded to 7 decimals.
    """
    net = np.asarray(ups, dtype=np.float64) - np.asarray(downs, dtype=np.float64)
    age = (np.asarray(seconds, dtype=np.float64) - REDDIT_EPOCH) / _HALF_DAY
    return np.asarray(np.round(np.sign(net) * np.log10(np.maximum(np.abs(net), 1)) + age, 7))


def controversy_score(ups: ArrayLike, downs: ArrayLike) -> Floats:
    """Compute Reddit's controversy: votes by net votes, which is high for many votes that balance (`_sorts.pyx`)."""
    up, down = np.asarray(ups, dtype=np.float64), np.asarray(downs, dtype=np.float64)
    return np.asarray((up + down) / np.maximum(np.abs(up - down), 1))


def wilson_bound(ups: ArrayLike, downs: ArrayLike) -> Floats:
    """Compute the lower bound of the share of up-votes, by which Reddit sorts comments; 0 without votes.

    One end of Wilson's score interval (JASA 1927) at a level of 80 %.
    """
    up, down = np.asarray(ups, dtype=np.float64), np.asarray(downs, dtype=np.float64)
    votes = np.maximum(up + down, 1)
    share = up / votes
    middle = share + _Z * _Z / (2 * votes)
    half = _Z * np.sqrt(share * (1 - share) / votes + _Z * _Z / (4 * votes * votes))
    return np.where(up + down > 0, (middle - half) / (1 + _Z * _Z / votes), 0.0)


def engagement_score(
    chances: Mapping[str, ArrayLike], weights: Mapping[str, float] = TWITTER_WEIGHTS
) -> Floats:
    """Add up the predicted chances of engagement by kind, each times its weight.

    Kinds that are not predicted count nothing. Raises InputError for a kind without a weight.
    """
    if unknown := sorted(chances.keys() - weights.keys()):
        raise InputError(f"engagement {unknown[0]!r} has no weight; weights are of {', '.join(weights)}")
    total = np.zeros(())
    for kind in filter(chances.__contains__, weights):
        total = total + weights[kind] * np.asarray(chances[kind], dtype=np.float64)
    return total
