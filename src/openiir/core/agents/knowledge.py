"""What agents of a run can know: its worlds, free lookups, and justified web searches."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openiir.core.agents.agent import Agent
from openiir.core.asking import Ledger, Received
from openiir.core.errors import UnknownName
from openiir.core.records import Chunk, Place, Search, SearchHit
from openiir.core.world import Hit, WebSearch, World, inadequate

if TYPE_CHECKING:
    from openiir.core.agents.lane import Lane

RESULTS = 5
"""Results asked of a web search."""


class Knowledge:
    """The worlds of one run, isolated from every other run's."""

    def __init__(self, worlds: Mapping[str, World], ledger: Ledger, web: WebSearch | None) -> None:
        self.worlds = dict(worlds)
        self.ledger = ledger
        self.web = web

    def world(self, name: str) -> World:
        if name not in self.worlds:
            raise UnknownName("world of this study", name, self.worlds)
        return self.worlds[name]

    async def lookup(self, agent: Agent, query: str, k: int, world: str) -> list[Hit]:
        """At most k passages; none for a persona whose retrieval is `none`."""
        if agent.persona.retrieval == "none":
            return []
        return await self.world(world).lookup(query, k, mode=agent.persona.retrieval)

    async def search(
        self,
        lane: "Lane",
        agent: Agent,
        query: str,
        justification: str,
        claims: Collection[str],
        world: str,
        ordinal: int,
    ) -> list[Hit]:
        """The new passages a search brought; see Lane.search."""
        refused = inadequate(query, justification, claims)
        if refused is None and self.web is None:
            refused = "this study makes no web searches (web_search = false)"
        if refused is None and agent.budget.searches <= 0:
            refused = "the persona's search budget is spent"
        place = Place(
            lane=lane.name, asker=agent.id, kind="web.search", subject="", step=lane.step, ordinal=ordinal
        )
        hits: tuple[SearchHit, ...] = ()
        if refused is None:
            agent.debit(searches=1)
            hits = await self._fetch(place, query, justification)
        lane.rows.searches.append(
            Search(
                lane=lane.name,
                asker=agent.id,
                step=lane.step,
                ordinal=ordinal,
                query=query,
                justification=justification,
                refused=refused,
                hits=hits,
            )
        )
        found = self.world(world).novel(hits) if lane.apart else await self.world(world).extend(hits, query)
        lane.rows.chunks += [hit.chunk for hit in found]
        return found

    async def take_in(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Make what a lane found on the web part of its worlds; the chunks that no lane before it had found."""
        added = []
        for chunk in chunks:
            added += await self.world(chunk.world).take_in([chunk])
        return added

    async def _fetch(self, place: Place, query: str, justification: str) -> tuple[SearchHit, ...]:
        web = self.web
        assert web is not None

        async def send(on_try: Callable[[int, str, float], None]) -> Received:
            results = await web.search(query, RESULTS)
            return Received(json.dumps([hit.model_dump() for hit in results], ensure_ascii=False))

        request: Any = {
            "to": "web search",
            "query": query,
            "justification": justification,
            "results": RESULTS,
        }
        call = await self.ledger.reply(place, 0, "search", request, send, lambda text: None)
        return tuple(SearchHit.model_validate(hit) for hit in json.loads(call.reply))
