"""Poisson counts whose noise is named by member and step."""

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Draw, InputError


def draw_counts(draw: Draw, members: Ints, expected: Floats) -> Ints:
    """Draw each member's number of actions from a Poisson distribution with its mean in `expected`.

    Each count is the quantile of one uniform number that is named by the member's row; bind `draw` to the
    step. So a higher mean never gives a lower count, and two arms of an experiment share their noise.
    """
    from scipy.special import pdtr, pdtrik

    means = np.broadcast_to(np.asarray(expected, dtype=np.float64), len(members))
    if not (np.isfinite(means).all() and (means >= 0).all()):
        raise InputError(
            "a member is expected to act a negative number of times, or NaN; give numbers from 0"
        )
    unit = draw.uniform(agent=members)
    counts = np.zeros(len(members), dtype=np.int64)
    active = np.flatnonzero(unit > np.exp(-means))
    level, mean = unit[active], means[active]
    quantile = np.ceil(pdtrik(level, mean))
    counts[active] = np.where(pdtr(np.maximum(quantile - 1, 0), mean) >= level, quantile - 1, quantile)
    return counts
