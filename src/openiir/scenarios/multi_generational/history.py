"""Who was born to whom: lineages of both sides, read from the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from openiir.kit.evolution import NO_PARENT, Birth, Genome, Lineage, Mutation, build_lineage
from openiir.plugin import Agent, InputError, Log
from openiir.scenarios.multi_generational.actions import Born
from openiir.scenarios.multi_generational.genomes import SIDES, VERSION, Side
from openiir.scenarios.multi_generational.writing import Player


@dataclass(frozen=True, eq=False)
class History:
    """The generations of one side; agents are numbered in order of birth, as in the lineage."""

    side: Side
    births: list[list[Birth]]
    agents: list[str]
    """Ids."""
    names: list[str]

    @cached_property
    def lineage(self) -> Lineage:
        """The lineage of the side."""
        return build_lineage(self.births, self.births[0][0].genome.values)

    def number(self, agent: str) -> int:
        """Return an agent's number; raises InputError for an id of nobody."""
        if agent not in self.agents:
            raise InputError(f"no {self.side} is called {agent!r}; ids are like {self.agents[0]}, to {self.agents[-1]}")
        return self.agents.index(agent)


def read_history(log: Log, side: Side) -> History:
    """Read the births of a side, and build every genome from its parent's and what mutated."""
    births, agents, names = list[list[Birth]](), list[str](), list[str]()
    for _, born in Born.read(log):
        if born.side != side:
            continue
        changes: dict[int, list[Mutation]] = {}
        for slot, locus, before, after, draw in born.mutations:
            changes.setdefault(slot, []).append(Mutation(locus, before, after, draw))
        founders, cohort = iter(born.values), list[Birth]()
        for slot, parent in enumerate(born.parents):
            values = next(founders) if parent == NO_PARENT else births[-1][parent].genome.values
            mutated = tuple(changes.get(slot, ()))
            genome = Genome(kind=side, version=VERSION, values=values | {one.locus: one.after for one in mutated})
            cohort.append(Birth(parent, genome, mutated))
        births.append(cohort)
        agents += born.agents
        names += born.names
    return History(side, births, agents, names)


def read_cohorts(log: Log, generations: Sequence[int], most: int) -> dict[int, dict[Side, list[Player]]]:
    """Bring back the first agents of each side and generation, at most that many, with their genomes."""
    personas = {persona.id: persona for persona in log.personas}
    cohorts: dict[int, dict[Side, list[Player]]] = {number: {} for number in generations}
    for side in SIDES:
        history = read_history(log, side)
        for number in generations:
            ids = history.agents[history.lineage.cohorts[number]][:most]
            genomes = [birth.genome for birth in history.births[number]]
            cohorts[number][side] = [
                Player(Agent.of(personas[id], key=slot), genome, slot)
                for slot, (id, genome) in enumerate(zip(ids, genomes, strict=False))
            ]
    return cohorts
