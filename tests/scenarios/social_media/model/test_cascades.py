"""Trees and their measures beside golden values, networkx and a naive walk over all pairs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.errors import InputError
from openiir.scenarios.social_media.model.cascades import NOBODY, _sort_by_depth, build_trees, find_shares

forests = st.lists(st.integers(0, 10**6), min_size=1, max_size=40).flatmap(
    lambda numbers: st.tuples(st.just(numbers), st.permutations(range(len(numbers))))
)


def tree_of(parents):
    """Columns of one item whose member i was shown it by member parents[i]."""
    n = len(parents)
    return build_trees(np.zeros(n, int), np.arange(n), np.array(parents), np.zeros(n))


def star(n):
    return tree_of([NOBODY] + [0] * (n - 1))


def path(n):
    return tree_of([NOBODY, *range(n - 1)])


@pytest.mark.parametrize(
    ("tree", "virality"),
    [(star(5), 1.6), (path(5), 2.0), (star(50), 1.96), (path(50), 17.0), (star(500), 1.996)],
)
def test_structural_virality_has_its_golden_values(tree, virality):
    assert tree.virality.tolist() == [pytest.approx(virality, abs=1e-12)]


def test_shapes_of_a_star_and_a_path():
    for tree, depth, breadth in ((star(50), 1, 49), (path(50), 49, 1), (star(1), 0, 1)):
        assert (tree.max_depth.tolist(), tree.max_breadth.tolist()) == ([depth], [breadth])
    assert np.isnan(star(1).virality).all()


@settings(deadline=None)
@given(forests)
def test_measures_are_those_of_networkx_in_any_order_of_rows(drawn):
    numbers, order = drawn
    # (item, member, shown_by): a row of an even number starts a tree, others join one of their item
    rows = []
    for number in numbers:
        earlier = [member for item, member, _ in rows if item == number % 3]
        parent = earlier[number // 6 % len(earlier)] if earlier and number // 3 % 4 else NOBODY
        rows.append((number % 3, 100 + len(rows), parent))
    item, member, shown_by = np.array([rows[n] for n in order]).T
    trees = build_trees(item, member, shown_by, np.zeros(len(rows)))
    graph = nx.DiGraph([(b, m) for _, m, b in rows if b != NOBODY])
    graph.add_nodes_from(m for _, m, _ in rows)
    seen = 0
    for number, root in enumerate(trees.roots.tolist()):
        start = trees.shares.member[root]
        depths = nx.single_source_shortest_path_length(graph, start)
        whole = graph.subgraph(depths).to_undirected()
        n = len(depths)
        widths = np.bincount(list(depths.values()))
        assert (trees.size[number], trees.max_depth[number]) == (n, max(depths.values()))
        assert trees.max_breadth[number] == widths.max()
        if n > 1:
            wanted = 2 * nx.wiener_index(whole) / (n * (n - 1))
            assert trees.virality[number] == pytest.approx(wanted)
        else:
            assert np.isnan(trees.virality[number])
        inside = np.flatnonzero(trees.tree == number)
        assert {trees.shares.member[row] for row in inside} == set(depths)
        for row in inside:
            name = trees.shares.member[row]
            assert trees.depth[row] == depths[name]
            assert trees.subtree_size[row] == 1 + len(nx.descendants(graph, name))
        seen += n
    assert seen == len(rows)


def test_no_shares_make_no_trees():
    none = build_trees(*np.zeros((3, 0), dtype=int), np.zeros(0))
    assert len(none) == 0 and not len(none.size) and not len(none.virality) and not len(none.max_breadth)


def test_levels_are_as_many_as_the_deepest_tree_has():
    for parents, levels in (([-1], [[0]]), ([], [[]]), ([-1, 0, -1, 0, 3], [[0, 2], [1, 3], [4]])):
        found = _sort_by_depth(np.array(parents, dtype=np.int64))[0]
        assert [rows.tolist() for rows in found] == levels


def test_large_numbers_of_items_and_members():
    big = 2**61
    trees = build_trees([big, big, 3], [5, 10**12, 10**12], [NOBODY, 5, NOBODY], [0, 1, 0])
    assert trees.size.tolist() == [2, 1]
    assert find_shares(trees.shares, np.array([big, 3, 4]), np.array([10**12, 10**12, 5])).tolist() == [
        1,
        2,
        -1,
    ]
    ids = np.arange(30) + 10**18
    far = build_trees(
        np.repeat(np.arange(15), 2), ids, np.where(np.arange(30) % 2, ids - 1, NOBODY), np.zeros(30)
    )
    assert far.size.tolist() == [2] * 15
    assert find_shares(far.shares, np.array([14, 14, 1]), np.array([10**18 + 29, 10**18, -1])).tolist() == [
        29,
        -1,
        -1,
    ]


def test_nobody_is_no_member_of_another_item():
    trees = build_trees([0, 0, 1], [1, 2, 1], [NOBODY, 1, NOBODY], [0, 0, 0])
    assert find_shares(trees.shares, np.array([1, 0]), np.array([NOBODY, NOBODY])).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([0, 0, 0], [1, 2, 3], [NOBODY, 3, 2], [0, 1, 2]), "member 2 leads back to the same member"),
        (([0, 0], [1, 1], [NOBODY, 1], [0, 1]), "member 1 shares item 0 twice"),
        (([0, 0], [1, 2], [NOBODY, 2], [0, 1]), "leads back to the same member"),
        (
            ([0, 1], [1, 2], [NOBODY, 1], [0, 1]),
            "item 1: member 2 was shown it by member 1, who never shared it",
        ),
        (([0, 0], [1, 2], [NOBODY, 1], [5, 4]), "at 4, earlier than that share at 5"),
        (([0], [1, 2], [NOBODY, 1], [0, 1]), "columns of one length"),
        (([0.5], [1], [NOBODY], [0]), "are integers"),
        (([0], [1], [-2], [0]), "shown_by may be -1"),
        (([0], [1], [NOBODY], [np.nan]), "row 0 has no time"),
    ],
)
def test_shares_that_make_no_trees_are_refused(columns, words):
    with pytest.raises(InputError, match=words):
        build_trees(*columns)
