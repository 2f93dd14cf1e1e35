"""Retrieval of similar items: shared nearest neighbours, and each agent's memory, which adds to them."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, order_by
from openiir.scenarios.recommender.model.graph.knowledge import LIKED, KnowledgeGraph
from openiir.scenarios.recommender.model.graph.similarity import HELD, Similarity, Which

ALPHA, SEMANTIC = 0.8, 0.25
"""Weights of item similarity beside user-item similarity, and of the cosine of embeddings (SimUSER)."""
_CELLS = 2**22
"""Number of user-item scores computed at a time."""
STEP = 2.0**-20
"""Grid step to which scores are rounded, so that they rank alike on every machine."""
BLOCKED = -(2**29)
"""Score, in grid steps, of items that must not be retrieved; sums with real scores stay far below these."""


def select_best(
    items: NDArray[Any], steps: NDArray[Any], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Select the k best items of each row with their scores, (rows, k) each, best first.

    Where a row has no k items left that are not blocked, the rest are BLOCKED.
    """
    # One whole number an item orders by score, then by index, and gives both back.
    keys = (steps.astype(np.int64) << 32) - items
    if k < keys.shape[1]:
        keys = np.partition(keys, keys.shape[1] - k, axis=1)[:, -k:]
    keys = np.sort(keys, axis=1)[:, ::-1]
    found = -keys & 0xFFFFFFFF
    scores = (keys + found) >> 32
    return found, np.where(scores > BLOCKED // 2, scores, BLOCKED)


class SimilarItem(NamedTuple):
    """A retrieved item with its similarity score and its rating."""

    item: int
    score: float
    rating: float
    """The agent's own rating, or else the mean of others' training ratings."""
    own: bool


class GraphNeighbours(NamedTuple):
    """Nearest neighbours of each item by the shared scores, best first, (items, kept) each.

    The shared score is ALPHA * s_xy + SEMANTIC * cos.
    """

    items: NDArray[np.int32]
    steps: NDArray[np.int32]
    """(items, kept) score in steps of 2^-20; BLOCKED where an item has fewer neighbours."""


class Retriever:
    """Retriever of similar items by graph paths, the user's likes, and embeddings (SimUSER).

    Scores are s = ALPHA * s_xy + (1 - ALPHA) * s_uy + SEMANTIC * cos(e_x, e_y). What an agent is shown for an
    item x is the `k` best of its candidates: x's `kept` nearest by the two parts that are the same for
    everybody, and what the agent itself rated during the run. Left out are x itself and items that nobody
    rated. `embeddings` are (items, d), of any length; None means the semantic part is 0. Raises InputError
    where they do not fit.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        embeddings: NDArray[Any] | None,
        k: int = 3,
        kept: int = 200,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        n = len(graph.collection)
        if embeddings is not None and len(embeddings) != n:
            raise InputError(f"{len(embeddings)} embeddings for {n} items; give one an item")
        self.graph, self.k = graph, k
        self.similarity = Similarity(graph, weights)
        self.means = graph.train.item_means
        """(items,) mean training rating of each item; NaN where nobody rated it."""
        self.mean_list: list[float] = self.means.tolist()
        self._directions = _directions(embeddings, n)
        self._whole = np.empty((n, n), dtype=np.int32) if n <= HELD else None
        self.neighbours = self._nearest(min(kept, n))

    def shared_scores(self, rows: Ints, columns: Ints) -> NDArray[np.int32]:
        """Compute the part of the similarity scores that all agents share, (rows, columns).

        In steps of 2^-20.
        """
        if self._whole is not None:
            return self._whole[rows[:, None], columns]
        return self._score(rows, columns)

    def memories(self, users: Sequence[int] | Ints) -> list["GraphMemory"]:
        """Build the memory of each of these users from training data."""
        return list(self._iterate_memories(np.asarray(users, dtype=np.int64)))

    def _iterate_memories(self, users: Ints) -> Iterator["GraphMemory"]:
        size = max(1, _CELLS // len(self.means))
        for start in range(0, len(users), size):
            block = users[start : start + size]
            lifts = self.weigh_affinity(self.similarity.user_item(block))
            yield from map(GraphMemory, repeat(self), block.tolist(), lifts)

    def weigh_affinity(self, affinity: Floats) -> NDArray[np.int32]:
        """Convert user-item similarity s_uy to its part of the scores, in steps of 2^-20."""
        return np.rint((1 - ALPHA) * affinity / STEP).astype(np.int32)

    def predict(
        self,
        users: Ints,
        items: Ints,
        k: int = 3,
        expected: Callable[[int], Floats] | None = None,
    ) -> Floats:
        """Predict ratings of (user, item) pairs, (pairs,), from the shared graph alone.

        By `GraphMemory.predict`. `expected` gives a user's (items,), such as user and item bias: on what
        ratings lie above it, the mean over similar items foretells much better than on ratings themselves.
        """
        found = np.full(len(users), np.nan)
        order = order_by(users)
        known, starts = np.unique(users[order], return_index=True)
        rows = np.split(order, starts[1:])
        for memory, at in zip(self._iterate_memories(known), rows, strict=True):
            found[at] = memory.predict(items[at], k, None if expected is None else expected(memory.user))
        return found

    def _score(self, rows: Which, columns: Which) -> NDArray[np.int32]:
        scores = ALPHA * self.similarity.between(rows, columns)
        scores += SEMANTIC * (self._directions[rows] @ self._directions[columns].T)
        return np.rint(scores / STEP).astype(np.int32)

    def _nearest(self, kept: int) -> GraphNeighbours:
        n = len(self.means)
        items, steps = np.empty((n, kept), dtype=np.int32), np.empty((n, kept), dtype=np.int32)
        unknown = np.flatnonzero(np.isnan(self.means))
        for rows in self.similarity.blocks():
            block = self._score(rows, slice(None))
            if self._whole is not None:
                self._whole[rows] = block
            block[:, unknown] = BLOCKED
            block[np.arange(len(block)), np.arange(n)[rows]] = BLOCKED
            items[rows], steps[rows] = select_best(np.broadcast_to(np.arange(n), block.shape), block, kept)
        if self._whole is not None:
            self._whole.flags.writeable = False
        items.flags.writeable = steps.flags.writeable = False
        return GraphNeighbours(items, steps)


class GraphMemory:
    """One agent's retrieval of similar items, which its own ratings change; made by `Retriever.memories`.

    A rating (eq. 4 of SimUSER) changes this agent's own ratings and its similarity to items, s_uy. The
    similarity of items to each other stays that of the shared graph, to which nobody can write.
    """

    def __init__(self, retriever: Retriever, user: int, lift: NDArray[np.int32]) -> None:
        self._retriever = retriever
        self.lift = lift
        """(items,) part of the scores from the user-item similarity s_uy, in steps of 2^-20."""
        self._walks: tuple[Floats, Floats] | None = None
        self.user = user
        """Index of the user in the graph."""
        items, values = retriever.graph.train.of(user)
        self.ratings = dict(zip(items.tolist(), values.tolist(), strict=True))
        """The agent's ratings by item: its history, then its ratings during the run."""
        self._liked = {item for item, value in self.ratings.items() if value >= LIKED}
        self._rated: list[int] = []

    def rate(self, item: int, rating: float) -> None:
        """Add a rating of this agent, replacing its earlier rating of the item."""
        if item not in self._rated:
            self._rated.append(item)
        self.ratings[item] = rating
        self._like(item, rating >= LIKED)

    def fork(self) -> "GraphMemory":
        """Copy this memory; ratings added to the copy do not reach the original."""
        twin = copy.copy(self)
        twin.ratings, twin._liked, twin._rated = dict(self.ratings), set(self._liked), [*self._rated]
        return twin

    def similar(self, items: Sequence[int] | Ints) -> list[list[SimilarItem]]:
        """Retrieve up to k similar items for each item, best first."""
        found, steps = self._best(np.asarray(items, dtype=np.int64), self._retriever.k)
        means, own = self._retriever.mean_list, self.ratings
        return [
            [
                SimilarItem(item, score * STEP, own.get(item, means[item]), item in own)
                for item, score in zip(*row, strict=True)
                if score > BLOCKED
            ]
            for row in zip(found.tolist(), steps.tolist(), strict=True)
        ]

    def predict(self, items: Sequence[int] | Ints, k: int, expected: Floats | None = None) -> Floats:
        """Predict ratings, (items,), from each item's k most similar: sum(s * r) / sum(s).

        NaN without a score above 0. With `expected`, (items,) of what the agent would rate each item without
        this, r is what a rating lies above that, and the prediction is added to it.
        """
        found, steps = self._best(np.asarray(items, dtype=np.int64), k)
        ratings = self._retriever.means.copy()
        ratings[list(self.ratings)] = list(self.ratings.values())
        # What is unlike an item says nothing about it: minus its rating would lie outside the scale.
        weight = np.maximum(steps, 0)
        values = np.where(weight > 0, (ratings if expected is None else ratings - expected)[found], 0.0)
        with np.errstate(invalid="ignore"):
            mean = (weight * values).sum(axis=1) / weight.sum(axis=1)
        return np.asarray(mean if expected is None else mean + expected[items])

    def _like(self, item: int, likes: bool) -> None:
        """Add an item to the liked ones or remove it, and update the path counts to all items."""
        if (item in self._liked) == likes:
            return
        similarity = self._retriever.similarity
        if self._walks is None:
            self._walks = similarity.liked_counts(np.array(sorted(self._liked), dtype=np.int64))
        counts, trips = self._walks
        more, loops = similarity.liked_counts(np.array([item]))
        # Round trips are ways from liked to liked items: those to this one and back from it, and its own
        # loops.
        if likes:
            self._walks = counts + more, trips + 2 * counts[:, item] + loops
            self._liked.add(item)
        else:
            self._walks = counts - more, trips - 2 * counts[:, item] + loops
            self._liked.discard(item)
        self.lift = self._retriever.weigh_affinity(similarity.similarity_from_counts(*self._walks))

    def _best(self, items: Ints, k: int) -> tuple[Ints, Ints]:
        stored = self._retriever.neighbours
        near = stored.items[items]
        lift = self.lift.copy()
        lift[self._rated] = BLOCKED  # what was rated in the run is scored apart
        steps = stored.steps[items] + lift[near]
        if self._rated:
            own = np.array(self._rated, dtype=np.int64)
            more = self._retriever.shared_scores(items, own) + self.lift[own]
            more[items[:, None] == own] = BLOCKED
            near = np.concatenate([near, np.broadcast_to(own, more.shape)], axis=1)
            steps = np.concatenate([steps, more], axis=1)
        return select_best(near, steps, k)


def _directions(embeddings: NDArray[Any] | None, items: int) -> Floats:
    """Scale rows to length 1, so that their products are cosines; rows of zeros stay."""
    if embeddings is None:
        return np.zeros((items, 1))
    vectors = np.asarray(embeddings, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
