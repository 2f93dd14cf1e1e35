"""Scores by system, by simulator and system, and by group, each over needs and beside what failed."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from openiir.kit.measures.peruser import UserMean, over_users
from openiir.kit.statistics.proportion import wilson
from openiir.scenarios.conversational.measuring.rows import SCORES, WITHIN, Row, Setting

YES_OR_NO = frozenset({"success", *(f"success@{turns}" for turns in WITHIN), "accepted"})
NOTHING_LEFT = "every dialogue failed"


def by_key(rows: Sequence[Row], setting: Setting) -> dict[str, list[Row]]:
    """Dialogues by `SYSTEM`, `SIMULATOR/SYSTEM` and, where there are several groups, `SYSTEM:GROUP`; in study order."""
    groups = list(dict.fromkeys(row.group for row in rows))
    found: dict[str, list[Row]] = {}
    for system in ordered(setting.systems, (row.system for row in rows)):
        own = [row for row in rows if row.system == system]
        found[system] = own
        for simulator in ordered(setting.simulators, (row.simulator for row in own)):
            found[f"{simulator}/{system}"] = [row for row in own if row.simulator == simulator]
        for group in sorted(groups) if len(groups) > 1 else ():
            found[f"{system}:{group}"] = [row for row in own if row.group == group]
    return found


def ordered(declared: Iterable[str], met: Iterable[str]) -> list[str]:
    """The names that occur: those declared in their order, any other after them."""
    there = list(dict.fromkeys(met))
    known = [name for name in declared if name in there]
    return [*known, *(name for name in there if name not in known)]


def means(rows: Sequence[Row], names: Iterable[str] = SCORES) -> dict[str, UserMean]:
    """Each score over needs: a need's dialogues with several simulators are averaged first.

    Failed dialogues are left out; NaN, with the reason, where nothing is left. Intervals are Student's; those of
    yes or no Wilson's, which are there where all needs say the same.
    """
    kept = [row for row in rows if not row.failed]
    return {name: _mean_over_needs(name, per_need(kept, name), _why(rows, kept, name)) for name in names}


def _mean_over_needs(name: str, values: Sequence[float], why: str) -> UserMean:
    mean = over_users(values, why)
    if name not in YES_OR_NO or not mean.users or any(value not in (0.0, 1.0) for value in values):
        return mean
    share = wilson(int(sum(values)), mean.users)
    return mean._replace(low=share.low, high=share.high, reason=None)


def per_need(rows: Iterable[Row], name: str) -> list[float]:
    """One number a need, by ascending need; NaN where no dialogue about it has a value."""
    found: dict[int, list[float]] = {}
    for row in rows:
        found.setdefault(row.number, []).append(row.values.get(name, float("nan")))
    return [_mean(found[number]) for number in sorted(found)]


def _mean(values: Sequence[float]) -> float:
    there = [value for value in values if value == value]
    return sum(there) / len(there) if there else float("nan")


def _why(rows: Sequence[Row], kept: Sequence[Row], name: str) -> str:
    return SCORES[name] if kept or not rows else NOTHING_LEFT


def failed(rows: Iterable[Row]) -> int:
    """How many dialogues no score was made of."""
    return sum(row.failed for row in rows)


def bounds(mean: UserMean) -> tuple[float | None, float | None]:
    """The mean and the longer arm of its interval, rounded for a table; None where there is none."""
    return rounded(mean.value), rounded(float(np.maximum(mean.high - mean.value, mean.value - mean.low)))


def rounded(value: float, digits: int = 3) -> float | None:
    """For a table; None for NaN."""
    return None if np.isnan(value) else round(float(value), digits)


def grouped(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    """Dialogues by group, by name."""
    names = sorted({row.group for row in rows})
    return {name: [row for row in rows if row.group == name] for name in names}
