"""Measure how well a shadow answerer agrees with the answerer whose answers took effect."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.hashing import canonical
from openiir.core.records import Measure
from openiir.core.records.measure import ratio, undefined_measure
from openiir.core.storage import Log
from openiir.core.sums import int_sum
from openiir.kit.statistics import cluster_bootstrap

Array = NDArray[np.float64]
Rows = Iterator[tuple[str, Measure]]
NO_PAIR = "no question was answered usably by both"
ONE_VALUE = "both always gave one and the same value, so chance alone agrees fully"
NOTHING_CHOSEN = "neither ever chose anything"
ONE_ASKER = "one asker alone; an interval resamples askers and needs at least two"
RARE = "too many resamples of the askers leave it without a value"
DRAWS = 1_000
"""Number of bootstrap resamples for an interval."""


@dataclass(frozen=True)
class _Pair:
    """Two values of one field of a reply: the one that took effect and the shadow's."""

    acted: Any
    shadow: Any
    options: Sequence[Any] = ()
    """For a set, all options that could have been chosen."""


@dataclass
class _Kind:
    """Pairs of answers (taken and shadow) to one kind of question."""

    pairs: int = 0
    usable: int = 0
    fields: dict[tuple[str, str], dict[str, list[_Pair]]] = field(default_factory=dict)
    """Pairs by (field, scale of the field), then by asker."""


def measure_shadow_agreement(log: Log) -> dict[str, Measure]:
    """Measure how far answerer and shadow (a second one, only logged) agree, by kind of question.

    `parity.KIND.pairs` counts the questions, `usable` is the share that both answered usably; all else is
    over those. Fields with listed values and ids: `FIELD.agreement`, `FIELD.kappa` (Cohen, Educational and
    Psychological Measurement, 1960), and for listed values `FIELD.acted.VALUE` and `FIELD.shadow.VALUE`,
    their shares, and `FIELD.difference.VALUE`, shadow less acted. Lists of a fixed length have the same rows,
    over their entries. Sets are compared option by option over all that could have been chosen: the same
    rows, `FIELD.chosen.acted`, `.shadow` and `.difference` for all options together, and `FIELD.jaccard`, the
    mean over the questions in which at least one of both chose something. Numbers: `FIELD.difference`, the
    mean of shadow less acted, and `FIELD.absolute_difference`, the mean distance, over the pairs in which
    both gave a number. Each of these has a 95 % interval, `.low` and `.high`: a percentile bootstrap over
    askers, since the answers of one are alike.
    """
    rows: dict[str, Measure] = {}
    for kind, seen in sorted(_gather_pairs(log).items()):
        rows[f"parity.{kind}.pairs"] = Measure(float(seen.pairs))
        rows[f"parity.{kind}.usable"] = ratio(seen.usable, seen.pairs, "no question was asked")
        for (name, scale), by_asker in sorted(seen.fields.items()):
            found = _SCALES[scale](list(by_asker.values()))
            rows |= {f"parity.{kind}.{name}.{row}": measure for row, measure in found}
    return rows


def _gather_pairs(log: Log) -> dict[str, _Kind]:
    kinds: dict[str, _Kind] = {}
    for event in log.events("shadow"):
        entry = event.payload
        seen = kinds.setdefault(entry["question"], _Kind())
        acted, shadow = entry["reply"], entry["shadow_reply"]
        both = acted is not None and shadow is not None
        seen.pairs += 1
        seen.usable += both
        for name, scale in entry["compared"].items():
            by_asker = seen.fields.setdefault((name, scale), {})
            if not both or (scale == "number" and None in (acted[name], shadow[name])):
                continue
            options = entry.get("options", {}).get(name, ())
            whole = scale != "list"
            values = [(acted[name], shadow[name])] if whole else zip(acted[name], shadow[name], strict=True)
            by_asker.setdefault(event.actor or "", []).extend(_Pair(*pair, options) for pair in values)
    return kinds


def _label(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def _with_interval(row: str, columns: Sequence[Array], statistic: Callable[..., Array], reason: str) -> Rows:
    """Yield a statistic of sums by asker with its bootstrap interval, or `reason` where undefined."""
    found = cluster_bootstrap(*columns, statistic=statistic, draws=DRAWS) if columns[0].size else None
    if found is None or np.isnan(found.value):
        why = reason if found is not None else NO_PAIR
        yield from ((name, undefined_measure(why)) for name in (row, f"{row}.low", f"{row}.high"))
        return
    yield row, Measure(found.value)
    for end, value in (("low", found.low), ("high", found.high)):
        why = ONE_ASKER if len(columns[0]) == 1 else RARE
        yield f"{row}.{end}", undefined_measure(why) if np.isnan(value) else Measure(value)


def _mean(total: Array, n: Array) -> Array:
    return np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)


