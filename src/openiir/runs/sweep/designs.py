"""Designs: which points of the axes a sweep visits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from openiir.core.errors import InputError, UnknownName
from openiir.core.hashing import canonical
from openiir.core.seeds import Draw
from openiir.runs.sweep.axes import Axis

Assignment = dict[str, Any]
"""What an arm assigns: key to value."""

INSTALL = "pip install 'openiir[sensitivity]'"
TRAJECTORIES, LEVELS, ENDS = 20, 4, 5
"""Morris trajectories and grid levels; the values that one-at-a-time takes of a range."""


@dataclass(frozen=True)
class Points:
    """A design's points."""

    arms: tuple[Assignment, ...]
    """The different ones, in the order they first come in."""
    units: tuple[tuple[float, ...], ...] = ()
    """Morris and Sobol: the design's rows on the unit cube, one column an axis."""
    rows: tuple[int, ...] = ()
    """The arm of each of these rows."""


@dataclass(frozen=True)
class DesignRequest:
    """What a design starts from."""

    axes: tuple[Axis, ...]
    samples: int | None
    """How many points (random, lhs), trajectories (morris), base samples (sobol), values of a range (ofat)."""
    seed: int
    own: Mapping[str, Any]
    """The study's own value of each axis, where it has one."""


def points_of(design: str, request: DesignRequest) -> Points:
    """The points of a design; raises InputError where the axes do not fit it."""
    if design not in DESIGNS:
        raise UnknownName("design", design, DESIGNS)
    if not request.axes and design not in ("grid", "ofat"):
        raise InputError(
            f"a {design} design needs an axis; add [sweep] to the study, or --vary key=low..high to the command"
        )
    if request.samples is not None and request.samples < 1:
        raise InputError(f"--samples {request.samples}: at least 1 is needed")
    return DESIGNS[design](request)


def _grid(request: DesignRequest) -> Points:
    for axis in request.axes:
        if axis.is_range:
            raise InputError(
                f"{axis.key} is a range, and a grid needs values: list them ({axis.key}=[...]), "
                "or choose --design lhs --samples N"
            )
    keys = [axis.key for axis in request.axes]
    return _distinct(
        [dict(zip(keys, values, strict=True)) for values in product(*(a.values for a in request.axes))]
    )


def _random(request: DesignRequest) -> Points:
    draw = Draw(request.seed, "sweep/random")
    count = _count("random", request)
    return _distinct(
        [{a.key: a.at(draw.uniform(agent=a.key, item=n)) for a in request.axes} for n in range(count)]
    )


def _lhs(request: DesignRequest) -> Points:
    """Latin hypercube (McKay, Beckman & Conover, Technometrics 1979): every axis is spread evenly."""
    import numpy as np
    from scipy.stats.qmc import LatinHypercube

    count = _count("lhs", request)
    rng = np.random.default_rng(Draw(request.seed, "sweep/lhs").bits())
    cube = LatinHypercube(len(request.axes), rng=rng).random(count)
    return _distinct([_arm(request.axes, row) for row in cube.tolist()])


def _ofat(request: DesignRequest) -> Points:
    """The study as it is, then each axis alone (ten Broeke, van Voorn & Ligtenberg, JASSS 2016)."""
    base = {a.key: request.own[a.key] for a in request.axes if a.key in request.own}
    arms = [base]
    for axis in request.axes:
        arms += [{**base, axis.key: value} for value in axis.levels(request.samples or ENDS)]
    return _distinct(arms)


def _morris(request: DesignRequest) -> Points:
    """Trajectories of elementary effects (Morris, Technometrics 1991)."""
    from SALib.sample import morris

    problem, count = problem_of([a.key for a in request.axes]), request.samples or TRAJECTORIES
    cube = morris.sample(problem, count, num_levels=LEVELS, seed=_numpy_seed(request.seed))
    return _points_of_cube(request.axes, cube.tolist())


def _sobol(request: DesignRequest) -> Points:
    """Saltelli's scheme (Comput. Phys. Commun. 2010) on Sobol points: N(D+2) points for N a power of 2."""
    from SALib.sample import sobol

    count = _count("sobol", request)
    if count & (count - 1):
        raise InputError(
            f"--samples {count}: a sobol design needs a power of 2, such as {1 << count.bit_length()}"
        )
    problem = problem_of([a.key for a in request.axes])
    cube = sobol.sample(problem, count, calc_second_order=False, seed=_numpy_seed(request.seed))
    return _points_of_cube(request.axes, cube.tolist())


def _require_salib(design: Callable[[DesignRequest], Points], name: str) -> Callable[[DesignRequest], Points]:
    """A design that takes SALib, and ranges alone."""

    def checked(request: DesignRequest) -> Points:
        for axis in request.axes:
            if not axis.is_range:
                raise InputError(
                    f"{axis.key} takes listed values, and {name} needs ranges: give it low and high, or leave it out "
                    f"and run the sweep once for each of its values (--set {axis.key}=...)"
                )
        try:
            import SALib  # noqa: F401
        except ImportError:
            raise InputError(f"a {name} design needs SALib, which is not installed: {INSTALL}") from None
        return design(request)

    return checked


DESIGNS: dict[str, Callable[[DesignRequest], Points]] = {
    "grid": _grid,
    "random": _random,
    "lhs": _lhs,
    "ofat": _ofat,
    "morris": _require_salib(_morris, "morris"),
    "sobol": _require_salib(_sobol, "sobol"),
}


def problem_of(axes: Sequence[str]) -> dict[str, Any]:
    """Axes on the unit cube, as SALib takes them."""
    return {"num_vars": len(axes), "names": list(axes), "bounds": [[0.0, 1.0]] * len(axes)}


def _count(design: str, request: DesignRequest) -> int:
    if request.samples is None:
        raise InputError(f"a {design} design takes as many points as you say; add --samples N")
    return request.samples


def _numpy_seed(seed: int) -> int:
    return int(Draw(seed, "sweep/salib").bits()) >> 32


def _arm(axes: Sequence[Axis], row: Sequence[float]) -> Assignment:
    return {axis.key: axis.at(unit) for axis, unit in zip(axes, row, strict=True)}


def _distinct(arms: Sequence[Assignment]) -> Points:
    return Points(tuple({canonical(arm): arm for arm in arms}.values()))


def _points_of_cube(axes: Sequence[Axis], cube: Sequence[Sequence[float]]) -> Points:
    spelt = [canonical(_arm(axes, row)) for row in cube]
    arms = _distinct([_arm(axes, row) for row in cube]).arms
    place = {canonical(arm): n for n, arm in enumerate(arms)}
    return Points(arms, tuple(map(tuple, cube)), tuple(place[text] for text in spelt))
