"""How far the judge can be trusted: answers that could not be used, spread over repeats, what probes move."""

from collections.abc import Iterator
from statistics import fmean

from openiir.kit.measures.peruser import UserMean, over_users
from openiir.plugin import Log, Measure, int_sum
from openiir.scenarios.conversational.actions import Judged

Key = tuple[int, str, str]


def judge_measures(log: Log) -> dict[str, Measure]:
    """`judge.asked`, `judge.unusable`; by aspect `judge.spread[...]`, `judge.order[...]`, `judge.verbosity[...]`."""
    counts = answered(log).values()
    if not counts:
        return {}
    found = {
        "judge.asked": Measure(float(int_sum(asked for asked, _ in counts))),
        "judge.unusable": Measure(float(int_sum(unusable for _, unusable in counts))),
    }
    for aspect, mean in spreads(log).items():
        found[f"judge.spread[{aspect}]"] = mean.measure
    for (probe, aspect), mean in probes(log).items():
        found[f"judge.{probe}[{aspect}]"] = mean.measure
    return found


def answered(log: Log) -> dict[str, tuple[int, int]]:
    """By aspect, how many questions were put to the judge and how many answers could not be used."""
    found: dict[str, tuple[int, int]] = {}
    for event in log.events(Judged.kind):
        asked, unusable = found.get(event.payload["aspect"], (0, 0))
        found[event.payload["aspect"]] = asked + 1, unusable + (event.payload["score"] is None)
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
    for event in log.events(Judged.kind):
        said = event.payload
        if said["score"] is not None:
            yield (
                said["aspect"],
                said["probe"],
                (said["number"], said["simulator"], said["system"]),
                said["score"],
            )
