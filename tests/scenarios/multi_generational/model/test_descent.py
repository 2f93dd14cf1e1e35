"""Views and measures of descent, on two generations counted by eye and on random ones by loops."""

from collections import Counter

import numpy as np
import pytest

from openiir.kit.evolution import NO_PARENT, Birth, Genome, Mutation
from openiir.plugin import Draw
from openiir.scenarios.multi_generational.measures.metrics import measure_descent
from openiir.scenarios.multi_generational.run.births import BirthHistory
from openiir.scenarios.multi_generational.views.descent import (
    SPREAD,
    build_family_tree,
    describe_counter_changes,
    describe_trait_spread,
    show_ancestry,
    show_genomes,
    trace_locus_values,
)

START = {"way": "plain", "cue.doubt": 0.5}


def breed(side, *generations):
    """Build a history from, for each generation, (parent, {locus: value after}) of every agent."""
    cohorts: list[list[Birth]] = []
    for generation in generations:
        cohort = []
        for parent, changed in generation:
            before = START if parent == NO_PARENT else cohorts[-1][parent].genome.values
            genome = Genome(kind=side, version=1, values=before | changed)
            mutations = (
                ()
                if parent == NO_PARENT
                else tuple(
                    Mutation(locus, before[locus], after, f"draw {locus}") for locus, after in changed.items()
                )
            )
            cohort.append(Birth(parent, genome, mutations))
        cohorts.append(cohort)
    ids = [f"{side}-{g}-{n}" for g, cohort in enumerate(cohorts) for n in range(len(cohort))]
    return BirthHistory(side, cohorts, ids, [f"Name {id}" for id in ids])


# Founder 1 has all descendants: its child changes the way, whose first child doubts more, the other not.
WRITERS = breed(
    "writer",
    [(-1, {}), (-1, {"cue.doubt": 0.25})],
    [(1, {"way": "bold"}), (0, {})],
    [(0, {"cue.doubt": 0.75}), (0, {})],
)
READERS = breed(
    "reader",
    [(-1, {}), (-1, {})],
    [(0, {"cue.doubt": 0.1}), (1, {"way": "slow"})],
    [(1, {}), (1, {"cue.doubt": 0.9})],
)


def test_a_tree_joins_what_does_not_branch_and_counts_the_living():
    nodes = {node.id: node for node in build_family_tree({"writer": WRITERS}).nodes}
    assert set(nodes) == {"writer-0-1", "writer-2-0"}, (
        "who left nobody, and the last without a change, are not drawn"
    )
    root, leaf = nodes["writer-0-1"], nodes["writer-2-0"]
    assert root.label == "writers 0-1: Name writer-1-0; way: plain -> bold" and (root.parent, root.step) == (
        "",
        1,
    )
    assert root.value == 2.0, "both of the last generation descend from it"
    assert leaf.label == "2: Name writer-2-0; cue.doubt: 0.25 -> 0.75" and leaf.parent == "writer-0-1"
    assert leaf.value is None and leaf.step == 3


def test_a_change_that_is_taken_back_leaves_no_trace_in_a_tree():
    there_and_back = breed("writer", [(-1, {})], [(0, {"way": "bold"})], [(0, {"way": "plain"})])
    (node,) = build_family_tree({"writer": there_and_back}).nodes
    assert node.label == "writers 0-2: Name writer-2-0"


def test_carriers_of_a_trait_are_compared_with_the_others():
    lineage, ids = WRITERS.lineage, WRITERS.agents
    score = {"writer-1-0": 0.75, "writer-1-1": 0.25, "writer-2-0": 0.5, "writer-2-1": 0.5}
    bold = ids.index("writer-1-0")
    assert list(describe_trait_spread(lineage, ids, bold, "way", score, "they had")) == [
        ("way, 1 generation later", "2 of 2 carry it")
    ], "where all carry it, there is nobody to compare with"
    assert not list(
        describe_trait_spread(lineage, ids, ids.index("writer-2-0"), "cue.doubt", score, "they had")
    )
    split = breed(
        "writer", [(-1, {})] * 3, [(0, {"way": "bold"}), (1, {}), (2, {})], [(0, {}), (1, {}), (2, {})]
    )
    fared = {"writer-2-0": 0.75, "writer-2-1": 0.25, "writer-2-2": 0.5}
    assert list(describe_trait_spread(split.lineage, split.agents, 3, "way", fared, "they had")) == [
        ("way, 1 generation later", "1 of 3 carry it; they had 0.750, others' 0.375")
    ]
    (unknown,) = describe_trait_spread(
        split.lineage, split.agents, 3, "way", {"writer-2-0": 0.75}, "they had"
    )
    assert unknown[1] == "1 of 3 carry it", "without all scores nothing is compared"


