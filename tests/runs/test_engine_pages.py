"""What the page on engines of one's own shows is run: against a stand-in for PyTerrier, a server that answers
as Elasticsearch does, and a TREC run."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import small_engines
from small_engines import Elastic, Pipeline, overlap

from openiir.core.storage import Log
from openiir.runs.run_io import open_checked

PAGE = Path(__file__).parents[2] / "docs/how-to/search-with-your-own-engine.md"
Command = Callable[..., Any]


def block(language: str, word: str) -> str:
    """The block of this language on the page that has this word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (found,) = [one for one in blocks if word in one]
    return found


def retriever(word: str) -> str:
    """The table of a retriever on the page."""
    return "[world.retriever]" + block("toml", word).partition("[world.retriever]")[2]


class IterDictIndexer:
    """Of PyTerrier's interface: indexes texts by `docno`."""

    def __init__(self, place: str) -> None:
        self.place = Path(place)

    def index(self, documents: Any) -> None:
        self.place.write_text(json.dumps({one["docno"]: one["text"] for one in documents}))


def open_index(place: str, *, wmodel: str) -> Pipeline:
    assert wmodel == "BM25"
    small_engines.PASSAGES.update(json.loads(Path(place).read_text()))
    return Pipeline()


@pytest.fixture
def folder(evening: Callable[..., Path], openiir: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the small study, with its passages as the page writes them; commands run there."""
    place = evening().parent
    monkeypatch.chdir(place)
    words = (
        block("console", "world build")
        .strip()
        .removeprefix("$ openiir ")
        .replace("sources", "sea.md land.md")
    )
    built = openiir(*words.split(), "--chunk-words", "20")
    assert built.code == 0, built.err
    return place


def passages(place: Path) -> dict[str, str]:
    return {
        one["id"]: one["text"] for one in map(json.loads, (place / "passages.jsonl").read_text().splitlines())
    }


def looked_up(folder: Path) -> list[tuple[str, list[str]]]:
    with open_checked(folder) as run:
        return [(e.payload["query"], e.payload["chunks"]) for e in Log(run).events("lookup")]


def test_the_class_for_pyterrier_searches(
    folder: Path,
    evening: Callable[..., Path],
    openiir: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    stand_in = ModuleType("pyterrier")
    stand_in.IterDictIndexer = IterDictIndexer  # type: ignore[attr-defined]
    stand_in.terrier = SimpleNamespace(Retriever=open_index)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyterrier", stand_in)
    monkeypatch.setattr(small_engines, "PASSAGES", {})
    monkeypatch.setattr(small_engines, "MADE", [])
    exec(block("python", "IterDictIndexer"), {})
    (folder / "engine.py").write_text(block("python", "class Search"))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "engine", raising=False)
    study = evening(tables=retriever("engine:Search"))
    ran = openiir("run", study, "--trust", "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    found = looked_up(tmp_path / "run")
    for query, chunks in found:
        words = re.sub(r"\W+", " ", query)
        assert chunks == [id for id, _ in overlap(words, passages(folder), 2)]
    assert any(re.search(r"[^\w ]", query) for query, _ in found), "also one that the parser would not take"
    assert len([one for one in small_engines.MADE if one.k == 1_000]) == 1, "the index is opened once"  # type: ignore[attr-defined]
    monkeypatch.delitem(sys.modules, "pyterrier")
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_the_declaration_for_elasticsearch_searches(
    folder: Path,
    evening: Callable[..., Path],
    openiir: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("ES_KEY", "a-key-of-the-tests")
    with Elastic(passages(folder)) as server:
        table = retriever("_search").replace("http://localhost:9200", server.url)
        ran = openiir("run", evening(tables=table), "--trust", "--out", tmp_path / "run")
        assert ran.code == 0, ran.err
        assert server.heard[0]["path"] == "/passages/_search" and server.heard[0]["size"] == 2
    for query, chunks in looked_up(tmp_path / "run"):
        assert chunks == [id for id, _ in overlap(query, passages(folder), 2)]
    assert openiir("replay", tmp_path / "run").content == ran.content


TEXTS = {"d1": "Ropes part.", "d2": "Tides rise at noon.", "d3": "Barns are dry.", "d4": "Boats are late."}
RUN = "q1 Q0 d3 1 9.5 mine\nq1 Q0 d1 2 7.0 mine\nq2 Q0 d4 1 3.0 mine\nq2 Q0 d2 2 1.0 mine\n"
FEED = """type = "curated_feed"
name = "feed"
[world]
sources = ["ir_datasets:harbour"]
dimensions = 2
{}
[config]
ranker = "retrieval"
beside = []
queries = "ir_datasets:harbour"
users = 2
weeks = 1
sessions = 1
slots = 2
candidates = 2
repeats = true
epsilon = 0.0
topics = [{{ name = "ropes" }}, {{ name = "tides" }}]
items = {{ source = "world", per_week = 0 }}
"""


def test_a_feed_serves_what_a_trec_run_ranks(
    openiir: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = pytest.importorskip("ir_datasets", reason="needs ir_datasets (the extra ir)")
    (tmp_path / "docs.tsv").write_text("".join(f"{id}\t{text}\n" for id, text in TEXTS.items()))
    (tmp_path / "queries.tsv").write_text("q1\tropes that part\nq2\twhen do tides rise\n")
    made = library.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"), queries_tsv=str(tmp_path / "queries.tsv")
    )
    monkeypatch.setitem(library.registry._registered, "harbour", made)
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "study.toml").write_text(FEED.format(retriever("bm25.run").replace("cranfield", "harbour")))
    ran = openiir("run", tmp_path, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    shown = openiir("show", tmp_path / "run", "feed", "--format", "trec").out.splitlines()
    assert [line.split(" ")[0:3:2] for line in shown] == [
        ["q1", "d3"],
        ["q1", "d1"],
        ["q2", "d4"],
        ["q2", "d2"],
    ]
    assert openiir("replay", tmp_path / "run").content == ran.content
