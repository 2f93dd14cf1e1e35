"""Lineages beside plain walks over parents, and a forest that is known."""

import csv
import io
from itertools import combinations

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.evolution import (
    NO_PARENT,
    Birth,
    GenomeSpec,
    Mutation,
    NumberLocus,
    SelectionRule,
    TextLocus,
    build_lineage,
)

DRAW = Draw(6, "test.lineage")
LOCI = {
    "cue": NumberLocus(low=0, high=1, rate=0.1),
    "text": TextLocus(options={"a": "A", "b": "B"}, rate=0.2),
}
SPEC = GenomeSpec("producer", 1, LOCI)


def evolve(seed, agents=8, generations=12, method="tournament"):
    """Cohorts of births under selection for a high cue."""
    draw, rule = Draw(seed, "test.lineage"), SelectionRule(method=method, elites=1)
    cohorts = [[Birth(NO_PARENT, genome) for genome in SPEC.random(agents, draw)]]
    for generation in range(1, generations):
        genomes = [birth.genome for birth in cohorts[-1]]
        parents = rule.choose_parents([g.values["cue"] for g in genomes], agents, draw, generation)
        cohorts.append(SPEC.reproduce(genomes, parents, draw, generation, elites=rule.copies))
    return build_lineage(cohorts, LOCI)


def known():
    """Founders 0 and 1; 0 has 2 and 3, 1 has 4; 3 has 5 and 6, 4 has 7."""
    genome = SPEC.build({"cue": 0.5, "text": "A"})
    change = Mutation("text", "A", "B", "d"), Mutation("cue", 0.5, 0.75, "d"), Mutation("text", "B", "A", "d")
    return build_lineage(
        [
            [Birth(-1, genome), Birth(-1, genome)],
            [Birth(0, genome), Birth(0, genome, change[:2]), Birth(1, genome)],
            [Birth(1, genome, change[2:]), Birth(1, genome), Birth(2, genome)],
        ],
        LOCI,
    )


def plain_ancestors(lineage, agent):
    line = []
    while agent != NO_PARENT:
        line.append(agent)
        agent = int(lineage.parent[agent])
    return line


def test_a_known_forest():
    lineage = known()
    assert lineage.parent.tolist() == [-1, -1, 0, 0, 1, 3, 3, 4]
    assert lineage.generation.tolist() == [0, 0, 1, 1, 1, 2, 2, 2]
    assert lineage.ancestors(6) == [6, 3, 0]
    assert lineage.common_ancestor([5, 6]) == 3 and lineage.coalescence_time([5, 6]) == 1
    assert lineage.common_ancestor([2, 5]) == 0 and lineage.common_ancestor([5, 3]) == 3
    assert lineage.common_ancestor([5, 7]) is None and lineage.coalescence_time([5, 7]) is None
    assert lineage.common_ancestor([4]) == 4 and lineage.coalescence_time([4]) == 0
    assert lineage.phylogenetic_diversity([5, 6]) == 3 and lineage.phylogenetic_diversity([5, 6, 7]) == 5
    assert lineage.survival() == [2, 2, 2] and lineage.survival(1) == [3, 2]
    assert lineage.fixations() == []


def test_a_trait_is_followed_back_to_the_birth_where_it_appeared():
    lineage = known()
    assert [(birth, m and m.after) for birth, m in lineage.trace(6, "text")] == [(3, "B"), (0, None)]
    assert [birth for birth, _ in lineage.trace(5, "text")] == [5, 3, 0]
    assert [birth for birth, _ in lineage.trace(5, "cue")] == [3, 0]
    assert lineage.trace(7, "cue") == [(1, None)]


