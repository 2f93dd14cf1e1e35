"""Validation of opinion dynamics and Delphi against published values and independent prototypes.

    python benchmarks/opinion_dynamics.py

Prints one row a target: expected, measured, and whether it holds. All draws are named, so the measured column
is the same on every run. Exits with 1 where a target is missed.
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy.stats import fisher_exact

from measuring import print_table, run_command
from openiir.core.seeds import Draw
from openiir.kit.measures import iqr
from openiir.scenarios.panel.model.beliefs.classic import (
    clusters,
    deffuant,
    degroot_weights,
    friedkin_johnsen,
    friedkin_johnsen_limit,
    hegselmann_krause,
)
from openiir.scenarios.panel.model.beliefs.delphi import revise, revision_weights

Row = tuple[str, str, str, bool]
"""Target, what is expected, what was measured, and whether it holds."""


def compare_mean(found: np.ndarray, expected: float) -> tuple[str, bool]:
    """Format a mean with its standard error, and test whether it agrees with an independent simulation's
    mean.

    Both are means of as many runs, so they may differ by three standard errors of the difference; where runs
    hardly differ, a spread of 0.2 clusters is assumed.
    """
    error = max(float(found.std(ddof=1)), 0.2) / np.sqrt(len(found))
    near = bool(abs(found.mean() - expected) <= 3 * np.sqrt(2) * error)
    return f"{found.mean():.1f} (SE {error:.2f})", near


def draw_starts(seed: int, n: int, name: str) -> np.ndarray:
    return Draw(seed, name).uniform(agent=np.arange(n))


def deffuant_ends(epsilon: float, n: int = 400, seeds: int = 10) -> list[np.ndarray]:
    ends = []
    for seed in range(seeds):
        x = draw_starts(seed, n, "deffuant")
        ends.append(deffuant(x, epsilon, 0.5, 600 * n, Draw(seed, "deffuant/meetings")))
    return ends


def deffuant_rows() -> Iterator[Row]:
    bounds = (0.5, 0.3, 0.25, 0.2, 0.15, 0.1)
    major, every = (1.0, 1.1, 2.0, 2.0, 3.0, 4.3), (1.0, 1.9, 2.2, 3.2, 3.5, 5.4)
    for epsilon, many, all_of_them in zip(bounds, major, every, strict=True):
        ends = deffuant_ends(epsilon)
        for rule, share, expected in (("major", 0.05, many), ("all", 0.0, all_of_them)):
            found = np.array([len(clusters(x, share=share)) for x in ends])
            name = f"Deffuant, n 400, 10 seeds, bound {epsilon}: {rule} clusters"
            yield name, f"{expected:.1f}", *compare_mean(found, expected)


def hegselmann_rows() -> Iterator[Row]:
    consensus = {0.15: 0, 0.2: 3, 0.22: 16, 0.25: 40}
    for epsilon, expected in {0.05: 7.7, 0.1: 3.8, **consensus}.items():
        ends = [hegselmann_krause(draw_starts(s, 500, "hegselmann-krause"), epsilon, 200) for s in range(40)]
        found = np.array([len(clusters(x)) for x in ends])
        name = f"Hegselmann-Krause, n 500, 40 seeds, bound {epsilon}"
        if epsilon in consensus:
            once = int((found == 1).sum())
            p = fisher_exact([[once, 40 - once], [expected, 40 - expected]]).pvalue
            measured = f"{once / 40:.3f} (Fisher p {p:.2f})"
            yield f"{name}: share in consensus", f"{expected / 40:.3f}", measured, p > 0.05
        else:
            yield f"{name}: clusters", f"{expected}", *compare_mean(found, expected)


def linear_rows() -> Iterator[Row]:
    worst = 0.0
    for seed in range(20):
        draw, n = Draw(seed, "friedkin-johnsen"), np.arange(30)
        weights, x0 = draw.uniform(agent=n[:, None], item=n), 2 * draw.uniform(agent=n, step=1) - 1
        share = 0.95 * draw.uniform(agent=n, step=2)
        gap = friedkin_johnsen(weights, x0, share, 800) - friedkin_johnsen_limit(weights, x0, share)
        worst = max(worst, float(np.abs(gap).max()))
    target = "Friedkin-Johnsen, n 30, 20 seeds: iterated against closed form"
    yield target, "< 1e-12", f"{worst:.1e}", worst < 1e-12
    pi = degroot_weights([[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0, 0.3, 0.7]])
    shown = ", ".join(f"{w:.3f}" for w in pi)
    holds = bool(np.abs(pi - [0.2, 0.4, 0.4]).max() < 1e-12)
    yield "DeGroot, three members: influence", "0.200, 0.400, 0.400", shown, holds


def simulate_groups(many: int = 2_000, size: int = 24) -> np.ndarray:
    """Simulate estimates of a true value of 0, one group per row, whose members differ in accuracy."""
    draw, group, member = Draw(7, "delphi"), np.arange(many)[:, None], np.arange(size)
    spread = 0.2 + 1.8 * draw.uniform(agent=group, item=member, step=1)
    return spread * draw.normal(agent=group, item=member, step=2)


def delphi_rows() -> Iterator[Row]:
    x = np.array([1.0, 2, 3, 4, 5, 7])
    ratio = iqr(revise(x, np.median(x), 0.3)) / iqr(x)
    target = "Delphi, one round, weight 0.3: IQR after / before"
    yield target, "0.700", f"{ratio:.3f}", abs(ratio - 0.7) < 1e-12

    before = simulate_groups()
    mean = before.mean(axis=1, keepdims=True)
    linked = np.array([revision_weights(1 / (1 + np.abs(row)), 0.3) for row in before])
    after = revise(before, mean, linked).mean(axis=1)
    gain = float((after**2).mean() / (mean**2).mean())
    yield "Becker, complete network: squared error after / before", "below 1", f"{gain:.3f}", gain < 1

    seen = np.repeat(before[:, :1], before.shape[1], axis=1)
    seen[:, 0] = before[:, 1:].mean(axis=1)
    wider = float(revise(before, seen, linked).mean(axis=1).var() / mean.var())
    yield "Becker, star: variance of the group mean after / before", "above 1", f"{wider:.2f}", wider > 1
    yield from lorenz_rows(before)


def lorenz_rows(before: np.ndarray) -> Iterator[Row]:
    mean = before.mean(axis=1, keepdims=True)
    many, size = before.shape
    unlinked = 0.6 * Draw(8, "omega").uniform(agent=np.arange(many)[:, None], item=np.arange(size))
    after = revise(before, mean, unlinked)
    narrow = float((after.std(axis=1) / before.std(axis=1)).mean())
    yield "Lorenz, weights blind to accuracy: SD after / before", "below 1", f"{narrow:.3f}", narrow < 1
    shift = after.mean(axis=1) - mean[:, 0]
    error = float(shift.std(ddof=1) / np.sqrt(many))
    shown = f"{shift.mean():+.4f} (SE {error:.4f})"
    yield "Lorenz, blind weights: shift of the group mean", "0", shown, abs(shift.mean()) < 2 * error
    same = np.abs(revise(before, mean, 0.3).mean(axis=1)).mean() / np.abs(mean).mean()
    target = "absolute mean error after / before"
    yield f"Lorenz, equal weights: {target}", "1.000", f"{same:.3f}", abs(same - 1) < 1e-9
    grown = float(np.abs(after.mean(axis=1)).mean() / np.abs(mean).mean())
    holds = 0.98 < grown < 1.08
    yield f"Lorenz, unequal blind weights: {target}", "1, or a little more", f"{grown:.3f}", holds


def main() -> None:
    rows = [*deffuant_rows(), *hegselmann_rows(), *linear_rows(), *delphi_rows()]
    print_table(
        "target | expected | measured | holds", ((*row, "yes" if holds else "NO") for *row, holds in rows)
    )
    sys.exit(not all(holds for *_, holds in rows))


if __name__ == "__main__":
    run_command(main)
