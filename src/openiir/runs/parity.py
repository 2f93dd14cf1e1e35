"""How far a shadow's answers stand in for those acted on, asked of both on the same observations."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from openiir.core.hashing import canonical
from openiir.core.records import Measure
from openiir.core.records.measure import ratio, undefined
from openiir.core.storage import Log

NO_PAIR = "no question was answered usably by both"


@dataclass
class _Kind:
    """The pairs of answers to one kind of question."""

    pairs: int = 0
    usable: int = 0
    labels: dict[tuple[str, str], Counter[tuple[str, str]]] = field(default_factory=dict)
    """By (field, its scale): how often each pair of values, acted and shadow, was given."""
    numbers: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


def parity(log: Log) -> dict[str, Measure]:
    """Rows `parity.KIND...` for each kind of question that a shadow was asked; none where there was no shadow.

    `pairs` counts the questions, `usable` is the share that both answered usably; all else is over those.
    Fields with listed values and ids: `FIELD.agreement`, `FIELD.kappa` (Cohen, Educational and Psychological
    Measurement, 1960), and for listed values `FIELD.acted.VALUE` and `FIELD.shadow.VALUE`, their shares, and
    `FIELD.difference.VALUE`, shadow less acted. Numbers: `FIELD.difference`, the mean of shadow less acted, and
    `FIELD.absolute_difference`, the mean distance, over the pairs in which both gave a number.
    """
    rows: dict[str, Measure] = {}
    for kind, seen in sorted(_gathered(log).items()):
        rows[f"parity.{kind}.pairs"] = Measure(float(seen.pairs))
        rows[f"parity.{kind}.usable"] = ratio(seen.usable, seen.pairs, "no question was asked")
        for (name, scale), counts in sorted(seen.labels.items()):
            rows |= {f"parity.{kind}.{name}.{row}": m for row, m in _nominal(counts, scale == "choice")}
        for name, values in sorted(seen.numbers.items()):
            rows |= {f"parity.{kind}.{name}.{row}": m for row, m in _numeric(values)}
    return rows


def kappa(counts: Counter[tuple[str, str]]) -> Measure:
    """Cohen's kappa of a table of paired labels: agreement beyond that of two raters who ignore what they see."""
    total = counts.total()
    if not total:
        return undefined(NO_PAIR)
    acted, shadow = _marginals(counts)
    expected = sum(acted[value] * shadow[value] for value in acted) / total**2
    if expected == 1.0:
        return undefined("both always gave one and the same value, so chance alone agrees fully")
    return Measure((_agreeing(counts) / total - expected) / (1.0 - expected))


def _gathered(log: Log) -> dict[str, _Kind]:
    kinds: dict[str, _Kind] = {}
    for event in log.events("shadow"):
        entry = event.payload
        seen = kinds.setdefault(entry["question"], _Kind())
        acted, shadow = entry["reply"], entry["shadow_reply"]
        both = acted is not None and shadow is not None
        seen.pairs += 1
        seen.usable += both
        for name, scale in entry["compared"].items():
            pair = (acted[name], shadow[name]) if both else None
            _add(seen, name, scale, pair)
    return kinds


def _add(seen: _Kind, name: str, scale: str, pair: tuple[Any, Any] | None) -> None:
    """Count a pair; a field that no pair has yet is there all the same, so that its rows say why they are empty."""
    if scale == "number":
        values = seen.numbers.setdefault(name, [])
        if pair is not None and None not in pair:
            values.append(pair)
        return
    counts = seen.labels.setdefault((name, scale), Counter())
    if pair is not None:
        counts[_label(pair[0]), _label(pair[1])] += 1


def _label(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def _marginals(counts: Counter[tuple[str, str]]) -> tuple[Counter[str], Counter[str]]:
    acted: Counter[str] = Counter()
    shadow: Counter[str] = Counter()
    for (a, s), n in counts.items():
        acted[a] += n
        shadow[s] += n
    return acted, shadow


def _agreeing(counts: Counter[tuple[str, str]]) -> int:
    return sum(n for (a, s), n in counts.items() if a == s)


def _nominal(counts: Counter[tuple[str, str]], shares: bool) -> Iterator[tuple[str, Measure]]:
    total = counts.total()
    yield "agreement", ratio(_agreeing(counts), total, NO_PAIR)
    yield "kappa", kappa(counts)
    if not shares:
        return
    acted, shadow = _marginals(counts)
    for value in sorted(acted | shadow):
        yield f"acted.{value}", Measure(acted[value] / total)
        yield f"shadow.{value}", Measure(shadow[value] / total)
        yield f"difference.{value}", Measure((shadow[value] - acted[value]) / total)


def _numeric(values: list[tuple[float, float]]) -> Iterator[tuple[str, Measure]]:
    n = len(values)
    yield "difference", ratio(math.fsum(s - a for a, s in values), n, NO_PAIR)
    yield "absolute_difference", ratio(math.fsum(abs(s - a) for a, s in values), n, NO_PAIR)
