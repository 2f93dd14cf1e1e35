"""A visitor: a user's stand-in, and the mind that it brings to a recommender."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

import numpy as np

from openiir.kit.items import Collection, Guard, Scale
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Draw, Memory, Persona
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.config import PageSpec, VisitorSpec
from openiir.scenarios.recommender.graph import Memory as GraphMemory
from openiir.scenarios.recommender.graph import Similar as Remembered
from openiir.scenarios.recommender.questions.browse import Scales
from openiir.scenarios.recommender.questions.page import Shown, Similar
from openiir.scenarios.recommender.wording import comment, query_words


@dataclass(frozen=True, eq=False)
class Common:
    """What all visitors of a run share; nobody writes to it."""

    collection: Collection
    scale: Scale
    """Of the data; visitors rate from 1 to 5."""
    guard: Guard
    train_means: Floats
    """(items,): mean training rating; NaN without one."""
    train_counts: Ints
    known: Floats
    """(items,): share of items that fewer people rated."""
    captions: Sequence[str]
    """An item each, or none at all."""
    scales: Scales
    usual: Sequence[float]
    """(items,): what an item is rated by bias alone, less the user's."""
    reminded: float
    """How much similar titles that memory brings up, rated above or below their bias, move an expectation."""
    spec: VisitorSpec
    page: PageSpec
    follow_ups: Mapping[str, tuple[str, ...]]
    """By query, what self-ask adds."""

    def five(self, rating: float) -> float:
        """A rating of the data on 1 to 5."""
        return 1 + (rating - self.scale.low) * self.fifth

    @cached_property
    def averages(self) -> list[float | None]:
        """(items,): the mean training rating as a page shows it, 1 to 5; None without one."""
        return [None if np.isnan(mean) else round(self.five(mean), 2) for mean in self.train_means.tolist()]

    @cached_property
    def by_others(self) -> list[Similar]:
        """(items,): each as a similar title of which the visitor knows what others say."""
        means = self.train_means.tolist()
        return [Similar(t, round(self.five(mean), 1), False) for t, mean in zip(self.collection.titles, means, strict=True)]

    @cached_property
    def widely(self) -> list[float]:
        """(items,): how widely known each is, as a page says it."""
        return [round(share, 2) for share in self.known.tolist()]

    @cached_property
    def fifth(self) -> float:
        """A unit of the data's scale on 1 to 5."""
        return 4 / (self.scale.high - self.scale.low)

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
    lean: float
    """How far above others it rates."""
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
        self.made: set[int] = set()
        """Items that it has rated in this visit."""
        self._draw = draw
        held = common.guard.split
        self._held = {i for fold in (held.validation, held.test) for i in fold.of(visitor.user)[0].tolist()}

    def recall(self, *queries: str) -> tuple[str, ...]:
        """What comes to mind at any of these questions and their follow-ups, nearest first."""
        return tuple(self.records(*queries).values())

    def records(self, *queries: str) -> dict[str, str]:
        """As `recall`, by the records' ids."""
        if not self.common.spec.recalled:
            return {}
        asked = [q for query in queries for q in (query, *self.common.follow_ups.get(query, ()))]
        return {r.id: r.text for r in self.memory.recall(asked, self.common.spec.recalled)}

    def shown(self, items: Sequence[int], opened: bool = False) -> tuple[Shown, ...]:
        """A page's items as they look to this visitor."""
        near = self._similar(items)
        return tuple(self._look(item, found, opened) for item, found in zip(items, near, strict=True))

    def expose(self, items: Sequence[int]) -> None:
        """Note that a page with these was shown: its genres grow familiar."""
        if self.common.spec.exposure:
            of = self.common.collection
            self.exposures.update({genre for item in items for genre in of.values("genre", item)})

    def learn(self, item: int, rating: int) -> None:
        """A title was watched in this visit: the visitor's own graph grows."""
        self.made.add(item)
        if self.graph is not None:
            low, high, _ = self.common.scale
            self.graph.rate(item, low + (rating - 1) / 4 * (high - low))

    def query(self, items: Sequence[int]) -> str:
        """What to search memory for in front of these items."""
        of = self.common.collection
        genres = sorted({genre.lower() for item in items for genre in of.values("genre", item)})
        return query_words(self.common.noun, genres)

    def _look(self, item: int, found: Sequence[Remembered], opened: bool) -> Shown:
        common, of = self.common, self.common.collection
        familiar = self._familiarity(of.values("genre", item)) if common.spec.exposure else 0.0
        tone = common.page.reviews
        spoken = tone if tone in ("negative", "positive") else ""
        return Shown(
            item=of.ids[item],
            title=of.titles[item],
            genres=of.values("genre", item),
            average=common.averages[item],
            reviews=int(common.train_counts[item]) if tone == "count" else None,
            review=comment(self._draw, of.ids[item], spoken) if spoken else "",
            tone=spoken,
            summary=(opened and of.text("descriptions", item)) or of.text("summaries", item),
            caption=common.captions[item] if common.captions else "",
            similar=tuple([self._reminder(s) if s.own else common.by_others[s.item] for s in found]),
            known=common.widely[item],
            pull=round(float(self.visitor.pull[item]) + familiar, 3),
            expected=self._expected(item, found, familiar * common.scales.spread),
        )

    def _reminder(self, own: Remembered) -> Similar:
        return Similar(self.common.collection.titles[own.item], round(self.common.five(own.rating), 1), True)

    def _expected(self, item: int, found: Sequence[Remembered], familiar: float) -> float:
        """The rating to expect: one's own taste, what similar titles remind of, and how familiar the genres are."""
        own, usual, lean = float(self.visitor.expected[item]), self.common.usual, self.visitor.lean
        weight = apart = 0.0
        for s in found:
            weight += abs(s.score)
            apart += s.score * (s.rating - usual[s.item] - lean)
        if weight:
            own += self.common.reminded * (apart / weight) * self.common.fifth
        return round(min(5.0, max(1.0, own + familiar)), 3)

    def _familiarity(self, genres: Sequence[str]) -> float:
        return fmean(brain.exposure(self.exposures[genre]) for genre in genres) if genres else 0.0

    def _similar(self, items: Sequence[int]) -> Sequence[Sequence[Remembered]]:
        if self.graph is None:
            return [()] * len(items)
        found = self.graph.similar(items)
        own = [s.item for near in found for s in near if s.own and s.item not in self.made]
        if not self._held.isdisjoint(own):
            self.common.guard.prompt(self.visitor.user, own, "a page, beside a title,")
        return found
