"""Genomes of typed loci, and the births that pass them on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from openiir.core.hashing import fingerprint
from openiir.kit.arrays import Ints
from openiir.kit.evolution.loci import Locus, TextLocus, Value
from openiir.plugin import Draw, InputError, Record


class Genome(Record):
    """An agent's inherited values, one at each locus (a number or a text)."""

    kind: str
    """Whose genome it is, such as `producer`."""
    version: int
    """Version of the kind's loci."""
    values: dict[str, str | int | float]

    @cached_property
    def id(self) -> str:
        """Content hash of kind, version and values: 16 hexadecimal digits."""
        return fingerprint([self.kind, self.version, self.values])[:16]


class Mutation(NamedTuple):
    """A locus whose value changed at a birth, with the value before and after."""

    locus: str
    before: Value
    after: Value
    draw: str
    """Name of the draw that decided it."""

    @property
    def words(self) -> str:
        """The change as text: two numbers, or a word diff with [-deletions-] and {+insertions+}."""
        if not isinstance(self.before, str):
            return f"{self.before:.4g} -> {self.after:.4g}"
        old, new = self.before.split(), str(self.after).split()
        compared, parts = SequenceMatcher(None, old, new, autojunk=False), list[str]()
        whole = [("replace", 0, len(old), 0, len(new))]
        # With fewer words in common, marks around single words would hide both texts.
        for what, i, j, m, n in compared.get_opcodes() if compared.ratio() >= 0.4 else whole:
            gone, come = " ".join(old[i:j]), " ".join(new[m:n])
            parts += [gone] if what == "equal" else [f"[-{gone}-]", f"{{+{come}+}}"]
        return " ".join(part for part in parts if part not in ("[--]", "{++}"))


class Birth(NamedTuple):
    """A child: its parent's position in the population, its genome, and its mutations."""

    parent: int
    genome: Genome
    mutations: tuple[Mutation, ...] = ()


@dataclass(frozen=True)
class GenomeSpec:
    """Declaration of a kind of genome: its loci and version.

    Rates, sizes and options may change under one version; loci that are added, removed or mean something else
    make another.
    """

    kind: str
    version: int
    loci: Mapping[str, Locus]

    def __post_init__(self) -> None:
        for name, locus in self.loci.items():
            if not 0 <= locus.rate <= 1:
                raise InputError(f"locus {name} mutates with rate {locus.rate}; give a probability, 0 to 1")

    def build(self, values: Mapping[str, Value]) -> Genome:
        """Build a genome from a value for each locus; raises InputError for missing and wrong values."""
        if values.keys() != self.loci.keys():
            raise InputError(f"a {self.kind} has the loci {', '.join(self.loci)}; got {', '.join(values)}")
        checked: dict[str, Value] = {}
        for name, locus in self.loci.items():
            try:
                checked[name] = locus.check(values[name])
            except InputError as error:
                raise InputError(f"locus {name}: {error}") from None
        return Genome(kind=self.kind, version=self.version, values=checked)

    def check(self, genome: Genome) -> None:
        """Raise InputError for a genome of another kind or version."""
        if (genome.kind, genome.version) != (self.kind, self.version):
            raise InputError(
                f"genome {genome.id} is of {genome.kind} version {genome.version}, not {self.kind} version "
                f"{self.version}; begin with founders of this version"
            )

    def random(self, number: int, draw: Draw, generation: int = 0) -> list[Genome]:
        """Draw genomes without parents: founders, or a control group that inherits nothing."""
        own = draw.at("random", step=generation)
        return [
            self.build({name: locus.random(own.at(agent=name, item=n)) for name, locus in self.loci.items()})
            for n in range(number)
        ]

    def reproduce(
        self,
        population: Sequence[Genome],
        parents: Sequence[int] | Ints,
        draw: Draw,
        generation: int,
        elites: int = 0,
        texts: Mapping[tuple[int, str], str] = MappingProxyType({}),
    ) -> list[Birth]:
        """Create a child of each parent (given by position); the first `elites` children are copies.

        A locus mutates with its rate, by draws named by generation, child and locus. `texts` holds what a
        model wrote for some of `list_rewrites`, by child and locus: it is cut to the locus's length and taken
        instead of another option. A mutation that leaves the value as it was is none.
        """
        for genome in population:
            self.check(genome)
        births = [Birth(int(parent), population[parent]) for parent in parents]
        for child, name in self._list_hits(len(births), draw, generation, elites):
            birth, locus = births[child], self.loci[name]
            own = draw.at("mutate", step=generation, item=child, agent=name)
            before = birth.genome.values[name]
            if isinstance(locus, TextLocus) and (child, name) in texts:
                after: Value = locus.shorten(texts[child, name]) or before
            else:
                after = locus.mutate(before, own.at("value"))
            if after != before:
                genome = self.build(birth.genome.values | {name: after})
                place = f"{own.purpose} step={generation} item={child} agent={name}"
                mutations = (*birth.mutations, Mutation(name, before, after, place))
                births[child] = Birth(birth.parent, genome, mutations)
        return births

    def list_rewrites(
        self, children: int, draw: Draw, generation: int, elites: int = 0
    ) -> list[tuple[int, str]]:
        """List the texts, by child and locus, that will mutate and that a language model may rewrite."""
        hits = self._list_hits(children, draw, generation, elites)
        return [(child, name) for child, name in hits if isinstance(self.loci[name], TextLocus)]

    def _list_hits(self, children: int, draw: Draw, generation: int, elites: int) -> list[tuple[int, str]]:
        number, own = np.arange(elites, children), draw.at("mutate", step=generation)
        hits = {
            name: number[own.chance(one.rate, agent=name, item=number)] for name, one in self.loci.items()
        }
        return [(int(child), name) for name, children in hits.items() for child in children]

    def distance(self, genomes: Sequence[Genome]) -> float:
        """Compute the mean pairwise distance of genomes, 0 to 1, each the mean over loci (Gower 1971).

        NaN for fewer than two.
        """
        pairs = len(genomes) * (len(genomes) - 1)
        apart = [one.distances([g.values[name] for g in genomes]).sum() for name, one in self.loci.items()]
        return float(np.mean(apart)) / pairs if pairs > 0 else math.nan
