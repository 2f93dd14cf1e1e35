"""Metrics of the system's conduct: coverage of the need, repeated questions, ignored critiques."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.scenarios.conversational.metrics.said import PlainUtterance

TELLING = ("DISCLOSE", "CRITIQUE")
"""User intents that disclose a slot's value."""
Meets = Callable[[str, str, str], bool | None]
"""Function of an item, slot and value to whether the item has the value; None if unknown."""


@Statistic
def constraint_coverage(constraints: Iterable[tuple[str, str]], dialogue: Iterable[PlainUtterance]) -> float:
    """Compute the share of the need's constraints that the user disclosed to the system, 0 to 1.

    Told is what a user discloses or names in a critique, and what a user says YES to when asked for just that value. Of
    several values asked for at once a YES tells the one that it names, or the only one of the slot that it names.
    """
    wanted = {_key(pair) for pair in constraints}
    if not wanted:
        raise Undefined("the need has no constraint")
    heard: set[tuple[str, str]] = set()
    asked: set[tuple[str, str]] = set()
    for said in dialogue:
        if said.speaker == "system":
            asked = {_key(p) for act in said.acts if act.intent == "ELICIT" for p in act.pairs if p[1]}
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


def flag_repeated_questions(dialogue: Iterable[PlainUtterance]) -> list[bool]:
    """Tell, for each elicited slot in order, whether it repeats a slot already elicited or disclosed.

    A question after one value ("a comedy?") repeats one after the same value, or one whose slot was told; a question
    after no slot ("what do you want?") repeats another such.
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
    return found


@Statistic
def repeated_question_rate(dialogue: Iterable[PlainUtterance]) -> float:
    """Compute the share of the system's questions about slots already asked or answered, 0 to 1."""
    found = flag_repeated_questions(dialogue)
    if not found:
        raise Undefined("the system asked for nothing")
    return fmean(found)


def flag_violated_critiques(dialogue: Sequence[PlainUtterance], meets: Meets) -> list[bool]:
    """Tell, for each critique followed by a recommendation, whether its first item violates the critique.

    A critique with several values is violated where one of them is not met. One after which nothing was recommended,
    or of which nothing is known, is left out.
    """
    found: list[bool] = []
    waiting: list[tuple[str, str]] = []
    for said in dialogue:
        if said.speaker == "user":
            new = [
                (s, v) for act in said.acts if act.intent == "CRITIQUE" for s, v in act.pairs if v is not None
            ]
            waiting = new or waiting
        elif said.offers and waiting and said.items:
            met = [meets(said.items[0], slot, value) for slot, value in waiting]
            if None not in met:
                found.append(not all(met))
            waiting = []
    return found


@Statistic
def ignored_critique_rate(dialogue: Sequence[PlainUtterance], meets: Meets) -> float:
    """Compute the share of critiques that the next recommendation violates, 0 to 1."""
    found = flag_violated_critiques(dialogue, meets)
    if not found:
        raise Undefined(
            "no critique was followed by a recommendation of which it is known whether it heeds it"
        )
    return fmean(found)


def _key(pair: tuple[str, str | None]) -> tuple[str, str]:
    slot, value = pair
    return slot.casefold(), (value or "").casefold()
