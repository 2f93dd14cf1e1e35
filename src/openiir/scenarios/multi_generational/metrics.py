"""Measures of a run, computed from the log alone; arms are compared by the table `generations`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from openiir.kit import measures
from openiir.kit.arrays import Bools, Floats
from openiir.kit.births import read_history
from openiir.kit.measures.judgements import roc_auc
from openiir.kit.measures.trec import Judgement
from openiir.kit.statistics import cluster_bootstrap
from openiir.plugin import Draw, Log, Measure, Ranking
from openiir.scenarios.multi_generational.actions import Born, Judged, Matched, Met, MetOthers, Posted
from openiir.scenarios.multi_generational.genomes import SIDES
from openiir.scenarios.multi_generational.setup import INVENTED

NULL_DRAWS = 20
NOT_MET = "generations did not meet each other (config.matrix.generations)"
CELL = 0.05
"""Width of the classes in which scores of generations count as alike."""
COMPARED = ("landing", "landing_true", "brier", "auc", "discrimination")
"""Measures that controls have, too."""
WITHIN = (*COMPARED, "reliability", "resolution", "calibration_error", "recall",
          *(f"{name}_{side}" for name in ("reads_posts", "distance", "templates") for side in SIDES))  # fmt: skip
JUDGED = ("calibration_error.by_chance", "discrimination.last.low", "discrimination.last.high", "mcnemar",
          "compatibility", "compatibility.helpful", "compatibility.harmful", "majority.brier", "length.auc",
          "train.brier", "train.discrimination")  # fmt: skip
BETWEEN = ("progress.lag", "forgetting.{}", "generality.{}.first", "generality.{}.last", "progress.{}", "behaviours.{}",
           "cyclic_triads", "nash_support")  # fmt: skip
GROUPS = ("template", "cue", "weight", "retrieval", "bio")
"""First parts of the names of loci."""


def list_arms(log: Log) -> dict[str, list[dict[str, Any]]]:
    """List the summaries of each arm by generation; the main arm comes first, under the name that it has at the end."""
    generations: dict[int, list[dict[str, Any]]] = {}
    for row in log.table("generations"):
        generations.setdefault(row["generation"], []).append(row)
    rows = list(generations.values())
    return {rows[-1][n]["arm"]: [some[n] for some in rows] for n in range(len(rows[-1]))} if rows else {}


def read_last_meeting(log: Log) -> tuple[int, Met | None]:
    """Read the step of the last meeting of a generation, and what is logged of it; None before the first."""
    end = max((number for number, _ in log.steps()), default=0)
    met = [(event.step, one) for event, one in Met.read(log, since=end - 2)]
    return met[-1] if met else (0, None)


def evolution_measures(log: Log) -> Mapping[str, Measure]:
    """Compute measures at the first and the last generation, between generations, and of descent."""
    found = dict[str, Measure]()
    for n, (arm, rows) in enumerate(list_arms(log).items()):
        names, ends = (
            (COMPARED, {f"last.{arm}": rows[-1]}) if n else (WITHIN, {"first": rows[0], "last": rows[-1]})
        )
        found |= {
            f"{name}.{end}": _define(row[name], "there are no such posts or readers")
            for name in names
            for end, row in ends.items()
        }
    return found | _judge(log) | _hold_out(log) | _compare_generations(log) | _trace_descent(log)


def _define(value: float, reason: str) -> Measure:
    return Measure(math.nan, reason) if math.isnan(value) else Measure(float(value))


def _score_versions(p: Floats) -> tuple[float, float]:
    """Score the mean judgements of pairs (pairs, 2) by Brier and the share of pairs with the false version ahead."""
    gap = p[:, 1] - p[:, 0]
    labels = np.tile((False, True), len(p))
    return float(measures.brier_score(p.ravel(), labels)), float(((gap > 0) + (gap == 0) / 2).mean())


def _judge(log: Log) -> dict[str, Measure]:
    """Measure the judgements of the last generation that met; pairs are the units, since many judge each."""
    step, last = read_last_meeting(log)
    judged = [one.p for _, one in Judged.read(log, since=step - 1)]
    posted = [(str(event.actor), one) for event, one in Posted.read(log, since=step - 1)]
    if last is None or not judged or not posted:
        return dict.fromkeys(
            JUDGED, Measure(math.nan, "single posts and judgements were not logged (config.log)")
        )
    p = np.array(judged).T.reshape(len(posted), len(last.pairs), 2, -1)
    words = np.array([len(text.split()) for _, one in posted for text in one.texts])
    there: Bools = np.asarray(words.reshape(p.shape[:3]) > 0)
    labels = np.broadcast_to(np.array([False, True])[:, None], p.shape)
    null = measures.draw_calibration_null(
        p[there].ravel(), Draw(log.study["seed"], "multi_generational.null"), NULL_DRAWS
    )
    both: Bools = np.asarray(there.all(axis=2))
    right = np.where(both[..., None], p[:, :, 1] > p[:, :, 0], False).sum(axis=(0, 2))
    apart = np.where(both[..., None], p[:, :, 1] != p[:, :, 0], False).sum(axis=(0, 2))
    share = cluster_bootstrap(right, apart, draw=Draw(log.study["seed"], "multi_generational.pairs"))
    versions = (
        np.where(there[..., None], p, 0.0).sum(axis=(0, 3)) / np.maximum(there.sum(axis=0), 1) / p.shape[3]
    )
    written: Bools = np.asarray(np.asarray(there.any(axis=0)).all(axis=1))
    majority = (
        np.where(there[..., None], p > 0.5, False).sum(axis=(0, 3))
        / np.maximum(there.sum(axis=0), 1)
        / p.shape[3]
    )
    helpful, harmful = _rank_posts(log, last.pairs, [name for name, _ in posted], p.mean(axis=3), there)
    brier, ahead = _score_versions(versions[written]) if written.any() else (math.nan, math.nan)
    single = labels[..., 0][there]
    values = (null.value, share.low, share.high, measures.discriminate_pairs(versions[written, 1], versions[written, 0]).p,
              helpful - harmful, helpful, harmful,
              float(((majority[written] > 0.5) != np.array([False, True])).mean()) if written.any() else math.nan,
              float(roc_auc(words[there.ravel()] / max(words.max(), 1), single)), brier, ahead)  # fmt: skip
    return {
        name: _define(value, "too few posts were written") for name, value in zip(JUDGED, values, strict=True)
    }


def _rank_posts(
    log: Log, pairs: Sequence[str], authors: Sequence[str], p: Floats, there: Bools
) -> tuple[float, float]:
    """Rank a topic's posts by falling trust; returns compatibility with the true and with the false ones."""
    matched = {one.pair: one for _, one in Matched.read(log)}
    names = [[[f"{who} {text}" for text in matched[pair].versions] for pair in pairs] for who in authors]
    places = np.argwhere(there).tolist()
    scored = [(matched[pairs[b]].topic, names[a][b][c], -float(p[a, b, c])) for a, b, c in places]
    grades = [
        [
            Judgement(topic, item, 1)
            for (topic, item, _), place in zip(scored, places, strict=True)
            if place[2] == kind
        ]
        for kind in (0, 1)
    ]
    ranking = Ranking.of(sorted(scored, key=lambda one: one[0]), "trust")
    found = measures.measure_help_and_harm(ranking, grades[0], grades[1])
    return found.helpful.measure("none").value, found.harmful.measure("none").value


