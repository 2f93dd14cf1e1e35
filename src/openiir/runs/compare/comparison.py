"""Compare runs from their folders: pair arms by seed, test every measure, correct p values by family."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import openiir
from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Measure
from openiir.core.records.measure import Bounds, undefined_measure
from openiir.kit import statistics
from openiir.plugin.definitions import bound_measure
from openiir.runs.compare.arms import Grouping, group_runs
from openiir.runs.compare.contrast import MeasureSamples, compare_arms
from openiir.runs.compare.inputs import FinishedRun, find_runs
from openiir.runs.compare.records import (
    ALPHA,
    ArmValues,
    ComparedArm,
    ComparedMeasure,
    Comparison,
    Family,
    Number,
    RunUsed,
)
from openiir.runs.post_run import measure_all
from openiir.runs.types import find_type


@dataclass(frozen=True)
class ComparisonOptions:
    """Options of a comparison: measures, baseline, keys meant to differ, smallest effects, workers."""

    measuring: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the measures, as in `openiir measure --set`."""
    measures: Sequence[str] = ()
    """Names of the confirmatory measures, or patterns with *."""
    baseline: str | None = None
    """Id, label or part of the label of the baseline arm; the first arm by default."""
    keys: Sequence[str] = ()
    """Keys in which the arms are meant to differ."""
    smallest: Mapping[str, float] = field(default_factory=dict)
    """The smallest difference that matters, by name of the measure or pattern."""
    workers: int | None = None


def compare(folders: Sequence[Path], wanted: ComparisonOptions | None = None) -> Comparison:
    """Compare the runs and sweeps in these folders. Raises InputError; writes nothing."""
    wanted = wanted or ComparisonOptions()
    gathered = find_runs(folders)
    grouping = group_runs(gathered, wanted.keys)
    base = 0 if wanted.baseline is None else grouping.find(wanted.baseline)
    paired = _check_seeds(grouping, base)
    left_out = [*gathered.left_out, *_without_partner(grouping, base)]
    runs = [run for runs in grouping.groups for run in runs]
    measured = measure_all([run.folder for run in runs], wanted.measuring, wanted.workers)
    by_run = dict(zip((run.folder for run in runs), measured, strict=True))
    names = list(dict.fromkeys(name for found in measured for name in found))
    chosen = _choose_measures(names, wanted.measures, "--measure")
    compared = _compare_measures(grouping, base, by_run, names, chosen, _smallest(names, wanted.smallest))
    compared, families = _correct_families(compared)
    return Comparison(
        openiir=openiir.__version__,
        types=tuple(dict.fromkeys(run.type for run in runs)),
        baseline=grouping.ids[base],
        keys=grouping.keys,
        differs={k: dict(zip(grouping.ids, row, strict=True)) for k, row in grouping.differs.items()},
        beyond=grouping.beyond,
        warnings=tuple(_warnings(grouping, compared, families, paired)),
        left_out=tuple(left_out),
        measuring=dict(wanted.measuring),
        paired=paired,
        arms=tuple(_arm(grouping, n) for n in range(len(grouping.groups))),
        families=families,
        measures=compared,
    )


def _arm(grouping: Grouping, n: int) -> ComparedArm:
    runs = grouping.groups[n]
    return ComparedArm(
        id=grouping.ids[n],
        label=grouping.labels[n],
        setting={key: row[n] for key, row in grouping.differs.items()},
        runs=tuple(RunUsed(folder=str(r.folder), seed=r.seed, content=r.content) for r in runs),
    )


def _seeds(runs: Sequence[FinishedRun]) -> set[int]:
    return {run.seed for run in runs}


def _check_seeds(grouping: Grouping, base: int) -> bool:
    """Whether some arm shares two or more seeds with the baseline, as tests need.

    Raises InputError where arms of several runs share no seed.
    """
    ours, most = _seeds(grouping.groups[base]), 0
    for n, runs in enumerate(grouping.groups):
        if n == base:
            continue
        shared = len(ours & _seeds(runs))
        most = max(most, shared)
        if not shared and max(len(runs), len(grouping.groups[base])) > 1:
            raise InputError(
                f"{grouping.labels[n]} (seeds {_list_seeds(_seeds(runs))}) shares no seed with the baseline "
                f"{grouping.labels[base]} (seeds {_list_seeds(ours)}), and unpaired arms are not tested; run "
                "them with the same seeds (--set seed=N), or compare one run of each for the values alone"
            )
    return most > 1


def _list_seeds(seeds: set[int], most: int = 8) -> str:
    shown = ", ".join(map(str, sorted(seeds)[:most]))
    return shown if len(seeds) <= most else f"{shown}, ... ({len(seeds)})"


def _without_partner(grouping: Grouping, base: int) -> list[str]:
    said = []
    for n, (runs, used) in enumerate(zip(grouping.groups, _used_seeds(grouping, base), strict=True)):
        if alone := _seeds(runs) - used:
            whom = "any other arm" if n == base else "the baseline"
            said.append(f"{grouping.labels[n]}: seeds {_list_seeds(alone)} are not shared with {whom}")
    return said