def test_answers_are_the_changes_that_spread_most():
    assert list(describe_counter_changes(READERS, 0)) == [
        "way: plain -> slow (0 -> 2 carriers)",
        "cue.doubt: 0.5 -> 0.9 (0 -> 1 carriers)",
    ]
    assert list(describe_counter_changes(READERS, 1)) == [
        "way: plain -> slow (1 -> 2 carriers)",
        "cue.doubt: 0.5 -> 0.9 (0 -> 1 carriers)",
    ]
    assert not list(describe_counter_changes(READERS, 2)), "nothing comes after the last generation"


def test_a_line_leads_from_the_founder_over_each_mutation():
    score = dict.fromkeys(WRITERS.agents, 0.5)
    cards = show_ancestry(
        WRITERS, READERS, "writer-2-0", lambda one: [str(one.values["way"])], score, "had"
    ).items
    assert [card.title for card in cards] == [
        "Name writer-0-1, founder",
        "Name writer-1-0, generation 1",
        "Name writer-2-0, generation 2",
    ]
    assert cards[0].text == "plain" and cards[1].text == "way: [-plain-] {+bold+}"
    assert cards[1].fields == {
        "way, 1 generation later": "2 of 2 carry it",
        f"readers, by generation {min(1 + SPREAD, 2)}": "; ".join(describe_counter_changes(READERS, 1)),
    }
    (first,) = show_ancestry(WRITERS, READERS, "writer-0-0", lambda one: [], score, "had").items
    assert first.id == "writer-0-0"


def test_genomes_and_shares_are_those_of_the_births():
    (card,) = show_genomes(WRITERS, ["writer-2-0"], lambda one: [str(one.values["way"])])
    assert (card.text, card.fields, card.badge) == ("bold", {"cue.doubt": "0.75"}, "writer")
    lines = trace_locus_values(WRITERS, "way", ["plain", "bold"], str)
    assert lines == {
        "writers: plain": ((0, 1.0), (1, 0.5), (2, 0.0)),
        "writers: bold": ((0, 0.0), (1, 0.5), (2, 1.0)),
    }


def breed_by_chance(seed, agents=5, generations=9):
    draw = Draw(seed, "descent")
    made = [[(-1, {})] * agents]
    for g in range(1, generations):
        picks = [draw.below(agents, step=g, agent=n) for n in range(agents)]
        news = [draw.at("new").chance(0.2, step=g, agent=n) for n in range(agents)]
        made.append(
            [
                (p, {"way": f"{g}/{n}"} if new else {})
                for n, (p, new) in enumerate(zip(picks, news, strict=True))
            ]
        )
    return breed("writer", *made)


def walk_back(history):
    """List the ancestors of each of the last generation, itself first, as (generation, place)."""
    end, walks = len(history.births) - 1, []
    for n in range(len(history.births[end])):
        walk = [(end, n)]
        while walk[-1][0]:
            g, at = walk[-1]
            walk.append((g - 1, history.births[g][at].parent))
        walks.append(walk)
    return walks


@pytest.mark.parametrize("seed", range(12))
def test_measures_are_those_of_walks_over_parents(seed):
    history = breed_by_chance(seed)
    walks, end = walk_back(history), len(history.births) - 1
    shared, everybody = set.intersection(*map(set, walks)), set.union(*map(set, walks))
    found = measure_descent("writer", history.lineage)
    depth = found["mrca_depth.writer"].value
    assert depth == end - max(shared)[0] if shared else np.isnan(depth)
    assert found["founders.writer"].value == len({walk[-1] for walk in walks})
    assert found["phylogenetic_diversity.writer"].value == len([g for g, _ in everybody if g])
    fixed = [bool(history.births[g][n].mutations) for g, n in shared if g]
    assert found["fixations.writer.way"].value == fixed.count(True)
    assert found["fixations.writer.cue"].value == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_counts_the_living_below_each_node(seed):
    history = breed_by_chance(seed)
    walks = walk_back(history)
    inner = [node for node in build_family_tree({"writer": history}).nodes if node.value is not None]
    assert inner
    for node in inner:
        at = divmod(history.agent_number(node.id), len(history.births[0]))
        assert node.value == len([walk for walk in walks if at in walk]), node


def test_shares_add_up_to_one():
    history = breed_by_chance(3)
    ways = sorted({str(birth.genome.values["way"]) for cohort in history.births for birth in cohort})
    lines = trace_locus_values(history, "way", ways, str)
    for generation, cohort in enumerate(history.births):
        counted = Counter(str(birth.genome.values["way"]) for birth in cohort)
        assert [line[generation][1] * len(cohort) for line in lines.values()] == [
            counted[way] for way in ways
        ]
