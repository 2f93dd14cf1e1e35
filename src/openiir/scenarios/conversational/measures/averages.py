"""Mean scores by system, by simulator and system, and by user group, with counts of failed dialogues."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics.proportion import wilson_interval
from openiir.kit.statistics.resampling import resamples
from openiir.plugin import Draw, int_sum
from openiir.plugin.definitions import bound_measure
from openiir.scenarios.conversational.measures.definitions import DEFINITIONS
from openiir.scenarios.conversational.measures.dialogue_rows import (
    SCORES,
    YES_OR_NO,
    DialogueRow,
    RunSetting,
)

NOTHING_LEFT = "every dialogue failed"


def group_rows(rows: Sequence[DialogueRow], setting: RunSetting) -> dict[str, list[DialogueRow]]:
    """Group dialogues by `SYSTEM`, `SIMULATOR/SYSTEM` and, if there are user groups, `SYSTEM:GROUP`."""
    groups, found = {row.group for row in rows}, dict[str, list[DialogueRow]]()
    for system in order_names(setting.systems, (row.system for row in rows)):
        own = found[system] = [row for row in rows if row.system == system]
        for simulator in order_names(setting.simulators, (row.simulator for row in own)):
            found[f"{simulator}/{system}"] = [row for row in own if row.simulator == simulator]
        for group in sorted(groups) if len(groups) > 1 else ():
            found[f"{system}:{group}"] = [row for row in own if row.group == group]
    return found


def order_names(declared: Iterable[str], met: Iterable[str]) -> list[str]:
    """Order names that occur: declared ones in their order, then the others."""
    there = list(dict.fromkeys(met))
    known = [name for name in declared if name in there]
    return [*known, *(name for name in there if name not in known)]


def means(rows: Sequence[DialogueRow], names: Iterable[str] = SCORES) -> dict[str, UserMean]:
    """Average each score over needs within each simulator, then over simulators with equal weight.

    Failed dialogues are left out; NaN, with the reason, where a simulator has nothing left. Intervals are
    Student's over needs, within the score's bounds; those of yes or no Wilson's, which are there where all
    needs say the same.
    """
    simulators = dict.fromkeys(row.simulator for row in rows)
    by_simulator = {name: [row for row in rows if row.simulator == name] for name in simulators}
    return {name: _mean_over_needs(name, by_simulator) for name in names}


def _mean_over_needs(name: str, by_simulator: Mapping[str, Sequence[DialogueRow]]) -> UserMean:
    found: list[dict[int, float]] = []
    without: set[int] = set()
    for simulator, rows in by_simulator.items():
        kept = [row for row in rows if not row.is_failed]
        values = {row.number: value for row in kept if (value := row.values.get(name, math.nan)) == value}
        if not values:
            why = SCORES[name] if kept else NOTHING_LEFT
            which = f" (with {simulator})" if len(by_simulator) > 1 else ""
            return over_users([math.nan] * len({row.number for row in rows}), why + which)
        found.append(values)
        without |= {row.number for row in kept}
    without -= {number for values in found for number in values}
    weighed = _weight_by_need(found)
    bounds = bound_measure(DEFINITIONS, name)
    mean = over_users([*weighed, *(math.nan for _ in without)], SCORES[name], bounds=bounds)
    if name in YES_OR_NO and all(value in (0.0, 1.0) for value in weighed):
        share = wilson_interval(int(math.fsum(weighed)), mean.users)
        return mean._replace(low=share.low, high=share.high, reason=None)
    return mean


def _weight_by_need(by_simulator: Sequence[Mapping[int, float]]) -> list[float]:
    """Return one number per need whose mean is the mean of the simulators' means.

    It is the mean over simulators where each has the need. Where some lack it, a need adds to the overall
    mean how far it lies from each simulator's own, with the weight that it has among that simulator's needs
    (the linearised mean of strata; Woodruff, JASA 1971), so that the spread of these numbers gives the
    standard error.
    """
    needs = sorted({number for values in by_simulator for number in values})
    if all(len(values) == len(needs) for values in by_simulator):
        return [fmean(values[number] for values in by_simulator) for number in needs]
    own = [fmean(values.values()) for values in by_simulator]
    overall = fmean(own)
    found = dict.fromkeys(needs, overall)
    for values, mean in zip(by_simulator, own, strict=True):
        for number, value in values.items():
            found[number] += (value - mean) * len(needs) / len(values) / len(own)
    return [found[number] for number in needs]


def count_failed(rows: Iterable[DialogueRow]) -> int:
    """Count the failed dialogues, which have no scores."""
    return int_sum(row.is_failed for row in rows)


def round_cell(value: float, digits: int = 3) -> float | None:
    """Round a number for a table; None for NaN."""
    return None if np.isnan(value) else round(float(value), digits)


def resample_weights(n: int, draw: Draw, draws: int) -> Iterator[np.ndarray]:
    """Yield blocks of bootstrap weights, (resamples, n): how often each of n units is drawn."""
    for _, picked in resamples(n, draw, draws):
        yield np.apply_along_axis(np.bincount, 1, picked, minlength=n).astype(np.float64)
