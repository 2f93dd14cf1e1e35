"""Births of evolving populations in a run's log, and the lineages read from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from openiir.kit.evolution import NO_PARENT, Birth, Genome, Lineage, Mutation, build_lineage
from openiir.plugin import Action, InputError, Log, Persona


class Births(Action):
    """A generation of one side was born; lists have one entry for each agent, in the order of their places.

    A type declares a subclass, with its own kind.
    """

    side: str
    version: int
    """Version of the side's loci."""
    generation: int
    agents: tuple[str, ...]
    names: tuple[str, ...]
    parents: tuple[int, ...]
    """Place of each one's parent in the generation before; -1 for founders and for genomes drawn anew."""
    genomes: tuple[str, ...]
    """Content hashes."""
    values: tuple[dict[str, str | int | float], ...]
    """Value of each locus, of those without a parent; the others' follow from their parents and the mutations."""
    mutations: tuple[tuple[int, str, str | int | float, str | int | float, str], ...]
    """Place of the child, locus, value before, value after, name of the draw."""
    prompts: tuple[str, ...]
    """Genomes as their bearers read them; empty where only summaries are logged."""


B = TypeVar("B", bound=Births)


@dataclass(frozen=True, eq=False)
class History:
    """The generations of one side; agents are numbered in order of birth, as in the lineage."""

    side: str
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
            raise InputError(
                f"no {self.side} is called {agent!r}; ids are from {self.agents[0]} to {self.agents[-1]}"
            )
        return self.agents.index(agent)


def describe_births(
    log_as: type[B],
    side: str,
    generation: int,
    births: Sequence[Birth],
    personas: Sequence[Persona],
    prompts: Sequence[str],
) -> B:
    """Build the log's entry of a generation; `prompts` may be empty."""
    return log_as(
        side=side, version=births[0].genome.version, generation=generation,
        agents=tuple(one.id for one in personas), names=tuple(one.name for one in personas),
        parents=tuple(one.parent for one in births), genomes=tuple(one.genome.id for one in births),
        values=tuple(one.genome.values for one in births if one.parent == NO_PARENT),
        mutations=tuple((slot, *change) for slot, one in enumerate(births) for change in one.mutations),
        prompts=tuple(prompts),
    )  # fmt: skip


def read_history(log: Log, logged_as: type[Births], side: str) -> History:
    """Read the births of a side, and build every genome from its parent's and what mutated."""
    births, agents, names = list[list[Birth]](), list[str](), list[str]()
    for _, born in logged_as.read(log):
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
    return History(side, births, agents, names)
