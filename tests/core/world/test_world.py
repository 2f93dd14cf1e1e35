import asyncio

import numpy as np
import pytest

from openiir.core.errors import UnknownName, UnusableAnswer
from openiir.core.records import Citation, SearchHit
from openiir.core.retrieval import LSA
from openiir.core.world import INSUFFICIENT, World, chunk_sources

TEXT = (
    "Wind turbines make power from moving air. They stand on hills.\n\n"
    "Solar panels make power from light. They lie on roofs.\n\n"
    "Birds fly past both of them. Some do not fly past."
)


@pytest.fixture
def chunks(make_source):
    return chunk_sources(
        [make_source(TEXT), make_source("Whales sing in the deep sea.", "b.txt")], "main", 12
    )


@pytest.fixture
def world(chunks):
    return asyncio.run(World.build("main", chunks))


def looked_up(world, *args, **kwargs):
    return asyncio.run(world.lookup(*args, **kwargs))


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_lookup_finds_the_chunk_that_says_it(world, mode):
    best = looked_up(world, "power from light", 2, mode)[0]
    assert best.chunk.id == "c0002"
    assert best.score > 0
    assert 0 < best.lexical < 1


def test_a_persona_that_looks_nothing_up_finds_nothing(world):
    assert looked_up(world, "power from light", 5, "none") == []


def test_evidence_says_when_the_world_knows_too_little(world):
    assert world.evidence("whales sing in the sea") > INSUFFICIENT
    assert world.evidence("tokamak plasma confinement near the sea") < INSUFFICIENT
    assert world.evidence("") == 0


def test_worlds_are_isolated(chunks):
    async def play():
        one, other = await World.build("one", chunks), await World.build("other", chunks)
        before = await other.lookup("tokamak power")
        await one.extend([SearchHit(title="T", url="http://t.org", text="A tokamak confines plasma.")])
        return len(one.chunks), len(other.chunks), before == await other.lookup("tokamak power")

    assert asyncio.run(play()) == (len(chunks) + 1, len(chunks), True)


def test_fitted_parts_spare_the_fit_and_change_nothing(world, chunks):
    fitted = LSA.fit([chunk.text for chunk in chunks]).to_bytes()
    again = asyncio.run(World.build("main", chunks, LSA.from_bytes(fitted)))
    assert looked_up(again, "moving air") == looked_up(world, "moving air")
    assert again.embedder == world.embedder


def test_an_endpoint_s_vectors_leave_nothing_to_keep(chunks):
    class Lengths:
        name = "lengths"

        async def embed(self, texts):
            return np.array([[len(text), 1.0] for text in texts])

    world = asyncio.run(World.build("main", chunks, Lengths(), weight=0.0))
    assert world.embedder == "lengths"
    assert len(looked_up(world, "x", 10, "vector")) == len(chunks)


def test_the_weight_is_the_world_s(chunks):
    worlds = [asyncio.run(World.build("main", chunks, weight=weight)) for weight in (1.0, 0.0)]
    lexical, vector = (looked_up(world, "birds making power", 3) for world in worlds)
    assert [hit.chunk.id for hit in lexical] == [
        h.chunk.id for h in looked_up(worlds[0], "birds making power", 3, "keyword")
    ]
    assert [hit.chunk.id for hit in vector] == [
        h.chunk.id for h in looked_up(worlds[0], "birds making power", 3, "vector")
    ]


def test_citations_resolve_to_their_words(world):
    chunk = world.chunk("c0002")
    start = chunk.text.index("power")
    assert world.cited_text(Citation(chunk="c0002", start=start, end=start + 5)) == "power"


@pytest.mark.parametrize(
    ("chunk", "start", "end"), [("c0999", 0, 3), ("c0001", 3, 3), ("c0001", 5, 4), ("c0001", 0, 999)]
)
def test_citations_of_nothing_are_refused(world, chunk, start, end):
    with pytest.raises(UnusableAnswer):
        world.cited_text(Citation(chunk=chunk, start=start, end=end))


def test_an_unknown_chunk_is_named(world):
    with pytest.raises(UnknownName, match=r"world 'main'.*did you mean 'c000"):
        world.chunk("c0009")


def test_a_citation_is_shown_in_its_place(world):
    cited = "Solar panels make power from light."
    place = world.text_around(Citation(chunk="c0002", start=0, end=len(cited)), 1_000)
    assert place.before + place.cited + place.after == TEXT
    assert place.source == "a.txt"
    assert TEXT[place.start : place.end] == place.cited == cited


def test_surroundings_are_cut_at_blanks(world):
    place = world.text_around(Citation(chunk="c0002", start=0, end=5), 20)
    assert place.before.strip() == "stand on hills."
    assert place.after == " panels make power"
    assert world.text_around(Citation(chunk="c0002", start=0, end=5), 0).before == ""


def test_a_repeated_passage_left_out_is_marked(make_source):
    chunks = chunk_sources([make_source("Ants dig.\n\nBees hum.\n\nAnts dig.\n\nOwls hoot.")], "w", 2)
    world = asyncio.run(World.build("w", chunks))
    assert world.text_around(Citation(chunk=chunks[-1].id, start=0, end=4)).before == "Bees hum.\n\n[...]\n\n"


FOUND = [
    SearchHit(title="One", url="http://one.org", text="A tokamak confines plasma."),
    SearchHit(title="Two", url="http://two.org", text="birds FLY past both of them. Some do not fly past."),
    SearchHit(title="", url="http://three.org", text=""),
    SearchHit(title="A title alone", url="http://four.org", text=""),
    SearchHit(title="Five", url="http://five.org", text="a  tokamak confines plasma."),
]


def test_a_search_brings_what_is_new(world, chunks):
    async def play():
        hits = await world.extend(FOUND, "tokamak plasma")
        return hits, await world.lookup("tokamak plasma", 1), await world.extend(FOUND)

    hits, found, again = asyncio.run(play())
    assert [hit.chunk.source for hit in hits] == ["http://one.org", "http://four.org"]
    assert hits[0].chunk.id == f"w{hits[0].chunk.sha256[:12]}"
    assert hits[0].lexical > INSUFFICIENT > hits[1].lexical
    assert found[0].chunk == hits[0].chunk
    assert again == []
    assert world.chunks[: len(chunks)] == chunks


def test_two_texts_of_one_address_are_not_run_together(world):
    hits = [
        SearchHit(title="", url="http://one.org", text=text) for text in ("Tokamaks hum.", "Plasma glows.")
    ]
    found = asyncio.run(world.extend(hits))
    place = world.text_around(Citation(chunk=found[1].chunk.id, start=0, end=6))
    assert (place.before, place.after) == ("", " glows.")


def test_ids_of_found_passages_do_not_depend_on_who_searched_first(chunks):
    async def ids(order):
        world = await World.build("main", chunks)
        for hit in order:
            await world.extend([hit])
        return sorted(chunk.id for chunk in world.chunks), await world.lookup("tokamak title", 5)

    assert asyncio.run(ids([FOUND[0], FOUND[3]])) == asyncio.run(ids([FOUND[3], FOUND[0]]))


def test_an_empty_world_can_still_learn():
    async def play():
        world = await World.build("main", ())
        nothing = await world.lookup("tokamak")
        await world.extend(FOUND[:1])
        return nothing, await world.lookup("tokamak")

    nothing, found = asyncio.run(play())
    assert nothing == []
    assert found[0].chunk.source == "http://one.org"
