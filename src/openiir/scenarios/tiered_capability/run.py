"""A round in one arm: members look for something by their agents, open results, and may search the web."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.access import NOWHERE
from openiir.kit.arrays import Bools, Ints
from openiir.plugin import Arms, Lane, Stage, texts_in_order
from openiir.scenarios.tiered_capability.model import search
from openiir.scenarios.tiered_capability.model.divide import MIXED
from openiir.scenarios.tiered_capability.model.needs import read_needs
from openiir.scenarios.tiered_capability.model.visits import Opened, SearchArm, Visits
from openiir.scenarios.tiered_capability.questions import OpenResults

MEMBER = "member"


class TieredSearch:
    """The arms of a run: one in which tiers meet, and one for each tier that all have."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        tiers, self.stage = stage.config.tiers, stage
        self.needs = read_needs(stage, search.list_worlds(stage), folder)
        self.people = stage.population(stage.config.members, MEMBER)
        self.pages = search.TierPages(stage, self.needs)
        own = search.draw_tiers(tiers, self.people.rows, stage.draw("tiered_capability.tier", step=0))
        self.tier = {MIXED: own} | {name: np.full(len(own), n) for n, name in enumerate(tiers)}
        arms = {name: SearchArm(name, self.people) for name in self.tier}
        self.arms = Arms(stage, arms, self.pages)
        if stage.restored is None:
            tables = {**self.needs.tables(), "tiers": {"name": tuple(tiers)}, "members": {"tier": own}}
            for table, columns in tables.items():
                stage.columns(table, columns)

    async def live(self) -> None:
        """Let a round pass in all arms: the same needs, and the same eyes."""
        await self.pages.update(self.stage)
        draw = self.stage.draw("tiered_capability.need")
        self.need = draw.below(len(self.needs.ids), agent=self.people.rows)
        await self.arms.live(self.visit)

    async def visit(self, arm: SearchArm, lane: Lane) -> None:
        """Let the members of an arm look for what they need, and log what came of it."""
        config, rows, need, tier = self.stage.config, self.people.rows, self.need, self.tier[arm.name]
        budget, cost, latency = search.list_lines(config.tiers, tier, ("web", "cost", "latency"))
        left, pages = np.maximum(budget - arm.spent, 0), self.pages.order[tier, :, need]
        local, more = await self.read(arm, lane, rows, pages, left)
        web = more & (left > 0)
        further, _ = await self.read(arm, lane, rows[web], pages[web], np.zeros_like(left[web]), world=1)
        draw = self.stage.draw("tiered_capability.seat")
        visits = Visits.settle(self.needs, need, pages, web, (local, further), config.seats, draw)
        members, opened = visits.list_opened()
        lane.act_all(Opened, members, arm=arm.name, **opened)
        where: dict[str, Any] = {"step": lane.step, "arm": arm.name}
        spent = {"cost": cost * (1 + web), "latency": latency * (1 + web)}
        lane.columns("visits", {**where, "member": rows, **visits.measure(), **spent})
        lane.columns("exposure", {**where, **visits.expose()})
        arm.learn(visits, lane.step)

    async def read(
        self, arm: SearchArm, lane: Lane, rows: Ints, pages: Ints, left: Ints, world: int = 0
    ) -> tuple[Ints, Bools]:
        """Ask the members of these rows what they open of a page, and whether to search the web as well.

        Returns the documents at their places, (rows, PLACES), and who would.
        """
        needs, need, page, rule = self.needs, self.need[rows], pages[:, world], self.stage.config.reading
        draw = self.stage.draw("tiered_capability.looks", agent=rows)
        looks = rule.see(needs.gains[need[:, None], page], page, arm.met[rows], draw)

        def see(n: int) -> Mapping[str, Any]:
            query, found = needs.queries[need[n]], page[n][page[n] != search.NOTHING].tolist()
            remembered = texts_in_order(arm.memories[int(rows[n])].recall(query, 3))
            told = {"query": query, "remembered": remembered, "on_web": bool(world)}
            return {**told, "page": tuple(needs.texts[one] for one in found), "searches": int(left[n])}

        more: dict[str, Any] = {"rows": rows, "subject": search.WORLDS[world], "behaviour": rule}
        asked = await lane.ask_crowd(OpenResults, arm.users, {"looks": looks}, see, **more)
        return np.where(asked["open"], page, NOWHERE), asked["web"].astype(np.bool_)
