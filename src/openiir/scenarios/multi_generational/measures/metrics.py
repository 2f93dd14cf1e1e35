"""Measures of a run, computed from the log alone; arms are compared by the table `generations`."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from openiir.kit import measures
from openiir.kit.evolution import Lineage
from openiir.kit.measures.generations import describe_generations
from openiir.plugin import Draw, Log, Measure
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES
from openiir.scenarios.multi_generational.measures.judgements import (
    VERSION_SCORES,
    measure_compatibility,
    measure_contest,
    score_versions,
)
from openiir.scenarios.multi_generational.run.actions import Judged, Matched, Met, MetOthers, Posted
from openiir.scenarios.multi_generational.run.births import read_birth_history
from openiir.scenarios.multi_generational.run.setup import INVENTED

NOT_MET = "generations did not meet each other (config.matrix.generations)"
COMPARED = ("landing", "landing_true", "brier", "auc", "discrimination")
"""Measures that controls have, too."""
BY_SIDE = tuple(f"{name}_{side}" for name in ("reads_posts", "distance", "templates") for side in SIDES)
WITHIN = (*COMPARED, "reliability", "resolution", "calibration_error", "recall", *BY_SIDE)
JUDGED = (
    *"calibration_error.by_chance discrimination.last.low discrimination.last.high mcnemar".split(),
    *"compatibility compatibility.helpful compatibility.harmful".split(),
    *(f"train.{name}" for name in VERSION_SCORES),
)
BETWEEN = (
    "progress.lag forgetting.{} generality.{}.first generality.{}.last progress.{} behaviours.{} "
    "cyclic_triads nash_support"
).split()


def read_arm_summaries(log: Log) -> dict[str, list[dict[str, Any]]]:
    """List the logged summaries by generation for each experimental arm, the main arm first."""
    generations: dict[int, list[dict[str, Any]]] = {}
    for row in log.table("generations"):
        generations.setdefault(row["generation"], []).append(row)
    rows = list(generations.values())
    return {rows[-1][n]["arm"]: [some[n] for some in rows] for n in range(len(rows[-1]))} if rows else {}


def read_last_contest(log: Log) -> tuple[int, Met | None]:
    """Read the last logged contest of producers and detectors, with its step; None before the first."""
    end = max((number for number, _ in log.steps()), default=0)
    met = [(event.step, one) for event, one in Met.read(log, since=end - 2)]
    return met[-1] if met else (0, None)


def evolution_measures(log: Log) -> Mapping[str, Measure]:
    """Compute measures at the first and the last generation, between generations, and of descent."""
    found = dict[str, Measure]()
    for n, (arm, rows) in enumerate(read_arm_summaries(log).items()):
        names: Sequence[str] = COMPARED if n else WITHIN
        ends = {f"last.{arm}": rows[-1]} if n else {"first": rows[0], "last": rows[-1]}
        found |= {
            f"{name}.{end}": _define(row[name], "there are no such posts or readers")
            for name in names
            for end, row in ends.items()
        }
    for side in SIDES if found else ():
        found |= measure_descent(side, read_birth_history(log, side).lineage)
    return found | _judge(log) | _hold_out(log) | _compare_generations(log)


def _define(value: float, reason: str) -> Measure:
    return Measure(math.nan, reason) if math.isnan(value) else Measure(float(value))


def _judge(log: Log) -> dict[str, Measure]:
    """Measure the judgements of the last generation that met."""
    step, last = read_last_contest(log)
    judged = [one.p for _, one in Judged.read(log, since=step - 1)]
    posted = [one.texts for _, one in Posted.read(log, since=step - 1)]
    if last is None or not judged or not posted:
        none = Measure(math.nan, "single posts and judgements were not logged (config.log)")
        return dict.fromkeys(JUDGED, none)
    p = np.array(judged).T.reshape(len(posted), len(last.pairs), 2, -1)
    words = np.array([[len(text.split()) for text in texts] for texts in posted]).reshape(p.shape[:3])
    topics = {one.pair: one.topic for _, one in Matched.read(log)}
    helpful, harmful = measure_compatibility(p.mean(axis=3), words > 0, [topics[pair] for pair in last.pairs])
    found = {
        **measure_contest(p, words, Draw(log.study["seed"], "multi_generational")),
        "compatibility": helpful - harmful,
        "compatibility.helpful": helpful,
        "compatibility.harmful": harmful,
    }
    return {name: _define(found[name], "too few posts were written") for name in JUDGED}


def _hold_out(log: Log) -> dict[str, Measure]:
    """Measure the judgements of held-out pairs by the first and the last generation that met others."""
    met = next((one for _, one in MetOthers.read(log)), None)
    if met is None:
        ends = [f"held_out.{name}.{end}" for name in ("brier", "discrimination") for end in ("first", "last")]
        return dict.fromkeys(ends, Measure(math.nan, NOT_MET))
    topics = {one.pair: one.topic for _, one in Matched.read(log)}
    invented = np.array([topics[pair] in INVENTED for pair in met.pairs])
    groups = {"held_out": np.ones_like(invented)}
    if invented.any():
        groups["held_out_invented"] = invented
    tables = [np.array(one).reshape(len(one), -1, 2) for one in (met.p, met.most, met.words)]
    return {
        f"{group}.{name}.{end}": Measure(value)
        for group, chosen in groups.items()
        for end, at in (("first", 0), ("last", -1))
        for name, value in score_versions(*(one[at][chosen] for one in tables)).items()
    }


def _compare_generations(log: Log) -> dict[str, Measure]:
    """Measure disengagement, and progress, forgetting, generality, circles and equilibrium of generations."""
    found, fitness = dict[str, Measure](), [one.fitness for _, one in Met.read(log)]
    for side in SIDES if fitness else ():
        idle = measures.find_disengagement([one[side] for one in fitness])
        found[f"disengagement.{side}"] = Measure(float(idle.mean()))
    one = next((one for _, one in MetOthers.read(log)), None)
    if one is None:
        names = dict.fromkeys(name.format(side) for name in BETWEEN for side in SIDES)
        return found | dict.fromkeys(names, Measure(math.nan, NOT_MET))
    table = measures.build_generation_matrix(one.landing, one.error, one.generations)
    between = describe_generations(table, SIDES, log.study["config"]["generations"] / 4)
    none = "too few generations met each other"
    return found | {name: _define(value, none) for name, value in between.items()}


def measure_descent(side: str, lineage: Lineage) -> dict[str, Measure]:
    """Measure one side's lineage: common ancestor, branches, surviving founders, fixed mutations."""
    last = np.arange(len(lineage.parent))[lineage.cohorts[-1]]
    depth = lineage.coalescence_time(last)
    fixed = Counter(one.locus.partition(".")[0] for one in lineage.fixations() if one.born)
    none = Measure(math.nan, "the last generation has no common ancestor")
    return {
        f"mrca_depth.{side}": none if depth is None else Measure(float(depth)),
        f"phylogenetic_diversity.{side}": Measure(float(lineage.phylogenetic_diversity(last))),
        f"founders.{side}": Measure(float(lineage.survival()[-1])),
        **{
            f"fixations.{side}.{name}": Measure(float(fixed[name]))
            for name in dict.fromkeys(one.partition(".")[0] for one in lineage.loci)
        },
    }
