"""Systems side by side on the same needs, and simulators by the order that they put systems into."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from openiir.kit.measures.ordering import kendall_tau
from openiir.kit.measures.peruser import UserMean, over_users
from openiir.kit.statistics import Estimate, holm, seeds_needed, sign_flip
from openiir.kit.statistics.estimate import percentiles
from openiir.kit.statistics.resampling import resamples
from openiir.plugin import Draw
from openiir.scenarios.conversational.measuring.averages import ordered
from openiir.scenarios.conversational.measuring.rows import Row, Setting

COMPARED = ("success", "judge.satisfaction")
FLIPS = 1_999
"""Random sign flips of one test: its smallest p is 1 in 2,000."""
RESAMPLED = 1_000
ALL = "(all)"
"""The simulators together, each need's dialogues averaged over them."""


class Compared(NamedTuple):
    """One system less another on the needs on which neither failed."""

    simulator: str
    one: str
    other: str
    what: str
    less: UserMean
    p: float
    """Two-sided, of sign flips over needs."""
    holm: float
    """The same, corrected for all comparisons of this score."""

    @property
    def needed(self) -> float:
        """Needs with which a paired t test finds a difference as large as this one at .05 with a power of .8.

        NaN where the difference does not vary, or is 0.
        """
        spread = self.less.standard_error * math.sqrt(max(1, self.less.users))
        return seeds_needed(self.less.value / spread) if spread > 0 else math.nan


def compared(rows: Sequence[Row], setting: Setting, names: Sequence[str] = COMPARED) -> list[Compared]:
    """All pairs of systems, with each simulator and with all of them; scores without any value are left out."""
    found: list[Compared] = []
    for name in names:
        tables = _tables(rows, setting, name)
        if not any(tables.values()):
            continue
        pairs: list[tuple[str, str, str, list[float]]] = []
        for simulator, by_system in tables.items():
            systems = list(by_system)
            for n, one in enumerate(systems):
                for other in systems[:n]:
                    both = sorted(by_system[one].keys() & by_system[other].keys())
                    pairs.append((simulator, one, other, [by_system[one][k] - by_system[other][k] for k in both]))
        ps = [sign_flip(apart, FLIPS) for *_, apart in pairs]
        for (simulator, one, other, apart), p, adjusted in zip(pairs, ps, holm(ps).tolist(), strict=True):
            mean = over_users(apart, "one of the two failed on every need")
            found.append(Compared(simulator, one, other, name, mean, p, adjusted))
    return found


def _tables(rows: Sequence[Row], setting: Setting, name: str) -> dict[str, dict[str, dict[int, float]]]:
    """By simulator and system, the value of each need that has one; over all simulators where there are several."""
    found: dict[str, dict[str, dict[int, list[float]]]] = {}
    simulators = ordered(setting.simulators, (row.simulator for row in rows))
    systems = ordered(setting.systems, (row.system for row in rows))
    for label in [*simulators, *([ALL] if len(simulators) > 1 else [])]:
        found[label] = {system: {} for system in systems}
    for row in rows:
        value = row.values.get(name, float("nan"))
        if value == value:
            for label in (row.simulator, ALL):
                if label in found:
                    found[label][row.system].setdefault(row.number, []).append(value)
    return {
        label: {s: {n: sum(v) / len(v) for n, v in by.items()} for s, by in systems_of.items() if by}
        for label, systems_of in found.items()
    }


def agreement(rows: Sequence[Row], setting: Setting, name: str = "success") -> Mapping[tuple[str, str], Estimate]:
    """By pair of simulators, Kendall's tau-b between the orders that they put the systems into by mean score.

    The interval is a percentile bootstrap over needs, the same needs for both simulators. It takes at least two
    systems; where a simulator ties all of them there is no order, and no tau.
    """
    tables = _tables(rows, setting, name)
    simulators = [label for label in tables if label != ALL]
    found: dict[tuple[str, str], Estimate] = {}
    for n, one in enumerate(simulators):
        for other in simulators[:n]:
            systems = [system for system in tables[other] if system in tables[one]]
            found[other, one] = _tau(tables[other], tables[one], systems)
    return found


def _tau(
    one: Mapping[str, Mapping[int, float]], other: Mapping[str, Mapping[int, float]], systems: Sequence[str]
) -> Estimate:
    if len(systems) < 2:
        return Estimate(float("nan"), reason="an order needs at least 2 systems with a score")
    needs = sorted({number for table in (one, other) for system in systems for number in table[system]})
    sums = [_matrix(table, systems, needs) for table in (one, other)]
    value = float(_order(*(values.sum(axis=0) / there.sum(axis=0) for values, there in sums))[0])
    if np.isnan(value):
        return Estimate(value, reason="one of the two ties all systems")
    draws = []
    for _, picked in resamples(len(needs), Draw(0, "conversational.agreement"), RESAMPLED):
        weights = np.apply_along_axis(np.bincount, 1, picked, minlength=len(needs)).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            draws.append(_order(*((weights @ values) / (weights @ there) for values, there in sums)))
    return percentiles(value, np.concatenate(draws), 0.95, "percentile bootstrap")


def _order(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.clip(kendall_tau(one, other), -1.0, 1.0)


def _matrix(
    table: Mapping[str, Mapping[int, float]], systems: Sequence[str], needs: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(needs, systems): values with 0 for none, and 1 where there is one."""
    values = np.array([[table[system].get(number, np.nan) for system in systems] for number in needs])
    return np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
