"""Sign-flip permutation test of paired differences.

If the arms are alike, the sign of each seed's difference is random.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats
from openiir.kit.statistics.estimate import sample
from openiir.kit.statistics.statistic import Statistic

MOST_FLIPS = 20_000
DRAWS = 9_999
BLOCK = 2_000_000
"""Number of signs that `sign_flips` holds in memory at a time; results do not depend on it."""


def is_exact(n: int) -> bool:
    """Whether the sign-flip test of n seeds enumerates all 2^n flips, as it does up to 14 seeds."""
    return 2**n <= MOST_FLIPS


def smallest_p(n: int, draws: int = DRAWS) -> float:
    """Compute the smallest p-value that the sign-flip test can give with n seeds.

    It is 2 / 2^n where the test is exact, 1 / (draws + 1) otherwise.
    """
    return 2.0 / 2**n if is_exact(n) else 1.0 / (draws + 1)


def fewest_seeds(alpha: float = 0.05, tests: int = 1) -> int:
    """Compute the fewest seeds for which the exact sign-flip test can reach p = alpha / tests.

    6 for one test at .05, 9 for ten.
    """
    n = 1
    while 2.0 / 2**n > alpha / tests:
        n += 1
    return n


@Statistic
def sign_flip(d: ArrayLike, draws: int = DRAWS) -> float:
    """Compute the two-sided p-value of the mean of paired differences by sign flips.

    Fisher, The Design of Experiments, 1935. Exact while 2^S is at most 20,000; beyond, p = (b + 1) / (m + 1)
    over m = `draws` named random flips (Phipson & Smyth, Stat. Appl. Genet. Mol. Biol. 2010). 1 where all
    differences are 0. Undefined under 2 seeds.
    """
    array = sample(d, 2)
    seen = abs(float(array.sum())) * (1 - 1e-12)
    reached = int((np.abs(_signs(len(array), draws) @ array) >= seen).sum())
    if is_exact(len(array)):
        return reached / 2 ** (len(array) - 1)
    return (reached + 1) / (draws + 1)


def sign_flips(table: ArrayLike, draws: int = DRAWS) -> Floats:
    """Test each column of paired differences (units x tests) by `sign_flip`; NaN for missing values.

    A unit's sign is flipped in all columns at once, so that one pass serves many tests: about 10^9
    differences x draws a second. Sums that lie closer than 10^-9 of all that a column adds up to are equal. A
    column of fewer than 2 differences has NaN.
    """
    d = np.asarray(table, dtype=np.float64)
    if d.ndim != 2:
        raise ValueError(f"differences are units x tests, got shape {d.shape}")
    there = ~np.isnan(d)
    counts, p, exact = there.sum(axis=0), np.full(d.shape[1], np.nan), MOST_FLIPS.bit_length() - 1
    for column in np.flatnonzero((counts >= 2) & (counts <= exact)):
        p[column] = sign_flip(d[there[:, column], column])
    drawn = counts > exact
    if drawn.any():
        p[drawn] = (_count_extremes(np.nan_to_num(d[:, drawn]), draws) + 1) / (draws + 1)
    return p


def _count_extremes(d: Floats, draws: int) -> Floats:
    """Count the random flips of each column whose sum is at least as far from 0 as its own."""
    seen, found = np.abs(d.sum(axis=0)) - 1e-9 * np.abs(d).sum(axis=0), np.zeros(d.shape[1])
    rows = max(1, BLOCK // len(d))
    for first in range(0, draws, rows):
        signs = _random_signs(len(d), np.arange(first, min(draws, first + rows)))
        found += (np.abs(signs @ d) >= seen).sum(axis=0)
    return found


@lru_cache(maxsize=32)
def _signs(n: int, draws: int) -> Floats:
    """Enumerate sign flips in rows of n signs, or draw `draws` random ones.

    Of all flips only half is listed, since the other half has the same absolute sums.
    """
    if is_exact(n):
        rows = np.arange(2 ** (n - 1))[:, None] >> np.arange(n) & 1
        signs = 1.0 - 2.0 * rows.astype(np.float64)
    else:
        signs = _random_signs(n, np.arange(draws))
    signs.setflags(write=False)
    return signs


def _random_signs(n: int, numbers: np.ndarray) -> Floats:
    """Draw the random sign flips with these numbers, in rows of n signs."""
    draw, words = Draw(0, "statistics.signflip"), -(-n // 64)
    bits = draw.bits(item=numbers[:, None], step=np.arange(words)[None, :])
    rows = (np.repeat(bits, 64, axis=1)[:, :n] >> (np.arange(n) % 64).astype(np.uint64)) & np.uint64(1)
    signs: Floats = 1.0 - 2.0 * rows.astype(np.float64)
    return signs
