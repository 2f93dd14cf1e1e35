"""A visit: page after page until the visitor leaves, in a lane of its own (SimUSER, algorithm 1)."""

from dataclasses import dataclass, field
from statistics import fmean

from openiir.plugin import Agent, Lane
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.actions import Browsed, Interviewed, Learnt, LearntInsight
from openiir.scenarios.recommender.config import LIKED
from openiir.scenarios.recommender.questions.act import Act, ActDispositions, Acted, ActFacts, Move, Opinion
from openiir.scenarios.recommender.questions.browse import Browse, BrowseDispositions, BrowseFacts, Verdict
from openiir.scenarios.recommender.questions.closing import (
    RECALLED,
    Interview,
    InterviewDispositions,
    InterviewFacts,
)
from openiir.scenarios.recommender.questions.page import TitleShown
from openiir.scenarios.recommender.questions.reflect import (
    REMEMBERED,
    Reflect,
    ReflectDispositions,
    ReflectFacts,
    TakenTitle,
)
from openiir.scenarios.recommender.serving import System
from openiir.scenarios.recommender.visit_record import View, moved, seen
from openiir.scenarios.recommender.visitor import Mind
from openiir.scenarios.recommender.wording import insight_words, page_memory, taken_memory

FAR_MORE = 0.5
"""How much more than all on this page an earlier title must draw to go back for it [MODELS 7.3]."""


