"""Maximum likelihood for models whose likelihood is known, with intervals that hold where the model is
wrong."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from lab.fitting.parameters import Fit, Parameter, ParameterRange
from openiir.core.errors import InputError
from openiir.kit.arrays import Floats
from openiir.plugin import Draw

DRAWS = 4_000
_SEEKING = Draw(0, "fitting.likelihood")

LogLikelihood = Callable[[Floats], ArrayLike]
"""Computes the log-likelihood of each independent unit (n,) from parameters' values (P,)."""


def maximise_likelihood(
    log_likelihood: LogLikelihood, parameters: Sequence[Parameter], draw: Draw = _SEEKING, starts: int = 4
) -> Fit:
    """Fit parameters by maximum likelihood over independent units (users, cascades).

    Nelder and Mead's simplex (Comput. J. 1965) on the logits of the positions in their ranges, from the
    middle and `starts` - 1 drawn points. The draws are of the normal approximation with the sandwich
    covariance, which holds where the model is not the one that made the data (White, Econometrica 1982). At a
    bound of the range, and where the likelihood is flat or far from normal around its peak, there are no
    intervals, and `reason` says so. Raises InputError where no start has a finite likelihood.
    """
    ranges, runs = ParameterRange(parameters), 0

    def by_unit(logits: Floats) -> Floats:
        nonlocal runs
        runs += 1
        return np.asarray(log_likelihood(ranges.values(logits)), dtype=np.float64)

    def loss(logits: Floats) -> float:
        total = by_unit(logits).sum()
        return float(-total) if np.isfinite(total) and np.abs(logits).max() < _FARTHEST else np.inf

    points = [np.zeros(len(parameters)), *ranges.draw(starts - 1, draw.at("starts"))]
    points = [point for point in points if np.isfinite(loss(point))]
    if not points:
        raise InputError(
            f"the likelihood is not finite at any of {starts} starts; check the ranges and the data"
        )
    found = [
        _descend(loss, _descend(loss, point)) for point in points
    ]  # a simplex may collapse: begin again once
    best = min(found, key=loss)
    spread, reason = _sandwich(by_unit, best, parameters)
    noise = draw.at("draws").normal(item=np.arange(DRAWS)[:, None], agent=np.arange(len(parameters))[None, :])
    return Fit(
        ranges.parameters,
        ranges.values(best + noise @ spread.T),
        np.full(DRAWS, 1 / DRAWS),
        method="maximum likelihood, sandwich",
        loss="negative log-likelihood",
        runs=runs,
        peak={one.name: float(value) for one, value in zip(parameters, ranges.values(best), strict=True)},
        reason=reason,
    )


_FARTHEST, _AT_BOUND = 12.0, 6.5
"""Largest logit that is tried, 6e-6 of the range from a bound, and the logit (0.0015) that counts as at the
bound."""


def _descend(loss: Callable[[Floats], float], start: Floats) -> Floats:
    from scipy.optimize import minimize

    simplex = np.vstack([start, start + np.eye(len(start))])
    options = {"initial_simplex": simplex, "xatol": 1e-4, "fatol": 1e-4, "maxfev": 1_000 * len(start)}
    return np.asarray(minimize(loss, start, method="Nelder-Mead", options=options).x)


def _sandwich(
    by_unit: Callable[[Floats], Floats], best: Floats, parameters: Sequence[Parameter]
) -> tuple[Floats, str | None]:
    """Compute a root of the sandwich covariance of the logits; with a reason instead where there is none."""
    size, nothing = len(best), np.zeros((len(best), len(best)))
    if len(ends := np.flatnonzero(np.abs(best) > _AT_BOUND)):
        name = parameters[ends[0]].name
        return nothing, f"{name} is best at a bound of its range; widen the range, or fix it there"
    top = by_unit(best).sum()
    steps = np.full(size, 0.1)
    for _ in range(8):  # to where the likelihood falls by one half: one standard error
        for n, unit in enumerate(np.eye(size)):
            fall = top - 0.5 * (by_unit(best + steps * unit).sum() + by_unit(best - steps * unit).sum())
            steps[n] *= np.clip(np.sqrt(0.5 / max(fall, 1e-9)), 0.2, 5.0)
    moves = np.diag(np.minimum(steps, 1.0))
    with np.errstate(invalid="ignore"):
        scores, curve = _derivatives(by_unit, best, moves)
    if not np.isfinite(curve).all() or np.linalg.eigvalsh(curve).min() <= 0:
        return nothing, "the likelihood is flat in some direction: the data do not tell the parameters apart"
    inverse = np.linalg.inv(curve)
    lengths, axes = np.linalg.eigh(inverse)
    reach = 1.96 * np.sqrt(lengths)[:, None] * axes.T @ moves
    falls = [top - by_unit(best + move).sum() for move in (*reach, *-reach)]  # 1.92 each where it is normal
    if not (min(falls) > 0.8 and max(falls) < 4.8):
        reason = "the likelihood is far from normal around its peak; simulate instead, or fix a parameter"
        return nothing, reason
    values, vectors = np.linalg.eigh(inverse @ (scores @ scores.T) @ inverse)
    return np.diag(moves)[:, None] * vectors * np.sqrt(np.maximum(values, 0)), None


def _derivatives(by_unit: Callable[[Floats], Floats], best: Floats, moves: Floats) -> tuple[Floats, Floats]:
    """Compute each unit's slopes (P, n) and the negative curvature of the sum (P, P), in units of the
    moves."""
    scores = np.stack([(by_unit(best + move) - by_unit(best - move)) / 2 for move in moves])
    curve = np.empty((len(moves), len(moves)))
    for i, one in enumerate(moves):
        for j, other in enumerate(moves[: i + 1]):
            corners = [by_unit(best + a * one + b * other).sum() * a * b for a in (1, -1) for b in (1, -1)]
            curve[i, j] = curve[j, i] = -float(np.sum(corners)) / 4
    return scores, curve
