"""A visitor: a user's stand-in, and the mind that it brings to a recommender."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np

from openiir.kit.items import Collection, Guard, Scale
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Draw, Memory, Persona
from openiir.plugin import Remembered as Recalled
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.config import PageSpec, VisitorSpec
from openiir.scenarios.recommender.graph import Memory as GraphMemory
from openiir.scenarios.recommender.graph import Similar
from openiir.scenarios.recommender.questions.browse import Remembered, Scales
from openiir.scenarios.recommender.questions.page import (
    ACTORS,
    CatalogueEntry,
    NearTitle,
    TitleDispositions,
    TitleFacts,
    TitleShown,
    fame_words,
)
from openiir.scenarios.recommender.questions.reflect import INSIGHTS
from openiir.scenarios.recommender.wording import (
    comment,
    feeling_query,
    like_these,
    query_words,
    so_far_query,
)

MAKERS = ("director", "author", "developer")
"""Attributes that name who made an item."""
TOLD = 1
"""Pages of a visit that are told in full before the next; of those before, what bears on it is recalled."""
LOOKED_BACK = 2
"""Pages before these that come to mind at the decision to go on or leave."""


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

    def five(self, rating: Any) -> Any:
        """A rating of the data, or an array of them, on 1 to 5."""
        return 1 + (rating - self.scale.low) * self.fifth

    @cached_property
    def _entries(self) -> dict[tuple[int, bool], CatalogueEntry]:
        return {}

    def entry(self, item: int, draw: Draw, opened: bool = False) -> CatalogueEntry:
        """What a page says of an item, in its long form once it is opened; made once."""
        if (item, opened) not in self._entries:
            self._entries[item, opened] = self._entry(item, draw, opened)
        return self._entries[item, opened]

    def _entry(self, item: int, draw: Draw, opened: bool) -> CatalogueEntry:
        of, mean = self.collection, float(self.train_means[item])
        return CatalogueEntry(
            title=of.titles[item],
            genres=of.values("genre", item),
            makers=tuple(maker for name in MAKERS for maker in of.values(name, item)),
            actors=of.values("actor", item)[:ACTORS],
            average=None if np.isnan(mean) else round(round(self.five(mean), 2), 1),
            raters=int(self.train_counts[item]) if self.page.reviews == "count" else None,
            review=comment(draw, of.ids[item], self.tone) if self.tone else "",
            summary=(opened and of.text("descriptions", item)) or of.text("summaries", item),
            picture=self.captions[item] if self.captions else "",
            fame=fame_words(self.widely[item]),
        )

    @property
    def tone(self) -> str:
        """Of the comments that pages show; empty for none."""
        return self.page.reviews if self.page.reviews in ("negative", "positive") else ""

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
        self.lived: set[str] = set()
        """Ids of the records that this visit left in memory."""
        self._draw = draw
        held = common.guard.split
        self._held = {i for fold in (held.validation, held.test) for i in fold.of(visitor.user)[0].tolist()}

    def remember(self, text: str, **facts: Any) -> str:
        """Keep what happened in this visit; the record's id."""
        record = self.memory.store(text, **facts)
        self.lived.add(record)
        return record

    def looked_back(self) -> tuple[str, ...]:
        """Pages of this visit before the next decision: those that come to mind, then the latest."""
        pages = self._pages()
        older, noun = {r.id for r in pages[:-TOLD]}, self.common.noun
        found: set[str] = set()
        if older and self.common.spec.recalled:
            asked = (so_far_query(noun), feeling_query(noun))
            queries = [q for one in asked for q in (one, *self.common.follow_ups.get(one, ()))]
            found = set(
                [r.id for r in self.memory.recall(queries, len(self.memory)) if r.id in older][:LOOKED_BACK]
            )
        return tuple(r.text for r in pages if r.id in found or r.id not in older)

    def _pages(self) -> list[Recalled]:
        return [r for r in self.memory if r.id in self.lived and "after" in r.facts]

    def before(self, items: Sequence[int], shown: Sequence[TitleShown]) -> tuple[Remembered, tuple[str, ...]]:
        """What is in mind before a page with these items, and the ids of the records recalled, nearest first."""
        told = self._pages()[-TOLD:]
        pages = {r.facts["after"] for r in told}
        near = {title.title for look in shown for title in look.facts.near}
        learnt = self._insights()
        skipped = {r.id for r in (*told, *learnt)}
        found = [
            r
            for r in self._recall(
                self.query(items),
                like_these(self.common.noun),
                more=len(near) + len(pages) * len(items) + len(skipped),
            )
            if r.id not in skipped
            and not (r.id in self.lived and r.facts.get("page") in pages)
            and r.facts.get("title") not in near
        ]
        found = found[: self.common.spec.recalled]
        texts = (tuple(r.text for r in told), tuple(r.text for r in learnt), tuple(r.text for r in found))
        return Remembered(*texts), tuple(r.id for r in found)

    def learnt(self) -> tuple[str, ...]:
        """What was noticed when looking back in this visit, the latest."""
        return tuple(r.text for r in self._insights())

    def _insights(self) -> list[Recalled]:
        return [r for r in self.memory if r.id in self.lived and "records" in r.facts][-INSIGHTS:]

    def _recall(self, query: str, asked: str, more: int = 0) -> tuple[Recalled, ...]:
        """What comes to mind at a query and the follow-ups of the question that it is made of, nearest first."""
        most = self.common.spec.recalled
        return (
            self.memory.recall([query, *self.common.follow_ups.get(asked, ())], most + more) if most else ()
        )

    def shown(self, items: Sequence[int], opened: bool = False) -> tuple[TitleShown, ...]:
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

    def _look(self, item: int, found: Sequence[Similar], opened: bool) -> TitleShown:
        common, of = self.common, self.common.collection
        familiar = self._familiarity(of.values("genre", item)) if common.spec.exposure else 0.0
        near = tuple([NearTitle(of.titles[s.item], round(common.five(s.rating), 1)) for s in found if s.own])
        return TitleShown(
            TitleFacts(common.entry(item, self._draw, opened), near),
            TitleDispositions(
                item=of.ids[item],
                known=common.widely[item],
                pull=round(float(self.visitor.pull[item]) + familiar, 3),
                expected=self._expected(item, found, familiar * common.scales.spread),
                tone=common.tone,
            ),
        )

    def _expected(self, item: int, found: Sequence[Similar], familiar: float) -> float:
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

    def _similar(self, items: Sequence[int]) -> Sequence[Sequence[Similar]]:
        if self.graph is None:
            return [()] * len(items)
        found = self.graph.similar(items)
        own = [s.item for near in found for s in near if s.own and s.item not in self.made]
        if not self._held.isdisjoint(own):
            self.common.guard.prompt(self.visitor.user, own, "a page, beside a title,")
        return found
