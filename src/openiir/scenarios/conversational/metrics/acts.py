"""Distributions of dialogue acts and of their transitions, and distances between them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.scenarios.conversational.metrics.said import PlainUtterance

START, STOP = "(start)", "(end)"
Name = str
Counts = Mapping[Name, float]
Transitions = Mapping[Name, Counts]


def act_counts(dialogues: Iterable[Iterable[PlainUtterance]], speaker: str | None = None) -> Counter[Name]:
    """Count dialogue acts by speaker and intent, such as "user DISCLOSE"; of one speaker if given."""
    return Counter(
        f"{said.speaker} {act.intent}"
        for dialogue in dialogues
        for said in dialogue
        if speaker in (None, said.speaker)
        for act in said.acts
    )


@Statistic
def symmetric_kl(one: Counts, other: Counts, smoothing: float = 0.5) -> float:
    """Compute the symmetric KL divergence of two counts, (KL(p, q) + KL(q, p)) / 2, in nats.

    Zhang & Balog, KDD 2020; Kullback & Leibler 1951.

    Every name that either has is counted `smoothing` times more in both, so that it is finite; the value depends on
    it where an act is rare. Undefined where one of the two has no acts, and where smoothing is 0 and a name is in one
    alone.
    """
    names = sorted({*one, *other})
    if not math.fsum(one.values()) or not math.fsum(other.values()):
        raise Undefined("one of the two has no acts")
    p, q = (_smooth(counts, names, smoothing) for counts in (one, other))
    if any((a == 0) != (b == 0) for a, b in zip(p, q, strict=True)):
        raise Undefined("an act occurs in one of the two alone, and nothing is smoothed")
    return math.fsum((a - b) * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0) / 2


def _smooth(counts: Counts, names: Sequence[Name], smoothing: float) -> list[float]:
    raised = [counts.get(name, 0) + smoothing for name in names]
    whole = math.fsum(raised)
    return [value / whole for value in raised]


def transitions(dialogues: Iterable[Iterable[PlainUtterance]]) -> dict[Name, Counter[Name]]:
    """Count how often each dialogue act follows each other, from (start) to (end).

    An utterance without acts breaks no chain: it is passed over.
    """
    found: dict[Name, Counter[Name]] = {}
    for dialogue in dialogues:
        chain = [START, *(f"{said.speaker} {act.intent}" for said in dialogue for act in said.acts), STOP]
        for before, after in zip(chain, chain[1:], strict=False):
            found.setdefault(before, Counter())[after] += 1
    return found


@Statistic
def transition_distance(one: Transitions, other: Transitions) -> float:
    """Compute the distance between two transition tables: 0 if alike, 1 if they have nothing in common.

    Jensen-Shannon divergence in bits (Lin, IEEE TIT 1991) of each act's successors, averaged with the act's mean share
    in the two tables as weight; the successors of an act that one table does not have are wholly apart (1).
    """
    sizes = [math.fsum(math.fsum(row.values()) for row in table.values()) for table in (one, other)]
    if not all(sizes):
        raise Undefined("one of the two has no transitions")
    total = 0.0
    for act in sorted({*one, *other}):
        rows = [table.get(act, {}) for table in (one, other)]
        weight = fmean(math.fsum(row.values()) / size for row, size in zip(rows, sizes, strict=True))
        total += weight * (_divergence(*rows) if all(rows) else 1.0)
    return min(1.0, max(0.0, total))


def _divergence(one: Counts, other: Counts) -> float:
    first, second = math.fsum(one.values()), math.fsum(other.values())
    total = 0.0
    for name in sorted({*one, *other}):
        p, q = one.get(name, 0) / first, other.get(name, 0) / second
        total += math.fsum(x * math.log2(2 * x / (p + q)) for x in (p, q) if x > 0) / 2
    return total
