"""Spreading models beside plain loops, live links and the published targets."""

import math

import networkx as nx
import numpy as np
import pytest

from lab.cascades import spreading
from lab.cascades.branching import branching_cascades
from lab.cascades.size_matching import compare_at_equal_size
from lab.cascades.spreading import Contagion, Threshold, spread_items
from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import block_graph, build_graph, from_networkx, power_law_graph
from openiir.kit.statistics.proportion import wilson_interval
from openiir.scenarios.social_media.model.cascades import NOBODY, p_for_reproduction

DRAW = Draw(4, "test.spreading")
GRAPH = power_law_graph(150, DRAW, 2.1, 2)
SEEDS = np.arange(40)
LINK_P = DRAW.at("weight").uniform(item=np.arange(GRAPH.links)) * 0.5
RULES = {
    "independent": Contagion(0.15),
    "by link": Contagion(LINK_P),
    "complex": Contagion(0.12, 0.6),
    "drawn thresholds": Threshold(GRAPH),
    "one threshold": Threshold(GRAPH, 0.25),
}


def naive_decision(name, member, item, sharer, ordinal):
    if "threshold" in name:
        needed = 0.25 if "one" in name else DRAW.at("threshold").uniform(agent=member, item=item)
        return ordinal / len(GRAPH.following.neighbours(member)) >= needed
    unit = DRAW.at("share").uniform(agent=member, item=item, step=sharer)
    if name == "by link":
        place = int(GRAPH.followers.start[sharer])
        return unit < LINK_P[place + GRAPH.followers.neighbours(sharer).tolist().index(member)]
    return unit < (0.15 if name == "independent" else 0.12 if ordinal == 1 else 0.6)


def naive_spread(name, item, seeds):
    """One item, one exposure after the other: {member: (sharer, step)} of shares and of first exposures."""
    shares = dict.fromkeys(seeds, (NOBODY, 0))
    closed, count, first = set(seeds), {}, {}
    frontier, step = sorted(shares), 0
    while frontier:
        step += 1
        waiting = {}
        for sharer in frontier:
            for member in GRAPH.followers.neighbours(sharer).tolist():
                if member not in closed:
                    waiting.setdefault(member, []).append(sharer)
        frontier = []
        for member, sharers in sorted(waiting.items()):
            sharers.sort(key=lambda s: (DRAW.at("order").bits(agent=member, item=item, step=s), s))
            for sharer in sharers:
                count[member] = count.get(member, 0) + 1
                first.setdefault(member, (sharer, step))
                if member not in closed and naive_decision(name, member, item, sharer, count[member]):
                    closed.add(member)
                    shares[member] = (sharer, step)
                    frontier.append(member)
    return shares, first


def by_item(columns, item):
    mine = columns.select(columns.item == item)
    rows = zip(mine.member.tolist(), mine.shown_by.tolist(), mine.time.tolist(), strict=True)
    return {member: (sharer, time) for member, sharer, time in rows}


@pytest.mark.parametrize("name", RULES)
def test_items_spread_as_in_a_plain_loop(name):
    found = spread_items(GRAPH, SEEDS, RULES[name], DRAW)
    for item, seed in enumerate(SEEDS.tolist()):
        shares, first = naive_spread(name, item, [seed])
        assert by_item(found.shares, item) == shares
        assert by_item(found.first_exposures, item) == first
    assert len(found.shares.item) > 1.5 * len(SEEDS)
    assert np.array_equal(found.reach(40), np.bincount(found.first_exposures.item, minlength=40))


@pytest.mark.parametrize("name", ["complex", "drawn thresholds"])
def test_items_of_several_seeds_spread_as_in_a_plain_loop(name):
    items = np.repeat([3, 90], 5)
    found = spread_items(GRAPH, np.arange(10), RULES[name], DRAW, items)
    for item, seeds in ((3, range(5)), (90, range(5, 10))):
        shares, first = naive_spread(name, item, list(seeds))
        assert by_item(found.shares, item) == shares
        assert by_item(found.first_exposures, item) == first


