"""Agents' access to a run's worlds: free passage look-ups and justified web searches."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from openiir.core.agents.agent import Agent
from openiir.core.asking import Ledger, ReceivedReply
from openiir.core.errors import UnknownName
from openiir.core.records import Chunk, Place, SearchHit
from openiir.core.world import Hit, RetrievalMode, WebSearch, World, search_refusal

DEPTH = 50
"""Number of passages among which a policy chooses."""
RESULTS = 5
"""Number of results requested per web search."""


class HitPolicy(Protocol):
    """Interface of what re-ranks the passages of a look-up, such as `kit.reranking.HitReranker`."""

    @property
    def name(self) -> str:
        """Name in the log; empty for a policy that changes nothing."""

    def __call__(self, hits: Sequence[Hit], k: int) -> Sequence[Hit]:
        """Return at most k of the hits, which come best first, in the order of this policy."""


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

    async def lookup(
        self, query: str, k: int, world: str, mode: RetrievalMode, policy: HitPolicy | None = None
    ) -> list[Hit]:
        """Retrieve at most k passages in a retrieval mode, in the order that a policy gives them."""
        if policy is None:
            return await self.world(world).lookup(query, k, mode)
        return list(policy(await self.world(world).lookup(query, max(k, DEPTH), mode), k))

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
