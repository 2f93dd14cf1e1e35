"""Lineage: who descends from whom, where traits appeared, and what became of them."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from openiir.kit.arrays import Bools, Ints
from openiir.kit.evolution.genomes import Birth, Mutation
from openiir.plugin import InputError, int_sum

NO_PARENT = -1
Agents = Sequence[int] | Ints


class Fixation(NamedTuple):
    """A mutation in a common ancestor of the whole last generation; the value may have changed since."""

    locus: str
    birth: int
    """Agent at whose birth the change happened; a founder's values all count as changes."""
    born: int
    fixed: int
    """First generation of which everybody descends from that agent."""


@dataclass(frozen=True, eq=False)
class Lineage:
    """A forest of births by generation; an elite (a survivor) counts as its own child."""

    births: Sequence[Birth]
    parent: Ints
    """Number of each agent's parent; -1 for a founder."""
    generation: Ints
    loci: tuple[str, ...]

    @cached_property
    def cohorts(self) -> list[slice]:
        """Range of agent numbers of each generation."""
        ends = np.searchsorted(self.generation, np.arange(self.generation[-1] + 2)).tolist()
        return [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]

    @cached_property
    def carried(self) -> Ints:
        """Number of the birth at which each agent's present value of each locus arose, (agents, loci)."""
        own = np.arange(len(self.parent))[:, None]
        rows = np.where(self.parent[:, None] == NO_PARENT, own, -1).repeat(len(self.loci), axis=1)
        for agent, birth in enumerate(self.births):
            for mutation in birth.mutations:
                rows[agent, self.loci.index(mutation.locus)] = agent
        for cohort in self.cohorts[1:]:
            rows[cohort] = np.where(rows[cohort] < 0, rows[self.parent[cohort]], rows[cohort])
        return rows

    def ancestors(self, agent: int) -> list[int]:
        """List an agent and its ancestors, back to the founder."""
        line = [int(agent)]
        while (parent := int(self.parent[line[-1]])) != NO_PARENT:
            line.append(parent)
        return line

    def trace(self, agent: int, locus: str) -> list[tuple[int, Mutation | None]]:
        """List the births that changed an agent's value of a locus, latest first, back to the founder's.

        The first is the origin of what the agent carries.
        """
        column, steps, row = self.loci.index(locus), list[tuple[int, Mutation | None]](), int(agent)
        while row != NO_PARENT:
            birth = int(self.carried[row, column])
            mutations = self.births[birth].mutations
            steps.append((birth, next((one for one in mutations if one.locus == locus), None)))
            row = int(self.parent[birth])
        return steps

    def common_ancestor(self, agents: Agents) -> int | None:
        """Find the most recent common ancestor of some agents; None if they have none."""
        line = np.unique(np.asarray(agents, dtype=np.int64))
        while len(line) > 1 and line[0] != NO_PARENT:
            latest = self.generation[line] == self.generation[line[-1]]
            line = np.unique(np.where(latest, self.parent[line], line))
        return None if line[0] == NO_PARENT else int(line[0])

    def coalescence_time(self, agents: Agents) -> int | None:
        """Count generations from the latest of some agents to their common ancestor; None without one."""
        found = self.common_ancestor(agents)
        return (
            None if found is None else int(self.generation[np.asarray(agents)].max() - self.generation[found])
        )

    def ancestry(self, agents: Agents) -> Bools:
        """Return a mask of these agents and all their ancestors."""
        kept = np.zeros(len(self.parent), dtype=np.bool_)
        kept[np.asarray(agents)] = True
        for cohort in reversed(self.cohorts[1:]):
            kept[self.parent[cohort][kept[cohort]]] = True
        return kept

    def phylogenetic_diversity(self, agents: Agents) -> int:
        """Sum the lengths of the branches from the founders to these agents (Faith, Biol. Conserv. 1992)."""
        return int_sum(self.ancestry(agents) & (self.parent != NO_PARENT))

    def survival(self, generation: int = 0) -> list[int]:
        """Count how many agents of a generation have descendants in each generation from it on."""
        forebears = np.arange(len(self.parent))[self.cohorts[generation]]
        counts = [len(forebears)]
        for before, now in zip(self.cohorts[generation:], self.cohorts[generation + 1 :], strict=False):
            forebears = forebears[self.parent[now] - before.start]
            counts.append(len(np.unique(forebears)))
        return counts

    def fixations(self) -> list[Fixation]:
        """List the mutations on the line to the last generation's common ancestor, in order of birth."""
        last = np.arange(len(self.parent))[self.cohorts[-1]]
        found = self.common_ancestor(last)
        line = [] if found is None else self.ancestors(found)[::-1]
        reached = np.full(len(self.parent), -1)
        reached[line] = np.arange(len(line))
        for cohort in self.cohorts[1:]:
            reached[cohort] = np.maximum(reached[cohort], reached[self.parent[cohort]])
        fixed = np.searchsorted([reached[cohort].min() for cohort in self.cohorts], np.arange(len(line)))
        return [
            Fixation(locus, agent, int(self.generation[agent]), when)
            for n, (agent, when) in enumerate(zip(line, fixed.tolist(), strict=True))
            for locus in ([m.locus for m in self.births[agent].mutations] if n else self.loci)
        ]

    def to_csv(self) -> str:
        """Write the ALife data standard for phylogenies (Lalejini et al., ALIFE 2019), labelled by genome."""
        out, last = io.StringIO(), int(self.generation[-1])
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("id", "ancestor_list", "origin_time", "destruction_time", "taxon_label", "mutated"))
        rows = zip(self.parent.tolist(), self.generation.tolist(), self.births, strict=True)
        for agent, (parent, time, birth) in enumerate(rows):
            origin = "[none]" if parent == NO_PARENT else f"[{parent}]"
            loci = " ".join(mutation.locus for mutation in birth.mutations)
            table.writerow((agent, origin, time, time + 1 if time < last else "inf", birth.genome.id, loci))
        return out.getvalue()


def build_lineage(cohorts: Sequence[Sequence[Birth]], loci: Iterable[str]) -> Lineage:
    """Build a lineage from the births of each generation, the founders' (`parent` -1) first.

    Raises InputError for an empty generation, and for a parent who is not in the generation before.
    """
    if not cohorts or not all(cohorts):
        raise InputError("a generation has no births; give those of each, the founders' first")
    births, parent, generation, size = list[Birth](), list[int](), list[int](), 0
    for n, cohort in enumerate(cohorts):
        start = len(births) - size
        for birth in cohort:
            if not (birth.parent == NO_PARENT if n == 0 else 0 <= birth.parent < size):
                raise InputError(
                    f"generation {n}: a parent is {birth.parent}; founders have -1, and others a position "
                    f"in the generation before, of {size}"
                )
            parent.append(NO_PARENT if n == 0 else start + birth.parent)
        births += cohort
        generation += [n] * (size := len(cohort))
    return Lineage(births, np.array(parent), np.array(generation), tuple(loci))
