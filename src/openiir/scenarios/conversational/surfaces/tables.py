"""What a study came to, as tables: failures stand beside every score."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import numpy as np

from openiir.kit.statistics import Estimate
from openiir.plugin import Log, Table
from openiir.scenarios.conversational.actions import Aspect, End
from openiir.scenarios.conversational.measuring.averages import (
    bounds,
    by_key,
    failed,
    grouped,
    means,
    ordered,
    rounded,
)
from openiir.scenarios.conversational.measuring.comparing import COMPARED, agreement, compared
from openiir.scenarios.conversational.measuring.judges import answered, probes, spreads
from openiir.scenarios.conversational.measuring.rows import Row, Setting, rows, setting
from openiir.scenarios.conversational.measuring.validity import likenesses

Cell = str | int | float | None
ASPECTS: tuple[str, ...] = get_args(Aspect)
ENDS: tuple[str, ...] = get_args(End)
_RESULTS = {
    "success": "success",
    "accepted": "took an item",
    "turns": "turns",
    "turns.restricted": "turns to success",
    "recall@1": "recall@1",
    "recall@10": "recall@10",
    "mrr": "MRR",
    "offered": "any offer",
    "rounds.accepted": "rounds accepted",
    "coverage": "need told",
    "questions.repeated": "questions repeated",
    "critiques.ignored": "critiques ignored",
}
_HALF = ("success", "turns")
"""Scores whose interval is told beside them."""


def results(log: Log) -> Table:
    """One row a simulator and system; `+-` is the longer arm of the 95 % interval over needs, failed ones left out."""
    how, all_rows = setting(log), rows(log)
    judged = any("judge.satisfaction" in row.values for row in all_rows)
    named = {**_RESULTS, **({"judge.satisfaction": "satisfaction"} if judged else {})}
    half = (*_HALF, "judge.satisfaction")
    columns = ["simulator", "system", "dialogues", "failed"]
    for name, title in named.items():
        columns += [title, "+-"] if name in half else [title]
    found: list[tuple[Cell, ...]] = []
    for simulator, system, own in _pairs(all_rows, how):
        cells: list[Cell] = [simulator, system, len(own), failed(own)]
        for name, mean in means(own, named).items():
            cells += bounds(mean) if name in half else bounds(mean)[:1]
        found.append(tuple(cells))
    return Table(columns=tuple(columns), rows=tuple(found))


def _pairs(all_rows: Sequence[Row], how: Setting) -> list[tuple[str, str, list[Row]]]:
    """Simulator by simulator, its dialogues with each system."""
    keyed = by_key(all_rows, how)
    simulators = ordered(how.simulators, (row.simulator for row in all_rows))
    systems = ordered(how.systems, (row.system for row in all_rows))
    pairs = [
        (simulator, system, keyed.get(f"{simulator}/{system}", []))
        for simulator in simulators
        for system in systems
    ]
    return [pair for pair in pairs if pair[2]]


def ends(log: Log) -> Table:
    """How dialogues ended, how many of each."""
    found = []
    for simulator, system, own in _pairs(rows(log), setting(log)):
        counts = Counter(row.end for row in own)
        found.append((simulator, system, len(own), *(counts[end] for end in ENDS)))
    return Table(columns=("simulator", "system", "dialogues", *ENDS), rows=tuple(found))


def comparison(log: Log) -> Table:
    """Pairs of systems on the same needs: the mean difference, its interval, and p corrected after Holm.

    The last column says how many needs find a difference of this size with a power of .8.
    """
    columns = (
        "score",
        "simulator",
        "system",
        "less",
        "needs",
        "difference",
        "+-",
        "p",
        "p (Holm)",
        "needs for .8",
    )
    found = []
    for one in compared(rows(log), setting(log)):
        needed = None if np.isnan(one.needed) else int(one.needed)
        numbers = (*bounds(one.less), rounded(one.p, 4), rounded(one.holm, 4), needed)
        found.append((one.what, one.simulator, one.one, one.other, one.less.users, *numbers))
    return Table(columns=columns, rows=tuple(found))


def agreeing(log: Log) -> Table:
    """Kendall's tau between simulators' orders of the systems, with its interval over needs."""
    how, all_rows = setting(log), rows(log)
    found = []
    for name in COMPARED:
        for (one, other), tau in agreement(all_rows, how, name).items():
            if name == "success" or not np.isnan(tau.value):
                found.append((name, one, other, *_interval(tau)))
    return Table(columns=("score", "simulator", "and", "tau", "low", "high", "why none"), rows=tuple(found))


def _interval(tau: Estimate) -> tuple[Cell, ...]:
    why = tau.reason if np.isnan(tau.value) else ""
    return rounded(tau.value), rounded(tau.low), rounded(tau.high), why or ""


def groups(log: Log) -> Table:
    """One row a group and system, over all simulators."""
    how, all_rows = setting(log), rows(log)
    found = []
    for group, members in grouped(all_rows).items():
        for system in ordered(how.systems, (row.system for row in members)):
            own = [row for row in members if row.system == system]
            by = means(own, ("success", "turns", "utility"))
            cells = (*bounds(by["success"]), *bounds(by["turns"]), bounds(by["utility"])[0])
            found.append((group, system, len(own), failed(own), *cells))
    columns = ("group", "system", "dialogues", "failed", "success", "+-", "turns", "+-", "worth of offers")
    return Table(columns=columns, rows=tuple(found))


def judged(log: Log) -> Table:
    """Mean grades by aspect, 1 to 5; empty where nothing was judged."""
    how, all_rows = setting(log), rows(log)
    names = tuple(f"judge.{aspect}" for aspect in ASPECTS)
    found = []
    for simulator, system, own in _pairs(all_rows, how):
        graded = [row for row in own if any(name in row.values for name in names)]
        if graded:
            by = means(graded, names)
            found.append(
                (simulator, system, len(graded), *(cell for mean in by.values() for cell in bounds(mean)))
            )
    columns = ("simulator", "system", "judged", *(cell for aspect in ASPECTS for cell in (aspect, "+-")))
    return Table(columns=columns, rows=tuple(found))


def trust(log: Log) -> Table:
    """By aspect, answers that could not be used, how far repeats lie apart, and what a turned scale and padding move."""
    moved, ranges, counts = probes(log), spreads(log), answered(log)
    found = []
    for aspect in ASPECTS:
        if aspect not in counts:
            continue
        cells: list[Cell] = [*counts[aspect], rounded(ranges[aspect].value) if aspect in ranges else None]
        for probe in ("order", "verbosity"):
            cells += bounds(moved[probe, aspect]) if (probe, aspect) in moved else (None, None)
        found.append((aspect, *cells))
    columns = ("aspect", "asked", "unusable", "range of repeats", "scale turned", "+-", "padded", "+-")
    return Table(columns=columns, rows=tuple(found))


_RESPECTS = {
    "turns": "user turns a dialogue",
    "words.user": "words a user turn",
    "words.system": "words a system turn",
    "acts.turn": "user acts a turn",
    "acceptance": "dialogues in which an item was taken",
    "acts": "user acts (symmetric KL, nats)",
    "transitions": "what follows what (Jensen-Shannon, 0 to 1)",
    "vocabulary": "user words not shared",
    "distinct-2": "user bigrams that differ",
}


def validity(log: Log) -> Table:
    """Each simulator against people's dialogues; empty where the study names none.

    The last column tells acts that people's dialogues do not have, with their share of simulated acts.
    """
    found = []
    for simulator, respects in likenesses(log).items():
        for one in respects:
            numbers = (one.simulated, one.people, one.apart.value, one.apart.low, one.apart.high, one.halves)
            apart = "; ".join(f"{act} {share:.0%}" for act, share in one.left_out.items())
            found.append((simulator, _RESPECTS[one.what], *map(rounded, numbers), apart))
    columns = (
        "simulator",
        "respect",
        "simulated",
        "people",
        "apart",
        "low",
        "high",
        "people's halves apart",
        "not compared",
    )
    return Table(columns=columns, rows=tuple(found))
