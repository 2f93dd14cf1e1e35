"""Members of the cast among the users of one feed: questions to them, their memory and their beliefs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Bools, Ints
from openiir.kit.beliefs import on_grid
from openiir.kit.rankers import NONE
from openiir.plugin import (
    Agent,
    CastArm,
    Lane,
    Memory,
    Own,
    Population,
    Stage,
    stance_number,
    stance_word,
    texts_in_order,
)
from openiir.plugin.arguments import sentences
from openiir.scenarios.curated_feed.behaviour.feed_state import FeedState
from openiir.scenarios.curated_feed.behaviour.personas import is_made_persona, list_issues
from openiir.scenarios.curated_feed.behaviour.platform import Platform
from openiir.scenarios.curated_feed.config import NO_FEED
from openiir.scenarios.curated_feed.model.items.item_text import ItemWords, page_words
from openiir.scenarios.curated_feed.questions.feed_questions import (
    FeedBrowse,
    FeedSession,
    OpenedItems,
    Survey,
)
from openiir.scenarios.curated_feed.questions.wording import IssueStance

RECALLED = 4
"""Number of memory records that a user recalls in front of a page."""
SURVEYED = 8
"""Number of memory records that a user recalls in a survey."""
HALF_LIFE = 20
"""Number of records after which a memory is half as recent: some six visits."""
SURVEY = -1
"""Number of the visit under which thoughts in a survey are remembered, which are important (our design)."""


@dataclass
class FeedMember:
    """A simulated user with a persona, in one feed, with its memory."""

    agent: Agent
    """The agent, with a budget for this feed."""
    memory: Memory
    visit: int | None = None
    """The last session of which there is anything in memory."""
    asked: bool = False
    """Whether the member was surveyed since its beliefs come from surveys."""
    stated: bool = False
    """Whether its beliefs are those that it stated in a survey."""

    def remember(self, text: str, visit: int) -> None:
        """Store what the member read or thought in a session."""
        self.memory.store(text, float(visit == SURVEY), visit=visit)
        self.visit = self.visit if visit == SURVEY else visit

    def last_visit(self) -> tuple[str, ...]:
        """Return the member's own memories of the last session."""
        own = (one for one in self.memory if "by" not in one.facts)
        return tuple(one.text for one in own if one.facts["visit"] == self.visit)

    def recall(self, page: Sequence[ItemWords]) -> tuple[str, ...]:
        """Recall the member's memories of earlier sessions that are relevant to a page."""
        matters = [f"{item.headline} {item.text}" for item in page]
        return texts_in_order(
            self.memory.recall(matters, RECALLED, lambda record: record.facts["visit"] == self.visit)
        )


