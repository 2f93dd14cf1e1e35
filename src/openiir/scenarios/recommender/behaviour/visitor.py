"""A visitor, and its state during one visit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from openiir.kit.items.ratings import Floats
from openiir.plugin import EpisodicMemory, MemoryRecord, Persona
from openiir.scenarios.recommender.behaviour.visit_context import VisitContext
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.model.graph.retrieval import GraphMemory, SimilarItem
from openiir.scenarios.recommender.questions.browse import PageRecall
from openiir.scenarios.recommender.questions.page import TitleDispositions, TitleShown
from openiir.scenarios.recommender.questions.reflect import INSIGHTS
from openiir.scenarios.recommender.questions.wording import (
    feeling_query,
    like_these_query,
    page_query,
    so_far_query,
)

TOLD = 1
"""Number of latest pages of a visit that are always recalled before the next question."""
LOOKED_BACK = 2
"""Number of older pages that are recalled beside these."""


@dataclass(eq=False)
class Visitor:
    """A simulated user: persona, personality, memory, graph and taste, none shared with other visitors."""

    user: int
    """Index of the user in the data set; personas of the study come after its users."""
    persona: Persona
    temper: choice_model.Temper
    usual: float
    """Mean training rating, 1 to 5."""
    lean: float
    """User bias: how far above other users the visitor rates."""
    memory: EpisodicMemory
    """Episodic memory, filled with training ratings."""
    graph: GraphMemory | None
    """Private memory on the knowledge graph; None where `visitors.graph` is off."""
    pull: Floats
    """(items,) attraction, see `Attraction.pull`."""
    expected: Floats
    """(items,) rating that the visitor expects to give, 1 to 5."""


class VisitState:
    """State of a visitor during one visit: copies of memory and graph, and exposure to genres."""

    def __init__(self, context: VisitContext, visitor: Visitor) -> None:
        self.context = context
        self.visitor = visitor
        self.memory = visitor.memory.fork()
        self.graph = visitor.graph.fork() if visitor.graph is not None else None
        self.exposures: Counter[str] = Counter()
        self.rated: set[int] = set()
        """Items rated in this visit."""
        self.visit_records: set[str] = set()
        """Ids of the memory records of this visit."""
        self._recalled_pages: tuple[tuple[str, ...], list[MemoryRecord]] = ((), [])

    def remember(self, text: str, **facts: Any) -> str:
        """Store an event of this visit in memory; returns the record's id."""
        record = self.memory.store(text, **facts)
        self.visit_records.add(record)
        return record

    def _records(self, fact: str) -> list[MemoryRecord]:
        """List the memory records of this visit that have a fact of this name."""
        return [r for r in self.memory if r.id in self.visit_records and fact in r.facts]

    def earlier_pages(self) -> list[MemoryRecord]:
        """Recall the latest page of this visit and relevant older pages, in their order.

        The queries ask how the visit went so far.
        """
        pages, noun = self._records("after"), self.context.noun
        ids = tuple([r.id for r in pages])
        if ids != self._recalled_pages[0]:
            older, found = set(ids[:-TOLD]), {*ids[-TOLD:]}
            if older and self.context.spec.recalled:
                asked = (so_far_query(noun), feeling_query(noun))
                queries = [q for one in asked for q in (one, *self.context.follow_ups.get(one, ()))]
                recalled = self.memory.recall(queries, LOOKED_BACK, lambda r: r.id not in older)
                found.update(r.id for r in recalled)
            self._recalled_pages = ids, [r for r in pages if r.id in found]
        return self._recalled_pages[1]

    def recall_for_page(
        self, items: Sequence[int], shown: Sequence[TitleShown], beside: int | None = None
    ) -> tuple[PageRecall, tuple[str, ...]]:
        """Recall memories relevant to a page of these items, before the visitor judges it.

        Returns them with the ids of the records, most relevant first.
        `beside` limits how many rated titles from the graph are told for each title; None tells them all.
        """
        context = self.context
        told, insights = self.earlier_pages(), self._insights()
        pages = {r.facts["after"] for r in told}
        near = {one.title: str(one) for look in shown for one in look.by.near[:beside]}
        skipped = {r.id for r in (*told, *insights)}
        genres = {genre.lower() for item in items for genre in context.collection.values("genre", item)}
        follow_ups = context.follow_ups.get(like_these_query(context.noun), ())
        found: tuple[MemoryRecord, ...] = ()
        if context.spec.recalled:
            found = self.memory.recall(
                [page_query(context.noun, sorted(genres)), *follow_ups],
                context.spec.recalled,
                lambda r: r.id in skipped or r.facts.get("title") in near or self._taken_on(r, pages),
            )
        pages |= {r.facts["after"] for r in found if r.id in self.visit_records and "after" in r.facts}
        found = tuple(r for r in found if not self._taken_on(r, pages))
        lived = {r.id for r in (*told, *found)} & self.visit_records
        remembered = PageRecall(
            visit=tuple(r.text for r in self.memory if r.id in lived),
            learnt=tuple(r.facts["insight"] for r in insights),
            recalled=(*near.values(), *(r.facts.get("told", r.text) for r in found if r.id not in lived)),
        )
        return remembered, tuple(r.id for r in found)

    def _taken_on(self, record: MemoryRecord, pages: set[int]) -> bool:
        """Whether a record is about a title taken on one of these pages of this visit."""
        return record.id in self.visit_records and record.facts.get("page") in pages

    def insights(self) -> tuple[str, ...]:
        """List what the visitor learnt about its own taste most recently in this visit."""
        return tuple(r.facts["insight"] for r in self._insights())

    def _insights(self) -> list[MemoryRecord]:
        return self._records("records")[-INSIGHTS:]

    def show(self, items: Sequence[int], opened: bool = False) -> tuple[TitleShown, ...]:
        """Build these items as the visitor sees them, with the behaviour model's numbers."""
        near = self._similar(items)
        return tuple(self._show_title(item, found, opened) for item, found in zip(items, near, strict=True))

    def expose(self, items: Sequence[int]) -> None:
        """Count a page's genres as exposure, if `visitors.exposure` is on."""
        if self.context.spec.exposure:
            of = self.context.collection
            self.exposures.update({genre for item in items for genre in of.values("genre", item)})

    def record_rating(self, item: int, rating: int) -> None:
        """Add a rating, 1 to 5, of this visit to the visitor's private graph."""
        self.rated.add(item)
        if self.graph is not None:
            low, high, _ = self.context.train.scale
            self.graph.rate(item, low + (rating - 1) / 4 * (high - low))

    def _show_title(self, item: int, found: Sequence[SimilarItem], opened: bool) -> TitleShown:
        context, of = self.context, self.context.collection
        genres = of.values("genre", item) if context.spec.exposure else ()
        shifts = [choice_model.exposure_shift(self.exposures[genre]) for genre in genres]
        familiar = fmean(shifts) if shifts else 0.0
        near = [s for s in found if s.own and s.item not in self.rated]
        return TitleShown(
            context.entry(item, opened),
            TitleDispositions(
                item=of.ids[item],
                known=context.known[item],
                pull=round(float(self.visitor.pull[item]) + familiar, 3),
                expected=self._expected_rating(item, found, familiar * context.model.scales.spread),
                tone=context.tone,
                near=tuple([context.rated_title(s.item, s.rating, self.visitor.usual) for s in near]),
            ),
        )

    def _expected_rating(self, item: int, found: Sequence[SimilarItem], familiar: float) -> float:
        """Compute the expected rating, 1 to 5.

        From the visitor's taste, ratings of similar titles, and familiarity of the genres.
        """
        own, usual, lean = float(self.visitor.expected[item]), self.context.usual, self.visitor.lean
        weight = apart = 0.0
        for s in found:
            weight += abs(s.score)
            apart += s.score * (s.rating - usual[s.item] - lean)
        if weight:
            own += self.context.model.reminded * (apart / weight) * self.context.stars_per_unit
        return round(min(5.0, max(1.0, own + familiar)), 3)

    def _similar(self, items: Sequence[int]) -> Sequence[Sequence[SimilarItem]]:
        if self.graph is None:
            return [()] * len(items)
        found = self.graph.similar(items)
        own = [s.item for near in found for s in near if s.own and s.item not in self.rated]
        self.context.guard.check_prompt(self.visitor.user, own, "a page, beside a title,")
        return found
