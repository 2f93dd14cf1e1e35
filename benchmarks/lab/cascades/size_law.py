"""Sizes of branching cascades: their distribution, and trees of given sizes."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats, Ints
from openiir.plugin import order_by
from openiir.scenarios.social_media.model.cascades import NOBODY, CascadeTrees, build_trees

LARGEST = 10_000
"""Most shares of a cascade that a `SizeLaw` considers by default."""


class SizeLaw:
    """Distribution of the size of a branching cascade, given that it has `smallest` to `largest` shares.

    Each share causes `reproduction` further ones on average, with a Poisson distribution or, where
    `dispersion` k is finite, a negative binomial one of variance R + R^2 / k: the smaller k, the more a few
    shares cause (Lloyd-Smith, Schreiber, Kopp & Getz, Nature 2005). The size n of the whole cascade has P(n)
    = P(n draws add up to n - 1) / n (Dwass, J. Appl. Probab. 1969). Data sets that leave small cascades out
    are fitted from their smallest size on.
    """

    def __init__(
        self, reproduction: float, dispersion: float = np.inf, smallest: int = 1, largest: int = LARGEST
    ) -> None:
        if not (reproduction > 0 and dispersion > 0 and 1 <= smallest <= largest):
            raise InputError(
                f"sizes {smallest} to {largest} under reproduction number {reproduction} and dispersion "
                f"{dispersion} were asked for; both numbers are above 0, and sizes 1 or more"
            )
        self.smallest, self.largest = smallest, largest
        law = _log_law(np.arange(smallest, largest + 1.0), reproduction, dispersion)
        self._log_law: Floats = law - logsumexp(law)

    def log_probability(self, sizes: ArrayLike) -> Floats:
        """Compute the log-probability of each size (n,) in the law's range."""
        n = np.asarray(sizes)
        if n.min() < self.smallest or n.max() > self.largest:
            limits = f"{self.smallest} to {self.largest}"
            raise InputError(f"cascades of {n.min()} to {n.max()} shares; this law is of {limits}")
        return self._log_law[n - self.smallest]

    def draw(self, number: int, draw: Draw) -> Ints:
        """Draw the sizes of a number of cascades."""
        places = np.searchsorted(np.cumsum(np.exp(self._log_law)), draw.uniform(item=np.arange(number)))
        return np.asarray(np.minimum(places + self.smallest, self.largest))


def _log_law(n: Floats, reproduction: float, dispersion: float) -> Floats:
    if np.isinf(dispersion):
        return np.asarray(-reproduction * n + (n - 1) * np.log(reproduction * n) - gammaln(n + 1))
    k, mean = dispersion, reproduction
    draws = gammaln(n * k + n - 1) - gammaln(n * k) - gammaln(n)
    return draws + n * k * np.log(k / (k + mean)) + (n - 1) * np.log(mean / (k + mean)) - np.log(n)


def cascades_of_sizes(sizes: ArrayLike, draw: Draw, dispersion: float = np.inf) -> CascadeTrees:
    """Generate branching cascades of given sizes, exactly; members are numbered by depth, and time is depth.

    Given its size, a cascade's shape does not depend on the reproduction number (Juul & Ugander, PNAS 2021),
    only on the `dispersion` of offspring. The shares that n members cause are n - 1 balls in an urn scheme
    (Polya), and one rotation of them is a tree (Devroye, SIAM J. Comput. 2012).
    """
    size = np.asarray(sizes, dtype=np.int64)
    start = np.cumsum(size) - size
    item = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(item)) - start[item]
    below = place > 0
    causes = _draw_causes(item[below], place[below] - 1, size, draw, dispersion)
    offspring = np.bincount(start[item[below]] + causes, minlength=len(item))
    walk = np.cumsum(offspring - 1) + item  # every cascade's steps add up to -1
    lowest = place[order_by(item, walk, place)[start]]
    offspring = offspring[start[item] + (place + lowest[item] + 1) % size[item]]
    parent = np.full(len(item), NOBODY)
    parent[below] = np.repeat(place, offspring)
    up = np.where(below, start[item] + parent, np.arange(len(item)))
    depth, at = np.zeros(len(item)), np.arange(len(item))
    while below[at].any():
        depth += below[at]
        at = up[at]
    return build_trees(item, place, parent, depth)


def _draw_causes(item: Ints, ball: Ints, size: Ints, draw: Draw, dispersion: float) -> Ints:
    """Draw which member of its cascade causes each share: one that did before, more likely later, or any.

    Ball j takes the box of one of the j before it with probability j / (n k + j), else any of the n boxes.
    """
    box = (draw.at("member").uniform(item=item, agent=ball) * size[item]).astype(np.int64)
    if np.isinf(dispersion):
        return box
    copies = draw.at("copies").chance(ball / (size[item] * dispersion + ball), item=item, agent=ball)
    other = (draw.at("copied").uniform(item=item, agent=ball) * ball).astype(np.int64)
    rows = np.arange(len(ball))
    source = np.where(copies, rows - ball + other, rows)
    while not np.array_equal(further := source[source], source):
        source = further
    return np.asarray(box[source])
