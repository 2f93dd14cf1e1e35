"""Retrieval of similar items: shared nearest neighbours, and what each agent adds to them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.plugin import InputError, order_by
from openiir.scenarios.recommender.graph.knowledge import KnowledgeGraph
from openiir.scenarios.recommender.graph.memory import BLOCKED, STEP, GraphMemory, best
from openiir.scenarios.recommender.graph.similarity import HELD, Similarity

_CELLS = 2**22
"""Number of user-item scores computed at a time."""


class GraphNeighbours(NamedTuple):
    """Nearest neighbours of each item by the shared scores, best first, (items, kept) each.

    The shared score is alpha * s_xy + semantic * cos.
    """

    items: NDArray[np.int32]
    steps: NDArray[np.int32]
    """(items, kept) score in steps of 2^-20; BLOCKED where an item has fewer neighbours."""


class Retriever:
    """Retriever of similar items by graph paths, the user's likes, and embeddings (SimUSER).

    Scores are s = alpha * s_xy + (1 - alpha) * s_uy + semantic * cos(e_x, e_y), with alpha = .8 and semantic
    = .25.
    What an agent is shown for an item x is the `k` best of its candidates: x's `kept` nearest by the two parts that
    are the same for everybody, and what the agent itself rated during the run. With `own_only` they are all items
    that it ever rated, and no others. Left out are x itself, the agent's held-out items (those of `hidden`, unless
    it rated them itself during the run) and items that nobody rated. `embeddings` are (items, d), of any length;
    None means the semantic part is 0. Raises InputError where they do not fit.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        embeddings: NDArray[Any] | None,
        hidden: Iterable[Ratings] = (),
        alpha: float = 0.8,
        semantic: float = 0.25,
        k: int = 3,
        kept: int = 200,
        own_only: bool = False,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        if embeddings is not None and len(embeddings) != len(graph.collection):
            raise InputError(
                f"{len(embeddings)} embeddings for {len(graph.collection)} items; give one an item"
            )
        if not 0 <= alpha <= 1 or not semantic >= 0 or k < 1 or kept < 1:
            raise InputError(
                f"alpha = {alpha:g} must lie in 0 to 1, semantic = {semantic:g} not below 0, "
                f"k = {k} and kept = {kept} at 1 or more"
            )
        self.graph, self.hidden = graph, tuple(hidden)
        if any((fold.users, fold.items) != (graph.train.users, graph.train.items) for fold in self.hidden):
            raise InputError(
                "the hidden ratings are of other users or items than the graph; give folds of one split"
            )
        self.alpha, self.semantic, self.k, self.own_only = alpha, semantic, k, own_only
        self.similarity = Similarity(graph, weights)
        self.means = graph.train.item_means
        """(items,) mean training rating of each item; NaN where nobody rated it."""
        self.mean_list: list[float] = self.means.tolist()
        self._directions = _directions(embeddings, len(graph.collection))
        n = len(graph.collection)
        self._whole = np.empty((n, n), dtype=np.int32) if n <= HELD else None
        self.neighbours = self._nearest(min(kept, n))

    def shared_scores(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.int32]:
        """Compute the part of the scores that is the same for all agents, (rows, columns).

        In steps of 2^-20.
        """
        if self._whole is not None:
            return self._whole[rows[:, None], columns]
        return self._steps(
            self.similarity.between(rows, columns), self._directions[rows], self._directions[columns]
        )

    def memories(self, users: Sequence[int] | Ints) -> list[GraphMemory]:
        """Build the memory of each of these users from training data."""
        found = []
        chosen = np.asarray(users, dtype=np.int64)
        for start, stop in self._turns(len(chosen)):
            block = chosen[start:stop]
            lifts = self.lift(self.similarity.user_item(block))
            found += [GraphMemory(self, user, lift) for user, lift in zip(block.tolist(), lifts, strict=True)]
        return found

    def newcomer(self) -> GraphMemory:
        """Build the memory of an agent without a history."""
        return GraphMemory(self, None, self.lift(np.zeros(len(self.means))))

    def _turns(self, users: int) -> Iterator[tuple[int, int]]:
        size = max(1, _CELLS // len(self.means))
        return ((start, min(start + size, users)) for start in range(0, users, size))

    def lift(self, affinity: Floats) -> NDArray[np.int32]:
        """Convert user-item similarity s_uy to its part of the scores, in steps of 2^-20."""
        return np.rint((1 - self.alpha) * affinity / STEP).astype(np.int32)

    def predict(
        self,
        users: Ints,
        items: Ints,
        k: int = 3,
        own_only: bool = False,
        expected: Callable[[int], Floats] | None = None,
    ) -> Floats:
        """Predict ratings of (user, item) pairs, (pairs,), from the shared graph alone.

        By `GraphMemory.predict`.
        `expected` gives a user's (items,), such as user and item bias: on what ratings lie above it, the mean over
        similar items foretells much better than on ratings themselves.
        """
        found = np.full(len(users), np.nan)
        order = order_by(users)
        known, starts = np.unique(users[order], return_index=True)
        rows = np.split(order, starts[1:])
        for start, stop in self._turns(len(known)):
            for memory, at in zip(self.memories(known[start:stop]), rows[start:stop], strict=True):
                first = expected(memory.user) if expected is not None and memory.user is not None else None
                found[at] = memory.predict(items[at], k, own_only, first)
        return found

    def _steps(self, similar: Floats, one: Floats, other: Floats) -> NDArray[np.int32]:
        scores = self.alpha * similar + self.semantic * (one @ other.T)
        return np.rint(scores / STEP).astype(np.int32)

    def _nearest(self, kept: int) -> GraphNeighbours:
        n = len(self.means)
        items, steps = np.empty((n, kept), dtype=np.int32), np.empty((n, kept), dtype=np.int32)
        unknown = np.flatnonzero(np.isnan(self.means))
        for start, stop in self.similarity.blocks():
            block = self._steps(
                self.similarity.items(start, stop), self._directions[start:stop], self._directions
            )
            if self._whole is not None:
                self._whole[start:stop] = block
            block[:, unknown] = BLOCKED
            block[np.arange(stop - start), np.arange(start, stop)] = BLOCKED
            items[start:stop], steps[start:stop] = best(
                np.broadcast_to(np.arange(n), block.shape), block, kept
            )
        if self._whole is not None:
            self._whole.flags.writeable = False
        items.flags.writeable = steps.flags.writeable = False
        return GraphNeighbours(items, steps)


def _directions(embeddings: NDArray[Any] | None, items: int) -> Floats:
    """Scale rows to length 1, so that their products are cosines; rows of zeros stay."""
    if embeddings is None:
        return np.zeros((items, 1))
    vectors = np.asarray(embeddings, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
