"""Tables of results, with counts of failures next to scores."""

from collections import Counter
from collections.abc import Sequence
from math import nan
from typing import get_args

import numpy as np

from openiir.kit.measures.per_user import UserMean
from openiir.kit.statistics import Estimate
from openiir.plugin import Column, Log, Table, interval_ends
from openiir.plugin.definitions import define_measure
from openiir.scenarios.conversational.measures.averages import (
    count_failed,
    group_rows,
    means,
    order_names,
    round_cell,
)
from openiir.scenarios.conversational.measures.definitions import DEFINITIONS
from openiir.scenarios.conversational.measures.dialogue_rows import DialogueRow, RunSetting, rows, setting
from openiir.scenarios.conversational.measures.judges import count_answers, grade_spreads, halo, probe_effects
from openiir.scenarios.conversational.measures.system_comparison import (
    COMPARED,
    compare_systems,
    simulator_agreement,
)
from openiir.scenarios.conversational.measures.validity import likeness_by_simulator
from openiir.scenarios.conversational.model.grading.judged_dialogue import ASPECTS
from openiir.scenarios.conversational.run.actions import End

Cell = str | int | float | None
ENDS: tuple[str, ...] = get_args(End)
_RESULTS = (
    "success",
    "accepted",
    "turns",
    "turns.restricted",
    "recall@1",
    "recall@10",
    "mrr",
    "offered",
    "rounds.accepted",
    "coverage",
    "questions.repeated",
    "critiques.ignored",
)
_WITH_ENDS = ("success", "turns", "judge.satisfaction")
"""Scores shown with their interval."""


def tabulate_results(log: Log) -> Table:
    """Tabulate scores by simulator and system, with 95 % intervals over needs; failed dialogues are left out.

    Of success they are Wilson's, else Student's.
    """
    how, all_rows = setting(log), rows(log)
    judged = any("judge.satisfaction" in row.values for row in all_rows)
    named = [*_RESULTS, *(["judge.satisfaction"] if judged else [])]
    offered = [row.values for row in all_rows if row.values.get("recall@10", nan) >= 0]
    if all(values["recall@1"] == values["recall@10"] for values in offered):
        named.remove("recall@1")
    columns: list[str | Column] = ["simulator", "system", "dialogues", "failed"]
    for name in named:
        title, definition = define_measure(DEFINITIONS, name)
        ends = interval_ends(title) if name in _WITH_ENDS else ()
        columns += [Column(name=title, help=definition), *ends]
    found: list[tuple[Cell, ...]] = []
    for simulator, system, own in _pairs(all_rows, how):
        cells: list[Cell] = [simulator, system, len(own), count_failed(own)]
        by = means(own, named)
        if by["success"].value == 0:
            by["turns.restricted"] = by["turns.restricted"]._replace(value=nan)
        for name, mean in by.items():
            cells += _ends(mean) if name in _WITH_ENDS else _ends(mean)[:1]
        found.append(tuple(cells))
    return Table(columns=tuple(columns), rows=tuple(found))


def _pairs(all_rows: Sequence[DialogueRow], how: RunSetting) -> list[tuple[str, str, list[DialogueRow]]]:
    """List each simulator and system with their dialogues."""
    keyed = group_rows(all_rows, how)
    return [
        (simulator, system, own)
        for simulator in order_names(how.simulators, (row.simulator for row in all_rows))
        for system in order_names(how.systems, (row.system for row in all_rows))
        if (own := keyed.get(f"{simulator}/{system}"))
    ]


def tabulate_ends(log: Log) -> Table:
    """Tabulate how many dialogues ended in each way."""
    found = []
    for simulator, system, own in _pairs(rows(log), setting(log)):
        counts = Counter(row.end for row in own)
        found.append((simulator, system, len(own), *(counts[end] for end in ENDS)))
    return Table(columns=("simulator", "system", "dialogues", *ENDS), rows=tuple(found))


def tabulate_comparison(log: Log) -> Table:
    """Tabulate pairs of systems on the same needs: mean difference, interval, and p after Holm's correction.

    The last column says how many needs find a difference of this size with a power of .8.
    """
    columns = ("score", "simulator", "system", "less", "needs", "difference", *interval_ends("difference"))
    found = []
    for one in compare_systems(rows(log), setting(log)):
        needed = None if np.isnan(one.required_needs) else int(one.required_needs)
        numbers = (*_ends(one.less), round_cell(one.p, 4), round_cell(one.holm, 4), needed)
        found.append((one.what, one.simulator, one.one, one.other, one.less.users, *numbers))
    return Table(columns=(*columns, "p", "p (Holm)", "needs for .8"), rows=tuple(found))


