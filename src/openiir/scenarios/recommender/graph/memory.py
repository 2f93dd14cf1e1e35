"""One agent's memory of items: the shared graph with the agent's private edges."""

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError
from openiir.scenarios.recommender.graph.schema import USER

if TYPE_CHECKING:
    from openiir.scenarios.recommender.graph.retrieval import Retriever


STEP = 2.0**-20
"""Grid step to which scores are rounded, so that they rank alike on every machine."""
BLOCKED = -(2**29)
"""Score, in grid steps, of items that must not be retrieved; sums with real scores stay far below these."""


def best(items: NDArray[Any], steps: NDArray[Any], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


class Similar(NamedTuple):
    """A retrieved item with its similarity score and its rating."""

    item: int
    score: float
    rating: float
    """The agent's own rating, or else the mean of others' training ratings."""
    own: bool


class GraphMemory:
    """Retrieval of similar items for one agent, with its private edges.

    Made by `Retriever.memories` and `newcomer`.
    Adding edges (eq. 4 of SimUSER) changes this agent's own ratings and its similarity to items, s_uy. The similarity
    of items to each other stays that of the shared graph, to which nobody can write.
    """

    def __init__(self, retriever: "Retriever", user: int | None, lift: NDArray[np.int32]) -> None:
        self._retriever = retriever
        self.lift = lift
        """(items,) part of the scores from the user-item similarity s_uy, in steps of 2^-20."""
        self._walks: tuple[Floats, Floats] | None = None
        graph = retriever.graph
        items, values = (
            graph.train.of(user) if user is not None else (np.empty(0, dtype=np.int64), np.empty(0))
        )
        self.user = user
        """Index of the user in the graph; None for a newcomer."""
        self.ratings = dict(zip(items.tolist(), values.tolist(), strict=True))
        """The agent's ratings by item: its history, then its ratings during the run."""
        self.added: dict[tuple[str, int], float | None] = {}
        """The agent's private edges by relation and item, in order, with the rating if the edge comes from
        one."""
        self._liked = {item for item, value in self.ratings.items() if value >= graph.liked}
        self._rated: list[int] = []
        hidden = [fold.of(user)[0] for fold in retriever.hidden] if user is not None else []
        self._hidden = np.concatenate([np.empty(0, dtype=np.int64), *hidden])

    def add(self, relation: str, item: int, rating: float | None = None) -> None:
        """Add a private edge (agent, relation, item), where a relation is a user-item edge of the schema.

        That of a rating (`rated`, `reviewed`) needs the rating, which makes the item liked or disliked as in the
        shared graph; a later rating of the same item stands in its place. `liked` says so without a rating. Others
        are kept in `added` and change no score. Raises InputError for an unknown relation or item, or a rating
        outside the scale.
        """
        graph = self._retriever.graph
        edge = next(
            (
                e
                for e in graph.schema.edges
                if (e.source, e.target, e.name) == (USER, graph.schema.item, relation)
            ),
            None,
        )
        if edge is None or not 0 <= item < len(graph.collection):
            raise InputError(
                f"no edge {relation!r} to item {item} can be added to a {graph.schema.item} graph; see its schema"
            )
        if (edge.origin == "rated") != (rating is not None):
            raise InputError(f"the edge {relation!r} {'needs a' if rating is None else 'has no'} rating")
        if rating is None:
            self.added[relation, item] = None
            if edge.origin == "liked":
                self._like(item, True)
            return
        scale = graph.train.scale
        if not scale.low <= rating <= scale.high:
            raise InputError(
                f"item {item} was rated {rating:g}, but the scale is {scale.low:g} to {scale.high:g}"
            )
        for name in ("liked", "disliked"):
            self.added.pop((name, item), None)
        self.added[relation, item] = rating
        if rating >= graph.liked or rating <= graph.disliked:
            self.added["liked" if rating >= graph.liked else "disliked", item] = rating
        if item not in self._rated:
            self._rated.append(item)
        self.ratings[item] = rating
        self._like(item, rating >= graph.liked)
        self._clear_caches()

    def rate(self, item: int, rating: float) -> None:
        """Add a rating as a private edge, under its name in the graph's schema."""
        name = next(edge.name for edge in self._retriever.graph.schema.edges if edge.origin == "rated")
        self.add(name, item, rating)

    def fork(self) -> "GraphMemory":
        """Copy this memory; edges added to the copy do not reach the original."""
        twin = copy.copy(self)
        twin.ratings, twin.added = dict(self.ratings), dict(self.added)
        twin._liked, twin._rated = set(self._liked), [*self._rated]
        return twin

    def similar(self, items: Sequence[int] | Ints) -> list[list[Similar]]:
        """Retrieve up to k similar items for each item, best first."""
        found, steps = self._best(
            np.asarray(items, dtype=np.int64), self._retriever.k, self._retriever.own_only
        )
        means, own = self._retriever.mean_list, self.ratings
        return [
            [
                Similar(item, score * STEP, own.get(item, means[item]), item in own)
                for item, score in zip(*row, strict=True)
                if score > BLOCKED
            ]
            for row in zip(found.tolist(), steps.tolist(), strict=True)
        ]

    def predict(
        self, items: Sequence[int] | Ints, k: int, own_only: bool = False, expected: Floats | None = None
    ) -> Floats:
        """Predict ratings, (items,), from each item's k most similar: sum(s * r) / sum(s).

        NaN without a score above 0.
        With `expected`, (items,) of what the agent would rate each item without this, r is what a rating lies above
        that, and the prediction is added to it.
        """
        found, steps = self._best(np.asarray(items, dtype=np.int64), k, own_only)
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
        # Round trips are ways from liked to liked items: those to this one and back from it, and its own loops.
        if likes:
            self._walks = counts + more, trips + 2 * counts[:, item] + loops
            self._liked.add(item)
        else:
            self._walks = counts - more, trips - 2 * counts[:, item] + loops
            self._liked.discard(item)
        self.lift = self._retriever.lift(similarity.of_counts(*self._walks))
        self._clear_caches()

    def _clear_caches(self) -> None:
        self.__dict__.pop("_own_scores", None)
        self.__dict__.pop("_own", None)

    @cached_property
    def _own_scores(self) -> NDArray[np.int32]:
        """(items,) the agent's part of the scores; BLOCKED for hidden items and those rated in the run.

        In steps of 2^-20.
        """
        shut = self.lift.copy()
        shut[self._hidden] = BLOCKED
        shut[self._rated] = BLOCKED
        return shut

    @cached_property
    def _own(self) -> Ints:
        """Items that the agent rated in its history or in the run, ascending."""
        return np.array(sorted(self.ratings), dtype=np.int64)

    def _best(self, items: Ints, k: int, own_only: bool) -> tuple[Ints, Ints]:
        stored = self._retriever.neighbours
        own = self._own if own_only else np.array(self._rated, dtype=np.int64)
        near = stored.items[items, : 0 if own_only else None]
        steps = stored.steps[items, : near.shape[1]] + self._own_scores[near]
        if len(own):
            more = self._retriever.shared_scores(items, own) + self.lift[own]
            more[items[:, None] == own] = BLOCKED
            near = np.concatenate([near, np.broadcast_to(own, more.shape)], axis=1)
            steps = np.concatenate([steps, more], axis=1)
        return best(near, steps, k)
