"""Reliability of the judge: missing grades, spread over repeats, effects of probes, and halo."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import nan
from statistics import fmean

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.plugin import Log, Measure, int_sum
from openiir.scenarios.conversational.model.ranks import rank_correlations
from openiir.scenarios.conversational.run.actions import DialogueJudged

Key = tuple[int, str, str]


def judge_measures(log: Log) -> dict[str, Measure]:
    """Compute the judge's reliability: `judge.asked`, `judge.unusable`, halo, spread and effects of probes.

    By aspect, the measures are `judge.halo[...]`, `judge.spread[...]`, `judge.order[...]` and
    `judge.verbosity[...]`.
    """
    counts = count_answers(log).values()
    if not counts:
        return {}
    found = {
        "judge.asked": Measure(float(int_sum(asked for asked, _ in counts))),
        "judge.unusable": Measure(float(int_sum(unusable for _, unusable in counts))),
    }
    alike = "too few dialogues, or grades that are all alike"
    return {
        **found,
        **{f"judge.halo[{a}]": Measure(v, None if v == v else alike) for a, v in halo(log).items()},
        **{f"judge.spread[{aspect}]": mean.measure for aspect, mean in grade_spreads(log).items()},
        **{f"judge.{probe}[{aspect}]": mean.measure for (probe, aspect), mean in probe_effects(log).items()},
    }


def count_answers(log: Log) -> dict[str, tuple[int, int]]:
    """Count, for each aspect, the grades asked for and those without a usable answer."""
    judged = [(event.payload["aspect"], event.payload["score"]) for event in log.events(DialogueJudged.kind)]
    asked = Counter(aspect for aspect, _ in judged)
    unusable = Counter(aspect for aspect, score in judged if score is None)
    return {aspect: (times, unusable[aspect]) for aspect, times in asked.items()}


def halo(log: Log) -> dict[str, float]:
    """Compute, for each aspect, the mean Spearman correlation of its grades with those of the other aspects.

    Halo (Thorndike, J. Appl. Psychol. 1920) lifts it above what the dialogues themselves bring; compare the
    same dialogues judged by one question an aspect and by one for all. NaN under 3 dialogues with all grades,
    and where an aspect or all others have one grade throughout.
    """
    grades = _plain_grades(log)
    keys = [key for key in next(iter(grades.values()), {}) if all(key in by for by in grades.values())]
    means = {aspect: np.array([[fmean(by[key]) for key in keys]]) for aspect, by in grades.items()}
    found = {}
    for aspect, own in means.items():
        others = [
            float(rank_correlations(own, other)[0])
            for name, other in means.items()
            if name != aspect and len(keys) > 2
        ]
        known = [value for value in others if value == value]
        found[aspect] = fmean(known) if known else nan
    return found


def grade_spreads(log: Log) -> dict[str, UserMean]:
    """Compute, for each aspect, the mean range of a dialogue's grades over repeats; 0 if repeats always
    agree."""
    ranges = {
        aspect: [float(max(given) - min(given)) for given in by.values() if len(given) > 1]
        for aspect, by in _plain_grades(log).items()
    }
    return {aspect: over_users(own, "judged once alone") for aspect, own in ranges.items() if own}


def probe_effects(log: Log) -> dict[tuple[str, str], UserMean]:
    """Compute, for each (probe, aspect), the mean change of the grade under the probe, over dialogues."""
    means = {(aspect, key): fmean(by[key]) for aspect, by in _plain_grades(log).items() for key in by}
    apart: defaultdict[tuple[str, str], dict[Key, float]] = defaultdict(dict)
    for aspect, probe, key, score in _scores(log):
        if probe:
            apart[probe, aspect][key] = score - means.get((aspect, key), nan)
    why = "the dialogue has no usable grade as it was"
    return {which: over_users(list(by.values()), why) for which, by in apart.items()}


def _plain_grades(log: Log) -> Mapping[str, Mapping[Key, list[int]]]:
    """Collect the grades given without a probe, by aspect and dialogue."""
    grades: defaultdict[str, defaultdict[Key, list[int]]] = defaultdict(lambda: defaultdict(list))
    for aspect, probe, key, score in _scores(log):
        if not probe:
            grades[aspect][key].append(score)
    return grades


def _scores(log: Log) -> Iterator[tuple[str, str, Key, int]]:
    for event in log.events(DialogueJudged.kind):
        said = event.payload
        if said["score"] is not None:
            yield (
                said["aspect"],
                said["probe"],
                (said["number"], said["simulator"], said["system"]),
                said["score"],
            )
