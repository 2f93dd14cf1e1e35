"""Follower graphs beside a plain dictionary of follows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import FollowerGraph, build_graph

N = 7
pairs = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(-3, 9)), max_size=40)
batches = st.lists(
    st.tuples(st.booleans(), st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=12)),
    max_size=5,
)


def as_dict(graph: FollowerGraph) -> dict[tuple[int, int], int]:
    """Read the follows of both directions, which must agree and be sorted."""
    forward = dict(
        zip(
            zip(graph.following.owners().tolist(), graph.following.member.tolist(), strict=True),
            graph.following.since.tolist(),
            strict=True,
        )
    )
    back = dict(
        zip(
            zip(graph.followers.member.tolist(), graph.followers.owners().tolist(), strict=True),
            graph.followers.since.tolist(),
            strict=True,
        )
    )
    assert forward == back and len(forward) == graph.links
    for side in (graph.following, graph.followers):
        assert {column.dtype for column in (side.start, side.member, side.since)} == {np.dtype(np.int32)}
        assert all((np.diff(side.neighbours(member)) > 0).all() for member in range(graph.members))
    return forward


@settings(deadline=None)
@given(pairs)
def test_a_graph_holds_each_proper_pair_once_with_its_earliest_step(rows):
    a, b, when = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    built = build_graph(N, a, b, when)
    wanted: dict[tuple[int, int], int] = {}
    for i, j, step in rows:
        if i != j:
            wanted[i, j] = min(step, wanted.get((i, j), step))
    assert as_dict(built.graph) == wanted
    assert built.self_follows == sum(i == j for i, j, _ in rows)
    assert built.self_follows + built.repeats + len(wanted) == len(rows)


@settings(deadline=None)
@given(pairs, batches, st.randoms(use_true_random=False))
def test_batches_change_what_they_name_in_any_order(rows, changes, random):
    a, b, when = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    graph = again = build_graph(N, a, b, when).graph
    first, wanted = as_dict(graph), as_dict(graph)
    for step, (follow, batch) in enumerate(changes):
        batch = [pair for pair in batch if pair[0] != pair[1]]
        shuffled = random.sample(batch, len(batch))
        for pair in batch:
            if follow:
                wanted.setdefault(pair, step)
            else:
                wanted.pop(pair, None)
        ends, other = (np.array(x, dtype=np.int64).reshape(-1, 2).T for x in (batch, shuffled))
        before = graph
        graph = graph.follow(*ends, step) if follow else graph.unfollow(*ends)
        again = again.follow(*other, step) if follow else again.unfollow(*other)
        assert as_dict(before).keys() | wanted.keys() >= as_dict(graph).keys()
        assert as_dict(graph) == as_dict(again) == wanted
    assert as_dict(build_graph(N, a, b, when).graph) == first


def test_many_follows_are_looked_up_at_once():
    draw, n = Draw(3, "test.graph"), 60
    a, b = (draw.at(end).below(n, item=np.arange(700)) for end in "ab")
    graph = build_graph(n, a, b).graph
    known = as_dict(graph)
    i, j = np.divmod(np.arange(n * n), n)
    assert graph.follows(i, j).tolist() == [
        pair in known for pair in zip(i.tolist(), j.tolist(), strict=True)
    ]
    row, link = graph.followers.expand(np.array([5, 2, 5]))
    of_five, of_two = list(graph.followers.neighbours(5)), list(graph.followers.neighbours(2))
    assert graph.followers.member[link].tolist() == of_five + of_two + of_five
    assert row.tolist() == sorted(row.tolist())


def test_a_graph_without_members_or_follows():
    assert build_graph(0, np.array([], int), np.array([], int)).graph.links == 0
    empty = build_graph(3, np.array([], int), np.array([], int)).graph
    assert not empty.follows([0, 1], [1, 2]).any()
    assert as_dict(empty.follow([2, 0], [0, 1], 4)) == {(2, 0): 4, (0, 1): 4}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: build_graph(3, [0, 1], [1, 3]), "row 1 names the member 3, but there are 3"),
        (lambda g: build_graph(3, [-1], [1]), "row 0 names the member -1"),
        (lambda g: build_graph(3, [0, 1], [1]), "two columns of one length"),
        (lambda g: build_graph(3, [0.5], [1]), "numbered by integers"),
        (lambda g: build_graph(3, [0], [1], [1, 2]), "2 steps for 1 follows"),
        (lambda g: build_graph(3, [0], [1], [0.5]), "count steps, not moments"),
        (lambda g: build_graph(3, [0], [1], [2**40]), "at most 31 bits"),
        (lambda g: build_graph(-1, [], []), "a graph of -1 members"),
        (lambda g: g.follow([2], [2], 1), "member 2 is to follow or unfollow itself"),
        (lambda g: g.unfollow([0, 1], [2, 1]), "member 1 is to follow or unfollow itself"),
        (lambda g: g.follow([9], [2], 1), "names the member 9"),
        (lambda g: g.follow([0], [2], 2**31), "at most 31 bits"),
    ],
)
def test_bad_input_is_refused(change, words):
    graph = build_graph(3, [0], [1]).graph
    with pytest.raises(InputError, match=words):
        change(graph)
