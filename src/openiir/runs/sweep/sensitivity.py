"""Sensitivity analysis: how much each axis of a Morris or Sobol sweep affects each measure."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.records import Measure, Record
from openiir.runs.post_run import measure_all
from openiir.runs.sweep.designs import INSTALL, LEVELS, describe_problem
from openiir.runs.sweep_record import SweepPlan, read_plan, read_sweep, with_status

RESAMPLES, LEVEL, _BOOTSTRAP = 1_000, 0.95, 20_260_101
"""Number of bootstrap samples for the interval of an index, its level, and the seed of SALib's resampling."""

INDICES = {
    "morris": {"mu*": "mu_star", "mu* ±": "mu_star_conf", "sigma": "sigma"},
    "sobol": {"S1": "S1", "S1 ±": "S1_conf", "ST": "ST", "ST ±": "ST_conf"},
}
"""Indices of each design by label, with SALib's names; ± is half the width of the 95 % interval."""
_OPTIONS: dict[str, dict[str, Any]] = {
    "morris": {"num_levels": LEVELS},
    "sobol": {"calc_second_order": False},
}


class SensitivityIndices(Record):
    """Sensitivity indices of one measure, by axis."""

    reason: str = ""
    """Why there are no indices, where there are none."""
    seed_share: float | None = None
    """Share of the variance that lies between the seeds of a point; None where a point has one seed."""
    axes: dict[str, dict[str, float]] = {}
    """Indices by axis: mu* and sigma of the elementary effects over the axis's whole range, or S1 and total
    ST.

    Morris, Technometrics 1991; Campolongo et al., Environ. Model. Softw. 2007; Saltelli et al., Comput. Phys.
    Commun. 2010.
    """


class Sensitivity(Record):
    """Sensitivity indices of all measures of a sweep."""

    design: str
    points: int
    """Number of rows of the design."""
    seeds: int
    """Number of seeds over which a point's measure is averaged."""
    measures: dict[str, SensitivityIndices]


def analyse_sweep(folder: Path) -> Sensitivity:
    """Compute the sensitivity indices of a finished Morris or Sobol sweep; InputError for any other."""
    sweep, plan = read_sweep(folder), read_plan(folder)
    if plan.design not in INDICES:
        raise InputError(
            f"the sweep at {folder} has a {plan.design} design; indices need --design morris or --design "
            f"sobol (`openiir compare {folder}` sets any sweep's arms side by side)"
        )
    left = len(sweep.cells) - len(with_status(sweep.cells, "done"))
    if left:
        raise InputError(
            f"{left} of {len(sweep.cells)} cells are not done, and the design has no meaning without them; "
            f"`openiir resume {folder}` runs them"
        )
    return analyse_measures(plan, measure_all([folder / cell.folder for cell in sweep.cells], {}))


def analyse_measures(plan: SweepPlan, measured: Sequence[Mapping[str, Measure]]) -> Sensitivity:
    """Compute the Morris or Sobol indices of each measure, given the cells' measures in the plan's order."""
    names = list(dict.fromkeys(name for found in measured for name in found))
    return Sensitivity(
        design=plan.design,
        points=len(plan.rows),
        seeds=len(plan.seeds),
        measures={name: _of_measure(plan, [found.get(name) for found in measured]) for name in names},
    )


def _of_measure(plan: SweepPlan, found: Sequence[Measure | None]) -> SensitivityIndices:
    missing = [one for one in found if one is None or not one.defined]
    if missing:
        reason = next(
            (one.reason for one in missing if one is not None and one.reason), "it was not measured"
        )
        return SensitivityIndices(reason=f"undefined in {len(missing)} of {len(found)} runs: {reason}")
    values = np.array([one.value for one in found if one is not None])
    by_arm = values.reshape(len(plan.arms), len(plan.seeds))
    outputs = by_arm.mean(axis=1)[list(plan.rows)]
    if np.ptp(outputs) <= 1e-12 * max(1.0, float(np.abs(outputs).max())):
        return SensitivityIndices(reason="it is the same at every point", seed_share=seed_share(by_arm))
    axes = compute_indices(plan.design, list(plan.axes), np.array(plan.units), outputs)
    return SensitivityIndices(seed_share=seed_share(by_arm), axes=axes)


def seed_share(by_arm: NDArray[np.float64]) -> float | None:
    """Compute the seeds' share of variance (points x seeds) by a one-way random-effects analysis."""
    points, seeds = by_arm.shape
    if seeds < 2 or points < 2:
        return None
    within = float(by_arm.var(axis=1, ddof=1).mean())
    between = max(0.0, float(by_arm.mean(axis=1).var(ddof=1)) - within / seeds)
    return within / (within + between) if within + between > 0 else None


def compute_indices(
    design: str, axes: Sequence[str], units: NDArray[np.float64], outputs: NDArray[np.float64]
) -> dict[str, dict[str, float]]:
    """Compute Morris or Sobol indices by axis, from points on the unit cube and an output for each.

    Raises InputError where SALib is not installed.
    """
    try:
        analyze = import_module(f"SALib.analyze.{design}").analyze
    except ImportError:
        raise InputError(f"sensitivity indices need SALib, which is not installed: {INSTALL}") from None
    rows = (units, outputs) if design == "morris" else (outputs,)
    resampling = {"num_resamples": RESAMPLES, "conf_level": LEVEL, "seed": _BOOTSTRAP}
    found = analyze(describe_problem(axes), *rows, **resampling, **_OPTIONS[design])
    return {
        axis: {label: float(found[name][n]) for label, name in INDICES[design].items()}
        for n, axis in enumerate(axes)
    }
