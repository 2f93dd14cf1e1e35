"""Knowledge graph with typed edges as read-only sparse matrices, built from training data alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.ratings import Ints
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.graph.schema import USER, EdgeType, MetaPath, Schema, schema_of

Pairs = tuple[Ints, Ints]
"""User indices and item indices of equal length, one pair for each edge."""
People = Mapping[str, Sequence[str | tuple[str, ...]]]
LIKED, DISLIKED = 4.0, 2.0
"""Smallest rating of a liked item, and largest rating of a disliked one."""
SENTIMENTS = ("negative", "neutral", "positive")


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """Read-only graph that all agents share; an agent's own edges are in its `GraphMemory`."""

    schema: Schema
    collection: Collection
    train: Ratings
    edges: Mapping[EdgeType, Any]
    """Number of edges between two nodes by edge type, as a SciPy CSR matrix, source x target."""
    values: Mapping[str, tuple[str, ...]]
    """Nodes of each type other than users and items, in order of their indices."""
    paths: tuple[MetaPath, ...]
    """Meta-paths of the schema that have instances in this graph."""
    left_out: Mapping[str, str]
    """Reason why an edge type or meta-path is not used, by its name."""

    @classmethod
    def build(
        cls,
        collection: Collection,
        train: Ratings,
        users: People | None = None,
        interactions: Mapping[str, Pairs] | None = None,
    ) -> "KnowledgeGraph":
        """Build the graph from a collection and the training ratings; no other ratings may enter.

        `users` may give columns about people (`age`, `occupation`, ...: a value or a tuple of values a user);
        `interactions` gives further pairs by edge name (`viewed`, `purchased`, ...), which must be training
        data too. An edge without data is left out with the paths that need it, and so is an interaction whose
        pairs are those of the ratings, since it would count the same paths twice. Raises InputError where a
        column does not fit, or nothing is left.
        """
        plan = schema_of(collection.kind)
        people, pairs = users or {}, interactions or {}
        _check(plan, collection, train, people, pairs)
        edges: dict[EdgeType, Any] = {}
        values = _value_nodes(plan, collection, people)
        left_out: dict[str, str] = {}
        for edge in plan.edges:
            made: Any
            if edge.origin == "interaction":
                made = _interaction_edges(edge, train, pairs, left_out)
            elif edge.origin in ("attribute", "person"):
                made = _value_edges(edge, plan, collection, people, values, left_out)
            else:
                made = _rating_edges(edge, train, values)
            if made is not None and made.nnz:
                edges[edge] = _freeze(made)
            else:
                left_out.setdefault(edge.name, "there is no such edge in the data")
        for path in plan.paths:
            lacking = next((edge.name for edge, _ in plan.steps(path) if edge not in edges), None)
            if lacking:
                left_out[path.name] = f"{lacking}: {left_out[lacking]}"
        paths = tuple(path for path in plan.paths if path.name not in left_out)
        if not paths:
            raise InputError(
                "the graph has no meta-path: there are neither ratings nor attributes of the schema; "
                "give either"
            )
        return cls(plan, collection, train, edges, values, paths, left_out)

    def matrix(self, edge: EdgeType, backwards: bool = False) -> Any:
        """Look up the edges of a type as a CSR matrix, source x target, transposed if `backwards`."""
        return self.edges[edge].T.tocsr() if backwards else self.edges[edge]

    @property
    def likes(self) -> Any:
        """CSR mask (users, items) of liked items."""
        from scipy.sparse import csr_array

        found = (self.edges[edge] for edge in self.edges if edge.origin == "liked")
        return next(found, csr_array((self.train.users, self.train.items)))

    def user_items(self) -> Ints:
        """List the distinct (user, item) pairs joined by any edge, (pairs, 2), sorted.

        The leak guard checks them.
        """
        joined = [np.empty(0, dtype=np.int64)]
        for edge, matrix in self.edges.items():
            if (edge.source, edge.target) == (USER, self.schema.item):
                user, item = matrix.nonzero()
                joined.append(user.astype(np.int64) * self.train.items + item)
        # Asked for the first places too, NumPy sorts, which takes a tenth of the time that hashing does.
        distinct = np.unique(np.concatenate(joined), return_index=True)[0]
        return np.stack(np.divmod(distinct, self.train.items), axis=1)