def tabulate_agreement(log: Log) -> Table:
    """Tabulate Kendall's tau between simulators' rankings of the systems, with intervals over needs."""
    how, all_rows = setting(log), rows(log)
    found = []
    for name in COMPARED:
        for (one, other), tau in simulator_agreement(all_rows, how, name).items():
            if name == "success" or not np.isnan(tau.value):
                why = (tau.reason or "") if np.isnan(tau.value) else ""
                found.append((name, one, other, *_ends(tau), why))
    return Table(
        columns=("score", "simulator", "and", "tau", *interval_ends("tau"), "why none"), rows=tuple(found)
    )


def _ends(one: Estimate | UserMean) -> tuple[Cell, ...]:
    """Return a number and the bounds of its interval."""
    return round_cell(one.value), round_cell(one.low), round_cell(one.high)


def tabulate_groups(log: Log) -> Table:
    """Tabulate scores by user group and system, over all simulators."""
    how, all_rows = setting(log), rows(log)
    found = []
    for group in sorted({row.group for row in all_rows}):
        members = [row for row in all_rows if row.group == group]
        for system in order_names(how.systems, (row.system for row in members)):
            own = [row for row in members if row.system == system]
            by = means(own, ("success", "turns", "utility"))
            turns = _ends(by["turns"])
            worth = round_cell(by["utility"].value)
            found.append((group, system, len(own), count_failed(own), *_ends(by["success"]), *turns, worth))
    columns = ("group", "system", "dialogues", "failed", "success", *interval_ends("success"))
    return Table(columns=(*columns, "turns", *interval_ends("turns"), "worth of offers"), rows=tuple(found))


def tabulate_grades(log: Log) -> Table:
    """Tabulate mean grades by aspect, 1 to 5; empty if nothing was judged."""
    how, all_rows = setting(log), rows(log)
    names = tuple(f"judge.{aspect}" for aspect in ASPECTS)
    found = []
    for simulator, system, own in _pairs(all_rows, how):
        graded = [row for row in own if any(name in row.values for name in names)]
        if graded:
            cells = [cell for mean in means(graded, names).values() for cell in _ends(mean)]
            found.append((simulator, system, len(graded), *cells))
    grades = [column for aspect in ASPECTS for column in (aspect, *interval_ends(aspect))]
    return Table(columns=("simulator", "system", "judged", *grades), rows=tuple(found))


def tabulate_trust(log: Log) -> Table:
    """Tabulate the judge's reliability by aspect: unusable answers, halo, repeatability, probe effects."""
    moved, ranges, counts, along = probe_effects(log), grade_spreads(log), count_answers(log), halo(log)
    found = []
    for aspect in ASPECTS:
        if aspect not in counts:
            continue
        spread = round_cell(ranges[aspect].value) if aspect in ranges else None
        cells: list[Cell] = [*counts[aspect], round_cell(along.get(aspect, nan)), spread]
        for probe in ("order", "verbosity"):
            cells += _ends(moved[probe, aspect]) if (probe, aspect) in moved else (None, None, None)
        found.append((aspect, *cells))
    columns = ("aspect", "asked", "unusable", "with other aspects", "range of repeats")
    probes = ("scale turned", *interval_ends("scale turned"), "padded", *interval_ends("padded"))
    return Table(columns=columns + probes, rows=tuple(found))


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


def tabulate_validity(log: Log) -> Table:
    """Tabulate each simulator's difference from human dialogues; empty if the study names none.

    The last column tells acts that people's dialogues do not have, with their share of simulated acts.
    """
    found = []
    for simulator, respects in likeness_by_simulator(log).items():
        for one in respects:
            numbers = (one.simulated, one.people, one.apart.value, one.apart.low, one.apart.high, one.halves)
            apart = "; ".join(f"{act} {share:.0%}" for act, share in one.left_out.items())
            found.append((simulator, _RESPECTS[one.what], *map(round_cell, numbers), apart))
    columns = ("simulator", "respect", "simulated", "people", "apart", *interval_ends("apart"))
    return Table(columns=(*columns, "people's halves apart", "not compared"), rows=tuple(found))
