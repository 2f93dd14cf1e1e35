"""The measurement itself: its parsers on made-up records, and a slice of it on the real collections."""

import asyncio
import importlib.util
import os
import sys
from pathlib import Path

import pytest

from openiir.core.retrieval import WEIGHT

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "retrieval.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("benchmark_of_retrieval", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def cranfield(tmp_path):
    folder = tmp_path / "ir-cranfield" / "original"
    folder.mkdir(parents=True)
    (folder / "cran.all.1400").write_text(
        ".I 1\n.T\nwings .\n.A\nnobody\n.W\nwings .\nthey lift .\n.I 2\n.T\n.W\n"
    )
    (folder / "cran.qry").write_text(".I 001\n.W\nwhat lifts .\n.I 008\n.W\nwhat drags .\n")
    (folder / "cranqrel").write_text("1 2 -1\n1 1 4 \n2 1 2\n")
    return tmp_path


def test_records_are_read_and_queries_joined_by_position(bench, cranfield):
    collection = bench.cranfield(cranfield)
    assert collection.documents == {"1": "wings .\nthey lift .", "2": ""}
    assert collection.queries == {"1": "what lifts .", "2": "what drags ."}
    assert collection.judged == {"1": {"2": 4, "1": 1}, "2": {"1": 3}}
    assert bench.cranfield(cranfield, unnumbered=0).judged["1"]["2"] == 0


def test_cisi_keeps_judged_queries_and_leaves_cross_references_out(bench, tmp_path):
    (tmp_path / "ir-cisi").mkdir()
    (tmp_path / "ir-cisi" / "CISI.ALL").write_text(".I 1\n.T\nA title\n.A\nX\n.W\nText.\n.X\n1\t5\t1\n")
    (tmp_path / "ir-cisi" / "CISI.QRY").write_text(".I 1\n.W\nAsked.\n.I 2\n.W\nNever judged.\n")
    (tmp_path / "ir-cisi" / "CISI.REL").write_text("     1      1\t0\t0.000000\n")
    collection = bench.cisi(tmp_path)
    assert collection.documents == {"1": "A title\nText."}
    assert collection.queries == {"1": "Asked."}
    assert collection.judged == {"1": {"1": 1}}


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")
def test_the_hybrid_is_no_worse_than_its_parts_on_a_slice(bench):
    whole = bench.cisi(Path(os.environ["OPENIIR_DATA"]))
    wanted = sorted({d for judged in whole.judged.values() for d in judged}, key=int)[:400]
    judged = {
        query: {d: gain for d, gain in gains.items() if d in wanted}
        for query, gains in whole.judged.items()
        if any(d in wanted for d in gains)
    }
    queries = {query: whole.queries[query] for query in sorted(judged, key=int)[:30]}
    part = bench.Collection("slice", {d: whole.documents[d] for d in wanted}, queries, judged)

    async def gains():
        index = await bench.build(part, 50)
        scores = await bench.score(index, queries)
        return [bench.evaluate(part, bench.rank(index, scores, w))["nDCG@10"] for w in (1.0, 0.0, WEIGHT)]

    keyword, vector, hybrid = asyncio.run(gains())
    assert min(keyword, vector) > 0.3
    assert hybrid >= min(keyword, vector)
