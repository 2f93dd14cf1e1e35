"""Agents' access to a run's worlds: free passage look-ups and justified web searches."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from openiir.core.agents.agent import Agent
from openiir.core.asking import Ledger, ReceivedReply
from openiir.core.errors import UnknownName
from openiir.core.records import Chunk, Place, SearchHit
from openiir.core.world import Hit, WebSearch, World, search_refusal

RESULTS = 5
"""Number of results requested per web search."""


class Knowledge:
    """The worlds (text collections) of one run and its web search client."""

    def __init__(self, worlds: Mapping[str, World], ledger: Ledger, web: WebSearch | None) -> None:
        self.worlds = dict(worlds)
        self.ledger = ledger
        self.web = web

    def world(self, name: str) -> World:
        if name not in self.worlds:
            raise UnknownName("world of this study", name, self.worlds)
        return self.worlds[name]

    async def lookup(self, agent: Agent, query: str, k: int, world: str) -> list[Hit]:
        """Retrieve at most k passages in the persona's retrieval mode; none if that mode is `none`."""
        if agent.persona.retrieval == "none":
            return []
        return await self.world(world).lookup(query, k, mode=agent.persona.retrieval)

    async def search(
        self, agent: Agent, place: Place, query: str, justification: str, claims: Collection[str]
    ) -> tuple[str | None, tuple[SearchHit, ...]]:
        """Search the web at the agent's charge; returns (None, hits), or (the reason for refusal, ())."""
        refused = search_refusal(query, justification, claims)
        if refused is None and self.web is None:
            refused = "this study makes no web searches (web_search = false)"
        if refused is None and agent.budget.searches <= 0:
            refused = "the persona's search budget is spent"
        if refused is not None:
            return refused, ()
        agent.debit(searches=1)
        return None, await self._fetch(place, query, justification)

    async def add_chunks(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Add chunks found on the web to their worlds; returns the chunks that were new."""
        added = []
        for chunk in chunks:
            added += await self.world(chunk.world).add_chunks([chunk])
        return added

    async def _fetch(self, place: Place, query: str, justification: str) -> tuple[SearchHit, ...]:
        web = self.web
        assert web is not None

        async def send(on_try: Callable[[int, str, float], None]) -> ReceivedReply:
            results = await web.search(query, RESULTS)
            return ReceivedReply(json.dumps([hit.model_dump() for hit in results], ensure_ascii=False))

        request: Any = {
            "to": "web search",
            "query": query,
            "justification": justification,
            "results": RESULTS,
        }
        call = await self.ledger.reply(place, 0, "search", request, send, lambda text: None)
        return tuple(SearchHit.model_validate(hit) for hit in json.loads(call.reply))
