"""Knowledge graph with typed edges as read-only sparse matrices, built from training data alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.ratings import Ints
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.graph.schema import (
    COLUMNS,
    USER,
    EdgeType,
    MetaPath,
    Schema,
    schema_of,
)

Pairs = tuple[Ints, Ints]
"""User indices and item indices of equal length, one pair for each edge."""
People = Mapping[str, Sequence[str | tuple[str, ...]]]
LIKED, DISLIKED = 4.0, 2.0
"""Smallest rating of a liked item, and largest rating of a disliked one."""


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """Read-only graph that all agents share; an agent's own edges are in its `GraphMemory`."""

    schema: Schema
    collection: Collection
    train: Ratings
    edges: Mapping[EdgeType, Any]
    """Number of edges between two nodes by edge type, as a SciPy CSR matrix, source x target."""
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
        schema, people, pairs = schema_of(collection.kind), users or {}, interactions or {}
        _check(schema, collection, train, people, pairs)
        edges: dict[EdgeType, Any] = {}
        left_out: dict[str, str] = {}
        values = {
            edge: _attribute_values(edge, collection, people)
            for edge in schema.edges
            if edge.origin in ("attribute", "person")
        }
        for edge in schema.edges:
            if edge in values:
                # A type of node may have edges from both items and users.
                nodes = {v for e in values if e.target == edge.target for row in values[e] for v in row}
                made = _value_edges(values[edge], sorted(nodes)) if any(values[edge]) else None
                why = f"nothing is known under {COLUMNS[edge.target]!r}"
            elif edge.origin == "interaction":
                made, why = _interaction_edges(train, pairs.get(edge.name))
            else:
                made, why = _rating_edges(edge, train), "there is no such edge in the data"
            if made is not None and made.nnz:
                edges[edge] = _freeze(made)
            else:
                left_out[edge.name] = why
        for path in schema.paths:
            lacking = next((edge.name for edge, _ in path.steps if edge not in edges), None)
            if lacking:
                left_out[path.name] = f"{lacking}: {left_out[lacking]}"
        paths = tuple(path for path in schema.paths if path.name not in left_out)
        if not paths:
            raise InputError(
                "the graph has no meta-path: there are neither ratings nor attributes of the schema; "
                "give either"
            )
        return cls(schema, collection, train, edges, paths, left_out)

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
    schema: Schema, collection: Collection, train: Ratings, people: People, pairs: Mapping[str, Pairs]
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
    known = sorted(edge.name for edge in schema.edges if edge.origin == "interaction")
    for name, (user, item) in pairs.items():
        if name not in known:
            raise InputError(
                f"{name!r} is no interaction of a {schema.item} graph; there are: {', '.join(known)}"
            )
        if len(user) != len(item) or _outside(user, train.users) or _outside(item, train.items):
            raise InputError(
                f"the interactions {name!r} name users or items that are not in the ratings' range"
            )


def _outside(indices: Ints, size: int) -> bool:
    return bool(len(indices)) and not 0 <= np.min(indices) <= np.max(indices) < size


def _rating_edges(edge: EdgeType, train: Ratings) -> Any:
    """Build the edges of a type that comes from ratings, one for each rating."""
    liked, disliked = train.value >= LIKED, train.value <= DISLIKED
    if edge.target != "Rating" and edge.source != "Rating":
        value, size = 1 + liked.astype(np.int64) - disliked, 3
    else:
        known, value = np.unique(train.value, return_inverse=True)
        size = len(known)
    if edge.origin == "gives":
        return _count_matrix(train.user, value, (train.users, size))
    if edge.origin == "gets":
        return _count_matrix(value, train.item, (size, train.items))
    chosen = {"liked": liked, "disliked": disliked}.get(edge.origin, slice(None))
    return _count_matrix(train.user[chosen], train.item[chosen], (train.users, train.items))


def _interaction_edges(train: Ratings, pairs: Pairs | None) -> tuple[Any, str]:
    """Build the edges of pairs given beside the ratings; None, with the reason, for pairs not to be used."""
    if pairs is None:
        return None, "no such pairs were given beside the ratings"
    known = np.unique(np.asarray(pairs[0]) * train.items + np.asarray(pairs[1]))
    if np.array_equal(known, np.sort(train.pairs)):
        return None, "its pairs are those of the ratings, and would count the same paths twice"
    user, item = np.divmod(known, train.items)
    return _count_matrix(user, item, (train.users, train.items)), "there is no such edge in the data"


def _attribute_values(edge: EdgeType, collection: Collection, people: People) -> list[list[str]]:
    """List the distinct attribute values of each item or user for an edge type."""
    columns: People = collection.attributes if edge.origin == "attribute" else people
    known = columns.get(COLUMNS[edge.target], ())
    return [sorted({one} if isinstance(one, str) else set(one)) for one in known]


def _value_edges(rows: list[list[str]], nodes: list[str]) -> Any:
    at = {value: n for n, value in enumerate(nodes)}
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
