"""Evolution: genomes of typed loci, selection and births by named draws, and lineages."""

from openiir.kit.evolution.genomes import Birth, Genome, GenomeSpec, Mutation
from openiir.kit.evolution.lineage import NO_PARENT, Fixation, Lineage, build_lineage
from openiir.kit.evolution.loci import NumberLocus, TextLocus
from openiir.kit.evolution.selection import (
    SelectionRule,
    choose_opponents,
    random_parents,
    rank_agents,
    share_fitness,
)

__all__ = [
    "NO_PARENT",
    "Birth",
    "Fixation",
    "Genome",
    "GenomeSpec",
    "Lineage",
    "Mutation",
    "NumberLocus",
    "SelectionRule",
    "TextLocus",
    "build_lineage",
    "choose_opponents",
    "random_parents",
    "rank_agents",
    "share_fitness",
]
