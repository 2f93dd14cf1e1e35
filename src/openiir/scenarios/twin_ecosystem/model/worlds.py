"""A search world: its documents, a ranker that learns from clicks, result pages, providers who respond."""

from typing import Any, Literal, NamedTuple

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.items.retrieval import retrieval_scores
from openiir.kit.lexical import scale_to_best
from openiir.kit.measures import discounts
from openiir.kit.reranking import Candidates, Diversity, Identity, Policy
from openiir.plugin import (
    CastArm,
    Chunk,
    Draw,
    Lane,
    Own,
    Population,
    first_largest,
    order_by,
    quantise,
)
from openiir.scenarios.twin_ecosystem.model.documents import (
    JudgedWorks,
    list_documents,
    plan_versions,
    write_version,
)

RetrievalName = Literal["own", "hybrid", "rerank", "keyword", "match", "vector"]
DEPTH = 50
"""Number of best documents among which a policy chooses, as in agents' look-ups."""
STEADY = 5.0
"""Looks at a document after which its own rate of use counts as much as the usual one."""


def score_documents(content: Floats, clicks: Ints, looks: Ints, learning: float) -> Floats:
    """Score documents for needs, (needs, documents), by what they say and by how often they were used.

    `content` is scaled to the best document of each need. To it comes `learning` times the rate of uses among
    looks, less the usual rate: a document of which little is known is taken to be as usual.
    """
    usual = int(clicks.sum()) / max(int(looks.sum()), 1)
    rate = (clicks + STEADY * usual) / (looks + STEADY)
    scores: Floats = quantise(scale_to_best(content) + learning * (rate - usual))
    return scores


class Pages(NamedTuple):
    """The result page of each need under a policy, all (needs, places)."""

    documents: Ints
    """Numbers of the documents shown."""
    relevance: Floats
    """Their relevance as the ranker sees it, from 1 for a need's best document to 0."""
    plain: Floats
    """Relevance of the documents that would be there without the policy."""
    moved: Bools
    """Whether another document than without the policy is there."""


class NewVersion(NamedTuple):
    """A document that a provider has written: a version of a work, for a need."""

    document: str
    need: int
    work: int


class SearchWorld(CastArm):
    """A world: its store is the study's world of this name, in which only its own providers publish."""

    work: Own[Ints]
    """(documents,) work of which each document is a version."""
    clicks: Own[Ints]
    """(needs, documents) how often each was used."""
    looks: Own[Ints]
    """(needs, documents) how often each was looked at, as far as clicks tell."""

    def __init__(self, name: str, judged: JudgedWorks, people: Population) -> None:
        super().__init__(people)
        self.name, self.judged, self.work = name, judged, np.arange(len(judged.works))
        self.clicks, self.looks = np.zeros((2, *judged.grades.shape), dtype=np.int64)
        self.policy: Policy = Identity()
        """Policy by which pages are laid out."""

    def read(self, lane: Lane) -> dict[str, Chunk]:
        """Return the first passages of this world's documents by name, in the order of their numbers."""
        return list_documents(lane.world(self.name).chunks)

    def owner(self, document: int) -> tuple[str, bool]:
        """Return the name of a document's provider, and whether it is known and checked."""
        provider = self.judged.provider[self.work[document]]
        return self.judged.providers[provider], bool(self.judged.trusted[provider])

    async def score(self, lane: Lane, mode: RetrievalName, learning: float) -> Floats:
        """Score this world's documents for all needs, by its own search engine and clicks."""
        queries, names = self.judged.queries, list(self.read(lane))
        content = await retrieval_scores(lane, queries, names, mode=mode, world=self.name)
        return score_documents(content, self.clicks, self.looks, learning)

    def lay_out(self, lane: Lane, scores: Floats, places: int, policy: Policy, harmful: Bools) -> Pages:
        """Fill the pages of all needs by a policy, among the best documents; `harmful` is (needs, works)."""
        vectors = None
        if isinstance(policy, Diversity):
            store = lane.world(self.name)
            vectors = np.stack([store.vector(chunk.id) for chunk in self.read(lane).values()])
        order = order_by(-scores, axis=1)[:, :DEPTH]
        works = self.work[order]
        group = self.judged.provider[works]
        found = Candidates(
            np.take_along_axis(scores, order, axis=1),
            group,
            self.judged.trusted[group],
            np.take_along_axis(harmful, works, axis=1),
            None if vectors is None else vectors[order],
        )
        kept, relevance = policy.order(found, places)[:, :places], quantise(found.relevance)
        return Pages(
            np.take_along_axis(order, kept, axis=1),
            np.take_along_axis(relevance, kept, axis=1),
            relevance[:, :places],
            kept != np.arange(places),
        )

    def columns(self, lane: Lane, pages: Pages, need: Ints, uses: Ints) -> dict[str, Any]:
        """Return pages as columns of the log, for the needs of searchers and the places that they used."""
        (needs, slots), names, which = pages.documents.shape, list(self.read(lane)), pages.documents.ravel()
        used = np.bincount(need * (slots + 1) + uses, minlength=needs * (slots + 1)).reshape(needs, -1)
        return {
            "step": np.full(len(which), lane.step),
            "need": np.repeat(np.arange(needs), slots),
            "place": np.tile(np.arange(1, slots + 1), needs),
            "document": [names[one] for one in which.tolist()],
            "work": self.work[which],
            "searchers": np.repeat(used.sum(axis=1), slots),
            "used": used[:, 1:].ravel(),
            **{name: getattr(pages, name).ravel() for name in ("relevance", "plain", "moved")},
        }

    def learn(self, need: Ints, documents: Ints, uses: Ints) -> None:
        """Count uses and looks of searchers with these needs, (n,), pages (n, places) and places used (n,).

        Who uses a result has passed over those above it (Joachims, KDD 2002), and who uses none, all.
        """
        seen = np.arange(documents.shape[1]) < np.where(uses > 0, uses, documents.shape[1])[:, None]
        rows = np.broadcast_to(need[:, None], seen.shape)
        np.add.at(self.looks, (rows[seen], documents[seen]), 1)
        some = np.flatnonzero(uses)
        np.add.at(self.clicks, (need[some], documents[some, uses[some] - 1]), 1)

    async def publish_versions(
        self, lane: Lane, pages: Pages, searchers: Ints, writing: float, draw: Draw
    ) -> list[NewVersion]:
        """Let providers write versions of what was shown, which this world alone has from the next round.

        `searchers` is the number of those with each need. Returns the new documents.
        """
        attention = searchers[:, None] * discounts(pages.documents.shape[1])
        exposure = np.zeros(self.judged.grades.shape)
        np.add.at(exposure, (np.arange(len(exposure))[:, None], self.work[pages.documents]), attention)
        store, texts, versions = lane.world(self.name), {}, {}
        for plan in plan_versions(quantise(exposure), self.judged, writing, draw):
            query, work = self.judged.queries[plan.need], self.judged.works[plan.work]
            own = [n for n, chunk in enumerate(store.chunks) if chunk.source == work]
            passage = store.chunks[own[first_largest((await store.scores(query))[own])]].text
            name = f"{work}#{lane.step}"
            texts[name] = write_version(query, passage, draw.at("text", agent=plan.provider))
            versions[name] = NewVersion(name, plan.need, plan.work)
        found = [versions[hit.chunk.source] for hit in await lane.publish(texts, self.name)]
        self.work = np.append(self.work, np.array([one.work for one in found], dtype=np.int64))
        room = ((0, 0), (0, len(found)))
        self.clicks, self.looks = np.pad(self.clicks, room), np.pad(self.looks, room)
        return found