def _warnings(
    grouping: Grouping, compared: Sequence[ComparedMeasure], families: Sequence[Family], paired: bool
) -> list[str]:
    runs = [run for runs in grouping.groups for run in runs]
    said = []
    if grouping.beyond:
        said.append(
            f"the arms differ in more than {', '.join(grouping.keys)}: also in {', '.join(grouping.beyond)}"
        )
    if len(types := dict.fromkeys(run.type for run in runs)) > 1:
        said.append(
            f"different types ({', '.join(types)}): a measure of the same name need not be the same measure"
        )
    for name in ("openiir", "numpy", "scipy"):
        found = sorted({run.versions[name] for run in runs if name in run.versions})
        if len(found) > 1:
            said.append(f"the runs were made with different versions of {name}: {', '.join(found)}")
    if len(grouping.groups) == 1:
        said.append("one arm: its values over seeds, and nothing to compare them with")
        return said
    if not paired:
        seeds = {run.seed for run in runs}
        mixed = "; the seeds differ too, so a difference may be theirs" if len(seeds) > 1 else ""
        said.append(
            f"values side by side, without a test: that needs at least 2 seeds that the arms share{mixed}"
        )
        return said
    tests = next((f.tests for f in families if f.name == "confirmatory"), 0) or 1
    fewest = min((c.seeds for one in compared for c in one.contrasts if c.seeds > 1), default=2)
    if statistics.smallest_p(fewest) * tests > ALPHA:
        said.append(
            f"{fewest} shared seeds: the sign-flip test cannot go below p = "
            f"{statistics.smallest_p(fewest):.3g}, so "
            f"nothing can be shown at {ALPHA:g} by {'one test' if tests == 1 else f'{tests} tests'}; "
            f"that needs {statistics.fewest_seeds(ALPHA, tests)} seeds"
        )
    return said


def _choose_measures(names: Sequence[str], patterns: Sequence[str], option: str) -> set[str]:
    chosen: set[str] = set()
    for pattern in patterns:
        found = [name for name in names if fnmatchcase(name, pattern)]
        if not found:
            raise InputError(f"{option} {pattern}: {UnknownName('measure', pattern, names)}")
        chosen |= set(found)
    return chosen


def _smallest(names: Sequence[str], declared: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for pattern, value in declared.items():
        if not (value > 0 and math.isfinite(value)):
            raise InputError(
                f"--smallest {pattern}={value:g}: the smallest effect that matters is a number above 0"
            )
        found |= dict.fromkeys(sorted(_choose_measures(names, (pattern,), "--smallest")), value)
    return found


def _compare_measures(
    grouping: Grouping,
    base: int,
    measured: Mapping[Path, Mapping[str, Measure]],
    names: Sequence[str],
    chosen: set[str],
    smallest: Mapping[str, float],
) -> tuple[ComparedMeasure, ...]:
    others = [n for n in range(len(grouping.groups)) if n != base]
    tests = max(1, len(chosen) * len(others))
    used = _used_seeds(grouping, base)
    types = {run.type for runs in grouping.groups for run in runs}
    definitions = [find_type(name).definitions for name in types]
    found = []
    for name in sorted(names, key=lambda name: name not in chosen):
        lowest, highest = zip(*(bound_measure(one, name) for one in definitions), strict=True)
        bounds = min(lowest), max(highest)
        samples = [_samples(runs, used[n], measured, name, bounds) for n, runs in enumerate(grouping.groups)]
        values = [
            ArmValues(arm=grouping.ids[n], mean=side.mean(sorted(used[n])), points=side.points())
            for n, side in enumerate(samples)
        ]
        contrasts = [
            compare_arms(
                (grouping.ids[n], grouping.ids[base]), samples[base], samples[n], smallest.get(name), tests
            )
            for n in others
        ]
        family: Literal["confirmatory", "exploratory"] = "confirmatory" if name in chosen else "exploratory"
        found.append(
            ComparedMeasure(measure=name, family=family, arms=tuple(values), contrasts=tuple(contrasts))
        )
    return tuple(found)


def _used_seeds(grouping: Grouping, base: int) -> list[set[int]]:
    """Return the seeds of each arm that are compared: the shared ones, or all where none is shared."""
    seeds = [_seeds(runs) for runs in grouping.groups]
    others = set[int]().union(*(found for n, found in enumerate(seeds) if n != base))
    return [found & (others if n == base else seeds[base]) or found for n, found in enumerate(seeds)]


def _samples(
    runs: Sequence[FinishedRun],
    seeds: set[int],
    measured: Mapping[Path, Mapping[str, Measure]],
    name: str,
    bounds: Bounds,
) -> MeasureSamples:
    by_seed: dict[int, list[Measure]] = {}
    for run in (run for run in runs if run.seed in seeds):
        found = measured[run.folder].get(name, undefined_measure("not measured in this run"))
        by_seed.setdefault(run.seed, []).append(found)
    return MeasureSamples(by_seed, bounds)


CORRECTIONS: dict[Literal["confirmatory", "exploratory"], tuple[str, Callable[..., Any]]] = {
    "confirmatory": ("Holm", statistics.holm),
    "exploratory": ("Benjamini-Hochberg", statistics.benjamini_hochberg),
}


def _correct_families(
    compared: tuple[ComparedMeasure, ...],
) -> tuple[tuple[ComparedMeasure, ...], tuple[Family, ...]]:
    """Correct the p values of each family for multiple tests, over measures and contrasts.

    Where all differences are 0 no flip can make p small: leaving such tests out of a family keeps its level
    (Tarone, Biometrics 1990).
    """
    families, redone = [], dict[str, ComparedMeasure]()
    for family, (words, correct) in CORRECTIONS.items():
        members = [one for one in compared if one.family == family]
        p = [c.p.value if c.higher or c.lower else None for one in members for c in one.contrasts]
        adjusted = iter(correct([math.nan if value is None else value for value in p]))
        for one in members:
            pairs = zip(one.contrasts, map(float, adjusted), strict=False)
            contrasts = tuple(
                c.model_copy(update={"adjusted": c.p if math.isnan(p) else Number(value=p)}) for c, p in pairs
            )
            redone[one.measure] = one.model_copy(update={"contrasts": contrasts})
        if members:
            families.append(Family(name=family, correction=words, tests=len(p) - p.count(None)))
    return tuple(redone[one.measure] for one in compared), tuple(families)
