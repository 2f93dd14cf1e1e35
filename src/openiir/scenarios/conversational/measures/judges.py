"""Reliability of the judge: missing grades, spread over repeats, effects of probes, and halo."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import nan
from statistics import fmean

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.measures.per_user import UserMean, over_users
from openiir.plugin import Log, Measure, int_sum
from openiir.scenarios.conversational.run.actions import DialogueJudged

Key = tuple[int, str, str]
"""Number of the need, simulator and system: the key of a dialogue."""


def judge_measures(log: Log) -> dict[str, Measure]:
    """Compute the judge's reliability: `judge.asked`, `judge.unusable`, halo, spread and effects of probes.

    By aspect, the measures are `judge.halo[...]`, `judge.spread[...]`, `judge.order[...]` and
    `judge.verbosity[...]`.
    """
    counts = count_answers(log).values()
    if not counts:
        return {}
    alike = "too few dialogues, or grades that are all alike"
    return {
        "judge.asked": Measure(float(int_sum(asked for asked, _ in counts))),
        "judge.unusable": Measure(float(int_sum(unusable for _, unusable in counts))),
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


def _grades(log: Log) -> Mapping[tuple[str, str], Mapping[Key, list[int]]]:
    """Collect the usable grades by (probe, aspect) and dialogue."""
    grades: defaultdict[tuple[str, str], defaultdict[Key, list[int]]] = defaultdict(lambda: defaultdict(list))
    for said in (event.payload for event in log.events(DialogueJudged.kind)):
        if said["score"] is not None:
            key = said["number"], said["simulator"], said["system"]
            grades[said["probe"], said["aspect"]][key].append(said["score"])
    return grades


def plain_grades(log: Log) -> dict[str, Mapping[Key, list[int]]]:
    """Collect the usable grades that were given without a probe, by aspect and dialogue."""
    return {aspect: by for (probe, aspect), by in _grades(log).items() if not probe}


def halo(log: Log) -> dict[str, float]:
    """Compute the judge's halo effect by aspect: mean Spearman correlation with the other aspects' grades.

    Halo (Thorndike, J. Appl. Psychol. 1920) lifts it above what the dialogues themselves bring; compare the
    same dialogues judged by one question an aspect and by one for all. NaN under 3 dialogues with all grades,
    and where an aspect or all others have one grade throughout.
    """
    grades = plain_grades(log)
    keys = [key for key in next(iter(grades.values()), {}) if all(key in by for by in grades.values())]
    means = {aspect: np.array([[fmean(by[key]) for key in keys]]) for aspect, by in grades.items()}
    found = {}
    for aspect, own in means.items():
        others = [other for name, other in means.items() if name != aspect and len(keys) > 2]
        known = [value for other in others if (value := float(rank_correlations(own, other)[0])) == value]
        found[aspect] = fmean(known) if known else nan
    return found


def grade_spreads(log: Log) -> dict[str, UserMean]:
    """Compute by aspect the mean range of a dialogue's grades over repetitions; 0 if repetitions agree."""
    ranges = {
        aspect: [float(max(given) - min(given)) for given in by.values() if len(given) > 1]
        for aspect, by in plain_grades(log).items()
    }
    return {
        aspect: over_users(own, "judged once alone", bounds=(0.0, 4.0))
        for aspect, own in ranges.items()
        if own
    }


def probe_effects(log: Log) -> dict[tuple[str, str], UserMean]:
    """Compute by (probe, aspect) the mean change of the grade under the probe, over dialogues."""
    plain, found = plain_grades(log), {}
    for (probe, aspect), by in _grades(log).items():
        if probe:
            before = plain.get(aspect, {})
            apart = [given[-1] - fmean(before[key]) if key in before else nan for key, given in by.items()]
            found[probe, aspect] = over_users(
                apart, "the dialogue has no usable grade as it was", bounds=(-4.0, 4.0)
            )
    return found


def rank_correlations(a: Floats, b: Floats) -> Floats:
    """Compute Spearman's correlation (Am. J. Psychol. 1904) of corresponding rows.

    Ties share their mean rank. NaN where all values of a row are equal.
    """
    from scipy.stats import rankdata

    first, second = (rankdata(rows, axis=1) for rows in (a, b))
    first, second = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (first, second))
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    together = (first * second).sum(axis=1)
    return np.clip(np.divide(together, spread, out=np.full(len(a), np.nan), where=spread > 0), -1.0, 1.0)
