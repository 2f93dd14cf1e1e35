"""Births of evolving populations in a run's log, and the lineages read from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from openiir.kit.evolution import NO_PARENT, Birth, Genome, Lineage, Mutation, build_lineage
from openiir.plugin import InputError, Log, Persona
from openiir.scenarios.multi_generational.run.actions import Born


@dataclass(frozen=True, eq=False)
class BirthHistory:
    """The generations of one side (producers or detectors); agents are numbered in order of birth."""

    side: str
    births: list[list[Birth]]
    agents: list[str]
    """Ids."""
    names: list[str]

    @cached_property
    def lineage(self) -> Lineage:
        """Ancestors and descendants of all agents of this side (producers or detectors)."""
        return build_lineage(self.births, self.births[0][0].genome.values)

    def agent_number(self, agent: str) -> int:
        """Return an agent's number; raises InputError for an unknown id."""
        if agent not in self.agents:
            raise InputError(
                f"no {self.side} is called {agent!r}; ids are from {self.agents[0]} to {self.agents[-1]}"
            )
        return self.agents.index(agent)


def describe_births(
    side: str, generation: int, births: Sequence[Birth], personas: Sequence[Persona], prompts: Sequence[str]
) -> Born:
    """Build the log entry of a generation's births; `prompts` may be empty."""
    return Born(
        side=side,
        version=births[0].genome.version,
        generation=generation,
        agents=tuple(one.id for one in personas),
        names=tuple(one.name for one in personas),
        parents=tuple(one.parent for one in births),
        genomes=tuple(one.genome.id for one in births),
        values=tuple(one.genome.values for one in births if one.parent == NO_PARENT),
        mutations=tuple((slot, *change) for slot, one in enumerate(births) for change in one.mutations),
        prompts=tuple(prompts),
    )


def read_birth_history(log: Log, side: str) -> BirthHistory:
    """Read the births of a side, and rebuild each genome from its parent's and the mutations."""
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
            genome = Genome(
                kind=side, version=born.version, values=values | {one.locus: one.after for one in mutated}
            )
            cohort.append(Birth(parent, genome, mutated))
        births.append(cohort)
        agents += born.agents
        names += born.names
    return BirthHistory(side, births, agents, names)
