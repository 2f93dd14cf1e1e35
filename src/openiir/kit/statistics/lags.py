"""Whether one series follows another, and after how many rounds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import values
from openiir.kit.statistics.statistic import Undefined


class LagTest(NamedTuple):
    """The lag at which one series follows another most closely."""

    lag: int
    """Rounds by which the second series follows the first."""
    correlation: float
    """Mean correlation over seeds at that lag, -1 to 1."""
    p: float
    """Share of shuffled series whose strongest correlation at any lag is as strong."""


def follow_series(
    leading: ArrayLike, following: ArrayLike, most: int, draw: Draw, draws: int = 999
) -> LagTest:
    """Test whether changes of one series are followed by changes of another, up to `most` rounds later.

    Both are (seeds, rounds). Correlated are differences between rounds, since two series that only drift are
    alike at any lag. The null rotates each seed's second series by a random number of rounds, which keeps how
    it moves and breaks when; p = (b + 1) / (draws + 1) of the strongest correlation over lags, so that trying
    several lags is accounted for. Raises Undefined for a series without changes or too short for its lags.
    """
    first, second = (
        np.diff(np.atleast_2d(np.asarray(x, dtype=np.float64)), axis=1) for x in (leading, following)
    )
    values(np.concatenate([first, second]), 1, "changes")
    seeds, rounds = first.shape
    if rounds < most + 3:
        raise Undefined(f"{rounds + 1} rounds are too few for lags up to {most}")
    if not (np.ptp(first, axis=1).all() and np.ptp(second, axis=1).all()):
        raise Undefined("a series does not change, or changes by the same amount in every round")
    found = _correlations(first, second, most)
    best = int(np.abs(found).argmax())
    turn = draw.below(rounds - 1, item=np.arange(seeds), step=np.arange(draws)[:, None]) + 1
    places = (np.arange(rounds) + turn[..., None]) % rounds
    shuffled = np.take_along_axis(np.broadcast_to(second, (draws, seeds, rounds)), places, axis=2)
    strongest = np.abs(_correlations(np.broadcast_to(first, shuffled.shape), shuffled, most)).max(axis=-1)
    reached = int((strongest >= abs(found[best]) * (1 - 1e-12)).sum())
    return LagTest(best, float(found[best]), (reached + 1) / (draws + 1))


def _correlations(first: Floats, second: Floats, most: int) -> Floats:
    """Correlate (..., seeds, rounds) at each lag from 0 to `most`; returns (..., lags), means over seeds."""
    by_lag = []
    for lag in range(most + 1):
        a, b = first[..., : first.shape[-1] - lag], second[..., lag:]
        a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
        norm = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
        product = (a * b).sum(axis=-1)
        by_lag.append(np.divide(product, norm, out=np.zeros_like(norm), where=norm > 0).mean(axis=-1))
    return np.stack(by_lag, axis=-1)