@pytest.mark.parametrize("seed", range(5))
def test_traces_explain_what_agents_carry(seed):
    lineage = evolve(seed)
    assert any(birth.mutations for birth in lineage.births)
    for agent, birth in enumerate(lineage.births):
        line = plain_ancestors(lineage, agent)
        assert lineage.ancestors(agent) == line
        for locus in LOCI:
            steps = lineage.trace(agent, locus)
            changed = [a for a in line if any(m.locus == locus for m in lineage.births[a].mutations)]
            assert [a for a, _ in steps] == [*changed, line[-1]]
            values = [birth.genome.values[locus], *(m.before for _, m in steps if m)]
            origin = [lineage.births[a].genome.values[locus] for a, _ in steps]
            assert values == origin and steps[-1][1] is None
            assert lineage.carried[agent, list(LOCI).index(locus)] == steps[0][0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", ["tournament", "random"])
def test_ancestors_are_those_of_plain_walks(seed, method):
    lineage = evolve(seed, method=method)
    lines = [set(plain_ancestors(lineage, agent)) for agent in range(len(lineage.births))]
    pairs = list(combinations(range(0, len(lines), 7), 2)) + [tuple(range(88, 96)), (88, 90, 95)]
    for agents in pairs:
        shared = set.intersection(*(lines[a] for a in agents))
        found = lineage.common_ancestor(agents)
        assert found == (max(shared) if shared else None)
        late = max(lineage.generation[a] for a in agents)
        assert lineage.coalescence_time(agents) == (
            None if found is None else late - lineage.generation[found]
        )
        union = set.union(*(lines[a] for a in agents))
        assert set(np.flatnonzero(lineage.ancestry(agents))) == union
        assert lineage.phylogenetic_diversity(agents) == len([a for a in union if lineage.parent[a] >= 0])
    for start in (0, 4):
        cohort = set(range(8 * start, 8 * start + 8))
        later = [range(8 * g, 8 * g + 8) for g in range(start, 12)]
        assert lineage.survival(start) == [
            len(set.union(*(lines[a] for a in agents)) & cohort) for agents in later
        ]


@pytest.mark.parametrize("seed", range(5))
def test_changes_are_fixed_when_everybody_descends_from_them(seed):
    lineage = evolve(seed, generations=40)
    lines = [set(plain_ancestors(lineage, agent)) for agent in range(len(lineage.births))]
    expected = []
    for agent, birth in enumerate(lineage.births):
        when = [g for g in range(40) if all(agent in lines[a] for a in range(8 * g, 8 * g + 8))]
        loci = [m.locus for m in birth.mutations] if lineage.parent[agent] >= 0 else LOCI
        expected += [(locus, agent, lineage.generation[agent], when[0]) for locus in loci if when]
    assert lineage.fixations() == expected and len(expected) > 2


# Files


def test_csv_has_the_columns_of_the_standard():
    lineage = evolve(1)
    rows = list(csv.DictReader(io.StringIO(lineage.to_csv())))
    assert len(rows) == 96
    for agent, row in enumerate(rows):
        parent, birth = lineage.parent[agent], lineage.births[agent]
        assert row["id"] == str(agent)
        assert row["ancestor_list"] == ("[none]" if parent < 0 else f"[{parent}]")
        assert row["origin_time"] == str(agent // 8)
        assert row["destruction_time"] == ("inf" if agent >= 88 else str(agent // 8 + 1))
        assert row["taxon_label"] == birth.genome.id
        assert row["mutated"].split() == [m.locus for m in birth.mutations]


@pytest.mark.parametrize(
    ("cohorts", "words"),
    [
        ([], "a generation has no births"),
        ([[-1], []], "a generation has no births"),
        ([[0]], "generation 0: a parent is 0; founders have -1"),
        ([[-1, -1], [2]], "generation 1: a parent is 2; .* the generation before, of 2"),
        ([[-1], [0], [-1]], "generation 2: a parent is -1"),
    ],
)
def test_births_that_cannot_be_are_refused(cohorts, words):
    genome = SPEC.build({"cue": 0.5, "text": "A"})
    with pytest.raises(InputError, match=words):
        build_lineage([[Birth(parent, genome) for parent in cohort] for cohort in cohorts], LOCI)
