"""A world's own retriever: where its calls stand in the ledger, how many passages it is asked for, scores."""

import asyncio
import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from small_lanes import searching

from openiir.core.agents import Agent
from openiir.core.hashing import sha256
from openiir.core.records import Chunk, Persona
from openiir.core.systems import RetrieverReply
from openiir.core.world import Hit, World

TEXTS = ("ropes part", "tides rise", "barns are dry", "boats are late")


@pytest.fixture
def world() -> World:
    chunks = [
        Chunk(id=f"c{n}", world="main", source="s", start=0, end=len(text), text=text, sha256=sha256(text))
        for n, text in enumerate(TEXTS)
    ]
    return asyncio.run(World.build("main", chunks))


class Fixed:
    """A retriever that finds the same for every query, and remembers what it was asked."""

    def __init__(self, *scores: float) -> None:
        self.asked: list[tuple[str, int, str]] = []
        self.reply = RetrieverReply(ids=tuple(f"c{n}" for n in range(len(scores))), scores=scores)

    async def retrieve(self, world: World, query: str, k: int, asker: str) -> RetrieverReply:
        self.asked.append((query, k, asker))
        return self.reply

    def read(self, world: World, query: str, reply: RetrieverReply) -> Any:
        return world.hits(query, zip(reply.ids, reply.scores, strict=True), "chunk")


class Noted:
    """A ledger without a record: asks, and notes the places."""

    def __init__(self) -> None:
        self.places: list[Any] = []

    async def reply(self, place: Any, attempt: int, source: str, request: Any, send: Any, judge: Any) -> Any:
        self.places.append((place, request))
        return SimpleNamespace(reply=(await send(lambda *tried: None)).text)


def agent(**keys: Any) -> Agent:
    return Agent.of(Persona(id="ada", name="Ada", bio="Fishes.", **keys))


class Backwards:
    """A policy that takes the last passages."""

    name = "backwards"

    def __call__(self, hits: Sequence[Hit], k: int) -> Sequence[Hit]:
        return hits[::-1][:k]


def test_calls_have_places_of_their_own_and_ask_for_as_many_passages_as_are_needed(world):
    retriever, ledger = Fixed(3.0, 2.0, 1.0), Noted()
    lane = searching(world, ledger=ledger, retrievers={"main": retriever})

    async def search() -> list[Hit]:
        reader = agent(retrieval="own")
        await lane.lookup(reader, "ropes", 2)
        found = await lane.lookup(reader, "tides", 2, policy=Backwards())
        await lane.score_passages("boats")
        await lane.lookup(reader, "ropes", 2, mode="keyword")
        await lane.lookup(agent(), "ropes", 2)
        await lane.score_passages("ropes", mode="hybrid")
        return found

    assert [hit.chunk.id for hit in asyncio.run(search())] == ["c2", "c1"]
    assert retriever.asked == [("ropes", 2, "ada"), ("tides", 50, "ada"), ("boats", 1_000, "platform")]
    told = [(place.asker, place.kind, place.subject, place.ordinal) for place, _ in ledger.places]
    assert told == [
        ("ada", "world.lookup", "main", 0),
        ("ada", "world.lookup", "main", 1),
        ("platform", "world.lookup", "main", 0),
    ]
    assert ledger.places[0][1] == {"to": "retriever of main", "query": "ropes", "k": 2}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((8.0, 4.0, 2.0), [1.0, 0.5, 0.25, 0.0]),
        ((3.0, 1.0, -1.0), [1.0, 0.75, 0.5, 0.0]),
        ((-7.0, -7.0), [1.0, 1.0, 0.0, 0.0]),
        ((), [0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_candidates_score_between_0_and_1_and_what_is_not_found_comes_last(scores, expected, world):
    lane = searching(world, ledger=Noted(), retrievers={"main": Fixed(*scores)})
    assert asyncio.run(lane.score_passages("ropes")).tolist() == expected


def test_own_is_hybrid_in_a_world_without_a_retriever(world):
    lane = searching(world)
    own, hybrid = (asyncio.run(lane.score_passages("ropes part", mode=mode)) for mode in ("own", "hybrid"))
    assert own.tolist() == hybrid.tolist() and own.max() == 1.0
    found = [hit.chunk.id for hit in asyncio.run(lane.lookup(agent(retrieval="own"), "ropes part", 1))]
    assert found == ["c0"]
    assert json.loads(lane.rows.events[-1][-1]) == {"chunks": ["c0"], "query": "ropes part", "world": "main"}