def test_blocks_and_the_order_of_rows_change_nothing(monkeypatch):
    whole = spread_items(GRAPH, SEEDS, RULES["complex"], DRAW)
    monkeypatch.setattr(spreading, "BLOCK", 7 * GRAPH.members)
    parts = spread_items(GRAPH, SEEDS[::-1], RULES["complex"], DRAW, np.arange(40)[::-1])
    for one, other in zip(whole, parts, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_independent_cascades_reach_whoever_live_links_lead_to():
    found = spread_items(GRAPH, SEEDS, RULES["independent"], DRAW)
    links = GRAPH.followers
    for item, seed in enumerate(SEEDS.tolist()):
        unit = DRAW.at("share").uniform(
            agent=links.member.astype(int), item=item, step=links.owners().astype(int)
        )
        live = nx.DiGraph(
            list(zip(links.owners()[unit < 0.15].tolist(), links.member[unit < 0.15].tolist(), strict=True))
        )
        live.add_node(seed)
        assert by_item(found.shares, item).keys() == nx.descendants(live, seed) | {seed}


def test_a_run_of_fewer_steps_is_the_beginning_of_a_longer_one():
    whole = spread_items(GRAPH, SEEDS, RULES["complex"], DRAW)
    short = spread_items(GRAPH, SEEDS, RULES["complex"], DRAW, steps=2)
    for one, other in zip(whole, short, strict=True):
        early = one.select(one.time <= 2)
        assert all(np.array_equal(a, b) for a, b in zip(early, other, strict=True))


@pytest.mark.parametrize("k", [1, 2, 4])
def test_after_k_exposures_members_have_shared_with_the_chance_of_complex_contagion(k):
    runs, p, again = 4_000, 0.1, 0.3
    graph = build_graph(k + 1, np.full(k, k), np.arange(k)).graph
    members, items = np.tile(np.arange(k), runs), np.repeat(np.arange(runs), k)
    found = spread_items(graph, members, Contagion(p, again), DRAW, items)
    moved = int((found.shares.member == k).sum())
    interval = wilson_interval(moved, runs, 0.999)
    assert interval.low <= 1 - (1 - p) * (1 - again) ** (k - 1) <= interval.high


def test_reinforcement_spreads_further_in_a_ring_than_in_a_random_network():
    rings = [nx.watts_strogatz_graph(1_000, 8, rewire, seed=1) for rewire in (0.0, 1.0)]
    graphs = [from_networkx(ring).graph for ring in rings]
    seeds = np.tile(np.arange(4), 200) + np.repeat(np.arange(200) * 5, 4)
    items = np.repeat(np.arange(200), 4)
    sizes = {
        rule: [len(spread_items(g, seeds, rule, DRAW, items, steps=30).shares.item) for g in graphs]
        for rule in (Contagion(0.01, 0.35), Contagion(0.15))
    }
    (ring, random), (simple_ring, simple_random) = sizes.values()
    assert ring > 3 * random and simple_ring < simple_random  # Centola (Science 2010)


def test_p_of_a_reproduction_number_counts_the_audience_of_those_reached():
    graph = build_graph(4, [1, 2, 2, 3, 3, 3], [0, 0, 1, 0, 1, 2]).graph
    audience = np.mean([len(graph.followers.neighbours(m)) for m in graph.followers.member])
    assert p_for_reproduction(graph, 0.6, reached=True) == pytest.approx(0.6 / audience)
    assert p_for_reproduction(graph, 0.6) == pytest.approx(0.6 / 1.5)
    mutual = power_law_graph(5_000, DRAW, 2.5, 3, 300, directed=False)
    p = [p_for_reproduction(mutual, 0.6, reached) for reached in (False, True)]
    seeds = DRAW.at("seed").below(5_000, item=np.arange(300))
    mean = [spread_items(mutual, seeds, Contagion(each), DRAW).trees().size.mean() for each in p]
    assert mean[0] > 10 * mean[1] and mean[1] < 1 / (1 - 0.6)
    with pytest.raises(InputError, match="give a smaller number"):
        p_for_reproduction(graph, 5.0)
    with pytest.raises(InputError, match="needs p = inf"):
        p_for_reproduction(build_graph(3, [1, 2], [0, 0]).graph, 0.5, reached=True)


def large_graph(seed):
    return power_law_graph(20_000, Draw(seed, "test.target"), 2.3, 2)


def large_trees(seed, reproduction, cascades=6_000, graph=None):
    graph = graph or large_graph(seed)
    draw = Draw(seed, "test.target.spread")
    seeds = draw.at("seed").below(20_000, item=np.arange(cascades))
    return spread_items(graph, seeds, Contagion(p_for_reproduction(graph, reproduction)), draw).trees()


@pytest.mark.parametrize(
    ("reproduction", "mean", "alone", "large", "deepest"),
    [(0.5, 2.02, 0.723, 0.0008, 9), (0.8, 4.48, 0.612, 0.0062, 22)],
)
def test_independent_cascades_on_the_configuration_graph_meet_the_targets(
    reproduction, mean, alone, large, deepest
):
    """Six graphs of 6,000 cascades each; the targets are one such graph, so they lie among the six (3 SD)."""
    trees = [large_trees(seed, reproduction) for seed in range(6)]
    for target, found in (
        (mean, [t.size.mean() for t in trees]),
        (alone, [(t.size == 1).mean() for t in trees]),
        (deepest, [t.max_depth.max() for t in trees]),
    ):
        assert abs(np.mean(found) - target) < 3 * np.std(found, ddof=1)
    sizes = np.concatenate([t.size for t in trees])
    ours = wilson_interval(int((sizes > 100).sum()), len(sizes))
    theirs = wilson_interval(round(large * 6_000), 6_000)
    assert ours.low <= theirs.high and theirs.low <= ours.high
    assert np.mean([t.size.mean() for t in trees]) < 1.05 / (1 - reproduction)


def test_infectiousness_alone_changes_structure_on_a_heavy_tail_and_not_without_a_network():
    """Juul & Ugander (PNAS 2021) hold on the branching engine; on a heavy-tailed network they do not."""
    plain = [
        branching_cascades(number, r, DRAW.at(step=number), 10**7)
        for r, number in ((0.5, 150_000), (0.8, 60_000))
    ]
    same = compare_at_equal_size([t.size for t in plain], [t.virality for t in plain], [15, 16])
    assert same.pairs > 80 and same.p > 0.05 and same.difference.low < 0 < same.difference.high
    assert same.first_mean == pytest.approx(3.77, abs=0.15) and same.second_mean == pytest.approx(
        3.82, abs=0.15
    )
    graph = large_graph(1)
    heavy = [large_trees(1, r, number, graph) for r, number in ((0.5, 20_000), (0.8, 8_000))]
    told = compare_at_equal_size([t.size for t in heavy], [t.virality for t in heavy], range(20, 51))
    assert told.pairs > 40 and told.p < 0.01 and told.difference.low > 0.3
    assert told.first_mean == pytest.approx(3.16, abs=0.35) and told.second_mean == pytest.approx(
        3.92, abs=0.35
    )


def test_a_label_that_nobody_crosses_keeps_items_on_its_side():
    sides = np.arange(400) % 2
    graph = block_graph(sides, DRAW, 8, 1.0)
    found = spread_items(graph, np.arange(60), Contagion(0.5), DRAW)
    assert (sides[found.shares.member] == sides[found.shares.item]).all() and len(found.shares.item) > 1_000


def test_nothing_spreads_from_nobody():
    found = spread_items(GRAPH, np.array([], int), RULES["complex"], DRAW)
    assert not len(found.shares.item) and len(found.trees()) == 0


@pytest.mark.parametrize(
    ("spread", "words"),
    [
        (lambda: spread_items(GRAPH, [150], Contagion(0.1), DRAW), "members below 150"),
        (lambda: spread_items(GRAPH, [-1], Contagion(0.1), DRAW), "numbered from 0"),
        (lambda: spread_items(GRAPH, [1, 1], Contagion(0.1), DRAW, [0, 0]), "stand in two rows"),
        (lambda: Contagion(1.5), "from 0 to 1"),
        (lambda: Contagion(math.nan), "from 0 to 1"),
        (lambda: Contagion(0.1, -0.1), "from 0 to 1"),
    ],
)
def test_bad_input_is_refused(spread, words):
    with pytest.raises(InputError, match=words):
        spread()
