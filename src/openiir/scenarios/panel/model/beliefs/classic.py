"""Four published models of opinion dynamics, and a count of the opinion clusters they leave.

Nothing here is clipped or put on a grid: these are the forms that closed solutions and other programs are
compared with. Sums run in a fixed order (no BLAS), so results do not depend on the number of threads.
"""

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import Draw


def row_stochastic(weights: ArrayLike) -> Floats:
    """Scale a weight matrix (n x n, at least 0) so that each row sums to 1.

    A row of zeros becomes a row of the identity matrix: that member keeps its own opinion.
    Raises ValueError where the matrix is not square or holds a negative or missing weight.
    """
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        raise ValueError(f"weights are a square matrix (who hears x who is heard), got shape {w.shape}")
    if not (np.isfinite(w).all() and (w >= 0).all()):
        raise ValueError("weights are finite and at least 0")
    w = np.where(w.sum(axis=1, keepdims=True) == 0, np.eye(len(w)), w)
    return np.asarray(w / w.sum(axis=1, keepdims=True))


def degroot(weights: ArrayLike, x: ArrayLike, steps: int = 1) -> Floats:
    """Run `steps` rounds of DeGroot averaging, x <- W x (JASA 1974), with rows of W scaled to sum to 1."""
    w, opinions = row_stochastic(weights), np.array(x, dtype=np.float64)
    for _ in range(steps):
        opinions = (w * opinions).sum(axis=1)
    return opinions


def degroot_weights(weights: ArrayLike) -> Floats:
    """Compute each opinion's weight in DeGroot's consensus.

    The weights are the left eigenvector of W for eigenvalue 1, scaled to sum to 1.
    Raises ValueError where DeGroot's rule has no common limit (separate closed groups, or a cycle).
    """
    w = row_stochastic(weights)
    values, vectors = np.linalg.eig(w.T)
    on_circle = np.flatnonzero(np.abs(values) > 1 - 1e-9)
    if len(on_circle) != 1:
        raise ValueError(
            f"no common limit: {len(on_circle)} eigenvalues of the weights lie on the unit circle"
        )
    pi = np.real(vectors[:, on_circle[0]])
    return np.asarray(pi / pi.sum())


def friedkin_johnsen(
    weights: ArrayLike, x0: ArrayLike, susceptibility: ArrayLike, steps: int = 1, x: ArrayLike | None = None
) -> Floats:
    """Run `steps` rounds of Friedkin-Johnsen opinion change, x <- L W x + (1 - L) x0.

    Friedkin & Johnsen, J. Math. Sociol. 1990.
    `susceptibility` (one number or n, 0 to 1) is the diagonal of L: 0 never moves, 1 is DeGroot. `x` is
    where to start; x0 by default.
    """
    w, start = row_stochastic(weights), np.asarray(x0, dtype=np.float64)
    share = np.asarray(susceptibility, dtype=np.float64)
    opinions = np.array(start if x is None else x, dtype=np.float64)
    for _ in range(steps):
        opinions = share * (w * opinions).sum(axis=1) + (1 - share) * start
    return opinions


def friedkin_johnsen_limit(weights: ArrayLike, x0: ArrayLike, susceptibility: ArrayLike) -> Floats:
    """Compute the fixed point of the Friedkin-Johnsen model: (I - L W)^-1 (I - L) x0.

    Raises numpy.linalg.LinAlgError where nobody anchors a group (the limit then is DeGroot's).
    """
    w, start = row_stochastic(weights), np.asarray(x0, dtype=np.float64)
    share = np.broadcast_to(np.asarray(susceptibility, dtype=np.float64), start.shape)
    return np.asarray(np.linalg.solve(np.eye(len(start)) - share[:, None] * w, (1 - share) * start))


def deffuant(x: ArrayLike, epsilon: float, mu: float, meetings: int, draw: Draw) -> Floats:
    """Run `meetings` pairwise meetings of Deffuant's bounded-confidence model, one after the other.

    Deffuant et al., Adv. Complex Syst. 2000.
    Who meets is drawn by the meeting's number as `draw`'s item. Two who differ by less than `epsilon` both
    move by `mu` of the difference (0 to 0.5; 0.5 meets in the middle).
    """
    opinions: list[float] = np.asarray(x, dtype=np.float64).tolist()
    n = len(opinions)
    if n < 2:
        return np.array(opinions)
    when = np.arange(meetings)
    first = draw.at("first").below(n, item=when)
    second = draw.at("second").below(n - 1, item=when)
    for i, j in zip(first.tolist(), (second + (second >= first)).tolist(), strict=True):
        gap = opinions[j] - opinions[i]
        if abs(gap) < epsilon:
            opinions[i] += mu * gap
            opinions[j] -= mu * gap
    return np.array(opinions)


def hegselmann_krause(x: ArrayLike, epsilon: float, steps: int = 1) -> Floats:
    """Run `steps` rounds of Hegselmann-Krause bounded confidence (JASSS 2002).

    In a round everyone moves to the mean of the opinions within `epsilon` of their own.
    Everyone is within their own reach, and the bound counts as within. Stops early at rest. Memory n x n.
    """
    opinions = np.array(x, dtype=np.float64)
    for _ in range(steps):
        near = np.abs(opinions[:, None] - opinions) <= epsilon
        moved = np.where(near, opinions, 0.0).sum(axis=1) / near.sum(axis=1)
        if np.array_equal(moved, opinions):
            break
        opinions = moved
    return opinions


def clusters(x: ArrayLike, gap: float = 0.01, share: float = 0.0) -> Ints:
    """Count the members of each cluster of opinions, from the lowest to the highest opinion.

    The rule: opinions are sorted and cut wherever two neighbours differ by more than `gap`; only clusters
    holding more than `share` of all opinions count. `share=0.05` leaves out the small groups that bounded
    confidence strands at the ends of the scale, `share=0` counts them.
    """
    opinions = np.sort(np.asarray(x, dtype=np.float64))
    if not opinions.size:
        return np.zeros(0, dtype=np.int64)
    cuts = np.flatnonzero(np.diff(opinions) > gap) + 1
    sizes = np.diff(np.concatenate(([0], cuts, [len(opinions)])))
    return np.asarray(sizes[sizes > share * len(opinions)])
