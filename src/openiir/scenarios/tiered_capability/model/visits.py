"""What members of an arm got in a round: documents opened, who found them taken, and how far they serve."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.access import NOWHERE, grant_access
from openiir.kit.arrays import Bools, Ints
from openiir.kit.measures import discounts, ndcg
from openiir.kit.prompting import join_words
from openiir.plugin import Action, CastArm, Draw, Own, Population, order_by, quantise
from openiir.scenarios.tiered_capability.model.needs import JudgedNeeds
from openiir.scenarios.tiered_capability.model.search import NOTHING, PLACES


class Opened(Action):
    """Members wanted to open a document, and could or found it taken."""

    kind = "tiered_capability.opened"
    arm: str
    need: int
    document: int
    granted: bool


@dataclass(frozen=True, eq=False)
class Visits:
    """The visits of all members of an arm in one round."""

    needs: JudgedNeeds
    need: Ints
    """(members,)"""
    pages: Ints
    """(members, worlds, PLACES) documents of the local page, and of the web's."""
    web: Bools
    """(members,) who searched the web as well, and saw its page."""
    wanted: Ints
    """(members, PLACES) documents to open, from the top of the first page; NOWHERE after the last."""
    granted: Bools
    """(members, PLACES) which of these opened."""

    @classmethod
    def settle(
        cls,
        needs: JudgedNeeds,
        need: Ints,
        pages: Ints,
        web: Bools,
        opens: tuple[Ints, Ints],
        seats: int,
        draw: Draw,
    ) -> "Visits":
        """Draw to whom documents open: each to as many as there are `seats` in a round, 0 being no limit.

        `opens` are the documents that members would open of the local page, and those who searched the web of
        its page. The first PLACES of a member count.
        """
        both = np.concatenate([opens[0], np.full_like(opens[0], NOWHERE)], axis=1)
        both[web, PLACES:] = opens[1]
        wanted = np.take_along_axis(both, order_by(both == NOWHERE, axis=1)[:, :PLACES], axis=1)
        granted = grant_access(wanted, np.full(len(needs.documents), seats or len(need)), draw)
        return cls(needs, need, pages, web, wanted, granted)

    @property
    def met(self) -> Bools:
        """(members,) who opened a document that none serves better."""
        best = self.needs.best[self.need[:, None], self.wanted]
        return np.asarray((best & self.granted).any(axis=1))

    def list_opened(self) -> tuple[Ints, dict[str, Any]]:
        """List the documents wanted as columns of `Opened`, with the rows of who wanted them."""
        member, place = np.nonzero(self.wanted != NOWHERE)
        document, granted = self.wanted[member, place], self.granted[member, place]
        return member, {"need": self.need[member], "document": document, "granted": granted}

    def measure(self) -> dict[str, Any]:
        """Compute the columns of a table with a row for each visit."""
        gains, asked = self.needs.gains[self.need], self.wanted != NOWHERE
        return {
            "need": self.need,
            "page": quantise(ndcg(gains, self.pages[:, 0])),
            "outcome": quantise(ndcg(gains, np.where(self.granted, self.wanted, NOTHING))),
            "correct": self.met,
            "web": self.web,
            "opened": asked.sum(axis=1),
            "denied": (asked & ~self.granted).sum(axis=1),
        }

    def expose(self) -> dict[str, Any]:
        """Compute the attention that pages gave documents: 1 / log2(1 + place) for each time shown."""
        shown = np.concatenate([self.pages[:, 0], self.pages[self.web, 1]])
        there = shown != NOTHING
        attention = np.bincount(shown[there], np.broadcast_to(discounts(PLACES), shown.shape)[there])
        document = np.flatnonzero(attention)
        return {"document": document, "attention": quantise(attention[document])}


class SearchArm(CastArm):
    """One arm: its members with the agents that they have there, and what became of them."""

    met: Own[Ints]
    """(members,) number of visits that met a need so far."""
    spent: Own[Ints]
    """(members,) web searches spent so far."""

    def __init__(self, name: str, users: Population) -> None:
        super().__init__(users)
        self.name = name
        self.met, self.spent = np.zeros((2, users.size), dtype=np.int64)

    def learn(self, visits: Visits, day: int) -> None:
        """Take in a round's visits, of which personas remember what they opened."""
        self.met, self.spent = self.met + visits.met, self.spent + visits.web
        for row, memory in self.memories.items():
            opened = visits.wanted[row][visits.granted[row]].tolist()
            what = join_words([visits.needs.title(one) for one in opened]) or "nothing"
            query = visits.needs.queries[visits.need[row]]
            memory.store(f'Day {day}: you asked "{query}" and opened {what}.')
