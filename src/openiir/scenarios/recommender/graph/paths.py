"""Counts of meta-path instances between items, as products of two thin matrices."""

from dataclasses import dataclass
from functools import reduce
from operator import matmul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.ratings import Floats
from openiir.scenarios.recommender.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.graph.schema import USER, MetaPath

THIN = 128
"""Largest number of middle nodes for which factors are dense arrays."""

EXACT = 2**24
"""Limit below which whole numbers are exact in float32, which takes half the memory and time."""


@dataclass(frozen=True, eq=False)
class PathCounts:
    """Exact counts of one meta-path's instances between items, factored as `left @ right`.

    A path of length 4 such as film-user-occupation-user-film is (B O)(B O)', with B films x users and O users x
    occupations: the films' matrix of counts is never formed, nor is any path enumerated.
    """

    path: MetaPath
    left: Any
    """Counts from items to middle nodes: SciPy CSR, or an array for up to THIN middle nodes."""
    right: Any
    """Counts from middle nodes to items, of the same type."""
    round_trip: bool
    """Whether the path's halves mirror each other, so that `right` is the transpose of `left`."""
    through_users: bool
    """Whether the middle nodes are users."""
    loops: Floats
    """(items,) number of instances from an item back to itself."""

    @classmethod
    def of(cls, graph: KnowledgeGraph, path: MetaPath) -> "PathCounts":
        """Count the instances of a path, factored at its node type with the fewest nodes."""
        steps = graph.schema.steps(path)
        matrices = [graph.matrix(*step) for step in steps]
        widths = [matrix.shape[1] for matrix in matrices[:-1]]
        round_trip = graph.schema.round_trip(path)
        # A round trip is parted in its middle, where its halves mirror each other.
        at = len(steps) // 2 if round_trip else 1 + widths.index(min(widths))
        left, right = reduce(matmul, matrices[:at]), reduce(matmul, matrices[at:])
        if left.shape[1] <= THIN:
            left, right = left.toarray(), right.toarray()
            loops = np.einsum("id,di->i", left, right)
        else:
            loops = np.asarray(left.multiply(right.T.tocsr()).sum(axis=1)).ravel()
        if not isinstance(left, np.ndarray) and loops.max(initial=0) < EXACT:
            left, right = left.astype(np.float32), right.astype(np.float32)
        through = graph.schema.middle(path) == USER if round_trip else False
        return cls(path, left, right, round_trip, through, loops)

    def block(self, start: int, stop: int) -> Any:
        """Count instances between the items from start to stop and all items, as CSR or an array.

        PathSim is defined for round trips. A path that is none, such as film-user-rating-film, is counted there and
        back and halved, so that two items have one similarity.
        """
        counts = self.left[start:stop] @ self.right
        if not self.round_trip:
            counts = (counts + (self.left @ self.right[:, start:stop]).T) / 2
        return counts

    def between(self, rows: NDArray[Any], columns: NDArray[Any]) -> Floats:
        """Count instances between some items and some others, (rows, columns)."""
        # Rows of a CSR matrix are quick to take, columns are not.
        counts = self.left[rows] @ (self.left[columns].T if self.round_trip else self.right[:, columns])
        if not self.round_trip:
            counts = (counts + (self.left[columns] @ self.right[:, rows]).T) / 2
        return np.asarray(counts if isinstance(counts, np.ndarray) else counts.toarray())

    def sum_rows(self, rows: NDArray[Any]) -> Floats:
        """Sum the counts from some items to each item, (items,); for symmetric paths only."""
        return np.asarray(self.left @ self.left[rows].sum(axis=0, dtype=np.float64))
