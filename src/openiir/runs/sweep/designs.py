"""Experimental designs: which combinations of values a sweep runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from openiir.core.errors import InputError, UnknownName
from openiir.core.hashing import canonical
from openiir.core.seeds import Draw
from openiir.runs.sweep.axes import Axis
from openiir.runs.sweep.evolving import POPULATION, draw_founders

Assignment = dict[str, Any]
"""Values that an arm assigns, by key."""
Rows = list[list[float]]

INSTALL = "pip install 'openiir[sensitivity]'"
TRAJECTORIES, LEVELS, ENDS = 20, 4, 5
"""Default numbers: Morris trajectories, levels of the Morris grid, values of a one-at-a-time range."""


@dataclass(frozen=True)
class DesignPoints:
    """The arms (parameter settings) of a design and, for sensitivity analysis, its unit-cube points."""

    arms: tuple[Assignment, ...]
    """Distinct arms, in the order in which they first occur."""
    units: tuple[tuple[float, ...], ...] = ()
    """Rows of a Morris or Sobol design on the unit cube, with one column for each axis."""
    rows: tuple[int, ...] = ()
    """Position of each row's arm in `arms`."""


@dataclass(frozen=True)
class DesignRequest:
    """Input of a design: axes, sample size, seed and the study's own values."""

    axes: tuple[Axis, ...]
    samples: int | None
    """Number of points (random, lhs), trajectories (morris), base samples (sobol), values (ofat), agents."""
    seed: int
    own: Mapping[str, Any]
    """The study's own value of each axis, where it has one."""


def plan_design(design: str, request: DesignRequest) -> DesignPoints:
    """Compute the parameter settings of a sweep's design; raises InputError if the axes do not fit it."""
    if design not in (*_LISTED, *_CUBES):
        raise UnknownName("design", design, (*_LISTED, *_CUBES))
    if not request.axes and design not in _LISTED:
        raise InputError(
            f"a {design} design needs an axis; add [sweep] to the study, or give --vary key=low..high"
        )
    if request.samples is not None and request.samples < 1:
        raise InputError(f"--samples {request.samples}: at least 1 is needed")
    if design in _LISTED:
        return DesignPoints(_distinct(_LISTED[design](request)))
    if design in _ANALYSED:
        _check_ranges(design, request)
    if request.samples is None and design != "morris":
        raise InputError(f"a {design} design takes as many points as you say; add --samples N")
    cube = _CUBES[design](request)
    spelt = [{axis.key: axis.at(unit) for axis, unit in zip(request.axes, row, strict=True)} for row in cube]
    arms = _distinct(spelt)
    if design not in _ANALYSED:
        return DesignPoints(arms)
    place = {canonical(arm): n for n, arm in enumerate(arms)}
    return DesignPoints(arms, tuple(map(tuple, cube)), tuple(place[canonical(arm)] for arm in spelt))


def _grid(request: DesignRequest) -> list[Assignment]:
    for axis in request.axes:
        if axis.is_range:
            raise InputError(
                f"{axis.key} is a range, and a grid needs values: list them ({axis.key}=[...]), "
                "or choose --design lhs --samples N"
            )
    keys = [axis.key for axis in request.axes]
    return [dict(zip(keys, values, strict=True)) for values in product(*(a.values for a in request.axes))]


def _ofat(request: DesignRequest) -> list[Assignment]:
    """List the study, then each axis varied alone (ten Broeke, van Voorn & Ligtenberg, JASSS 2016)."""
    base = {a.key: request.own[a.key] for a in request.axes if a.key in request.own}
    levels = [(axis.key, value) for axis in request.axes for value in axis.levels(request.samples or ENDS)]
    return [base, *({**base, key: value} for key, value in levels)]


def _random(request: DesignRequest) -> Rows:
    draw = Draw(request.seed, "sweep/random")
    return [[draw.uniform(agent=a.key, item=n) for a in request.axes] for n in range(request.samples or 0)]


def _lhs(request: DesignRequest) -> Rows:
    """Sample a Latin hypercube, even on every axis (McKay, Beckman & Conover, Technometrics 1979)."""
    import numpy as np
    from scipy.stats.qmc import LatinHypercube

    rng = np.random.default_rng(Draw(request.seed, "sweep/lhs").bits())
    return LatinHypercube(len(request.axes), rng=rng).random(request.samples or 0).tolist()


def _morris(request: DesignRequest) -> Rows:
    """Sample Morris trajectories for elementary effects (Morris, Technometrics 1991)."""
    from SALib.sample import morris

    problem, count = describe_problem([a.key for a in request.axes]), request.samples or TRAJECTORIES
    return morris.sample(problem, count, num_levels=LEVELS, seed=_numpy_seed(request.seed)).tolist()


def _sobol(request: DesignRequest) -> Rows:
    """Sample Sobol points by Saltelli's scheme (Comput. Phys. Commun. 2010): N(D+2) for N a power of 2."""
    from SALib.sample import sobol

    count = request.samples or 1
    if count & (count - 1):
        raise InputError(
            f"--samples {count}: a sobol design needs a power of 2, such as {1 << count.bit_length()}"
        )
    problem, seed = describe_problem([a.key for a in request.axes]), _numpy_seed(request.seed)
    return sobol.sample(problem, count, calc_second_order=False, seed=seed).tolist()


_LISTED: dict[str, Callable[[DesignRequest], list[Assignment]]] = {
    "grid": _grid,
    "ofat": _ofat,
    "evolve": lambda request: draw_founders(request.axes, request.samples or POPULATION, request.seed),
}
_CUBES: dict[str, Callable[[DesignRequest], Rows]] = {
    "random": _random,
    "lhs": _lhs,
    "morris": _morris,
    "sobol": _sobol,
}
"""Designs sampled on the unit cube, with a row for each point and a column for each axis."""
_ANALYSED = ("morris", "sobol")
"""Designs for sensitivity analysis, which SALib samples and analyses."""


def _check_ranges(design: str, request: DesignRequest) -> None:
    """Raise InputError where a design needs ranges and an axis lists values, or SALib is missing."""
    for axis in request.axes:
        if not axis.is_range:
            raise InputError(
                f"{axis.key} takes listed values, and {design} needs ranges: give it low and high, or leave "
                f"it out and run the sweep once for each of its values (--set {axis.key}=...)"
            )
    try:
        import SALib  # noqa: F401
    except ImportError:
        raise InputError(f"a {design} design needs SALib, which is not installed: {INSTALL}") from None


def describe_problem(axes: Sequence[str]) -> dict[str, Any]:
    """Describe axes on the unit cube in the form that SALib takes."""
    return {"num_vars": len(axes), "names": list(axes), "bounds": [[0.0, 1.0]] * len(axes)}


def _numpy_seed(seed: int) -> int:
    return int(Draw(seed, "sweep/salib").bits()) >> 32


def _distinct(arms: Sequence[Assignment]) -> tuple[Assignment, ...]:
    return tuple({canonical(arm): arm for arm in arms}.values())
