"""Measures of a follower graph's structure: assortativity, communities, influence rank, controversy."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.arrays import Floats, Ints
from openiir.kit.networks.exchange import to_networkx
from openiir.kit.networks.follower_graph import FollowerGraph
from openiir.kit.statistics import Statistic, Undefined
from openiir.plugin import order_by

Side = Literal["following", "followers"]
_LEFT, _MOST_STEPS = 1e-12, 100_000
"""Share of random walkers that may still be under way, and number of steps after which that is given up."""


@Statistic
def degree_assortativity(
    graph: FollowerGraph, follower: Side = "following", followee: Side = "followers"
) -> float:
    """Compute Newman's degree assortativity over follows, -1 to 1 (Phys. Rev. E 2003).

    By default it correlates how many the follower follows with how many follow the followee. Undefined where
    all follows have the same degree at one end.
    """
    links = graph.following
    ends = (
        getattr(graph, follower).degrees[links.owners()].astype(np.float64),
        getattr(graph, followee).degrees[links.member].astype(np.float64),
    )
    if not graph.links or any(end.min() == end.max() for end in ends):
        raise Undefined("no two follows have different degrees at both ends")
    a, b = (end - end.mean() for end in ends)
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


@Statistic
def label_assortativity(graph: FollowerGraph, labels: ArrayLike) -> float:
    """Compute Newman's assortativity of a label (Phys. Rev. E 2003), a measure of homophily.

    It is 1 where all follow their like, 0 where labels say nothing, negative where unlike members follow each
    other. Undefined where there are no follows, or all of them join one label.
    """
    codes = _codes(graph, labels)
    links = graph.following
    k = int(codes.max(initial=0)) + 1
    mixing = np.bincount(codes[links.owners()] * k + codes[links.member], minlength=k * k).reshape(k, k)
    if not graph.links:
        raise Undefined("the graph has no follows")
    share = mixing / graph.links
    expected = float((share.sum(axis=0) * share.sum(axis=1)).sum())
    if expected == 1:
        raise Undefined("all follows join members of one label")
    return (float(np.trace(share)) - expected) / (1 - expected)


def _codes(graph: FollowerGraph, labels: ArrayLike) -> Ints:
    column = np.asarray(labels)
    if column.shape != (graph.members,):
        raise InputError(f"{column.shape} labels for {graph.members} members; give one a member")
    return np.unique(column, return_inverse=True)[1]


def find_communities(graph: FollowerGraph, draw: Draw, resolution: float = 1.0) -> Ints:
    """Find communities by networkx's directed Louvain method (Blondel et al., J. Stat. Mech. 2008).

    Returns the number of each member's community; 0 is the largest, ties by the smallest member. For graphs
    of up to some 100,000 follows.
    """
    import networkx as nx

    found = nx.community.louvain_communities(
        to_networkx(graph), weight=None, resolution=resolution, seed=draw.below(2**32)
    )
    community = np.zeros(graph.members, dtype=np.int64)
    for number, members in enumerate(sorted(found, key=lambda members: (-len(members), min(members)))):
        community[list(members)] = number
    return community


def influence_rank(graph: FollowerGraph, damping: float = 0.85, weight: Floats | None = None) -> Floats:
    """Compute PageRank (Page et al., 1999) from followers to followees; the shares add up to 1.

    `weight` gives each follow a weight, in the order of `graph.followers`. Members who follow nobody pass
    their rank to all alike. The iteration ends where no more than 1e-12 of all rank moves.
    """
    from scipy.sparse import csr_matrix

    if not 0 <= damping < 1:
        raise InputError(f"damping is {damping}; it is at least 0 and below 1, usually 0.85")
    n, side = graph.members, graph.followers
    weights = np.ones(graph.links) if weight is None else np.asarray(weight, dtype=np.float64)
    if weights.shape != (graph.links,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(f"weights are {graph.links} finite numbers of at least 0, one a follow")
    given = np.bincount(side.member, weights, minlength=n)
    incoming = csr_matrix((weights, side.member, side.start), shape=(n, n))
    rank = np.full(n, 1 / max(n, 1))
    while True:
        passed = incoming @ np.divide(rank, given, out=np.zeros(n), where=given > 0)
        rest = 1 - damping * float(passed.sum())
        change = damping * passed + rest / max(n, 1) - rank
        rank = rank + change
        if float(np.abs(change).sum()) <= _LEFT:
            return rank


@Statistic
def random_walk_controversy(graph: FollowerGraph, sides: ArrayLike, authorities: int = 10) -> float:
    """Compute random-walk controversy: near 1 for two camps, near 0 for one (Garimella et al., WSDM 2016).

    `sides` are 0, 1, or -1 for members of neither side. The `authorities` of a side are its members with most
    followers, ties by number. Walks start at a random other member of either side, go along follows in both
    directions, and end at the first authority. With P_AB the probability that a walk that ended in B had
    started in A, the measure is P_AA P_BB - P_AB P_BA, computed exactly from the walk's transition
    probabilities, not by sampling. Members from whom no authority can be reached are left out. Undefined
    where a side has no member or authority to be reached.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    side = np.asarray(sides)
    if side.shape != (graph.members,) or not np.isin(side, (-1, 0, 1)).all():
        raise InputError(f"sides are {graph.members} numbers 0, 1 or -1 (neither side), one a member")
    links = graph.following
    ones = np.ones(graph.links)
    adjacency = csr_matrix((ones, links.member, links.start), shape=(graph.members,) * 2)
    adjacency = ((adjacency + adjacency.T) > 0).astype(np.float64)
    by_followers = order_by(-graph.followers.degrees.astype(np.int64))
    ends = [by_followers[side[by_followers] == s][:authorities] for s in (0, 1)]
    component = connected_components(adjacency, directed=False)[1]
    reaches = np.isin(component, component[np.concatenate(ends)])
    reaches[np.concatenate(ends)] = False
    starts = [np.flatnonzero((side == s) & reaches) for s in (0, 1)]
    if not all(len(part) for part in (*starts, *ends)):
        raise Undefined("a side has no authority, or nobody else from whom one can be reached")
    degree = np.maximum(np.diff(adjacency.indptr), 1)
    walkers = np.zeros((graph.members, 2))
    for s in (0, 1):
        walkers[starts[s], s] = 1 / len(starts[s])
    ended = np.zeros((2, 2))  # started in, ended in
    for _ in range(_MOST_STEPS):
        for s in (0, 1):
            ended[:, s] += walkers[ends[s]].sum(axis=0)
            walkers[ends[s]] = 0
        if float(walkers.sum()) <= _LEFT:
            share = ended / ended.sum(axis=0)
            return float(share[0, 0] * share[1, 1] - share[0, 1] * share[1, 0])
        walkers = adjacency @ (walkers / degree[:, None])
    raise Undefined(f"walks go on for more than {_MOST_STEPS:,} steps")
