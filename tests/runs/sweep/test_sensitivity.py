"""Sensitivity indices against functions whose indices are known."""

import json
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.records import Measure
from openiir.runs.sweep.axes import Axis
from openiir.runs.sweep.designs import DesignRequest, plan_design
from openiir.runs.sweep.sensitivity import analyse_measures, seed_share
from openiir.runs.sweep_record import SweepArm, SweepPlan

CUBE = tuple(Axis(f"x{n}", low=-math.pi, high=math.pi) for n in (1, 2, 3))


def planned(
    design: str, axes: Sequence[Axis] = CUBE, samples: int | None = None, seeds: int = 1
) -> SweepPlan:
    points = plan_design(design, DesignRequest(tuple(axes), samples, 5, {}))
    return SweepPlan(
        design=design,
        axes={axis.key: axis.declaration() for axis in axes},
        seeds=tuple(range(seeds)),
        assigned=points.arms,
        arms=tuple(SweepArm(document={}, personas="", worlds={}) for _ in points.arms),
        personas={},
        worlds={},
        units=points.units,
        rows=points.rows,
    )


def outputs(plan: SweepPlan, function: Callable[..., float]) -> list[dict[str, Measure]]:
    return [{"y": Measure(function(*cell.arm.values(), cell.seed))} for cell in plan.cells()]


def ishigami(x1: float, x2: float, x3: float, seed: int = 0) -> float:
    return math.sin(x1) + 7 * math.sin(x2) ** 2 + 0.1 * x3**4 * math.sin(x1)


@pytest.mark.extras
def test_sobol_finds_the_known_indices_of_ishigami():
    """Ishigami & Homma (ISUMA 1990), a = 7, b = 0.1, in closed form."""
    a, b, pi = 7.0, 0.1, math.pi
    v1, v2, v13 = 0.5 * (1 + b * pi**4 / 5) ** 2, a**2 / 8, b**2 * pi**8 * (1 / 18 - 1 / 50)
    v = v1 + v2 + v13
    plan = planned("sobol", samples=1024)
    assert len(plan.cells()) == 1024 * (3 + 2)
    found = analyse_measures(plan, outputs(plan, ishigami)).measures["y"].axes
    for axis, first, total in (("x1", v1 / v, (v1 + v13) / v), ("x2", v2 / v, v2 / v), ("x3", 0.0, v13 / v)):
        assert abs(found[axis]["S1"] - first) < 0.03 and abs(found[axis]["ST"] - total) < 0.03
        assert abs(found[axis]["S1"] - first) <= found[axis]["S1 ±"] + 0.01
        assert 0 < found[axis]["ST ±"] < 0.1


@pytest.mark.extras
def test_morris_finds_slopes_over_the_whole_range_and_no_effect_where_there_is_none():
    axes = [Axis("a", low=0.0, high=2.0), Axis("b", low=-1.0, high=3.0), Axis("c", low=0.0, high=1.0)]
    plan = planned("morris", axes)
    found = analyse_measures(plan, outputs(plan, lambda a, b, c, seed: 3 * a - b)).measures["y"].axes
    assert found["a"]["mu*"] == pytest.approx(6.0) and found["b"]["mu*"] == pytest.approx(4.0)
    assert found["c"]["mu*"] == 0.0
    assert max(values["sigma"] for values in found.values()) < 1e-9, (
        "a linear function has the same effect everywhere"
    )
    bent = analyse_measures(plan, outputs(plan, lambda a, b, c, seed: a * b)).measures["y"].axes
    assert bent["a"]["sigma"] > 0.5


@pytest.mark.extras
def test_seeds_are_averaged_before_anything_is_told_of_the_axes():
    plan = planned("sobol", samples=256, seeds=2)
    shaken = outputs(plan, lambda x1, x2, x3, seed: ishigami(x1, x2, x3) + (1 if seed else -1))
    calm = outputs(plan, ishigami)
    noisy, still = (analyse_measures(plan, found).measures["y"] for found in (shaken, calm))
    assert noisy.axes["x2"] == pytest.approx(still.axes["x2"])
    assert still.seed_share == 0 and noisy.seed_share is not None and 0.05 < noisy.seed_share < 0.3


def test_the_share_of_seeds_is_that_of_the_variances():
    rng = np.random.default_rng(7)
    between, within = rng.normal(0, 2, (4000, 1)), rng.normal(0, 1, (4000, 5))
    assert seed_share(between + within) == pytest.approx(1 / 5, abs=0.01)
    assert seed_share(within) == pytest.approx(1, abs=0.03)
    assert seed_share(np.repeat(between, 5, axis=1)) == pytest.approx(0, abs=1e-20)
    assert seed_share(between) is None and seed_share(np.zeros((3, 3))) is None


@pytest.mark.extras
def test_a_measure_without_indices_has_a_reason():
    plan = planned("morris")
    measured = outputs(plan, lambda *_: 3.0)
    assert "the same at every point" in analyse_measures(plan, measured).measures["y"].reason
    measured[4] = {"y": Measure(math.nan, "nobody spoke")}
    assert (
        analyse_measures(plan, measured).measures["y"].reason
        == f"undefined in 1 of {len(measured)} runs: nobody spoke"
    )
    measured[4] = {"z": Measure(1.0)}
    assert "was not measured" in analyse_measures(plan, measured).measures["y"].reason


@pytest.mark.extras
def test_a_sweep_shows_what_moves_its_measures(small, openiir, inlined, tmp_path):
    out = tmp_path / "sweep"
    study = small(
        '[sweep]\ndesign = "morris"\nsamples = 3\nseeds = 2\nconfig.warmth = { low = 0.0, high = 1.0 }\n'
        "config.free = { low = -1.0, high = 1.0 }\n"
    )
    done = openiir("sweep", study, "--out", out)
    assert done.code == 0 and f"openiir show {out} sensitivity" in done.out
    shown = json.loads(openiir("show", out, "sensitivity", "--format", "json").out)
    axes = shown["measures"]["warmth.mean"]["axes"]
    assert axes["config.free"]["mu*"] == 0 < axes["config.warmth"]["mu*"], "a dead key moves nothing"
    assert "it is not measured" in shown["measures"]["warmth.none"]["reason"]
    text = openiir("show", out, "sensitivity").out
    assert (
        "mu*" in text and "config.warmth" in text and text.index("config.warmth") < text.index("config.free")
    )


def test_what_has_no_indices_says_so(small, sweep, openiir, tmp_path):
    out = tmp_path / "sweep"
    sweep(small("[sweep]\nconfig.warmth = [0.1, 0.9]\n"), out)
    refused = openiir("show", out, "sensitivity")
    assert refused.code == 2 and "grid design" in refused.err and "openiir compare" in refused.err
    assert "sensitivity" in openiir("show", out).out
    assert openiir("show", out, "cells").out.count("done") == 2
    assert (
        json.loads(openiir("show", out, "cells", "--n", "1", "--format", "json").out)["rows"][0][0] == "0002"
    )
    assert openiir("show", out, "graph").code == 2
    assert openiir("show", out, "cells", "--format", "aif").code == 2


def test_indices_need_their_library(monkeypatch):
    from openiir.runs.sweep.sensitivity import compute_indices

    monkeypatch.setitem(__import__("sys").modules, "SALib.analyze.sobol", None)
    with pytest.raises(InputError, match="pip install"):
        compute_indices("sobol", ["a"], np.zeros((3, 1)), np.zeros(3))
