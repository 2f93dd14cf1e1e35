"""A visitor: a user's stand-in, and the mind that it brings to a recommender."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from openiir.kit.items import Collection
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Draw, Memory, Persona
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.config import PageSpec, VisitorSpec
from openiir.scenarios.recommender.graph import Memory as GraphMemory
from openiir.scenarios.recommender.questions.browse import Scales
from openiir.scenarios.recommender.questions.page import Shown, Similar
from openiir.scenarios.recommender.wording import comment, query_words

BY_OTHERS = "training"
"""Where a mean rating that a page shows comes from."""


@dataclass(frozen=True, eq=False)
class Common:
    """What all visitors of a run share; nobody writes to it."""

    collection: Collection
    train_means: Floats
    """(items,): mean training rating; NaN without one."""
    train_counts: Ints
    known: Floats
    """(items,): share of items that fewer people rated."""
    captions: Sequence[str]
    """An item each, or none at all."""
    scales: Scales
    spec: VisitorSpec
    page: PageSpec
    follow_ups: Mapping[str, tuple[str, ...]]
    """By query, what self-ask adds."""

    @property
    def noun(self) -> str:
        return self.collection.kind


@dataclass(eq=False)
class Visitor:
    """One user's stand-in; what it carries is its own."""

    user: int
    """Index in the data set."""
    persona: Persona
    temper: brain.Temper
    usual: float
    """Its mean training rating."""
    memory: Memory
    """Of its history."""
    graph: GraphMemory | None
    """The knowledge graph as it knows it; None for visitors without one."""
    pull: Floats
    """(items,): how each draws it."""
    expected: Floats
    """(items,): the rating it expects to give."""


class Mind:
    """What a visitor thinks in one visit: memory and graph that grow apart from everybody else's, and how items look."""

    def __init__(self, common: Common, visitor: Visitor, draw: Draw) -> None:
        self.common = common
        self.visitor = visitor
        self.memory = visitor.memory.fork()
        self.graph = visitor.graph.fork() if visitor.graph is not None else None
        self.exposures: Counter[str] = Counter()
        self._draw = draw

    def recall(self, query: str) -> tuple[str, ...]:
        """The records that come to mind, nearest first."""
        queries = (query, *self.common.follow_ups.get(query, ()))
        return tuple(r.text for r in self.memory.recall(queries, self.common.spec.recalled))

    def shown(self, items: Sequence[int], opened: bool = False) -> tuple[Shown, ...]:
        """A page's items as they look to this visitor."""
        near = self._similar(items)
        return tuple(self._look(item, close, opened) for item, close in zip(items, near, strict=True))

    def expose(self, items: Sequence[int]) -> None:
        """Note that these were shown: their genres grow familiar."""
        for item in items:
            self.exposures.update(self.common.collection.values("genre", item))

    def learn(self, item: int, rating: int) -> None:
        """A title was watched in this visit: the visitor's own graph grows."""
        if self.graph is not None:
            self.graph.rate(item, float(rating))

    def query(self, items: Sequence[int]) -> str:
        """What to search memory for in front of these items."""
        of = self.common.collection
        genres = sorted({genre.lower() for item in items for genre in of.values("genre", item)})
        return query_words(self.common.noun, genres)

    def _look(self, item: int, near: tuple[Similar, ...], opened: bool) -> Shown:
        common, of = self.common, self.common.collection
        familiar = self._familiarity(of.values("genre", item)) if common.spec.exposure else 0.0
        mean, tone = common.train_means[item], common.page.reviews
        spoken = tone if tone in ("negative", "positive") else ""
        return Shown(
            item=of.ids[item],
            title=of.titles[item],
            genres=of.values("genre", item),
            average=None if np.isnan(mean) else round(float(mean), 2),
            reviews=int(common.train_counts[item]) if tone == "count" else None,
            review=comment(self._draw, of.ids[item], spoken) if spoken else "",
            tone=spoken,
            summary=(opened and of.text("descriptions", item)) or of.text("summaries", item),
            caption=common.captions[item] if common.captions else "",
            similar=near,
            known=round(float(common.known[item]), 2),
            pull=round(float(self.visitor.pull[item]) + familiar, 2),
            expected=round(min(5.0, max(1.0, float(self.visitor.expected[item]) + familiar * common.scales.spread)), 2),
        )

    def _familiarity(self, genres: Sequence[str]) -> float:
        return sum(brain.exposure(self.exposures[genre]) for genre in genres) / len(genres) if genres else 0.0

    def _similar(self, items: Sequence[int]) -> list[tuple[Similar, ...]]:
        if self.graph is None:
            return [()] * len(items)
        titles = self.common.collection.titles
        found = self.graph.similar(items)
        return [tuple(Similar(titles[s.item], round(s.rating, 1), s.own) for s in near) for near in found]