@dataclass
class Visit:
    """One visitor at one system; lives over as many steps as the study has."""

    system: System
    agent: Agent
    mind: Mind
    views: dict[int, View] = field(default_factory=dict)
    """By item, in the order shown."""
    pages: list[list[int]] = field(default_factory=list)
    """Items of each page, by position."""
    served: list[int] = field(default_factory=list)
    """Everything that the system served, in order, also where no verdict came."""
    sought: str = ""
    """The title that the visitor goes back for."""
    gone: int = 0
    """Pages gone through, those gone back to included."""
    at: int = 0
    """The page looked at, from 1."""
    gains: list[float] = field(default_factory=list)
    satisfied: float = brain.START
    returned: int = 0
    failures: int = 0
    taken: list[TakenTitle] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    """Ids of the records of what was taken."""
    parting: str = ""
    """What it said after the last page."""
    left: str = ""
    """Why the visit is over; empty while it goes on."""
    interview: int | None = None

    over: bool = False
    """Whether the visit has ended and is logged."""

    async def live(self, lane: Lane, until: int) -> None:
        """Go on until the visitor leaves, or so many pages are gone through."""
        while not self.left and self.gone < until:
            await self._go_through(lane)
        if not self.left and self.gone >= self.mind.common.page.most:
            self.left = "last page"

    async def close(self, lane: Lane) -> None:
        """The exit interview (B14)."""
        facts = InterviewFacts(
            noun=self.mind.common.noun,
            pages=len(self.pages),
            shown=len(self.views),
            taken=tuple(Opinion(t.title, t.words, t.stars) for t in self.taken[-RECALLED:]),
            others=max(0, len(self.taken) - RECALLED),
            parting=self.parting,
            learnt=self.mind.learnt(),
        )
        liked = next((t.title for t in self.taken if t.stars >= LIKED), "")
        question = Interview(facts, InterviewDispositions(tuple(self.gains), liked))
        if self.gains:
            reply = await lane.ask(self.agent, question)
            if reply is None:
                self.failures += 1
            else:
                self.interview = reply.satisfied
                lane.act(
                    self.agent,
                    Interviewed.of_own(system=self.system.name, rating=reply.satisfied, reason=reply.why),
                )

    async def _go_through(self, lane: Lane) -> None:
        items = await self._page(lane)
        if items == []:
            self.left = "nothing left"
            return
        self.gone += 1
        if items is None:  # the visitor asks for it again, if it is not out of pages
            return
        before = len(self.taken)
        answered = await self._browse(lane, items)
        self.sought = ""
        if answered is None:
            self._give_up_page()
            return
        acted = await self._acts(lane, items)
        if len(self.taken) > before:
            await self._reflect(lane)
        self._move_on(acted)

    async def _page(self, lane: Lane) -> list[int] | None:
        """The page to look at: the one gone back to, or the next; None where the system failed to give it."""
        if self.at < len(self.pages):
            self.at += 1
            return self.pages[self.at - 1]
        number, most = len(self.pages) + 1, self.mind.common.page.items
        items = await self.system.page(lane, self.mind.visitor.user, number, most, self.served)
        if items:
            self.served += items
            self.pages.append(items)
            self.at = number
        return items

    def _give_up_page(self) -> None:
        """No usable verdicts came: the page counts as a failure, and not as shown."""
        self.failures += 1
        self.left = "spent" if self.agent.spent else ""
        if self.pages[self.at - 1][0] not in self.views:
            self.pages.pop()
            self.at = len(self.pages)

    async def _browse(self, lane: Lane, items: list[int], opened: bool = False) -> list[Verdict] | None:
        mind = self.mind
        shown = mind.shown(items, opened)
        remembered, recalled = mind.before(items, shown)
        again = items[0] in self.views and not opened
        facts = BrowseFacts(
            noun=mind.common.noun,
            titles=tuple([look.facts for look in shown]),
            page=None if again else self.at,
            back_on=self.at if again else None,
            remembered=remembered,
            sought=self.sought,
            opened=opened,
        )
        by = BrowseDispositions(
            titles=tuple([look.by for look in shown]),
            temper=mind.visitor.temper,
            scales=mind.common.scales,
            place=f"{shown[0].by.item}+{len(items)}" if opened else f"page {self.gone}",
        )
        reply = await lane.ask(self.agent, Browse(facts, by))
        if reply is None:
            return None
        verdicts = sorted(reply.verdicts, key=lambda v: v.number)
        if not opened:
            mind.expose(items)
        for item, look, verdict in zip(items, shown, verdicts, strict=True):
            self._take(item, look, verdict, opened)
        where = {"system": self.system.name, "page": self.at, "gone": self.gone, "opened": opened}
        lane.act(self.agent, Browsed.of_own(**where, items=seen(shown, verdicts), recalled=recalled))
        return verdicts

    def _take(self, item: int, look: TitleShown, verdict: Verdict, opened: bool) -> None:
        """Enter a verdict; a title once watched stays as it was rated."""
        if item not in self.views:
            position = self.pages[self.at - 1].index(item) + 1
            self.views[item] = View(item, self.at, position, look)
        view = self.views[item]
        view.opened = view.opened or opened
        if view.rating is not None:
            return
        view.words = verdict.how_it_was or verdict.thoughts
        if verdict.stars is not None:
            view.rating = verdict.stars
            self.mind.learn(item, verdict.stars)
            genres = look.facts.entry.genres
            text = taken_memory(look.title, genres, verdict.stars, view.words)
            record = self.mind.remember(
                text, item=look.by.item, rating=verdict.stars, title=look.title, page=self.gone
            )
            self.records.append(record)
            self.taken.append(TakenTitle(look.title, verdict.stars, genres, view.words))

    async def _acts(self, lane: Lane, items: list[int]) -> Acted | None:
        """What the visitor does after the page; opening titles on the way.

        Its satisfaction is what it says where somebody else than the behaviour model answers; no answer keeps the last.
        """
        page = self.mind.common.page
        modelled = lane.answerer(self.agent, Act.kind) == "offline"
        before = self.satisfied
        self.gains.append(0.0)
        for clicks in range(page.clicks + 1):
            self.gains[-1] = round(brain.gain([self.views[item].rating for item in items]), 3)
            by_model = round(brain.satisfaction(before, self.gains[-1]), 3)
            question, passed = self._act(items, (before, by_model), page.clicks - clicks)
            acted = await lane.ask(self.agent, question)
            if acted is None:
                self.failures += 1
                return None
            self.satisfied = by_model if modelled else brain.LIKING[acted.like_it_so_far]
            chosen = passed[acted.open - 1] if acted.open is not None else None
            lane.act(
                self.agent, moved(self.system.name, self.at, acted, chosen, by_model if modelled else None)
            )
            self.parting = acted.why
            if chosen is None:
                return acted
            await self._open(lane, chosen.item)
        return acted

    async def _open(self, lane: Lane, item: int) -> None:
        """Read more about a title, and decide on it again."""
        if await self._browse(lane, [item], opened=True) is None:
            self.failures += 1

    def _act(self, items: list[int], satisfied: tuple[float, float], clicks: int) -> tuple[Act, list[View]]:
        """The question after a page, with satisfaction before and after it; and what was passed over, in its order."""
        mind, spec = self.mind, self.mind.common.spec
        views = [self.views[item] for item in items]
        passed = [view for view in views if view.rating is None]
        facts = ActFacts(
            noun=mind.common.noun,
            page=self.at,
            taken=tuple(Opinion(v.title, v.words, v.rating) for v in views if v.rating is not None),
            passed=tuple(Opinion(v.title, v.words, opened=v.opened) for v in passed),
            moves=self._moves(bool(clicks and any(not v.opened for v in passed))),
            visit=mind.looked_back(),
        )
        by = ActDispositions(
            chances=tuple(round(_chance(self, view), 2) for view in passed),
            gains=tuple(self.gains),
            before=satisfied[0],
            satisfied=satisfied[1],
            tired=round(brain.fatigue(mind.visitor.temper, self.gone), 3),
            novelty=round(fmean(v.shown.by.novelty > 0.5 for v in views), 2),
            temper=mind.visitor.temper,
            place=f"page {self.gone}",
            earlier=self._earlier(views),
            leaving=spec.leaving,
            travel=spec.travel,
        )
        return Act(facts, by), passed

    def _moves(self, clickable: bool) -> tuple[Move, ...]:
        """What can be done now; the loop guards of going back and opening."""
        page = self.mind.common.page
        moves: list[Move] = ["leave"] if page.exits else []
        if self.gone < page.most:
            moves.append("next")
            if self.at > 1 and self.returned < page.returns:
                moves.append("back")
        if clickable:
            moves.append("open")
        return tuple(moves) if "leave" in moves or "next" in moves else ("leave", *moves)

    def _earlier(self, views: list[View]) -> str:
        """The title that was passed over on the page before and draws far more than all on this one."""
        if self.at < 2:
            return ""
        best = self._passed_over(self.pages[self.at - 2])
        here = max(view.shown.by.pull for view in views)
        return best.title if best and best.shown.by.pull > here + FAR_MORE else ""

    def _passed_over(self, items: list[int]) -> View | None:
        """What draws most of these, of what was not taken."""
        passed = [self.views[item] for item in items if self.views[item].rating is None]
        return max(passed, key=lambda v: v.shown.by.pull, default=None)

    async def _reflect(self, lane: Lane) -> None:
        """Three questions, three insights, stored with the records they cite (B13), after pages that gave new ones."""
        mind = self.mind
        if not mind.common.spec.reflection:
            return
        facts = ReflectFacts(mind.common.noun, tuple(self.taken[-REMEMBERED:]), mind.learnt())
        by = ReflectDispositions(round(mind.visitor.usual, 2), f"page {self.gone}")
        reply = await lane.ask(self.agent, Reflect(facts, by))
        if reply is None:
            self.failures += 1
            return
        shown = self.records[-REMEMBERED:]
        insights = tuple(
            LearntInsight.of_own(text=one.text, records=tuple(shown[n - 1] for n in one.rests_on))
            for one in reply.learnt
        )
        lane.act(
            self.agent,
            Learnt.of_own(
                system=self.system.name, page=self.at, questions=reply.questions, insights=insights
            ),
        )
        for one in insights:
            mind.remember(insight_words(one.text), records=list(one.records))

    def _move_on(self, acted: Acted | None) -> None:
        mind = self.mind
        views = [self.views[item] for item in self.pages[self.at - 1]]
        mind.remember(page_memory(self.at, views, acted), after=self.gone)
        if acted is None and self.agent.spent:
            self.left = "spent"
        elif acted is not None and acted.do == "leave" and self.gone < mind.common.page.most:
            self.left = "exit"
        elif acted is not None and acted.do == "back":
            self.returned += 1
            self.at -= 2
            sought = self._passed_over(self.pages[self.at])
            self.sought = sought.title if sought else ""


def _chance(visit: Visit, view: View) -> float:
    look = view.shown
    return brain.p_watch(visit.mind.visitor.temper, look.by.pull, look.by.novelty, look.shift)
