"""Proportions with an interval that is valid at 0 and 1 as well."""

import math

from openiir.kit.statistics.estimate import Estimate


def wilson_interval(yes: int, of: int, level: float = 0.95) -> Estimate:
    """Estimate the proportion yes / of with Wilson's score interval (JASA 1927).

    The interval lies within 0 to 1 and never has zero width.
    Undefined where `of` is 0. Raises ValueError for more yes than units.
    """
    from scipy.special import ndtri

    if not 0 <= yes <= of:
        raise ValueError(f"{yes} of {of} is no share")
    if not of:
        return Estimate(math.nan, reason="there are no units")
    z, share = float(ndtri((1 + level) / 2)), yes / of
    middle, weight = share + z * z / (2 * of), 1 + z * z / of
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = (middle - half) / weight, (middle + half) / weight
    return Estimate(share, low if yes else 0.0, high if yes < of else 1.0, "Wilson")