class FeedCast(CastArm):
    """One feed as an arm of the run: its users as columns, and those of them that have a persona."""

    _diet: Own[NDArray[np.float64]]
    """(2, members, topics) what each was shown and clicked this week."""

    def __init__(self, stage: Stage, platform: Platform, users: Population, name: str) -> None:
        super().__init__(users, half_life=HALF_LIFE)
        self._platform, start = platform, platform.start
        self.population = FeedState(name, name, start.copy(), stage.config.slots, start)
        self.people = [FeedMember(agent, self.memories[row]) for row, agent in self.agents.items()]
        """The member at position n is user n; promoted users come first."""
        self._promoted = min(stage.config.promoted, len(self.people))
        self._issues = list_issues(platform.topics)
        self._diet = np.zeros((2, len(self.people), len(platform.topics)))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the columns and budgets, and for each member who was surveyed, and its last session."""
        flags = [[one.asked, one.stated, -1 if one.visit is None else one.visit] for one in self.people]
        return {**super().state(), "flags": np.array(flags, dtype=np.int64).reshape(len(flags), 3)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `state` returned."""
        own = dict(arrays)
        flags = own.pop("flags").tolist()
        super().restore(own)
        for one, (asked, stated, visit) in zip(self.people, flags, strict=True):
            one.asked, one.stated, one.visit = bool(asked), bool(stated), None if visit < 0 else visit

    def open_week(self, lane: Lane) -> list[int]:
        """Mark the members whose beliefs come from surveys, and return those not surveyed yet."""
        members = enumerate(self.people[: self._promoted])
        speaking = [n for n, one in members if lane.answerer(one.agent, Survey.kind) != "offline"]
        self.population.stated = np.array(speaking, dtype=np.int64)
        for n in set(range(self._promoted)) - set(speaking):
            self.people[n].asked = self.people[n].stated = False
        return [n for n in speaking if not self.people[n].asked]

    async def survey(self, lane: Lane, users: Sequence[int], weeks: int) -> None:
        """Survey users and replace their beliefs by the answers; without a usable answer the beliefs stay.

        `weeks` is the number of weeks for which they have read the feed.
        """
        batch = [(self.people[n].agent, self._survey(n, weeks)) for n in users]
        for n, reply in zip(users, await lane.ask_all(batch), strict=True):
            one = self.people[n]
            one.asked = True
            if reply is None:
                continue
            said = {answer.number: stance_number(answer.where_you_stand) for answer in reply.answers}
            belief = on_grid(np.array([said[number] for number in sorted(said)]))
            self.population.store_belief(n, belief, first=not weeks)
            one.stated = True
            if reply.thoughts:
                when = f"at the end of week {weeks}" if weeks else "before you began"
                self._remember(lane, n, f'{when} you thought: "{reply.thoughts}"', SURVEY)

    def _survey(self, user: int, weeks: int) -> Survey:
        one = self.people[user]
        return Survey(
            weeks=weeks if self.population.ranker != NO_FEED else 0,
            remembered=texts_in_order(one.memory.recall(self._issues, SURVEYED)),
            issues=self._issues,
            stood=tuple(view.stands for view in self._views(user)),
            beliefs=tuple(self.population.belief[user].tolist()),
        )

    def _views(self, user: int) -> tuple[IssueStance, ...]:
        """Return the stances that a user stated when last surveyed; empty where it stated none."""
        if not self.people[user].stated:
            return ()
        stands = map(stance_word, self.population.belief[user].tolist())
        return tuple(IssueStance(*one) for one in zip(self._issues, stands, strict=True))

    async def ask_clicks(self, lane: Lane, session: int) -> Bools | None:
        """Ask the members with a persona what they open in a session; returns their clicks (users x slots).

        Returns None without promoted users; a user without a usable answer opens nothing.
        """
        if not self._promoted:
            return None
        platform, config = self._platform, self._platform.config
        items = platform.offer(self.population, slice(0, self._promoted), session).slates.items
        rows = np.flatnonzero((items != NONE).any(axis=1))

        @cache
        def page(user: int) -> tuple[ItemWords, ...]:
            return page_words(platform.words_of, items[user][items[user] != NONE].tolist())

        def facts(n: int) -> dict[str, Any]:
            user = int(rows[n])
            one, shown = self.people[user], page(user)
            return {
                "week": platform.week,
                "again": session > 0,
                "views": self._views(user),
                "last": one.last_visit(),
                "remembered": one.recall(shown),
                "page": shown,
            }

        behaviour = FeedSession(session, platform.shelf, config.clicks, config.beliefs)
        columns = {"belief": self.population.belief[rows], "items": items[rows]}
        subject = f"session {session + 1}"
        opened = await lane.ask_crowd(
            FeedBrowse, self.users, columns, facts, rows=rows, subject=subject, behaviour=behaviour
        )
        clicks = np.zeros(items.shape, dtype=np.bool_)
        clicks[rows] = opened["open"]
        for user, reply in opened.replies.items():
            if isinstance(reply, OpenedItems):
                self._read(lane, user, page(user), reply, session)
        return clicks

    def _read(
        self, lane: Lane, user: int, page: Sequence[ItemWords], reply: OpenedItems, session: int
    ) -> None:
        """Remember what a user opened on a page, and what it thought."""
        week = f"in week {self._platform.week} you"
        opened = [f"{week} read {_short(page[n - 1])}" for n in sorted(reply.open)]
        thought = [f'{week} thought: "{reply.thoughts}"'] if reply.thoughts else []
        for text in [*(opened or [f"{week} looked through a page and opened nothing"]), *thought]:
            self._remember(lane, user, text, session)

    def _remember(self, lane: Lane, user: int, text: str, visit: int) -> None:
        one = self.people[user]
        one.remember(text, visit)
        if not lane.offline_alone(one.agent.id, FeedBrowse.kind, Survey.kind):
            lane.row(
                "memories",
                feed=self.population.feed,
                week=self._platform.week,
                session=visit + 1,
                persona=one.agent.id,
                text=text,
            )

    def count_exposure(self, items: Sequence[Ints], clicks: Sequence[Bools]) -> None:
        """Count by topic what each member was shown and clicked in a session; lists are by block of users."""
        at = 0
        for item, click in zip(items, clicks, strict=True):
            rows = len(self.people) - at
            if rows <= 0:
                return
            there = (item[:rows] != NONE)[:, :, None]
            mix = self._platform.shelf.catalogue.theta[np.maximum(item[:rows], 0)] * there
            self._diet[0, at : at + len(mix)] += mix.sum(axis=1)
            self._diet[1, at : at + len(mix)] += (mix * click[:rows, :, None]).sum(axis=1)
            at += len(mix)

    def log_week(self, lane: Lane) -> None:
        """Log each member's exposure, clicks and beliefs at a week's end, and who answered for it.

        Promoted users for whom behaviour models answered are left out, as the crowd is.
        """
        asked = {actor for _, kind, actor, _ in lane.rows.events if kind == "asked"}
        agents = [one.agent for one in self.people]
        told = [n for n, a in enumerate(agents) if a.id in asked or not is_made_persona(a.persona, n)]
        shown, clicked = self._diet[:, told]
        self._diet[:] = 0.0
        if not told:
            return
        k = len(self._issues)
        who = {}
        for name, kind in (("clicks_by", FeedBrowse.kind), ("belief_by", Survey.kind)):
            by = [lane.answerer(agents[n].id, kind) if n < self._promoted else "offline" for n in told]
            who[name] = [answerer for answerer in by for _ in range(k)]
        lane.columns(
            "standings",
            {
                "feed": self.population.feed,
                "week": np.full(len(told) * k, self._platform.week, dtype=np.int16),
                "persona": [agents[n].id for n in told for _ in range(k)],
                "user": np.repeat(np.array(told, dtype=np.int32), k),
                "topic": np.tile(np.arange(1, k + 1, dtype=np.int16), len(told)),
                "shown": shown.ravel(),
                "clicked": clicked.ravel(),
                "first": self.population.start[told].ravel(),
                "belief": self.population.belief[told].ravel(),
                **who,
            },
        )


def _short(item: ItemWords) -> str:
    """Shorten an item to its headline and first sentence, as a user remembers it."""
    start, end = next(iter(sentences(item.text)), (0, len(item.text)))
    return f'"{item.headline}": {item.text[start:end]}' if item.headline else item.text[start:end]
