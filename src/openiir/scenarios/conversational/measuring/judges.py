"""Reliability of the judge: missing grades, spread over repeats, effects of probes, and halo."""

from collections.abc import Iterator
from math import nan
from statistics import fmean

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics.ranks import rank_correlations
from openiir.plugin import Log, Measure, int_sum
from openiir.scenarios.conversational.actions import DialogueJudged

Key = tuple[int, str, str]


def judge_measures(log: Log) -> dict[str, Measure]:
    """`judge.asked`, `judge.unusable`; by aspect `judge.halo[...]`, `.spread`, `.order` and `.verbosity`."""
    counts = count_answers(log).values()
    if not counts:
        return {}
    found = {
        "judge.asked": Measure(float(int_sum(asked for asked, _ in counts))),
        "judge.unusable": Measure(float(int_sum(unusable for _, unusable in counts))),
    }
    for aspect, value in halo(log).items():
        found[f"judge.halo[{aspect}]"] = Measure(
            value, None if value == value else "too few dialogues, or grades that are all alike"
        )
    for aspect, mean in spreads(log).items():
        found[f"judge.spread[{aspect}]"] = mean.measure
    for (probe, aspect), mean in probes(log).items():
        found[f"judge.{probe}[{aspect}]"] = mean.measure
    return found


def count_answers(log: Log) -> dict[str, tuple[int, int]]:
    """By aspect, how many grades the judge was asked for and how many did not come in a usable answer."""
    found: dict[str, tuple[int, int]] = {}
    for event in log.events(DialogueJudged.kind):
        asked, unusable = found.get(event.payload["aspect"], (0, 0))
        found[event.payload["aspect"]] = asked + 1, unusable + (event.payload["score"] is None)
    return found


def halo(log: Log) -> dict[str, float]:
    """By aspect, how its grades go with those of the other aspects: the mean of Spearman's correlations over dialogues.

    Halo (Thorndike, J. Appl. Psychol. 1920) lifts it above what the dialogues themselves bring; compare the same
    dialogues judged by one question an aspect and by one for all. NaN under 3 dialogues with all grades, and where an
    aspect or all others have one grade throughout.
    """
    grades: dict[str, dict[Key, list[int]]] = {}
    for aspect, probe, key, score in _scores(log):
        if not probe:
            grades.setdefault(aspect, {}).setdefault(key, []).append(score)
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


def spreads(log: Log) -> dict[str, UserMean]:
    """By aspect, the range of a dialogue's grades over repeats, its mean over dialogues; 0 for a judge that is sure."""
    grades: dict[str, dict[Key, list[int]]] = {}
    for aspect, probe, key, score in _scores(log):
        if not probe:
            grades.setdefault(aspect, {}).setdefault(key, []).append(score)
    found = {}
    for aspect, by in grades.items():
        ranges = [float(max(given) - min(given)) for given in by.values() if len(given) > 1]
        if ranges:
            found[aspect] = over_users(ranges, "judged once alone")
    return found


def probes(log: Log) -> dict[tuple[str, str], UserMean]:
    """By (probe, aspect), the grade under the probe less the mean grade as it was, over dialogues."""
    plain: dict[tuple[str, Key], list[int]] = {}
    probed: dict[tuple[str, str], dict[Key, int]] = {}
    for aspect, probe, key, score in _scores(log):
        if probe:
            probed.setdefault((probe, aspect), {})[key] = score
        else:
            plain.setdefault((aspect, key), []).append(score)
    found = {}
    for (probe, aspect), by in probed.items():
        own = {key: plain.get((aspect, key), []) for key in by}
        apart = [score - fmean(own[key]) if own[key] else float("nan") for key, score in by.items()]
        found[probe, aspect] = over_users(apart, "the dialogue has no usable grade as it was")
    return found


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
