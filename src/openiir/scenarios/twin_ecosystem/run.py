"""A run: two worlds side by side, round by round, and what the policy does to the free one as it stands."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from openiir.kit.arrays import Ints
from openiir.kit.reranking import Policy
from openiir.plugin import Action, Arms, Lane, Stage, texts_in_order
from openiir.scenarios.twin_ecosystem.model.documents import read_works
from openiir.scenarios.twin_ecosystem.model.outcomes import MARGINS
from openiir.scenarios.twin_ecosystem.model.worlds import Pages, SearchWorld
from openiir.scenarios.twin_ecosystem.questions import UseResult, describe_result

ARMS = FREE, REGULATED, DIRECT = "free", "regulated", "direct"
"""Both worlds, and the free one's pages under the other's policy, in the order in which a round is logged."""
SEARCHER = "searcher"
Shown = tuple[Pages, Ints]
"""Pages shown in a round, and the place that each searcher used, 0 for none."""


class Used(Action):
    """Searchers used a result of a page, or none."""

    kind = "twin_ecosystem.used"
    arm: str
    need: int
    place: int
    """Place on the page, from 1; 0 for none."""


class Ecosystem:
    """Both worlds, and the searchers, who have the same needs and the same eyes in both."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage, self.judged = stage, read_works(stage, (FREE, REGULATED), folder)
        self.people = stage.population(stage.config.searchers, SEARCHER)
        worlds = [SearchWorld(name, self.judged, self.people) for name in (FREE, REGULATED)]
        self.worlds = Arms(stage, {world.name: world for world in worlds})
        if stage.restored is None:
            for table, columns in self.judged.tables(MARGINS | stage.config.margins).items():
                stage.columns(table, columns)

    async def live(self) -> None:
        """Let a round pass: all search in both worlds, then rankers learn and providers write."""
        stage, judged, rule = self.stage, self.judged, self.stage.config.policy
        draw = stage.draw("twin_ecosystem.need")
        self.need = draw.below(len(judged.needs), agent=self.people.rows)
        policy = rule.build(judged.number_of(rule.provider) if rule.provider else 0)
        self.harmful = judged.held_harmful(rule.provider if rule.by == "down_rank" else "")
        free, self.worlds[REGULATED].policy = self.worlds[FREE], policy
        shown = await self.worlds.live(lambda world, lane: self.search(world, lane, world.policy))
        await stage.lanes({DIRECT: lambda lane: self.search(free, lane, policy, shown[FREE])})
        await self.worlds.live(partial(self.respond, shown))

    async def search(
        self, world: SearchWorld, lane: Lane, policy: Policy, known: Shown | None = None
    ) -> Shown:
        """Show a world's pages under a policy, and ask searchers what they use.

        Those who are shown what they were shown in `known` do what they did there.
        """
        config, need = self.stage.config, self.need
        texts = list(world.read(lane).values())
        scores = await world.score(lane, config.retrieval, config.learning)
        pages = world.lay_out(lane, scores, config.slots, policy, self.harmful)
        uses, rows = np.zeros(len(need), dtype=np.int64), self.people.rows
        if known is not None:
            other = (pages.documents != known[0].documents).any(axis=1)
            uses, rows = known[1].copy(), np.flatnonzero(other[need])
        shown = pages.documents[need[rows]]

        def see(n: int) -> Mapping[str, object]:
            query = self.judged.queries[need[rows[n]]]
            memory = world.memories[rows[n]].recall(query, 3)
            results = tuple(describe_result(texts[one].text, *world.owner(one)) for one in shown[n].tolist())
            return {"query": query, "remembered": texts_in_order(memory), "results": results}

        reading, draw = config.reading, self.stage.draw("twin_ecosystem.looks")
        looks = {"looks": self.judged.looks(rows, need[rows], world.work[shown], reading.blur, draw)}
        answers = await lane.ask_crowd(UseResult, world.users, looks, see, rows=rows, behaviour=reading)
        uses[rows] = answers["uses"]
        lane.columns("pages", {"arm": lane.name, **world.columns(lane, pages, need, uses)})
        return pages, uses

    async def respond(self, shown: Mapping[str, Shown], world: SearchWorld, lane: Lane) -> None:
        """Let a world's ranker learn from a round, personas remember it, and providers write."""
        (pages, uses), need, texts = shown[world.name], self.need, list(world.read(lane).values())
        documents, queries = pages.documents[need], self.judged.queries
        lane.act_all(Used, self.people.rows, arm=world.name, need=need, place=uses)
        world.learn(need, documents, uses)
        for row, memory in world.memories.items():
            if uses[row]:
                one = int(documents[row, uses[row] - 1])
                result = describe_result(texts[one].text, *world.owner(one)).partition("\n")[0]
                memory.store(f'You asked "{queries[need[row]]}" and followed: {result}')
        searchers, draw = np.bincount(need, minlength=len(queries)), self.stage.draw("twin_ecosystem.write")
        for new in await world.publish_versions(lane, pages, searchers, self.stage.config.writing, draw):
            lane.row("versions", step=lane.step, arm=world.name, **new._asdict())
