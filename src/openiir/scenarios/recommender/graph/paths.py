"""Counts of meta-path instances between items, as products of two thin factors, computed in blocks of rows."""

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
"""Inner dimensions up to which factors are dense arrays: their product fills the block anyhow."""

EXACT = 2**24
"""Whole numbers below are exact in float32, which is half the memory and time."""


@dataclass(frozen=True, eq=False)
class PathCounts:
    """The counts of one meta-path between items, as `left @ right`; all counts are whole numbers, and exact.

    A path of length 4 such as film-user-occupation-user-film is (B O)(B O)', with B films x users and O users x
    occupations: the films' matrix of counts is never formed, nor is any path enumerated.
    """

    path: MetaPath
    left: Any
    """Items x middle nodes: scipy CSR, or an array where the middle has up to THIN nodes."""
    right: Any
    """Middle nodes x items, likewise."""
    round_trip: bool
    """Whether the path's halves mirror each other, so that `right` is the transpose of `left`."""
    through_users: bool
    """Whether users are the middle nodes."""
    loops: Floats
    """(items,): instances that lead from an item back to itself."""

    @classmethod
    def of(cls, graph: KnowledgeGraph, path: MetaPath) -> "PathCounts":
        """Factor the counts of a path, split at its type of fewest nodes."""
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
        """Sum the counts from some items to each item, (items,); for round trips only."""
        return np.asarray(self.left @ self.left[rows].sum(axis=0, dtype=np.float64))
