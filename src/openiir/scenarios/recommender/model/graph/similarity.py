"""PathSim between items, and between users and items, over weighted meta-paths (Sun et al., VLDB 2011)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import matmul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.ratings import Floats
from openiir.plugin import InputError
from openiir.scenarios.recommender.model.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.model.graph.schema import USER, MetaPath

HELD = 6000
"""Largest number of items for which whole matrices of counts are cached, at 1 or 2 bytes for each pair."""
_CELLS = 2**20
"""Number of entries of a block of rows."""
THIN = 128
"""Largest number of middle nodes for which factors are dense arrays."""
EXACT = 2**24
"""Limit below which whole numbers are exact in float32, which takes half the memory and time."""
Which = NDArray[np.int64] | slice
"""Indices or a range of items."""


@dataclass(frozen=True, eq=False)
class PathCounts:
    """Exact counts of one meta-path's instances between items, factored as `left @ right`.

    A path of length 4 such as film-user-occupation-user-film is (B O)(B O)', with B films x users and O users
    x occupations: the films' matrix of counts is never formed, nor is any path enumerated.
    """

    path: MetaPath
    left: Any
    """Counts from items to middle nodes: SciPy CSR, or an array for up to THIN middle nodes."""
    right: Any
    """Counts from middle nodes to items, of the same type; the transpose of `left` for a round trip."""
    loops: Floats
    """(items,) number of instances from an item back to itself."""

    @classmethod
    def of(cls, graph: KnowledgeGraph, path: MetaPath) -> "PathCounts":
        """Count the instances of a path, factored at its node type with the fewest nodes."""
        matrices = [graph.edges[edge].T.tocsr() if back else graph.edges[edge] for edge, back in path.steps]
        widths = [matrix.shape[1] for matrix in matrices[:-1]]
        # A round trip is parted in its middle, where its halves mirror each other.
        at = len(matrices) // 2 if path.round_trip else 1 + widths.index(min(widths))
        left, right = reduce(matmul, matrices[:at]), reduce(matmul, matrices[at:])
        if left.shape[1] <= THIN:
            left, right = left.toarray(), right.toarray()
            return cls(path, left, right, np.einsum("id,di->i", left, right))
        loops = np.asarray(left.multiply(right.T.tocsr()).sum(axis=1)).ravel()
        if loops.max(initial=0) < EXACT:
            left, right = left.astype(np.float32), right.astype(np.float32)
        return cls(path, left, right, loops)

    def between(self, rows: Which, columns: Which) -> Any:
        """Count path instances between two sets of items, (rows, columns), as CSR or an array.

        PathSim is defined for round trips. A path that is none, such as film-user-rating-film, is counted
        there and back and halved, so that two items have one similarity.
        """
        if self.path.round_trip:  # Rows of a CSR matrix are quick to take, columns are not.
            return self.left[rows] @ self.left[columns].T
        return (self.left[rows] @ self.right[:, columns] + (self.left[columns] @ self.right[:, rows]).T) / 2


class Similarity:
    """PathSim similarity of items, averaged over meta-paths by weight; 0 where no path leads.

    For each path s_xy = 2 |x->y| / (|x->x| + |y->y|). `weights` are by name of a path and need not sum to 1;
    those not named weigh 0, and without any all weigh the same. Raises InputError for a weight that is
    negative or names a path that the graph does not have.
    """

    def __init__(self, graph: KnowledgeGraph, weights: Mapping[str, float] | None = None) -> None:
        self.graph = graph
        given = {path.name: 1.0 for path in graph.paths} if weights is None else weights
        _check(graph, given)
        used = [path for path in graph.paths if given.get(path.name, 0.0) > 0]
        self.paths = tuple(PathCounts.of(graph, path) for path in used)
        raw = np.array([given[path.name] for path in used])
        self.weights: Floats = raw / raw.sum()
        """(paths,) weight of each path in use, summing to 1."""

    def __len__(self) -> int:
        return len(self.graph.collection)

    def blocks(self) -> list[slice]:
        """List ranges of items that bound the number of pairs computed at a time.

        They are the same on every machine.
        """
        size = max(1, _CELLS // len(self))
        return [slice(start, min(start + size, len(self))) for start in range(0, len(self), size)]

    def between(self, rows: Which, columns: Which) -> Floats:
        """Compute the similarity of some items to some others, (rows, columns)."""
        every = np.arange(len(self))
        total = np.zeros((len(every[rows]), len(every[columns])))
        for n, (path, weight) in enumerate(zip(self.paths, self.weights.tolist(), strict=True)):
            held = self.cached_counts.get(n)
            counts = path.between(rows, columns) if held is None else held[rows][:, columns]
            _add_similarity(total, counts, path.loops[rows], path.loops[columns], 2 * weight)
        return total

    @cached_property
    def cached_counts(self) -> Mapping[int, NDArray[Any]]:
        """Cached instance counts of each two-edge meta-path, by its index; empty for a large collection."""
        if len(self) > HELD:
            return {}
        whole = {}
        for n in self._short_paths:
            path = self.paths[n]
            kind = np.min_scalar_type(int(path.loops.max(initial=0)))
            counts = np.empty((len(self), len(self)), dtype=kind)
            for rows in self.blocks():
                block = _dense(path.left[rows] @ path.right[:, rows.start :])
                counts[rows, rows.start :], counts[rows.start :, rows] = block, block.T
            counts.flags.writeable = False
            whole[n] = counts
        return whole

    @cached_property
    def _short_paths(self) -> tuple[int, ...]:
        """Indices of the symmetric paths X of two edges, used for paths user-liked-item-X-item."""
        paths = enumerate(counts.path for counts in self.paths)
        return tuple(n for n, path in paths if path.round_trip and len(path.steps) == 2)

    @cached_property
    def _doubled_weights(self) -> Floats:
        """(X,) doubled weight of each such path in the user-item similarity, summing to 2."""
        weights = self.weights[list(self._short_paths)]
        return 2 * weights / max(float(weights.sum()), 1e-300)

    @cached_property
    def ways(self) -> Floats:
        """(X, items) number of instances of each meta-path X from an item back to itself, at least 1."""
        loops = np.array([self.paths[n].loops for n in self._short_paths]).reshape(-1, len(self))
        return _without_zeros(loops)

    @cached_property
    def _exact(self) -> type:
        """Float type that holds the largest possible count exactly."""
        return np.float32 if self.ways.max(initial=0) * len(self) < EXACT else np.float64

    def liked_counts(self, liked: NDArray[Any]) -> tuple[NDArray[Any], Floats]:
        """Count path instances from a user with these likes to all items, and back to the user.

        Of the paths user-liked-item-X-item: (X, items) and (X,).
        C_uy sums |m->y| over the liked m, and C_uu sums C_um over them, since every way back starts by one.
        """
        counts: NDArray[Any] = np.zeros((len(self._short_paths), len(self)), dtype=self._exact)
        for at, n in enumerate(self._short_paths if len(liked) else ()):
            if n in self.cached_counts:
                counts[at] = self.cached_counts[n][liked].sum(axis=0, dtype=self._exact)
            else:
                left = self.paths[n].left
                counts[at] = left @ left[liked].sum(axis=0, dtype=np.float64)
        return counts, counts[:, liked].sum(axis=1, dtype=np.float64)

    def similarity_from_counts(self, counts: NDArray[Any], trips: Floats) -> Floats:
        """Compute the user-item similarity s_uy, (items,), from one user's path counts.

        It is 2 C_uy / (C_uu + C_yy), averaged over X; 0 without a path.
        """
        return np.asarray(self._doubled_weights @ (counts / (trips[:, None] + self.ways)))

    def user_item(self, users: Sequence[int] | NDArray[Any]) -> Floats:
        """Compute the similarity s_uy of users of the graph and all items, (users, items).

        Along user-liked-item-X-item, 8 bytes a score.
        """
        likes = self.graph.likes[np.asarray(users, dtype=np.int64)]
        owner = np.repeat(np.arange(likes.shape[0]), np.diff(likes.indptr))
        scores = np.zeros(likes.shape)
        for at, n in enumerate(self._short_paths):
            path = self.paths[n]
            if n in self.cached_counts and path.path.middle == USER:
                held, narrow = self.cached_counts[n], likes.astype(self._exact)
                parts = [
                    narrow @ np.ascontiguousarray(held[:, columns], dtype=self._exact)
                    for columns in self.blocks()
                ]
                counts = np.hstack(parts)
            else:
                counts = _dense((likes @ path.left) @ path.right)
            own = counts[owner, likes.indices].astype(np.float64)
            trips = np.bincount(owner, own, len(scores)).astype(np.float64)
            _add_similarity(scores, counts, trips, self.ways[at], float(self._doubled_weights[at]))
        return scores


def _dense(counts: Any) -> NDArray[Any]:
    return counts if isinstance(counts, np.ndarray) else np.asarray(counts.toarray())


def _add_similarity(total: Floats, counts: Any, rows: Floats, columns: Floats, factor: float) -> None:
    """Add factor * counts / (row loops + column loops) to the total."""
    if isinstance(counts, np.ndarray):
        shares = np.add.outer(_without_zeros(rows), _without_zeros(columns))
        np.divide(counts, shares, out=shares)
        shares *= factor
        total += shares
        return
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    total.reshape(-1)[row * counts.shape[1] + counts.indices] += (
        counts.data / (rows[row] + columns[counts.indices]) * factor
    )


def _without_zeros(loops: Floats) -> Floats:
    """Replace zeros by 1, to divide by; the counts there are 0 as well."""
    return np.where(loops > 0, loops, 1.0)


def _check(graph: KnowledgeGraph, weights: Mapping[str, float]) -> None:
    known = {path.name for path in graph.paths}
    for name, weight in weights.items():
        if name not in known:
            why = graph.left_out.get(name, "the schema has no such path")
            raise InputError(
                f"the meta-path {name!r} cannot weigh anything ({why}); there are: {', '.join(sorted(known))}"
            )
        if not weight >= 0:
            raise InputError(f"the meta-path {name!r} weighs {weight:g}; give 0 or more")
    if not any(weights.values()):
        raise InputError("all meta-paths weigh 0; give at least one a weight")
