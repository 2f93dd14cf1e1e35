"""Small graphs, and the slow and plain way to count on them: walk every path."""

from collections import Counter
from types import SimpleNamespace

import networkx
import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.schema import COLUMNS as NODES
from openiir.scenarios.recommender.model.graph.schema import schema_of

USERS, ITEMS = 6, 8
COLUMNS = (
    "genre",
    "director",
    "actor",
    "year",
    "developer",
    "publisher",
    "tag",
    "price",
    "release_date",
    "author",
)


def tiny(kind="movie", seed=0, without=()):
    """A collection, training ratings, columns about users and interactions, all drawn; the last item is never
    rated."""
    draw = np.random.default_rng(seed)

    def column(n):
        return tuple(tuple(f"v{v}" for v in np.flatnonzero(draw.random(4) < 0.4)) for _ in range(n))

    attributes = {name: column(ITEMS) for name in COLUMNS if name not in without}
    ids = tuple(f"i{n}" for n in range(ITEMS))
    collection = Collection(kind, ids, tuple(f"The {id} story" for id in ids), attributes)
    user, item = np.nonzero(draw.random((USERS, ITEMS)) < [0.5] * (ITEMS - 1) + [0.0])
    train = Ratings(USERS, ITEMS, user, item, draw.integers(1, 6, len(user)).astype(float))
    people = {
        "age": tuple(str(a) for a in draw.integers(0, 3, USERS)),
        "occupation": tuple(str(a) for a in draw.integers(0, 2, USERS)),
        "tag": column(USERS),
    }
    names = [e.name for e in schema_of(kind).edges if e.origin == "interaction"]
    interactions = {name: np.nonzero(draw.random((USERS, ITEMS)) < 0.3) for name in names}
    return collection, train, people, interactions


def graph_of(kind="movie", seed=0, **more):
    collection, train, people, interactions = tiny(kind, seed)
    return KnowledgeGraph.build(collection, train, users=people, interactions=interactions, **more)


def walked(kind, collection, train, people, interactions):
    """The same graph in networkx, made from the data and the schema's names alone; an edge for each fact."""
    schema, web = schema_of(kind), networkx.MultiDiGraph()

    def join(edge, one, other):
        web.add_edge((edge.source, one), (edge.target, other), name=edge.name)
        web.add_edge((edge.target, other), (edge.source, one), name=edge.inverse)

    rows = list(zip(train.user.tolist(), train.item.tolist(), train.value.tolist(), strict=True))
    for edge in schema.edges:
        says = (lambda v: v) if "Rating" in (edge.source, edge.target) else (lambda v: (v >= 4) - (v <= 2))
        chosen = {"rated": lambda v: True, "liked": lambda v: v >= 4, "disliked": lambda v: v <= 2}
        for u, i, v in rows:
            if edge.origin in chosen and chosen[edge.origin](v):
                join(edge, u, i)
            if edge.origin == "gives":
                join(edge, u, says(v))
            if edge.origin == "gets":
                join(edge, says(v), i)
        if edge.origin == "interaction":
            for u, i in zip(*(a.tolist() for a in interactions[edge.name]), strict=True):
                join(edge, u, i)
        if edge.origin in ("attribute", "person"):
            known = collection.attributes if edge.origin == "attribute" else people
            for n, values in enumerate(known.get(NODES[edge.target], ())):
                for value in [values] if isinstance(values, str) else values:
                    join(edge, n, value)
    return web


def edge_names(path):
    """Names of the edges that a path walks along, each in the path's direction."""
    return tuple(edge.inverse if backwards else edge.name for edge, backwards in path.steps)


def count(web, start, names):
    """By end node: the paths from a node along edges of these names in turn, each walked."""
    ends = [start] if start in web else []
    for name in names:
        ends = [there for at in ends for _, there, called in web.out_edges(at, data="name") if called == name]
    return Counter(ends)


def pathsim(there, here, other):
    """Sun et al.'s similarity of two nodes by their counts; 0 without paths."""
    return 2 * there / (here + other) if here + other else 0.0


@pytest.fixture(scope="session")
def small():
    """Everything above, for tests to use."""
    return SimpleNamespace(
        users=USERS,
        items=ITEMS,
        data=tiny,
        graph=graph_of,
        walked=walked,
        count=count,
        pathsim=pathsim,
        names=edge_names,
    )
