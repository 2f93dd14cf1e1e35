"""A round of a web: readers decide in front of the page of their space, and publishers are paid."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from openiir.plugin import CastArm, Lane, Population, Stage
from openiir.scenarios.open_web.config import AS_PEOPLE
from openiir.scenarios.open_web.model.publishers import Publishers, mix_funds
from openiir.scenarios.open_web.model.readership import Readership, SpacePages
from openiir.scenarios.open_web.model.spaces import SpaceMap
from openiir.scenarios.open_web.questions import ReadSpace, describe_piece

RECALLED = 4
"""Number of weeks that a reader remembers in front of a page."""


class AgentWeb(CastArm):
    """A web with a share of agents, at a price of their visits."""

    def __init__(self, name: str, stage: Stage, users: Population, map_: SpaceMap, start: Publishers) -> None:
        super().__init__(users)
        self.name, self.stage, self.map = name, stage, map_
        self.share, self.price = stage.config.list_arms()[name]
        self.readers, self.publishers = Readership(map_), start.copy()

    async def live(self, lane: Lane) -> None:
        """Live a round: readers look, judge, follow and leave; then publishers are paid."""
        config, draw, readers = self.stage.config, self.stage.draw("open_web.page"), self.readers
        agents = config.spaces.spread_share(self.share, self.map.uneven)
        pages = readers.draw_pages(agents, config.spaces.pieces, config.trust, config.retreat, draw)
        rows, columns = pages.rows, readers.take_impressions(pages, config.retreat, lane.step)
        summarised = draw.at("summaries").chance(config.visits.summaries, agent=rows)
        columns["chance"] = np.where(summarised, config.visits.summarised, config.visits.plain)

        def see(n: int) -> dict[str, Any]:
            topic, articles = self.map.topics[self.map.space[rows[n]]]
            told = pages.article, pages.handle, columns["reputation"], columns["followers"], pages.looks
            each = zip(*(one[n].tolist() for one in told), strict=True)
            page = tuple(describe_piece(articles[a], h, r, f, p, summarised[n]) for a, h, r, f, p in each)
            remembered = tuple(one.text for one in self.memories[int(rows[n])])[-RECALLED:]
            return {"topic": topic, "page": page, "remembered": remembered}

        answers = await lane.ask_crowd(ReadSpace, self.users, columns, see, rows=rows, behaviour=config)
        for n in np.flatnonzero(np.isin(rows, list(self.memories))).tolist():
            self._remember(pages, n, lane.step, {name: column[n] for name, column in answers.items()})
        looked = readers.settle(pages, answers, config.trust.half_life, lane.step)
        if len(rows):
            steps = np.full(len(rows), lane.step)
            lane.columns("looked", {"arm": self.name, "step": steps, "member": rows, **looked})
        opened, people = int(looked["opened"].sum()), len(readers.present)
        visits, views = config.visits.count_views(opened, len(rows), people)
        paid = mix_funds(self.share, visits * views, views if self.price == AS_PEOPLE else self.price)
        stayed = float(readers.present.mean())
        week = {"stayed": stayed, "visits": visits, "views": views, "paid": paid}
        if config.economy.publishers:
            week |= self.publishers.trade(config.economy, paid, self.stage.draw("open_web.entry"))
        lane.row("weeks", arm=self.name, step=lane.step, **week)

    def _remember(self, pages: SpacePages, n: int, week: int, did: Mapping[str, Any]) -> None:
        """Let a reader with a persona remember what it saw and did."""
        row, programs, piece = int(pages.rows[n]), int(pages.looks[n].sum()), did["piece"] - 1
        text = f"In week {week}, {programs} of {pages.looks.shape[1]} pieces read as if by programs."
        if piece >= 0:
            title = self.map.topics[self.map.space[row]][1][pages.article[n, piece]].title
            opened, found = "opened" if did["opens"] else "looked at", "" if did["worth"] else "not "
            text += f' You {opened} "{title}", which was {found}worth your time.'
        self.memories[row].store(text)
