"""Power of paired comparisons, and the number of seeds they need."""

import math

from openiir.kit.statistics.statistic import Statistic, Undefined

MOST_SEEDS = 1_000_000


def power_of(effect: float, n: int, alpha: float = 0.05) -> float:
    """Compute the power of the two-sided paired t test with n >= 2 seeds at a true d_z.

    By the noncentral t distribution.
    """
    from scipy.special import nctdtr, stdtrit

    edge, shift = float(stdtrit(n - 1, 1 - alpha / 2)), abs(effect) * math.sqrt(n)
    missed, wrong_side = float(nctdtr(n - 1, shift, edge)), float(nctdtr(n - 1, shift, -edge))
    return 1 - missed + (wrong_side if math.isfinite(wrong_side) else 0.0)


@Statistic
def seeds_needed(effect: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Compute the fewest seeds with which the two-sided paired t test reaches a power at a true d_z.

    Undefined for an effect of 0, and for one so small that a million seeds do not do.
    """
    if not math.isfinite(effect):
        raise Undefined("the effect has no value")
    if effect == 0:
        raise Undefined("no number of seeds finds an effect of 0")
    high = 2
    while power_of(effect, high, alpha) < power:
        high *= 2
        if high > MOST_SEEDS:
            raise Undefined(f"more than {MOST_SEEDS:,} seeds")
    low = max(2, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(effect, middle, alpha) >= power else (middle + 1, high)
    return float(low)