def _hold_out(log: Log) -> dict[str, Measure]:
    """Measure the mean judgements of held-out pairs at the first and the last generation that met others."""
    names = [f"held_out.{name}.{end}" for name in ("brier", "discrimination") for end in ("first", "last")]
    found = dict.fromkeys(names, Measure(math.nan, NOT_MET))
    for _, one in MetOthers.read(log):
        topics = {event.pair: event.topic for _, event in Matched.read(log)}
        invented = np.array([topics[pair] in INVENTED for pair in one.pairs])
        for name, chosen in (
            ("held_out", np.ones(len(invented), dtype=np.bool_)),
            ("held_out_invented", invented),
        ):
            for end, p in (("first", one.p[0]), ("last", one.p[-1])):
                if chosen.any():
                    brier, share = _score_versions(np.array(p).reshape(-1, 2)[chosen])
                    found |= {
                        f"{name}.brier.{end}": Measure(brier),
                        f"{name}.discrimination.{end}": Measure(share),
                    }
    return found


def _compare_generations(log: Log) -> dict[str, Measure]:
    """Measure progress, forgetting, generality, circles and equilibrium from the meeting of generations, and disengagement."""
    fitness = [one.fitness for _, one in Met.read(log)]
    found = {
        f"disengagement.{side}": Measure(
            float(measures.find_disengagement([one[side] for one in fitness]).mean())
        )
        for side in SIDES
        if fitness
    }
    one = next((one for _, one in MetOthers.read(log)), None)
    if one is None:
        names = dict.fromkeys(name.format(side) for name in BETWEEN for side in SIDES)
        return found | dict.fromkeys(names, Measure(math.nan, NOT_MET))
    table = measures.build_generation_matrix(one.landing, one.error, one.generations)
    apart = np.array(
        sorted({b - a for n, a in enumerate(one.generations) for b in one.generations[n + 1 :]}) or [0]
    )
    lag = int(apart[np.abs(apart - log.study["config"]["generations"] / 4).argmin()])
    found["progress.lag"] = Measure(float(lag))
    few = "too few generations met each other"
    for side, seen in zip(SIDES, (table, table.turn()), strict=True):
        general = seen.generality()
        deciles = np.unique(np.round(seen.score / CELL), axis=0, return_counts=True)[1]
        found |= {
            f"progress.{side}": _define(seen.progress(lag), few), f"forgetting.{side}": _define(seen.forgetting(), few),
            f"generality.{side}.first": Measure(float(general[0])), f"generality.{side}.last": Measure(float(general[-1])),
            f"behaviours.{side}": Measure(float(measures.hill_number(deciles, 1))),
        }  # fmt: skip
    # A generation beats another with both its sides, so that circles and equilibrium are the same seen from either.
    found["cyclic_triads"] = _define(measures.cyclic_triads(table.advantage()), few)
    found["nash_support"] = Measure(float((measures.nash_average(table.advantage())[0] > 1e-3).sum()))
    return found


def _trace_descent(log: Log) -> dict[str, Measure]:
    """Measure each side's descent: common ancestor, branches, founders with descendants, and fixed changes by group of loci."""
    found = dict[str, Measure]()
    for side in SIDES if list_arms(log) else ():
        lineage = read_history(log, Born, side).lineage
        last = np.arange(len(lineage.parent))[lineage.cohorts[-1]]
        depth = lineage.coalescence_time(last)
        fixed = [one.locus.partition(".")[0] for one in lineage.fixations() if one.born]
        found |= {
            f"mrca_depth.{side}": Measure(math.nan, "the last generation has no common ancestor") if depth is None else Measure(float(depth)),
            f"phylogenetic_diversity.{side}": Measure(float(lineage.phylogenetic_diversity(last))),
            f"founders.{side}": Measure(float(lineage.survival()[-1])),
            **{f"fixations.{side}.{name}": Measure(float(fixed.count(name))) for name in GROUPS if any(one.startswith(name) for one in lineage.loci)},
        }  # fmt: skip
    return found
