import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from openiir.core.agents import Knowledge, Lane
from openiir.core.asking import Ledger
from openiir.core.errors import UnknownName
from openiir.core.hashing import sha256
from openiir.core.records import SearchHit
from openiir.core.retrieval import LSA
from openiir.core.world import SourceDocument, World, chunk_sources

WHY = "The sources give no figures on how often harbour ropes part in winter storms along northern coasts"
FOUND = SearchHit(
    title="Ropes", url="https://ropes.example/1", text="One rope in nine parts each winter storm. \udcff"
)


class Web:
    """A search service that finds one page, and counts how often it is asked."""

    name = "fake"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def search(self, query: str, n: int) -> list[SearchHit]:
        self.asked.append(query)
        return [FOUND]


@pytest.fixture
def afloat(scene: Callable[..., Any]) -> Callable[..., tuple[Lane, Web]]:
    """A lane over a world of two chunks and the web; given a ledger's run, over what that has on record."""

    def make(run: Any = None, web: bool = True) -> tuple[Lane, Web]:
        texts = ("Ropes should be checked every day.", "Tides are printed in winter.")
        chunks = chunk_sources(
            [
                SourceDocument(name=f"{n}.txt", media="text/plain", text=text, sha256=sha256(text))
                for n, text in enumerate(texts)
            ],
            "main",
            50,
        )
        world = asyncio.run(World.build("main", chunks, LSA.fit([c.text for c in chunks], 2), 0.5))
        played, service = scene(run=run), Web()
        knowledge = Knowledge({"main": world}, Ledger(played.ledger.run), service if web else None)
        lane = Lane("main", played.answering, knowledge)
        lane.begin(1)
        return lane, service

    return make


def searched(lane: Lane, agent: Any, why: str = WHY) -> list[Any]:
    return asyncio.run(lane.search(agent, "harbour ropes storms", why))


def test_a_look_into_the_world_is_free_and_logged(afloat: Any, agent: Any) -> None:
    lane, _ = afloat()
    ada = agent(searches=0, tokens=0)
    hits = asyncio.run(lane.lookup(ada, "ropes every day", 1))
    assert [h.chunk.text for h in hits] == ["Ropes should be checked every day."]
    assert [event[1] for event in lane.rows.events] == ["lookup"] and ada.budget.tokens == 0
    assert asyncio.run(lane.lookup(agent("ben", retrieval="none"), "ropes", 5)) == []
    with pytest.raises(UnknownName, match="moon"):
        asyncio.run(lane.lookup(ada, "ropes", 1, "moon"))


def test_a_justified_search_is_debited_recorded_and_part_of_the_world_from_then_on(
    afloat: Any, agent: Any
) -> None:
    lane, web = afloat()
    ada = agent(searches=2)
    (hit,) = searched(lane, ada)
    assert hit.chunk.text.startswith("One rope in nine") and hit.chunk.text.encode()
    assert ada.budget.searches == 1 and web.asked == ["harbour ropes storms"]
    assert lane.rows.searches[0].refused is None and [c.id for c in lane.rows.chunks] == [hit.chunk.id]
    assert [h.chunk.id for h in asyncio.run(lane.lookup(ada, "rope nine parts winter storm", 1))] == [
        hit.chunk.id
    ]


def test_the_same_search_again_is_read_from_the_record(afloat: Any, agent: Any) -> None:
    lane, _ = afloat()
    first = searched(lane, agent(searches=1))
    again, web = afloat(lane.knowledge.ledger.run)
    assert [h.chunk for h in searched(again, agent(searches=1))] == [
        h.chunk for h in first
    ] and web.asked == []
    assert again.rows.searches == lane.rows.searches


@pytest.mark.parametrize(
    ("budget", "why", "web", "reason"),
    [(0, WHY, True, "budget"), (1, "", True, "no justification"), (1, WHY, False, "web_search = false")],
)
def test_a_refused_search_costs_nothing_and_says_why(
    budget: int, why: str, web: bool, reason: str, afloat: Any, agent: Any
) -> None:
    lane, service = afloat(web=web)
    ada = agent(searches=budget)
    assert searched(lane, ada, why) == [] and service.asked == [] and ada.budget.searches == budget
    assert reason in lane.rows.searches[0].refused and lane.rows.searches[0].hits == ()
    assert lane.searchable is web


class LastFirst:
    """A policy that turns the ranking round."""

    name = "last_first"

    def __call__(self, hits: Any, k: int) -> Any:
        return hits[::-1][:k]


def test_a_look_up_takes_another_mode_and_a_policy(afloat: Any, agent: Any) -> None:
    lane, _ = afloat()
    ada, query = agent(), "ropes checked, and tides printed"
    own = asyncio.run(lane.lookup(ada, query, 1))
    matched = asyncio.run(lane.lookup(ada, query, 1, mode="match"))
    turned = asyncio.run(lane.lookup(ada, query, 1, policy=LastFirst()))
    assert matched[0].score == 0.5 and turned[0].chunk != own[0].chunk
    told = [json.loads(event[3]) for event in lane.rows.events]
    assert [(one.get("mode"), one.get("policy")) for one in told] == [
        (None, None),
        ("match", None),
        (None, "last_first"),
    ]
    assert asyncio.run(lane.lookup(agent("ben", retrieval="none"), "ropes", 5, mode="keyword")) != []
