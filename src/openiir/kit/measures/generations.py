"""Measures of two populations that evolve against each other, from a table of all generations."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.measures.inequality import hill_number
from openiir.plugin import InputError, quantise

CELL = 0.05
"""Width of the classes in which scores of generations count as alike."""


@dataclass(frozen=True, eq=False)
class GenerationMatrix:
    """Mean scores of one population's generations (rows) against the other's (columns).

    A generation's best alone would hide failures. Beside it belongs the table of a control: drift and
    irregular cycles look alike (Cartlidge & Bullock, Adapt. Behav. 2004).
    """

    score: Floats
    """Scores (n, n), 0 to 1, such as the share of posts that land."""
    error: Floats
    """Standard errors of the scores (n, n)."""
    generation: Ints
    """Numbers of the generations (n,), ascending."""

    def swap_sides(self) -> "GenerationMatrix":
        """Return the matrix of the other population: 1 less the scores, rows and columns exchanged."""
        return GenerationMatrix(1 - self.score.T, self.error.T, self.generation)

    def progress(self, back: int) -> float:
        """Compute the gain over its ancestors of a generation against opponents of `back` generations ago.

        The mean over g of L(g, g - back) - L(g - back, g - back); NaN where no two are that far apart.
        """
        late, early = np.nonzero(self.generation[:, None] - self.generation == back)
        return float((self.score[late, early] - self.score[early, early]).mean()) if len(late) else math.nan

    def forgetting(self) -> float:
        """Compute the share of pairs g > h where g scores less than h did against h's opponents.

        Worse by more than the standard error of the difference; NaN for one generation.
        """
        late, early = np.tril_indices(len(self.score), -1)
        error = np.hypot(self.error[late, early], self.error[early, early])
        worse = self.score[late, early] < self.score[early, early] - error
        return float(worse.mean()) if len(late) else math.nan

    def generality(self) -> Floats:
        """Compute each generation's mean score (n,) against opponents of all generations."""
        return np.asarray(self.score.mean(axis=1))

    def advantage(self) -> Floats:
        """Compute by how much each generation beats each other (n, n): L(g, h) - L(h, g)."""
        return np.asarray(quantise(self.score - self.score.T))


def build_generation_matrix(
    score: ArrayLike, error: ArrayLike = 0.0, generation: ArrayLike | None = None
) -> GenerationMatrix:
    """Build the table of all generations or, with their numbers, of a sample; raises InputError."""
    table = np.asarray(score, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all():
        raise InputError(f"generations meet in a square table of numbers, got shape {table.shape}")
    numbers = np.arange(len(table)) if generation is None else np.asarray(generation, dtype=np.int64)
    if numbers.shape != table.shape[:1] or (np.diff(numbers) <= 0).any():
        raise InputError(f"{len(table)} rows need as many numbers of generations, ascending; got {numbers}")
    return GenerationMatrix(table, np.broadcast_to(np.asarray(error, dtype=np.float64), table.shape), numbers)


def cyclic_triads(advantage: ArrayLike) -> float:
    """Compute the share of triads A > B > C > A (Kendall & Babington Smith, Biometrika 1940).

    `advantage` (n, n) is above 0 where the row beats the column; a triad with a tie is none. 1/4 is expected
    by chance; NaN for fewer than three.
    """
    beats = (np.asarray(advantage, dtype=np.float64) > 0).astype(np.float64)
    number = math.comb(len(beats), 3)
    return float(np.trace(beats @ beats @ beats)) / 3 / number if number else math.nan


def nash_average(advantage: ArrayLike) -> tuple[Floats, Floats]:
    """Compute the maximum-entropy equilibrium, and ratings against it (Balduzzi et al., NeurIPS 2018).

    `advantage` (n, n) is antisymmetric: what the row wins from the column. Gives weights (n,) that add up to
    1, and ratings (n,): 0 for those in the equilibrium, below 0 for others. One who beats everybody has all
    the weight; a circle shares it, and a copy of a player changes nothing for the others.
    """
    from scipy.optimize import linprog, minimize

    wins = np.asarray(advantage, dtype=np.float64)
    n = len(wins)
    if wins.shape != (n, n) or not np.array_equal(wins, -wins.T):
        raise InputError("an advantage is a square table of numbers, each the negative of its mirror image")
    eye, nothing = np.eye(n), np.zeros((n, n))
    largest = linprog(  # the largest support: x in the cone of equilibria, and t <= x at most 1
        np.repeat((0.0, -1.0), n),
        A_ub=np.block([[wins, nothing], [-eye, eye]]),
        b_ub=np.zeros(2 * n),
        bounds=[(0, None)] * n + [(0, 1)] * n,
    )
    support = largest.x[n:] > 0.5
    slope = wins[:, support]

    def weigh(prices: Floats) -> tuple[float, Floats]:
        """Compute the dual of the entropy's maximum under slope @ weights <= 0, and its gradient."""
        power = -prices @ slope
        weights = np.exp(power - power.max())
        total = weights.sum()
        return float(np.log(total) + power.max()), -slope @ (weights / total)

    bounds = [(None, None) if inside else (0, None) for inside in support]
    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}
    prices = minimize(weigh, np.zeros(n), jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    power = -prices @ slope
    weights = np.zeros(n)
    weights[support] = np.exp(power - power.max())
    weights /= weights.sum()
    return weights, wins @ weights


def find_disengagement(fitness: ArrayLike, least: float = 1e-6) -> Bools:
    """Find generations (n,) whose fitness (n, agents) varies too little for selection to act."""
    return np.asarray(np.asarray(fitness, dtype=np.float64).var(axis=-1) <= least)


def describe_generations(table: GenerationMatrix, sides: tuple[str, str], lag: float) -> dict[str, float]:
    """Compute measures of both populations (progress, forgetting and so on) from a matrix.

    Forgetting, generality of the first and the last generation, and behaviours: the effective number of rows
    that differ by CELL or more. A generation beats another with both its sides, so that circles and the
    support of the equilibrium are the same seen from either.
    """
    apart = np.unique(np.subtract.outer(table.generation, table.generation))
    apart = apart[apart > 0] if (apart > 0).any() else np.zeros(1)
    back = int(apart[np.abs(apart - lag).argmin()])
    found = {"progress.lag": float(back)}
    for side, seen in zip(sides, (table, table.swap_sides()), strict=True):
        general = seen.generality()
        alike = np.unique(np.round(seen.score / CELL), axis=0, return_counts=True)[1]
        found |= {
            f"progress.{side}": seen.progress(back),
            f"forgetting.{side}": seen.forgetting(),
            f"generality.{side}.first": float(general[0]),
            f"generality.{side}.last": float(general[-1]),
            f"behaviours.{side}": float(hill_number(alike, 1)),
        }
    advantage = table.advantage()
    support = float((nash_average(advantage)[0] > 1e-3).sum())
    return found | {"cyclic_triads": cyclic_triads(advantage), "nash_support": support}
