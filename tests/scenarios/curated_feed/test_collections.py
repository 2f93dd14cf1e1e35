"""A test collection as a feed: without exploration it is the index's own ranking, and measures the same."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_lanes import searching

from openiir.core.retrieval import LSA
from openiir.core.storage import RunFile
from openiir.core.world import World
from openiir.kit.items.retrieval import (
    read_judgements,
    read_queries,
    retrieval_scores,
)
from openiir.kit.measures.retrieval import evaluate
from openiir.kit.measures.trec import qrels_of
from openiir.plugin import Ranking
from openiir.scenarios.curated_feed.model.items.topics import documents

pytestmark = pytest.mark.skipif(
    "OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set, so there is no Cranfield"
)
NAME = "part-of-cranfield"
DOCUMENTS, QUERIES, DEPTH = 250, 8, 40
MEASURES = ("nDCG@10", "AP@40", "RR", "R@40")
STUDY = f"""type = "curated_feed"
name = "cranfield"
[world]
sources = ["ir_datasets:{NAME}"]
dimensions = 40
[config]
ranker = "retrieval"
beside = []
queries = "ir_datasets:{NAME}"
users = {QUERIES}
weeks = 1
sessions = 1
slots = {DEPTH}
candidates = {DEPTH}
epsilon = 0.0
topics = [{{ name = "flow" }}, {{ name = "heat" }}, {{ name = "shells" }}]
items = {{ source = "world", per_week = 0 }}
"""


def records(name: str) -> list[dict[str, str]]:
    """Records of a file of Cranfield, in order: the words under each of its marks."""
    text = (Path(os.environ["OPENIIR_DATA"]) / "ir-cranfield" / "original" / name).read_text("latin-1")
    found = []
    for record in re.split(r"^\.I ", text, flags=re.MULTILINE)[1:]:
        parts = re.split(r"^\.([A-Z])\n", record, flags=re.MULTILINE)
        found.append(
            {mark: " ".join(words.split()) for mark, words in zip(parts[1::2], parts[2::2], strict=True)}
        )
    return found


@pytest.fixture
def cranfield(tmp_path: Path) -> Iterator[Path]:
    """A study over the collection's first documents and queries, under a name that ir_datasets knows."""
    library = pytest.importorskip("ir_datasets", reason="needs ir_datasets (the extra ir)")
    pytest.importorskip("ir_measures", reason="needs ir_measures (the extra ir)")
    documents = enumerate(records("cran.all.1400")[:DOCUMENTS], 1)
    (tmp_path / "docs.tsv").write_text("".join(f"{n}\t{d['W']}\n" for n, d in documents))
    asked = enumerate(records("cran.qry"), 1)
    (tmp_path / "queries.tsv").write_text("".join(f"{n}\t{q['W']}\n" for n, q in asked))
    lines = (
        (Path(os.environ["OPENIIR_DATA"]) / "ir-cranfield" / "original" / "cranqrel").read_text().splitlines()
    )
    grades = [line.split() for line in lines]
    (tmp_path / "qrels").write_text(
        "".join(f"{query} 0 {document} {max(0, int(g))}\n" for query, document, g in grades)
    )
    made = library.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    library.registry.register(NAME, made)
    (tmp_path / "study.toml").write_text(STUDY)
    yield tmp_path / "study.toml"
    del library.registry._registered[NAME]


def test_the_feed_measures_as_the_index_does(
    cranfield: Path, openiir: Callable[..., Any], tmp_path: Path
) -> None:
    ran = openiir("run", cranfield, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert (
        openiir("show", tmp_path / "run", "feed", "--format", "trec", "--out", tmp_path / "feed.run").code
        == 0
    )
    queries = dict(list(read_queries(f"ir_datasets:{NAME}").items())[:QUERIES])
    with RunFile.open(tmp_path / "run") as run:
        world = asyncio.run(World.build("main", run.chunks(), LSA.from_bytes(run.fitted_parts()["lsa:main"])))
    ids = [*documents(world.chunks)]
    scores = asyncio.run(retrieval_scores(searching(world), [*queries.values()], ids))
    direct = Ranking.of(
        (
            (query, id, float(score))
            for query, row in zip(queries, scores, strict=True)
            for id, score in zip(ids, row, strict=True)
        ),
        "hybrid",
    ).first(DEPTH)
    served = [line.split(" ")[0:3:2] for line in (tmp_path / "feed.run").read_text().splitlines()]
    assert served == [[r.topic, r.item] for r in direct.rows]
    judged = [one for one in read_judgements(f"ir_datasets:{NAME}", "") if one.topic in queries]
    expected = evaluate(direct, judged, MEASURES)
    assert expected["nDCG@10"].value > 0.2
    (tmp_path / "feed.qrels").write_text("".join(f"{j.topic} 0 {j.item} {j.relevance}\n" for j in judged))
    for qrels in (f"ir_datasets:{NAME}", tmp_path / "feed.qrels"):
        asked = [f"retrieval={list(MEASURES)}".replace("'", '"'), f"qrels={qrels}"]
        told = openiir("measure", tmp_path / "run", "--set", asked[0], "--set", asked[1])
        assert told.code == 0, told.err
        for name, measure in expected.items():
            assert f"retrieval.{name} " in told.out and f"{measure.value:.4f}" in told.out
    assert {one.topic for one in qrels_of(tmp_path / "feed.qrels")} <= queries.keys()
