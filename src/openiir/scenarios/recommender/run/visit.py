"""A visit: page after page until the visitor leaves (SimUSER, algorithm 1)."""

from dataclasses import dataclass, field
from typing import TypeVar

from openiir.plugin import Agent, Lane, Question, Record
from openiir.scenarios.recommender.behaviour.systems import SystemUnderTest
from openiir.scenarios.recommender.behaviour.visitor import VisitState
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.questions.act import VisitAct, VisitMove
from openiir.scenarios.recommender.questions.reflect import REMEMBERED, TakenTitle
from openiir.scenarios.recommender.questions.wording import insight_words, taken_memory
from openiir.scenarios.recommender.run.actions import (
    InsightsLearnt,
    LearntInsight,
    PageBrowsed,
    VisitorInterviewed,
)
from openiir.scenarios.recommender.run.visit_questions import (
    browse_question,
    interview_question,
    next_move_question,
    reflect_question,
)
from openiir.scenarios.recommender.run.visit_record import VisitRecord, log_move, log_title, page_memory

R = TypeVar("R", bound=Record)


@dataclass
class Visit:
    """One visitor's visit to one system, which may extend over several steps of the run."""

    system: SystemUnderTest
    agent: Agent
    state: VisitState
    record: VisitRecord = field(default_factory=VisitRecord)
    served: list[int] = field(default_factory=list)
    """Items that the system served, in order, also without a verdict."""
    failures: int = 0
    """Number of questions without a usable answer."""
    left: str = ""
    """Why the visit ended; empty while it goes on."""
    interview: int | None = None
    """Satisfaction in the exit interview, 1 to 10."""

    async def browse_until(self, lane: Lane, until: int) -> None:
        """Browse pages until the visitor leaves or has seen `until` pages."""
        while not self.left and self.record.gone < until:
            await self._go_through(lane)
        if not self.left and self.record.gone >= self.state.context.page.most:
            self.left = "last page"

    async def ask_interview(self, lane: Lane) -> None:
        """Ask the exit interview (B14), unless no page was seen."""
        if not self.record.gains:
            return
        if reply := await self._ask(lane, interview_question(self.state, self.record)):
            self.interview = reply.satisfied
            said = {"rating": reply.satisfied, "reason": reply.why}
            lane.act(self.agent, VisitorInterviewed.of_own(system=self.system.name, **said))

    async def _ask(self, lane: Lane, question: Question[R]) -> R | None:
        """Ask the visitor; count a failure where no usable answer comes."""
        reply = await lane.ask(self.agent, question)
        self.failures += reply is None
        return reply

    async def _go_through(self, lane: Lane) -> None:
        """Process one page: verdicts, the move after it, and a reflection if something was taken."""
        record = self.record
        items = await self._next_page(lane)
        if items == []:
            self.left = "nothing left"
            return
        record.gone += 1
        if items is None:  # the visitor asks for it again, if it is not out of pages
            return
        before = len(record.taken)
        answered = await self._browse(lane, items)
        record.sought = ""
        if not answered:  # the page does not count as shown
            self.left = "spent" if self.agent.spent else ""
            if record.pages[record.at - 1][0] not in record.views:
                record.pages.pop()
                record.at = len(record.pages)
            return
        move = await self._ask_move(lane, items)
        if len(record.taken) > before:
            await self._reflect(lane)
        self._move_on(items, move)

    async def _next_page(self, lane: Lane) -> list[int] | None:
        """Get the page to show: the one gone back to, or the next; None where the system failed."""
        record = self.record
        if record.at < len(record.pages):
            record.at += 1
            return record.pages[record.at - 1]
        number, most = len(record.pages) + 1, self.state.context.page.items
        items = await self.system.page(lane, self.state.visitor.user, number, most, self.served)
        if items:
            self.served += items
            record.pages.append(items)
            record.at = number
        return items

    async def _browse(self, lane: Lane, items: list[int], opened: bool = False) -> bool:
        """Ask for verdicts on these items and record them; False without a usable answer."""
        state, record = self.state, self.record
        shown = state.show(items, opened)
        recall, recalled = state.recall_for_page(items, shown)
        reply = await self._ask(lane, browse_question(state, record, shown, recall, opened))
        if reply is None:
            return False
        verdicts = sorted(reply.verdicts, key=lambda v: v.number)
        if not opened:
            state.expose(items)
        for item, look, verdict in zip(items, shown, verdicts, strict=True):
            view = record.enter_view(item, look, verdict, opened)
            if view is not None and view.rating is not None:
                state.record_rating(item, view.rating)
                genres, stars = look.entry.genres, view.rating
                text = taken_memory(look.title, genres, stars, view.words)
                facts = {"item": look.by.item, "rating": stars, "title": look.title, "page": record.gone}
                record.taken_records.append(state.remember(text, **facts))
                record.taken.append(TakenTitle(look.title, stars, genres, view.words))
        where = {"system": self.system.name, "page": record.at, "gone": record.gone, "opened": opened}
        titles = tuple(map(log_title, shown, verdicts))
        lane.act(self.agent, PageBrowsed.of_own(**where, items=titles, recalled=recalled))
        return True

    async def _ask_move(self, lane: Lane, items: list[int]) -> VisitMove | None:
        """Ask for the visitor's move after the page, showing each title that it opens.

        Satisfaction is what the visitor says where somebody else than the behaviour model answers; no answer
        keeps it.
        """
        record, most = self.record, self.state.context.page.clicks
        modelled = lane.answerer(self.agent, VisitAct.kind) == "offline"
        before = record.satisfied
        record.gains.append(0.0)
        for clicks in range(most + 1):
            record.gains[-1] = round(choice_model.page_gain([v.rating for v in record.on_page(items)]), 3)
            by_model = round(choice_model.update_satisfaction(before, record.gains[-1]), 3)
            question, passed = next_move_question(self.state, record, (before, by_model), most - clicks)
            move = await self._ask(lane, question)
            if move is None:
                return None
            record.satisfied = by_model if modelled else choice_model.LIKING[move.like_it_so_far]
            chosen = passed[move.open - 1] if move.do == "open" and move.open is not None else None
            satisfied = by_model if modelled else None
            lane.act(self.agent, log_move(self.system.name, record.at, move, chosen, satisfied))
            record.parting = move.why
            if chosen is None:
                break
            await self._browse(lane, [chosen.item], opened=True)
        return move

    async def _reflect(self, lane: Lane) -> None:
        """Ask for three questions and three insights (B13), and store the insights in memory.

        Each is stored with the memory records that it cites.
        """
        state, named = self.state, self.state.memory.policy.reflects
        if not (state.context.spec.reflection if named is None else named):
            return
        reply = await self._ask(lane, reflect_question(state, self.record))
        if reply is None:
            return
        cited = self.record.taken_records[-REMEMBERED:]
        insights = tuple(
            LearntInsight.of_own(text=one.text, records=tuple(cited[n - 1] for n in one.rests_on))
            for one in reply.learnt
        )
        learnt = InsightsLearnt.of_own(
            system=self.system.name, page=self.record.at, questions=reply.questions, insights=insights
        )
        lane.act(self.agent, learnt)
        for one in insights:
            state.remember(insight_words(one.text), records=list(one.records), insight=one.text)

    def _move_on(self, items: list[int], move: VisitMove | None) -> None:
        """Store the page in memory, and carry out the visitor's move."""
        record, state = self.record, self.state
        state.remember(page_memory(record.at, record.on_page(items), move), after=record.gone)
        if move is None:
            self.left = "spent" if self.agent.spent else ""
        elif move.do == "leave" and record.gone < state.context.page.most:
            self.left = "exit"
        elif move.do == "back":
            record.returned += 1
            record.at -= 2
            sought = record.most_attractive_passed(record.pages[record.at])
            record.sought = sought.title if sought else ""
