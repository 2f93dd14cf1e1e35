"""Items scored by real retrieval, exported as a run and measured."""

import asyncio
from pathlib import Path

import pytest
from small_lanes import searching

from openiir.core.hashing import sha256
from openiir.core.world import SourceDocument, World, chunk_sources
from openiir.kit.items.retrieval import (
    arrange_grades,
    query_of,
    read_judgements,
    read_queries,
    retrieval_scores,
)
from openiir.kit.measures.retrieval import evaluate
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Draw, InputError, Persona, Ranking
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic
from openiir.scenarios.curated_feed.model.items.topics import catalogue_from_world, documents, named_topics

TEXTS = {
    "wind": "Wind turbines give power. " * 3 + "\n\n" + "Bakers bake bread of rye and wheat. " * 4,
    "bread": "Bread needs flour, water and salt.",
    "trains": "Trains carry passengers along the river.",
}


@pytest.fixture(scope="module")
def world() -> World:
    sources = [SourceDocument(name=n, media="text/plain", text=t, sha256=sha256(t)) for n, t in TEXTS.items()]
    return asyncio.run(World.build("main", chunk_sources(sources, "main", words=14)))


def test_an_item_scores_what_its_best_chunk_scores(world: World) -> None:
    queries = ("bread of rye", "river trains", "nothing known")
    ids = ("trains", "wind", "bread")
    found = asyncio.run(retrieval_scores(searching(world), queries, ids))
    for row, query in enumerate(queries):
        hits = {hit.chunk.id: hit.score for hit in asyncio.run(world.lookup(query, 99))}
        for column, name in enumerate(ids):
            best = max(hits.get(chunk.id, 0.0) for chunk in world.chunks if chunk.source == name)
            assert found[row, column] == pytest.approx(best, abs=0) or best == 0 >= found[row, column]
    assert found[0].argmax() == 1 and found[1].argmax() == 0 and (found[2] == 0).all()


def test_chunks_can_be_items_and_policies_are_heeded(world: World) -> None:
    ids = tuple(documents(world.chunks, "chunk"))
    hybrid, keyword, none = (
        asyncio.run(retrieval_scores(searching(world), ["bread"], ids, "chunk", mode))
        for mode in ("hybrid", "keyword", "none")
    )
    assert (hybrid[0] == asyncio.run(world.scores("bread"))).all() and (none == 0).all()
    assert (keyword != hybrid).any() and (keyword[0] > 0).sum() == (
        ["bread" in c.text.lower() for c in world.chunks].count(True)
    )


def test_an_item_that_the_world_lacks_is_refused(world: World) -> None:
    with pytest.raises(InputError, match=r"'main' holds no source 'boats' .*\(1 of 2 items"):
        asyncio.run(retrieval_scores(searching(world), ["x"], ("wind", "boats")))


def test_a_feed_of_real_retrieval_is_measured_against_qrels(world: World) -> None:
    texts = documents(world.chunks)
    items = catalogue_from_world(
        Draw(1, "items"), texts, named_topics([*texts.values()], (Topic(name="bread"), Topic(name="wind")))
    )
    people = {
        "ada": Persona(id="ada", name="Ada", bio="A traveller on trains."),
        "bo": Persona(id="bo", name="Bo", bio="Somebody.", interests=("flour", "salt")),
    }
    scores = asyncio.run(
        retrieval_scores(searching(world), [query_of(p) for p in people.values()], items.ids)
    )
    shown = Ranking.of(
        (
            (user, items.ids[at], float(scores[row, at]))
            for row, user in enumerate(people)
            for at in range(len(items))
        ),
        "hybrid",
    )
    qrels = [Judgement("ada", "trains", 1), Judgement("bo", "bread", 2)]
    assert evaluate(shown, qrels, ("RR",))["RR"].value == 1.0
    assert evaluate(shown, [Judgement("ada", "wind", 1)], ("RR",))["RR"].value < 1.0


def test_a_collection_brings_queries_and_judgements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    import ir_datasets

    (tmp_path / "queries.tsv").write_text("q1\tbread of rye\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("q1 0 wind 1\n", encoding="utf-8")
    made = ir_datasets.create_dataset(
        queries_tsv=str(tmp_path / "queries.tsv"), qrels_trec=str(tmp_path / "qrels")
    )
    ir_datasets.registry.register("judged", made)
    assert read_queries("ir_datasets:judged") == {"q1": "bread of rye"}
    assert read_judgements("ir_datasets:judged", "qrels = ") == (Judgement("q1", "wind", 1),)
    del ir_datasets.registry._registered["judged"]


def test_grades_stand_where_topic_and_item_do() -> None:
    judged = [Judgement("b", "y", 2), Judgement("a", "z", -1), Judgement("c", "x", 1), Judgement("a", "w", 3)]
    assert arrange_grades(judged, {"a": "an", "b": "bn"}, ("x", "y", "z")).tolist() == [[0, 0, -1], [0, 2, 0]]


def test_judgements_are_read_from_a_file_of_the_study(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 wind 1\n", encoding="utf-8")
    for name, folder in ((str(tmp_path / "qrels"), None), ("qrels", tmp_path)):
        assert read_judgements(name, "qrels = ", folder) == (Judgement("q1", "wind", 1),)
    with pytest.raises(InputError, match=r"^qrels = \.\./qrels: .* outside the study's folder"):
        read_judgements("../qrels", "qrels = ", tmp_path)
    with pytest.raises(InputError, match="^measure --set qrels=none: "):
        read_judgements("none", "measure --set qrels=", tmp_path)
