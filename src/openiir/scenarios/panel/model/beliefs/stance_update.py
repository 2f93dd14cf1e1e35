"""Update a listener's stance after a claim: the platform's default rule, for one listener or arrays.

It combines three findings: advice is taken at a discount (Yaniv & Kleinberger, OBHDP 2000), what lies too far
off is not taken at all (bounded confidence: Deffuant et al. 2000; Hegselmann & Krause 2002), and where one
started keeps pulling (Friedkin & Johnsen 1990).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from openiir.plugin import quantise

SPAN = 2.0
"""Width of the stance scale, which runs from -1 to 1."""


def _stance(value: Any) -> Any:
    return quantise(np.clip(value, -1.0, 1.0), SPAN)


def hear_claim(
    s: ArrayLike,
    claim_stance: ArrayLike,
    strength: ArrayLike,
    weight: ArrayLike = 1.0,
    mu: ArrayLike = 0.3,
    epsilon: ArrayLike = 1.0,
) -> Any:
    """Update a stance after hearing a claim: s + mu strength weight (claim_stance - s).

    Claims farther than `epsilon` from the listener's stance have no effect.
    Stances lie in [-1, 1], `strength` (of the argument) and `mu` (openness) in [0, 1], `weight` (of the
    speaker to this hearer) is at least 0 with 1 ordinary. The three multiply to at most 1: nobody is carried
    beyond what they heard. Arguments broadcast; the result is a float or an array, on the stance grid.
    """
    own, other = np.asarray(s, dtype=np.float64), np.asarray(claim_stance, dtype=np.float64)
    rate = np.minimum(np.asarray(mu, dtype=np.float64) * np.asarray(strength) * np.asarray(weight), 1.0)
    # Both sides lie on the grid, so that a distance of just epsilon is not decided by a rounding error.
    near = quantise(np.abs(other - own), SPAN) <= quantise(epsilon, SPAN)
    return _stance(own + np.where(near, rate, 0.0) * (other - own))


def anchor_stance(s: ArrayLike, s0: ArrayLike, phi: ArrayLike = 0.05) -> Any:
    """Pull a stance back towards its initial value: (1 - phi) s + phi s0.

    The result lies in [-1, 1] on the stance grid.
    """
    pull = np.asarray(phi, dtype=np.float64)
    return _stance((1 - pull) * np.asarray(s, dtype=np.float64) + pull * np.asarray(s0, dtype=np.float64))
