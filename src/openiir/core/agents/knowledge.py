"""Access to a run's worlds: passages by a world's index or its own retriever, and justified web searches."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents.agent import Agent
from openiir.core.asking import Ledger, ReceivedReply
from openiir.core.errors import UnknownName
from openiir.core.grid import quantise
from openiir.core.hashing import canonical
from openiir.core.records import Chunk, Place, RetrievalMode, SearchHit
from openiir.core.retrieval.hybrid import scale_to_best
from openiir.core.systems import RetrieverReply
from openiir.core.transport import listen_to_tries
from openiir.core.world import Hit, WebSearch, World, search_refusal

DEPTH = 50
"""Number of passages among which a policy chooses."""
CANDIDATES = 1_000
"""Number of passages that a retriever is asked for where all are to be scored."""
LOOKUP = "world.lookup"
"""Kind of a retriever's calls in the ledger."""
RESULTS = 5
"""Number of results requested per web search."""


class HitPolicy(Protocol):
    """Interface of what re-ranks the passages of a look-up, such as `kit.reranking.HitReranker`."""

    @property
    def name(self) -> str:
        """Name in the log; empty for a policy that changes nothing."""

    def __call__(self, hits: Sequence[Hit], k: int) -> Sequence[Hit]:
        """Return at most k of the hits, which come best first, in the order of this policy."""


class WorldRetriever(Protocol):
    """Interface of a world's own retriever."""

    async def retrieve(self, world: World, query: str, k: int, asker: str) -> RetrieverReply:
        """Find at most k passages of the world; raises SystemFault or InputError for no usable answer."""

    def read(self, world: World, query: str, reply: RetrieverReply) -> list[Hit]:
        """Return the passages of a reply."""


@dataclass(frozen=True)
class Tools:
    """How a member searches, where a change of the study says so."""

    retrieval: RetrievalMode | None = None
    """None leaves the persona's own mode."""
    policy: HitPolicy | None = None


class Knowledge:
    """The worlds (text collections) of one run, their own retrievers, and its web search client."""

    def __init__(
        self,
        worlds: Mapping[str, World],
        ledger: Ledger,
        web: WebSearch | None,
        retrievers: Mapping[str, WorldRetriever] | None = None,
    ) -> None:
        self.worlds = dict(worlds)
        self.ledger = ledger
        self.web = web
        self.retrievers = dict(retrievers or {})
        """Retrievers by world."""
        self.default_mode: RetrievalMode = "hybrid"
        """Retrieval mode of those who join and name none."""
        self.tools: Mapping[str, Tools] = {}
        """Tools by persona id; those of `*` are everybody else's."""
        self.rehearsing = False
        """Whether a web search that is not on record finds nothing and leaves no call."""

    def world(self, name: str) -> World:
        if name not in self.worlds:
            raise UnknownName("world of this study", name, self.worlds)
        return self.worlds[name]

    def tools_of(self, agent: Agent) -> Tools:
        """Return the tools that the study's changes give an agent: each its own, else everybody's."""
        own, everybody = (self.tools.get(name, Tools()) for name in (agent.id, "*"))
        return Tools(own.retrieval or everybody.retrieval, own.policy or everybody.policy)

    async def lookup(
        self, place: Place, query: str, k: int, mode: RetrievalMode, policy: HitPolicy | None = None
    ) -> tuple[list[Hit], int]:
        """Retrieve at most k passages of the world that is the place's subject, in the order of a policy.

        Returns the passages, and the number of ids that the world does not hold in a retriever's answer.
        """
        hits, dropped = await self._find(place, query, k if policy is None else max(k, DEPTH), mode)
        return hits if policy is None else list(policy(hits, k)), dropped

    async def scores(self, place: Place, query: str, mode: RetrievalMode) -> NDArray[np.float64]:
        """Score all passages of the world that is the place's subject, in the order of `World.chunks`.

        A retriever's scores are divided by the best, and passages that it does not find have 0; where some
        are not positive, they are mapped to 0.5..1 first.
        """
        world = self.world(place.subject)
        if not self._asks(place.subject, mode):
            return await world.scores(query, mode)
        hits, _ = await self._find(place, query, CANDIDATES, mode)
        found = np.zeros(len(world.chunks))
        scores = np.array([hit.score for hit in hits])
        if len(hits) and (lowest := scores.min()) <= 0:
            scores = 1 + (scores - lowest) / ((scores.max() - lowest) or 1.0)
        found[[world.place(hit.chunk.id) for hit in hits]] = quantise(scale_to_best(scores))
        return found

    def _asks(self, world: str, mode: RetrievalMode) -> bool:
        return mode == "own" and world in self.retrievers

    async def _find(self, place: Place, query: str, k: int, mode: RetrievalMode) -> tuple[list[Hit], int]:
        world = self.world(place.subject)
        if not self._asks(place.subject, mode):
            return await world.lookup(query, k, mode), 0
        retriever = self.retrievers[place.subject]

        async def send(on_try: Callable[[int, str, float], None]) -> ReceivedReply:
            with listen_to_tries(on_try):
                found = await retriever.retrieve(world, query, k, place.asker)
            return ReceivedReply(canonical(found.model_dump(exclude_defaults=True)))

        request: Any = {"to": f"retriever of {place.subject}", "query": query, "k": k}
        call = await self.ledger.reply(place, 0, "system", request, send, lambda text: None)
        reply = RetrieverReply.model_validate_json(call.reply)
        if reply.otherwise is not None:
            return await world.lookup(query, k, reply.otherwise), 0
        return retriever.read(world, query, reply), reply.dropped

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
        if self.rehearsing and not self.ledger.has_reply(place, 0):
            return ()
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
