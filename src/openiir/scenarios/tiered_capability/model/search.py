"""Tiers of search agents, and the pages that they find."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from openiir.kit.arrays import Ints
from openiir.kit.items.retrieval import retrieval_scores
from openiir.plugin import Arm, ConfigTable, Draw, InputError, Own, Stage, UnknownName, order_by, quantise
from openiir.scenarios.tiered_capability.model.needs import JudgedNeeds

PLACES = 10
"""Most results on a page, and places at which outcomes are measured."""
LOCAL, WEB = WORLDS = ("main", "web")
"""The worlds that agents search: one that all have, and one that costs a web search."""
NOTHING = -1
"""In place of a document: a page has no more."""
Mode = Literal["hybrid", "rerank", "keyword", "match", "vector", "own", "random"]


class Tier(ConfigTable):
    """A tier of agents: how they search, and what that costs."""

    mode: Mode = "keyword"
    """Mode of look-ups, in both worlds; "random" puts all documents in a random order."""
    depth: int = Field(10, ge=1, le=PLACES)
    """Number of results that a look-up shows."""
    web: int = Field(0, ge=0, le=100_000)
    """Web searches of a member in a run: look-ups in [world.web] for what the first page did not answer."""
    share: float = Field(1.0, ge=0, le=1_000)
    """Share of the members who have such an agent, relative to other tiers."""
    cost: float = Field(1.0, ge=0, le=1_000_000)
    """What a look-up costs, in a unit of the study's."""
    latency: float = Field(1.0, ge=0, le=86_400)
    """Seconds until a look-up shows its results, as declared; nothing is timed."""


class TierPages(Arm):
    """The pages of all tiers, as they are found under the present lines of the study."""

    order: Own[Ints]
    """(tiers, worlds, needs, PLACES) documents from the top; the web's without the first page's."""
    lines: Own[NDArray[np.str_]]
    """(tiers,) how each tier's pages were found; empty before they were."""

    def __init__(self, stage: Stage, needs: JudgedNeeds) -> None:
        self.needs, self.tiers, self.worlds = needs, tuple(stage.config.tiers), list_worlds(stage)
        self.order = np.full((len(self.tiers), len(WORLDS), len(needs.ids), PLACES), NOTHING)
        self.lines = np.full(len(self.tiers), "", dtype="U20")

    async def update(self, stage: Stage) -> None:
        """Find and log the pages of tiers whose lines have changed; all at the start."""
        tiers = stage.config.tiers
        if tuple(tiers) != self.tiers:
            raise InputError(
                f"a [[change]] makes the tiers {', '.join(tiers)}, and the run began with "
                f"{', '.join(self.tiers)}; change lines of these, such as config.tiers.{self.tiers[0]}.mode"
            )
        for n, (name, tier) in enumerate(tiers.items()):
            line = f"{tier.mode} {tier.depth}"
            if line != self.lines[n]:
                self.lines[n] = line
                for w, world in enumerate(self.worlds):
                    self.order[n, w] = await self._find(stage, tier, world, self.order[n, 0] if w else None)
                    need, place = np.nonzero(self.order[n, w] != NOTHING)
                    found = {"need": need, "place": place + 1, "document": self.order[n, w][need, place]}
                    stage.columns("pages", {"step": stage.step, "tier": name, "world": world, **found})

    async def _find(self, stage: Stage, tier: Tier, world: str, shown: Ints | None) -> Ints:
        """Find the page of each need in a world, (needs, PLACES), without the documents shown before."""
        held = {chunk.source for chunk in stage.world(world).chunks}
        number = np.array([n for n, one in enumerate(self.needs.documents) if one in held])
        if tier.mode == "random":
            draw, every = stage.draw("tiered_capability.random", step=0), np.arange(len(self.needs.ids))
            scores = draw.uniform(agent=every[:, None], item=number)
        else:
            names = [self.needs.documents[n] for n in number.tolist()]
            scores = await retrieval_scores(stage, self.needs.queries, names, mode=tier.mode, world=world)
        if shown is not None:
            scores = np.where((number[None, :, None] == shown[:, None, :]).any(axis=2), 0.0, scores)
        best = order_by(-scores, axis=1)[:, : tier.depth]
        found = np.where(np.take_along_axis(scores, best, axis=1) > 0, number[best], NOTHING)
        return np.pad(found, ((0, 0), (0, PLACES - found.shape[1])), constant_values=NOTHING)


def list_worlds(stage: Stage) -> tuple[str, ...]:
    """List the worlds of a study: the web is one where it has it, whether or not a tier searches it."""
    try:
        stage.world(WEB)
    except UnknownName:
        return (LOCAL,)
    return WORLDS


def draw_tiers(tiers: Mapping[str, Tier], members: Ints, draw: Draw) -> Ints:
    """Draw each member's tier, by the shares of tiers."""
    shares = np.cumsum([tier.share for tier in tiers.values()])
    return np.searchsorted(quantise(shares / shares[-1]), draw.uniform(agent=members)).astype(np.int64)


def list_lines(tiers: Mapping[str, Tier], tier: Ints, keys: Sequence[str]) -> Iterator[NDArray[Any]]:
    """Yield the values of keys of each member's tier, (members,)."""
    for key in keys:
        yield np.array([getattr(one, key) for one in tiers.values()])[tier]
