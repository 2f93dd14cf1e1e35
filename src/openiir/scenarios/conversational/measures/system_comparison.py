"""Pairwise tests between systems on the same needs, and agreement of simulators on the ranking of systems."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics import Estimate, holm, seeds_needed, sign_flips
from openiir.kit.statistics.estimate import percentile_interval
from openiir.kit.statistics.order import kendall_tau
from openiir.plugin import Draw
from openiir.plugin.definitions import bound_measure
from openiir.scenarios.conversational.measures.averages import order_names, resample_weights
from openiir.scenarios.conversational.measures.definitions import DEFINITIONS
from openiir.scenarios.conversational.measures.dialogue_rows import DialogueRow, RunSetting

COMPARED = ("success", "judge.satisfaction")
FLIPS = 9_999
"""Minimum number of random sign flips per test."""
SMALLEST = 0.01
"""Largest acceptable value of the smallest attainable p after Holm's correction; it sets the number of
flips."""
RESAMPLED = 1_000
NONE = "one of the two failed on every need"
ALL = "(all)"
"""Label of the comparison over all simulators, with differences averaged over simulators for each need."""


class SystemDifference(NamedTuple):
    """Difference of a score between two systems, on the needs on which neither failed."""

    simulator: str
    one: str
    other: str
    what: str
    less: UserMean
    p: float
    """Two-sided p of a sign-flip test over needs."""
    holm: float
    """p after Holm's correction over all pairs of this score; the comparisons of `(all)` and of single
    simulators are separate families."""

    @property
    def required_needs(self) -> float:
        """Number of needs for a paired t test to detect this difference at .05 with power .8.

        NaN where the difference does not vary, or is 0.
        """
        spread = self.less.standard_error * math.sqrt(max(1, self.less.users))
        return seeds_needed(self.less.value / spread) if spread > 0 else math.nan


ValuesBySystem = Mapping[str, Mapping[int, float]]
"""System to the value of each need that has one."""


def compare_systems(
    rows: Sequence[DialogueRow], setting: RunSetting, names: Sequence[str] = COMPARED
) -> list[SystemDifference]:
    """Compare all pairs of systems, for each simulator and over all simulators.

    Scores without any value are left out.
    """
    found: list[SystemDifference] = []
    for name in names:
        tables = _collect_scores(rows, setting, name)
        names_of = order_names(setting.systems, (row.system for row in rows))
        systems = [system for system in names_of if any(system in by for by in tables.values())]
        pairs = [(one, other) for n, one in enumerate(systems) for other in systems[:n]]
        apart = [
            (label, *pair, _score_differences(by, *pair))
            for label, by in tables.items()
            for pair in pairs
            if set(pair) <= set(by)
        ]
        found += _test_family(name, apart)
        if len(tables) > 1:
            means = [(ALL, *pair, _mean_differences(tables.values(), *pair)) for pair in pairs]
            found += _test_family(name, means)
    return found


def _score_differences(by: ValuesBySystem, one: str, other: str) -> dict[int, float]:
    """Subtract the scores of two systems on each need that both have."""
    there = [number for number in by.get(one, {}) if number in by.get(other, {})]
    return {number: by[one][number] - by[other][number] for number in sorted(there)}


def _mean_differences(tables: Iterable[ValuesBySystem], one: str, other: str) -> dict[int, float]:
    """Average the simulators' differences between two systems for each need, skipping simulators without
    one."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for number, value in (pair for by in tables for pair in _score_differences(by, one, other).items()):
        found[number].append(value)
    return {number: fmean(values) for number, values in sorted(found.items())}


def _test_family(
    name: str, apart: Sequence[tuple[str, str, str, Mapping[int, float]]]
) -> list[SystemDifference]:
    """Test differences and correct their p as one family, with enough flips for the smallest p to stay
    significant."""
    if not apart:
        return []
    needs = sorted({number for *_, values in apart for number in values})
    table = np.array([[values.get(number, np.nan) for *_, values in apart] for number in needs])
    table = table.reshape(len(needs), len(apart))
    p = sign_flips(table, max(FLIPS, math.ceil(len(apart) / SMALLEST) - 1))
    return [
        SystemDifference(label, one, other, name, _mean_difference(name, values), *ps)
        for (label, one, other, values), *ps in zip(apart, p.tolist(), holm(p).tolist(), strict=True)
    ]


def _mean_difference(name: str, values: Mapping[int, float]) -> UserMean:
    bounds = bound_measure(DEFINITIONS, f"less.{name}")
    return over_users(list(values.values()) or [math.nan], NONE, bounds=bounds)


def _collect_scores(
    rows: Sequence[DialogueRow], setting: RunSetting, name: str
) -> dict[str, dict[str, dict[int, float]]]:
    """Collect a score by simulator, system and need; systems without a value are left out."""
    systems = order_names(setting.systems, (row.system for row in rows))
    found: dict[str, dict[str, dict[int, float]]] = {
        label: {system: {} for system in systems}
        for label in order_names(setting.simulators, (row.simulator for row in rows))
    }
    for row in rows:
        if (value := row.values.get(name, math.nan)) == value:
            found[row.simulator][row.system][row.number] = value
    return {label: {s: by for s, by in systems_of.items() if by} for label, systems_of in found.items()}


def simulator_agreement(
    rows: Sequence[DialogueRow], setting: RunSetting, name: str = "success"
) -> Mapping[tuple[str, str], Estimate]:
    """Compute Kendall's tau-b between each two simulators' rankings of the systems by mean score.

    The interval is a percentile bootstrap over needs, the same needs for both simulators. It takes at least
    two systems; where a simulator ties all of them there is no order, and no tau.
    """
    tables = _collect_scores(rows, setting, name)
    return {
        (other, one): _tau(tables[other], tables[one])
        for n, one in enumerate(tables)
        for other in list(tables)[:n]
    }


def _tau(one: ValuesBySystem, other: ValuesBySystem) -> Estimate:
    systems = [system for system in one if system in other]
    if len(systems) < 2:
        return Estimate(float("nan"), reason="an order needs at least 2 systems with a score")
    needs = sorted({number for table in (one, other) for system in systems for number in table[system]})
    sums = [_score_matrix(table, systems, needs) for table in (one, other)]
    value = float(_rank_correlation(*(values.sum(axis=0) / there.sum(axis=0) for values, there in sums))[0])
    if np.isnan(value):
        return Estimate(value, reason="one of the two ties all systems")
    draws = []
    for weights in resample_weights(len(needs), Draw(0, "conversational.agreement"), RESAMPLED):
        with np.errstate(invalid="ignore", divide="ignore"):
            means = ((weights @ values) / (weights @ there) for values, there in sums)
            draws.append(_rank_correlation(*means))
    return percentile_interval(value, np.concatenate(draws), 0.95, "percentile bootstrap")


def _rank_correlation(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.clip(kendall_tau(one, other), -1.0, 1.0)


def _score_matrix(
    table: ValuesBySystem, systems: Sequence[str], needs: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return (needs, systems) arrays: the values, 0 if missing, and 1 where a value exists."""
    values = np.array([[table[system].get(number, np.nan) for system in systems] for number in needs])
    return np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
