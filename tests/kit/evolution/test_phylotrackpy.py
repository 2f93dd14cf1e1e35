"""Phylogeny measures beside an independent implementation, phylotrackpy's."""

from itertools import combinations

import pytest

from openiir.core.seeds import Draw
from openiir.kit.evolution import NO_PARENT, Birth, GenomeSpec, NumberLocus, build_lineage, random_parents

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("ignore")]
AGENTS, GENERATIONS = 9, 30
SPEC = GenomeSpec("neutral", 1, {"x": NumberLocus(rate=0.3)})


def evolve(seed, generations=GENERATIONS):
    """A lineage under one founder, whose tree phylotrackpy can root, and its cohorts of births."""
    draw = Draw(seed, "test.phylotrackpy")
    cohorts = [[Birth(NO_PARENT, SPEC.random(1, draw)[0])]]
    for generation in range(1, generations):
        before = [birth.genome for birth in cohorts[-1]]
        parents = random_parents(len(before), AGENTS, draw, generation)
        cohorts.append(SPEC.reproduce(before, parents, draw, generation))
    return build_lineage(cohorts, SPEC.loci), cohorts


@pytest.fixture
def systematics():
    return pytest.importorskip(
        "phylotrackpy.systematics", reason="phylotrackpy is an optional extra: make test-extras"
    )


def track(systematics, cohorts):
    """The same births told to phylotrackpy, every agent a taxon of its own; the last generation lives."""
    # phylotrackpy calls the function that names a taxon by the organism given
    tree = systematics.Systematics(lambda agent: agent, True, True, False, False)
    tree.set_collapse_unifurcations(False)
    number, alive = 0, []
    for generation, cohort in enumerate(cohorts):
        tree.set_update(generation)
        born = []
        for birth in cohort:
            parent = [] if generation == 0 else [alive[birth.parent]]
            born.append(tree.add_org(str(number), *parent))
            number += 1
        for taxon in alive:
            tree.remove_org(taxon)
        alive = born
    return tree, alive


@pytest.mark.parametrize("seed", range(6))
def test_ancestors_and_diversity_are_phylotrackpys(systematics, seed):
    lineage, cohorts = evolve(seed)
    tree, alive = track(systematics, cohorts)
    last = range(len(lineage.births) - AGENTS, len(lineage.births))
    assert sorted(int(taxon.get_info()) for taxon in alive) == list(last)
    top = tree.get_mrca()
    assert int(top.get_info()) == lineage.common_ancestor(last)
    assert GENERATIONS - 1 - top.get_origination_time() == lineage.coalescence_time(last)
    assert tree.mrca_depth() == len(lineage.ancestors(lineage.common_ancestor(last))) - 1
    assert tree.get_phylogenetic_diversity() == lineage.phylogenetic_diversity(last)
    assert tree.get_num_active() + tree.get_num_ancestors() == lineage.ancestry(last).sum()
    shared = tree.get_shared_ancestor(alive[0], alive[1])
    assert int(shared.get_info()) == lineage.common_ancestor(last[:2])


@pytest.mark.parametrize("seed", range(3))
def test_phylotrackpy_reads_the_same_tree_from_our_file(systematics, tmp_path, seed):
    """All who have no children count as living there; distances run over branches of one generation each."""
    lineage, _ = evolve(seed, generations=12)
    (tmp_path / "lineage.csv").write_text(lineage.to_csv())
    tree = systematics.Systematics(lambda agent: agent, True, True, False, False)
    tree.set_collapse_unifurcations(False)
    tree.load_from_file(str(tmp_path / "lineage.csv"), "taxon_label", True)
    leaves = sorted(set(range(len(lineage.births))) - set(lineage.parent.tolist()))
    assert tree.get_num_active() == len(leaves) and tree.get_num_roots() == 1
    assert tree.get_phylogenetic_diversity() == lineage.phylogenetic_diversity(leaves)
    labels = sorted(taxon.get_info() for taxon in tree.get_active_taxa())
    assert labels == sorted(lineage.births[leaf].genome.id for leaf in leaves)
    generation = lineage.generation
    apart = [
        generation[a] + generation[b] - 2 * generation[lineage.common_ancestor([a, b])]
        for a, b in combinations(leaves, 2)
    ]
    assert tree.get_mean_pairwise_distance(False) == pytest.approx(sum(apart) / len(apart))
