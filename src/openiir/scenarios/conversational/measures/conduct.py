"""Distributions of dialogue acts and of their transitions, and distances between them."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.scenarios.conversational.model.dialogue import Utterance

START, STOP = "(start)", "(end)"
Name = str
Counts = Mapping[Name, float]
Transitions = Mapping[tuple[Name, Name], float]


def act_counts(dialogues: Iterable[Iterable[Utterance]], speaker: str | None = None) -> Counter[Name]:
    """Count dialogue acts by speaker and intent, such as "user DISCLOSE"; of one speaker if given."""
    heard = (said for dialogue in dialogues for said in dialogue if speaker in (None, said.speaker))
    return Counter(name for said in heard for name in said.act_names)


@Statistic
def symmetric_kl(one: Counts, other: Counts, smoothing: float = 0.5) -> float:
    """Compute the symmetric KL divergence of two counts, (KL(p, q) + KL(q, p)) / 2, in nats.

    Zhang & Balog, KDD 2020; Kullback & Leibler 1951.

    Every name that either has is counted `smoothing` times more in both, so that it is finite; the value
    depends on it where an act is rare. Undefined where one of the two has no acts, and where smoothing is 0
    and a name is in one alone.
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


def transitions(dialogues: Iterable[Iterable[Utterance]]) -> Counter[tuple[Name, Name]]:
    """Count how often each dialogue act follows each other, from (start) to (end), by (act, next act).

    An utterance without acts breaks no chain: it is passed over.
    """
    found: Counter[tuple[Name, Name]] = Counter()
    for dialogue in dialogues:
        found.update(pairwise([START, *(name for said in dialogue for name in said.act_names), STOP]))
    return found


@Statistic
def transition_distance(one: Transitions, other: Transitions) -> float:
    """Compute the distance between two counts of transitions: 0 if alike, 1 if they have nothing in common.

    Jensen-Shannon divergence in bits (Lin, IEEE TIT 1991) of each act's successors, averaged with the act's
    mean share in the two tables as weight; the successors of an act that one table does not have are wholly
    apart (1).
    """
    sizes = [math.fsum(counts.values()) for counts in (one, other)]
    if not all(sizes):
        raise Undefined("one of the two has no transitions")
    tables: tuple[dict[Name, dict[Name, float]], ...] = ({}, {})
    for table, counts in zip(tables, (one, other), strict=True):
        for (act, following), count in counts.items():
            table.setdefault(act, {})[following] = count
    total = 0.0
    for act in sorted({*tables[0], *tables[1]}):
        rows = [table.get(act, {}) for table in tables]
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


TELLING = ("DISCLOSE", "CRITIQUE")
"""User intents that disclose a slot's value."""
Meets = Callable[[str, str, str], bool | None]
"""Function of an item, slot and value to whether the item has the value; None if unknown."""


@Statistic
def constraint_coverage(constraints: Iterable[tuple[str, str]], dialogue: Iterable[Utterance]) -> float:
    """Compute the share of the need's constraints that the user disclosed to the system, 0 to 1.

    Told is what a user discloses or names in a critique, and what a user says YES to when asked for just that
    value. Of several values asked for at once a YES tells the one that it names, or the only one of the slot
    that it names.
    """
    wanted = {_key(pair) for pair in constraints}
    if not wanted:
        raise Undefined("the need has no constraint")
    heard: set[tuple[str, str]] = set()
    asked: set[tuple[str, str]] = set()
    for said in dialogue:
        if said.speaker == "system":
            asked = {_key(pair) for pair in said.pairs("ELICIT") if pair[1]}
            continue
        for act in said.acts:
            if act.intent in TELLING:
                heard.update(map(_key, act.pairs))
            elif act.intent == "YES":
                heard |= _confirmed_values(act.pairs, asked)
    return len(wanted & heard) / len(wanted)


def _confirmed_values(
    named: Sequence[tuple[str, str | None]], asked: set[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Select the elicited values that a YES with these pairs confirms."""
    if not named:
        return asked if len(asked) == 1 else set()
    found = {_key(pair) for pair in named if pair[1]} & asked
    for slot in sorted(slot.casefold() for slot, value in named if not value):
        of_slot = {pair for pair in asked if pair[0] == slot}
        found |= of_slot if len(of_slot) == 1 else set()
    return found


@Statistic
def repeated_question_rate(dialogue: Iterable[Utterance]) -> float:
    """Compute the share of elicited slots that were already elicited or disclosed, 0 to 1.

    A question after one value ("a comedy?") repeats one after the same value, or one whose slot was told; a
    question after no slot ("what do you want?") repeats another such.
    """
    asked: set[tuple[str, str]] = set()
    told: set[str] = set()
    found: list[bool] = []
    for said in dialogue:
        for act in said.acts:
            if said.speaker == "user" and act.intent in TELLING:
                told |= {slot for slot, _ in act.pairs}
            elif said.speaker == "system" and act.intent == "ELICIT":
                for pair in act.pairs or (("", None),):
                    found.append(_key(pair) in asked or pair[0] in told)
                    asked.add(_key(pair))
    if not found:
        raise Undefined("the system asked for nothing")
    return fmean(found)


@Statistic
def ignored_critique_rate(dialogue: Sequence[Utterance], meets: Meets) -> float:
    """Compute the share of critiques that the first item of the next recommendation violates, 0 to 1.

    A critique with several values is violated where one of them is not met. One after which nothing was
    recommended, or of which nothing is known, is left out.
    """
    found: list[bool] = []
    waiting: list[tuple[str, str]] = []
    for said in dialogue:
        if said.speaker == "user":
            waiting = [(slot, v) for slot, v in said.pairs("CRITIQUE") if v is not None] or waiting
        elif said.offers and waiting and said.items:
            met = [meets(said.items[0], slot, value) for slot, value in waiting]
            if None not in met:
                found.append(not all(met))
            waiting = []
    if not found:
        raise Undefined(
            "no critique was followed by a recommendation of which it is known whether it heeds it"
        )
    return fmean(found)


def _key(pair: tuple[str, str | None]) -> tuple[str, str]:
    slot, value = pair
    return slot.casefold(), (value or "").casefold()
