"""Views of descent: who came from whom by which mutations, what became of them, and how genomes read."""

from collections.abc import Mapping

import numpy as np

from openiir.kit.births import History, read_history
from openiir.kit.credibility.contest import FALSE
from openiir.kit.descent import SPREAD, find_answers, follow_trait
from openiir.kit.evolution import Mutation, rank_agents
from openiir.plugin import Card, Cards, Log
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

SHOWN = 3
"""Agents of a side that a view shows."""
OPTIONS = {"producer": FORMS, "detector": CHECKS}


def read_histories(log: Log) -> dict[Side, History]:
    """Read the births of both sides; empty before the founders are there."""
    return {side: read_history(log, Born, side) for side in SIDES} if next(Born.read(log), None) else {}


def word_value(side: str, locus: str, value: str | int | float) -> str:
    """Word a value of a locus in a few words; templates by the option nearest to them."""
    if locus == "template":
        text, options = str(value), OPTIONS[side]
        name = nearest_option(text, options)
        return f"{'' if options[name] == text else 'like '}{name}"
    return value if isinstance(value, str) else f"{value:.2g}"


def word_change(side: str, one: Mutation) -> str:
    """Word a mutation in a few words."""
    if one.locus == "bio":
        return "bio: another one"
    return (
        f"{one.locus}: {word_value(side, one.locus, one.before)} -> {word_value(side, one.locus, one.after)}"
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
    lineage, landing = own.lineage, read_landings(log) if side == "producer" else {}
    score = {id: value for n, one in enumerate(one for _, one in Met.read(log))
             for id, value in zip(own.agents[lineage.cohorts[n]], one.fitness[side], strict=True)}  # fmt: skip
    score |= landing
    measure = "their false posts landed" if landing else "they had a fitness of"
    line = lineage.ancestors(own.number(wanted))[::-1]
    first = lineage.births[line[0]].genome
    cards = [
        Card(
            id=own.agents[line[0]],
            title=f"{own.names[line[0]]}, founder",
            text="\n".join(describe_genome(first)),
        )
    ]
    for birth in line[1:]:
        now, mutations = int(lineage.generation[birth]), lineage.births[birth].mutations
        if mutations:
            words = (f"{one.locus}: {one.words if one.locus != 'bio' else one.after}" for one in mutations)
            fields = {
                key: text
                for one in mutations
                for key, text in follow_trait(lineage, own.agents, birth, one.locus, score, measure)
            }
            if answer := "; ".join(find_answers(other, now, word_change)):
                fields[f"{other.side}s, by generation {min(now + SPREAD, len(other.births) - 1)}"] = answer
            cards.append(
                Card(
                    id=own.agents[birth],
                    title=f"{own.names[birth]}, generation {now}",
                    text="\n".join(words),
                    fields=fields,
                )
            )
    return Cards(items=tuple(cards))


def show_genomes(log: Log, agent: str | None = None) -> Cards:
    """Show genomes as their bearers read them: one agent's, or those of the fittest of the last generation."""
    histories = read_histories(log)
    chosen = (
        [original_id(agent)]
        if agent
        else [id for some in rank_last(log, histories).values() for id, _ in some[:SHOWN]]
    )
    cards = []
    for side, history in histories.items():
        for id in [one for one in chosen if one.startswith(side)]:
            genome = history.lineage.births[history.number(id)].genome
            fields = {
                locus: word_value(side, locus, value)
                for locus, value in genome.values.items()
                if not isinstance(value, str)
            }
            cards.append(
                Card(
                    id=id,
                    title=f"{history.names[history.number(id)]} ({id})",
                    text="\n".join(describe_genome(genome)),
                    fields=fields,
                    badge=side,
                )
            )
    return Cards(items=tuple(cards))