def _kappa(n: Array, agreeing: Array, *marginals: Array) -> Array:
    """Compute Cohen's kappa from the number of pairs, those that agree, and both sides' marginals."""
    half = len(marginals) // 2
    chance = np.sum([a * s for a, s in zip(marginals[:half], marginals[half:], strict=True)], axis=0)
    return _mean(agreeing * n - chance, n * n - chance)


def _compare_labels(askers: Sequence[Sequence[_Pair]], *, listed: bool = False) -> Rows:
    """Yield measures of agreement on labels such as ids; with `listed`, also the share of each value."""
    labels = [[(_label(p.acted), _label(p.shadow)) for p in pairs] for pairs in askers]
    values = sorted({label for pairs in labels for pair in pairs for label in pair})
    n = np.array([len(pairs) for pairs in labels], dtype=np.float64)
    agreeing = np.array([int_sum(a == s for a, s in pairs) for pairs in labels], dtype=np.float64)
    counts = ([Counter(pair[side] for pair in pairs) for pairs in labels] for side in (0, 1))
    acted, shadow = ([np.array([c[v] for c in side], dtype=np.float64) for v in values] for side in counts)
    yield from _with_interval("agreement", [agreeing, n], _mean, NO_PAIR)
    yield from _with_interval("kappa", [n, agreeing, *acted, *shadow], _kappa, ONE_VALUE)
    for value, was, other in zip(values, acted, shadow, strict=True) if listed else ():
        yield from _compare_shares(f".{value}", was, other, n)


def _compare_shares(of: str, acted: Array, shadow: Array, n: Array) -> Rows:
    yield from _with_interval(f"acted{of}", [acted, n], _mean, NO_PAIR)
    yield from _with_interval(f"shadow{of}", [shadow, n], _mean, NO_PAIR)
    yield from _with_interval(f"difference{of}", [shadow - acted, n], _mean, NO_PAIR)


def _compare_sets(askers: Sequence[Sequence[_Pair]]) -> Rows:
    """Yield measures of agreement on sets, compared option by option: chosen or not."""
    order: list[Any] = sorted(
        {o for pairs in askers for p in pairs for o in p.options}, key=lambda o: (str(type(o)), o)
    )
    cells = np.array([_count_by_option(pairs, order) for pairs in askers]).reshape(len(askers), 4, len(order))
    there, acted, shadow, both = cells.transpose(1, 0, 2)
    n, a, s, agreeing = (
        there.sum(axis=1),
        acted.sum(axis=1),
        shadow.sum(axis=1),
        (there - acted - shadow + 2 * both).sum(axis=1),
    )
    yield from _with_interval("agreement", [agreeing, n], _mean, NO_PAIR)
    yield from _with_interval("kappa", [n, agreeing, a, n - a, s, n - s], _kappa, ONE_VALUE)
    yield from _with_interval("jaccard", _jaccard_sums(askers), _mean, NOTHING_CHOSEN)
    yield from (("chosen." + name, measure) for name, measure in _compare_shares("", a, s, n))
    for place, option in enumerate(order):
        yield from _compare_shares(f".{_label(option)}", acted[:, place], shadow[:, place], there[:, place])


def _count_by_option(pairs: Sequence[_Pair], order: Sequence[Any]) -> list[list[float]]:
    """Count for each option the pairs that offered it, and those chosen by one side, the other and both."""
    there, acted, shadow, both = (Counter[Any]() for _ in range(4))
    for p in pairs:
        there.update(p.options)
        acted.update(set(p.acted))
        shadow.update(set(p.shadow))
        both.update(set(p.acted) & set(p.shadow))
    return [[float(counts[option]) for option in order] for counts in (there, acted, shadow, both)]


def _jaccard_sums(askers: Sequence[Sequence[_Pair]]) -> list[Array]:
    """Compute for each asker the sum of Jaccard indices and the number of pairs."""
    sets = [[(set(p.acted), set(p.shadow)) for p in pairs if p.acted or p.shadow] for pairs in askers]
    sums = [fsum(len(a & s) / len(a | s) for a, s in pairs) for pairs in sets]
    return [np.array(sums, dtype=np.float64), np.array([len(pairs) for pairs in sets], dtype=np.float64)]


def _compare_numbers(askers: Sequence[Sequence[_Pair]]) -> Rows:
    gaps = [[float(p.shadow - p.acted) for p in pairs] for pairs in askers]
    n = np.array([len(each) for each in gaps], dtype=np.float64)
    yield from _with_interval("difference", [np.array([fsum(each) for each in gaps]), n], _mean, NO_PAIR)
    distances = np.array([fsum(map(abs, each)) for each in gaps])
    yield from _with_interval("absolute_difference", [distances, n], _mean, NO_PAIR)


_SCALES: Mapping[str, Callable[[Sequence[Sequence[_Pair]]], Rows]] = {
    "choice": partial(_compare_labels, listed=True),
    "list": partial(_compare_labels, listed=True),
    "id": _compare_labels,
    "number": _compare_numbers,
    "set": _compare_sets,
}