def _check(
    plan: Schema,
    collection: Collection,
    train: Ratings,
    people: People,
    pairs: Mapping[str, Pairs],
) -> None:
    if train.items != len(collection):
        raise InputError(
            f"the ratings are of {train.items} items, the collection has {len(collection)}; give "
            "ratings of its items"
        )
    for name, column in people.items():
        if len(column) != train.users:
            raise InputError(
                f"{len(column)} users have a value of {name!r}, the ratings are of {train.users}; give "
                "one a user"
            )
    known = {edge.name for edge in plan.edges if edge.origin == "interaction"}
    for name, (user, item) in pairs.items():
        if name not in known:
            raise InputError(
                f"{name!r} is no interaction of a {plan.item} graph; there are: {', '.join(sorted(known))}"
            )
        if len(user) != len(item) or _outside(user, train.users) or _outside(item, train.items):
            raise InputError(
                f"the interactions {name!r} name users or items that are not in the ratings' range"
            )


def _rating_edges(edge: EdgeType, train: Ratings, values: dict[str, tuple[str, ...]]) -> Any:
    """Build the edges of a type that comes from ratings.

    Edges through rating values are counted, one for each rating.
    """
    if edge.origin in ("rated", "liked", "disliked"):
        everything = np.ones(len(train), dtype=bool)
        chosen = {"rated": everything, "liked": train.value >= LIKED, "disliked": train.value <= DISLIKED}[
            edge.origin
        ]
        return _count_matrix(train.user[chosen], train.item[chosen], (train.users, train.items))
    node = edge.target if edge.origin == "gives" else edge.source
    if node == "Rating":
        known, value = np.unique(train.value, return_inverse=True)
        values[node] = tuple(f"{v:g}" for v in known.tolist())
    else:
        value = 1 + (train.value >= LIKED).astype(np.int64) - (train.value <= DISLIKED)
        values[node] = SENTIMENTS
    if edge.origin == "gives":
        return _count_matrix(train.user, value, (train.users, len(values[node])))
    return _count_matrix(value, train.item, (len(values[node]), train.items))


def _interaction_edges(
    edge: EdgeType, train: Ratings, pairs: Mapping[str, Pairs], left_out: dict[str, str]
) -> Any:
    if edge.name not in pairs:
        left_out[edge.name] = "no such pairs were given beside the ratings"
        return None
    user, item = pairs[edge.name]
    known = np.unique(np.asarray(user) * train.items + np.asarray(item))
    if np.array_equal(known, np.sort(train.pairs)):
        left_out[edge.name] = "its pairs are those of the ratings, and would count the same paths twice"
        return None
    return _count_matrix(known // train.items, known % train.items, (train.users, train.items))


def _attribute_values(
    edge: EdgeType, plan: Schema, collection: Collection, people: People
) -> list[list[str]]:
    """List the distinct attribute values of each item or user for an edge type."""
    column = plan.columns[edge.target]
    known: Iterable[str | tuple[str, ...]]
    known = collection.attributes.get(column, ()) if edge.origin == "attribute" else people.get(column, ())
    return [sorted({one} if isinstance(one, str) else set(one)) for one in known]


def _value_nodes(plan: Schema, collection: Collection, people: People) -> dict[str, tuple[str, ...]]:
    """List the attribute values that are nodes, by node type.

    Some types have edges from both items and users.
    """
    named: dict[str, set[str]] = {}
    for edge in plan.edges:
        if edge.origin in ("attribute", "person"):
            named.setdefault(edge.target, set()).update(*_attribute_values(edge, plan, collection, people))
    return {node: tuple(sorted(values)) for node, values in named.items()}


def _value_edges(
    edge: EdgeType,
    plan: Schema,
    collection: Collection,
    people: People,
    values: Mapping[str, tuple[str, ...]],
    left_out: dict[str, str],
) -> Any:
    rows = _attribute_values(edge, plan, collection, people)
    if not any(rows):
        left_out[edge.name] = f"nothing is known under {plan.columns[edge.target]!r}"
        return None
    at = {value: n for n, value in enumerate(values[edge.target])}
    source = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    target = np.array([at[value] for row in rows for value in row], dtype=np.int64)
    return _count_matrix(source, target, (len(rows), len(at)))


def _count_matrix(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _freeze(matrix: Any) -> Any:
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    return matrix


def _outside(indices: Ints, size: int) -> bool:
    return bool(len(indices)) and not 0 <= np.min(indices) <= np.max(indices) < size
