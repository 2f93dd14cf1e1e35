"""Views of descent: who came from whom by which mutations, what became of them, and how genomes read."""

from collections.abc import Mapping

import numpy as np

from openiir.kit.evolution import Mutation, rank_agents
from openiir.plugin import Cards, Log
from openiir.scenarios.multi_generational.actions import Born, Met, Posted
from openiir.scenarios.multi_generational.genomes import (
    CHECKS,
    FORMS,
    SIDES,
    Side,
    describe_genome,
    nearest_option,
)
from openiir.scenarios.multi_generational.interviewing import original_id
from openiir.scenarios.multi_generational.metrics import read_last_meeting
from openiir.scenarios.multi_generational.model.births import History, read_history
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE
from openiir.scenarios.multi_generational.model.descent import show_genomes, trace_line

SHOWN = 3
"""Agents of a side that a view shows."""
OPTIONS = {"producer": FORMS, "detector": CHECKS}


def read_histories(log: Log) -> dict[Side, History]:
    """Read the births of both sides; empty before the founders are there."""
    return {side: read_history(log, Born, side) for side in SIDES} if next(Born.read(log), None) else {}


def name_template(side: str, text: str) -> str:
    """Name the option whose words a template has, or shares most."""
    return nearest_option(text, OPTIONS[side])


def word_change(side: str, one: Mutation) -> str:
    """Word a mutation in a few words; templates by the option nearest to them."""

    def word(value: str | int | float) -> str:
        if one.locus == "template":
            name = name_template(side, str(value))
            return f"{'' if OPTIONS[side][name] == value else 'like '}{name}"
        return value if isinstance(value, str) else f"{value:.2g}"

    return (
        "bio: another one" if one.locus == "bio" else f"{one.locus}: {word(one.before)} -> {word(one.after)}"
    )


def read_landings(log: Log, since: int = 0) -> dict[str, float]:
    """Mean survival of each producer's false posts after a step, by id; empty where single posts were not logged."""
    return {
        str(event.actor): float(np.mean(one.survival[FALSE::2]))
        for event, one in Posted.read(log, since=since)
    }


def rank_last(log: Log, histories: Mapping[Side, History]) -> dict[Side, list[tuple[str, float]]]:
    """Rank the agents of the last generation that met by fitness, as ids with their fitness; empty before one met."""
    _, met = read_last_meeting(log)
    if met is None:
        return {}
    found: dict[Side, list[tuple[str, float]]] = {}
    for side, history in histories.items():
        fitness, ids = met.fitness[side], history.agents[history.lineage.cohorts[met.generation]]
        found[side] = [(ids[n], fitness[n]) for n in rank_agents(fitness).tolist()]
    return found


def trace_lineage(log: Log, agent: str | None = None) -> Cards:
    """Trace where an agent comes from: each mutation on its line, what it did, and what the other side changed then."""
    histories = read_histories(log)
    best = rank_last(log, histories)
    if not best:
        return Cards(items=())
    wanted = original_id(agent) if agent else best["producer"][0][0]
    side: Side = "producer" if wanted.startswith("producer") else "detector"
    own, other = histories[side], histories["detector" if side == "producer" else "producer"]
    landing = read_landings(log) if side == "producer" else {}
    score = {id: value for n, one in enumerate(one for _, one in Met.read(log))
             for id, value in zip(own.agents[own.lineage.cohorts[n]], one.fitness[side], strict=True)}  # fmt: skip
    measure = "their false posts landed" if landing else "they had a fitness of"
    return trace_line(own, other, wanted, describe_genome, word_change, score | landing, measure)


def show_readable(log: Log, agent: str | None = None) -> Cards:
    """Show genomes as their bearers read them: one agent's, or those of the fittest of the last generation."""
    histories = read_histories(log)
    best = [id for some in rank_last(log, histories).values() for id, _ in some[:SHOWN]]
    chosen = [original_id(agent)] if agent else best
    cards = [
        show_genomes(history, [id for id in chosen if id.startswith(side)], describe_genome)
        for side, history in histories.items()
    ]
    return Cards(items=tuple(one for some in cards for one in some))
