"""A world's own retriever is what agents search with: recorded, replayed, resumed, permitted, and checked."""

import asyncio
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import small_engines
from small_engines import Elastic, overlap

from openiir.core.errors import InputError
from openiir.core.storage import Log, RunFile
from openiir.core.systems import RetrieverSpec
from openiir.core.toml import validate_record
from openiir.core.world import World, chunk_sources, load_sources
from openiir.runs.audit.auditing import audit_keys
from openiir.runs.engine import Watcher, drive
from openiir.runs.forecast import forecast_run
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import load_settings
from openiir.runs.study import load_study

ELASTIC = """[world.retriever]
connector = "http"
url = "URL/passages/_search"
request = { size = "{k}", _source = false, query = { match = { text = "{query}" } } }
ids = "hits.hits[*]._id"
scores = "hits.hits[*]._score"
tries = 1
"""
PYTHON = '[world.retriever]\nconnector = "python"\ncallable = "small_engines:NAME"\n'


@pytest.fixture
def texts(evening: Callable[..., Path]) -> dict[str, str]:
    """The passages of the small study's world, by id."""
    loaded = load_sources(["sea.md", "land.md"], evening().parent)
    return {chunk.id: chunk.text for chunk in chunk_sources(loaded.sources, "main", 20)}


@pytest.fixture
def engines(texts, monkeypatch):
    """The Python engines, over those passages."""
    monkeypatch.setattr(small_engines, "PASSAGES", texts)
    for name in ("ASKED", "MADE"):
        getattr(small_engines, name).clear()
    small_engines.ANSWER.clear()
    return small_engines


@pytest.fixture
def elastic(texts):
    with Elastic(texts) as server:
        yield server


@pytest.fixture
def by_engine(evening, trusted):
    """Writes the small study with the engine of this name in small_engines, as it may."""
    return lambda name="search", top="", more="": trusted(evening(top, PYTHON.replace("NAME", name) + more))


def lookups(folder: Path) -> list[dict[str, Any]]:
    with RunFile.open(folder) as run:
        return [event.payload for event in Log(run).events("lookup")]


def test_agents_search_by_an_engine_and_a_replay_needs_none(
    elastic, texts, evening, trusted, openiir, tmp_path
):
    plain = openiir("run", evening(folder="bare"), "--out", tmp_path / "plain")
    study = trusted(evening(tables=ELASTIC.replace("URL", elastic.url)))
    ran = openiir("run", study, "--out", tmp_path / "run")
    found = lookups(tmp_path / "run")
    assert ran.code == 0 and len(found) == len(elastic.heard) == 12
    assert {one["path"] for one in elastic.heard} == {"/passages/_search"}
    assert all(one["size"] == 2 and one["_source"] is False for one in elastic.heard)
    for one in found:
        assert one["chunks"] == [id for id, _ in overlap(one["query"], texts, 2)]
    assert [one["chunks"] for one in lookups(tmp_path / "plain")] != [one["chunks"] for one in found]
    assert plain.content != ran.content
    assert openiir("run", study, "--out", tmp_path / "again").content == ran.content, "times are not kept"
    elastic.stop()
    assert openiir("replay", tmp_path / "run").content == ran.content
    forked = openiir("fork", tmp_path / "run", "--step", "4", "--set", "warmth=0.9", "--out", tmp_path / "f")
    assert forked.code == 1 and "no connection" in forked.err, "what follows a fork is asked anew"


def test_a_killed_run_goes_on_with_what_was_found(elastic, evening, trusted, sittings, openiir, tmp_path):
    study = trusted(evening(tables=ELASTIC.replace("URL", elastic.url)))
    (whole,) = sittings({"argv": ["run", str(study), "--out", str(tmp_path / "whole")], "count": True})
    content = whole["out"].strip().splitlines()[-1].removeprefix("content: ")
    moments = len(whole["moments"])
    for n in (moments // 3, moments // 2, moments - 12):
        out = tmp_path / f"at-{n}"
        (died,) = sittings({"argv": ["run", str(study), "--out", str(out)], "kill": n})
        assert died["signal"] == 9
        before = len(elastic.heard)
        resumed = openiir("resume", out)
        assert resumed.content == content
        assert len(elastic.heard) - before < 12, "what is on record is not asked again"


def test_a_pipeline_of_pyterrier_is_a_callable_of_a_few_lines(engines, texts, by_engine, openiir, tmp_path):
    ran = openiir("run", by_engine(), "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert {"query", "k", "world", "persona", "session"} == engines.ASKED[0].keys()
    assert {one["persona"] for one in engines.ASKED} == {"ada", "ben", "cleo"}
    asked = len(engines.ASKED)
    assert openiir("replay", tmp_path / "run").content == ran.content and len(engines.ASKED) == asked


def test_nobody_asks_an_engine_without_permission(engines, evening, openiir, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    study = evening(tables=PYTHON.replace("NAME", "search"))
    for command in (["run", "--out", tmp_path / "run"], ["audit"]):
        refused = openiir(command[0], study, *command[1:])
        assert refused.code == 2 and not engines.ASKED
        assert "imports and calls the Python code small_engines:search ([world.retriever])" in refused.err
    assert openiir("run", study, "--trust", "--out", tmp_path / "run").code == 0 and engines.ASKED
    told = openiir("trust", study)
    assert told.code == 0 and "small_engines:search ([world.retriever])" in told.err


def test_a_rehearsal_an_audit_and_an_offline_run_search_by_the_index(engines, by_engine, parlour, tmp_path):
    study, settings = by_engine(), load_settings()
    loaded = load_study(str(study), trust=settings.trust)
    assert {persona.retrieval for persona in loaded.personas} == {"own"}
    with prepare_run(loaded, tmp_path / "run", settings) as run:
        asyncio.run(forecast_run(run, settings))
    with prepare_run(loaded.offline(), tmp_path / "offline", settings) as run:
        asyncio.run(drive(run, settings, Watcher()))
    assert any(verdict.status == "acts" for verdict in audit_keys(loaded))
    assert not engines.ASKED and len(lookups(tmp_path / "offline")) == 12


ODD: dict[str, tuple[Any, str]] = {
    "no list": ({"found": ["c0001"]}, "has no list of ids at ids"),
    "ids of another kind": ({"ids": [True, "c0001"]}, "has no list of ids at ids"),
    "a score is missing": ({"ids": ["c0001", "c0002"], "scores": [1.0]}, "2 ids at ids and 1 scores"),
    "scores are no list": ({"ids": ["c0001"], "scores": 3}, "1 ids at ids and no list of scores at scores"),
    "a score is a text": ({"ids": ["c0001"], "scores": ["high"]}, "the score of 'c0001' is \"'high'\""),
    "a score is huge": ({"ids": ["c0001"], "scores": [1e300]}, "no number of a usable size"),
    "NaN": ({"ids": ["c0001"], "scores": [math.nan]}, "a number that is not finite"),
    "ids of another world": (
        {"ids": ["doc7", "doc8"]},
        "found 'doc7', 'doc8', and world 'main' has no chunk",
    ),
    "words": ("c0001 c0002", "has no list of ids at ids: 'c0001 c0002'"),
    "nothing": (None, "returned nothing"),
}


@pytest.mark.parametrize("what", ODD)
def test_what_cannot_be_a_ranking_is_told_and_leaves_nothing_behind(
    what, engines, by_engine, openiir, tmp_path
):
    engines.ANSWER["value"], words = ODD[what]
    failed = openiir("run", by_engine("fixed"), "--out", tmp_path / "run")
    assert failed.code in (1, 2) and words in failed.err, failed.err
    assert "retriever small_engines:fixed" in failed.err and "Traceback" not in failed.err
    if (tmp_path / "run").exists():  # mended, the run goes on: the bad answer was not recorded
        engines.ANSWER["value"] = {"ids": ["c0001"]}
        assert openiir("resume", tmp_path / "run").code == 0


def test_what_a_ranking_leaves_open_is_handled_as_documented(engines, texts, by_engine, openiir, tmp_path):
    engines.ANSWER["value"] = {"ids": ["c0003", "elsewhere", "c0001", "c0003"], "scores": [1, 3, 2, 9]}
    assert openiir("run", by_engine("fixed"), "--out", tmp_path / "run").code == 0
    (one, *_) = lookups(tmp_path / "run")
    assert one["chunks"] == ["c0001"] and one["dropped"] == 1, "sorted by score, each once, cut at k = 2"
    engines.ANSWER["value"] = {"ids": []}
    assert openiir("run", by_engine("fixed"), "--out", tmp_path / "none").code == 0
    assert all(found["chunks"] == [] for found in lookups(tmp_path / "none")), "too few are as many as came"


def test_an_engine_that_is_not_there_stops_the_run_until_it_is(
    elastic, texts, evening, trusted, openiir, tmp_path
):
    study = trusted(evening(tables=ELASTIC.replace("URL", elastic.url)))
    whole, port = openiir("run", study, "--out", tmp_path / "whole"), elastic.server_port
    elastic.stop()
    failed = openiir("run", study, "--out", tmp_path / "run")
    assert failed.code == 1 and f"no connection to 127.0.0.1:{port}" in failed.err
    assert "start the system, or correct url" in failed.err
    with Elastic(texts, port):
        assert openiir("resume", tmp_path / "run").content == whole.content
    with RunFile.open(tmp_path / "run") as run:
        assert run.db.execute("select count(*) from transport").fetchone()[0] > 0


def test_a_source_stands_for_its_best_passage(engines, evening, trusted, openiir, tmp_path):
    engines.ANSWER["value"] = {"ids": ["land.md", "sea.md"]}
    study = trusted(evening(tables=PYTHON.replace("NAME", "fixed") + 'unit = "source"\n'))
    assert openiir("run", study, "--out", tmp_path / "run").code == 0
    with RunFile.open(tmp_path / "run") as run:
        source = {chunk.id: chunk.source for chunk in Log(run).chunks()}
    found = lookups(tmp_path / "run")
    assert all([source[id] for id in one["chunks"]] == ["land.md", "sea.md"] for one in found)
    ropes = next(one for one in found if one["query"] == "nothing yet")
    assert ropes["chunks"] == ["c0001", "c0003"], "the first passage where none holds a word of the query"


def test_personas_that_name_a_mode_keep_it_and_a_study_may_name_another(
    engines, by_engine, openiir, tmp_path
):
    study = by_engine(top='retrieval = "keyword"')
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert ran.code == 0 and not engines.ASKED
    assert "the retriever of the world main was never asked: nobody searched by the mode own" in ran.err
    people = study.parent / "people.toml"
    people.write_text(people.read_text().replace('id = "ada"', 'id = "ada"\nretrieval = "match"'))
    openiir("trust", study)
    mixed = openiir("run", study, "--set", "retrieval=own", "--trust", "--out", tmp_path / "mixed")
    assert mixed.code == 0 and "never asked" not in mixed.err
    assert {one["persona"] for one in engines.ASKED} == {"ben", "cleo"}


def by_keyword(folder, lookup):
    """What the world's own index finds by BM25."""
    with RunFile.open(folder) as run:
        chunks = run.chunks()

    async def search():
        world = await World.build("main", chunks)
        return [hit.chunk.id for hit in await world.lookup(lookup["query"], 2, "keyword")]

    return asyncio.run(search())


RUN = """nothing%20yet Q0 c0002 1 3.5 mine
nothing%20yet Q0 c0001 2 4.5 mine
nothing%20yet Q0 c0004 3 1.0 mine
"""


def write_run(evening, keys="", run=RUN, topics=None):
    study = evening(tables=f'[world.retriever]\nrun = "mine.run"\n{keys}')
    (study.parent / "mine.run").write_text(run)
    if topics is not None:
        (study.parent / "topics.tsv").write_text(topics)
    return study


@pytest.mark.parametrize("topics", [None, "401\tNothing  yet\n402\tfishing\n"])
def test_a_trec_run_is_looked_up_by_query(topics, evening, openiir, tmp_path):
    named = RUN if topics is None else RUN.replace("nothing%20yet", "401")
    keys = 'otherwise = "keyword"\n' + ("" if topics is None else 'topics = "topics.tsv"\n')
    study = write_run(evening, keys, named, topics)
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    found = lookups(tmp_path / "run")
    ranked = [one["chunks"] for one in found if one["query"] == "nothing yet"]
    assert ranked == 3 * [["c0001", "c0002"]], "by score, whatever the rank says"
    others = [one for one in found if one["query"] != "nothing yet"]
    assert len(others) == 9 and all(one["chunks"] == by_keyword(tmp_path / "run", one) for one in others)
    (study.parent / "mine.run").unlink()
    assert openiir("replay", tmp_path / "run").content == ran.content, "a replay reads no file"


@pytest.mark.parametrize(
    ("keys", "run", "topics", "words"),
    [
        ("", RUN, None, "no topic has the query"),
        ("", "x Q0 c0001 1\n", None, "a TREC run has 6 columns"),
        ('topics = "topics.tsv"', RUN, "401 nothing yet\n", "topics.tsv line 1"),
        ('topics = "topics.tsv"', RUN, "401\ta\n402\tA\n", "the topics 401 and 402 have the same query"),
        ('topics = "none.tsv"', RUN, None, "none.tsv"),
        ('topics = "../up.tsv"', RUN, None, "outside the study's folder"),
        ('url = "http://127.0.0.1:1/"', RUN, None, "url belongs to http, websocket and socketio"),
        ('ids = "hits"', RUN, None, "ids means nothing to a TREC run"),
    ],
)
def test_a_run_that_does_not_fit_is_told(keys, run, topics, words, evening, openiir, tmp_path):
    failed = openiir("run", write_run(evening, keys, run, topics), "--out", tmp_path / "run")
    assert failed.code == 2 and words in failed.err, failed.err


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"url": "http://127.0.0.1:1/"}, "connector is missing"),
        ({"connector": "http"}, "connector http needs url"),
        ({"connector": "run"}, "connector run needs run"),
        ({"connector": "http", "url": "http://h/", "response": "a"}, "response means nothing"),
        ({"connector": "http", "url": "http://h/", "data": "a"}, "data means nothing to a search engine"),
        ({"connector": "http", "url": "http://h/", "topics": "a"}, "topics means nothing to a search engine"),
        ({"connector": "http", "url": "http://h/", "ids": "text"}, 'a key called "text" is "$.text"'),
        ({"connector": "http", "url": "http://h/{quary}"}, "asks for {quary}; known there: query, k"),
        ({"connector": "http", "url": "http://h/", "unit": "page"}, "'chunk' or 'source'"),
        ({"connector": "http", "url": "http://h/", "depth": 3}, "there is no key 'depth'"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(table, words):
    with pytest.raises(InputError) as told:
        validate_record(RetrieverSpec, table, "study.toml [world.retriever]")
    assert words in str(told.value)


@pytest.mark.parametrize(
    "table",
    [
        {"connector": "http", "url": "http://h/x", "format": "text", "headers": {"X": "${KEY}"}},
        {"run": "mine.run", "topics": "ir_datasets:cranfield", "unit": "source"},
    ],
)
def test_a_declaration_survives_being_stored(table):
    spec = validate_record(RetrieverSpec, table, "x")
    assert RetrieverSpec.model_validate(spec.model_dump(mode="json")) == spec
    assert (spec.request, spec.connector) == (("{query}", "http") if "url" in table else (None, "run"))


def test_the_doctor_asks_a_retriever_one_query(engines, elastic, by_engine, evening, openiir, tmp_path):
    told = openiir("doctor", "--system", by_engine(), "--query", "ropes")
    assert told.code == 0 and "retriever small_engines:search" in told.out
    assert "ok      look-up: answers to 'ropes'" in told.out and "ok      ids: chunks 'c0" in told.out
    assert engines.ASKED[0]["query"] == "ropes"
    refused = openiir("doctor", "--system", evening(tables=ELASTIC.replace("URL", elastic.url)))
    assert refused.code == 2 and "talks with http://127.0.0.1" in refused.err and not elastic.heard
    elastic.stop()
    failed = openiir("doctor", "--system", tmp_path / "study/study.toml", "--trust")
    assert failed.code == 1 and "FAILED  look-up: no connection" in failed.out
    run = openiir("doctor", "--system", write_run(evening))
    assert run.code == 0 and "has 1 queries" in run.out and "chunks 'c0001', 'c0002', 'c0004'" in run.out


def test_a_score_is_quantised_and_the_ledger_keeps_no_more_than_the_ranking(
    engines, by_engine, openiir, tmp_path
):
    engines.ANSWER["json"] = '{"took": 7, "ids": ["c0001", "c0002", "c0003"], "scores": [0.3, 0.2, 0.1]}'
    assert openiir("run", by_engine("fixed"), "--out", tmp_path / "run").code == 0
    with RunFile.open(tmp_path / "run") as run:
        call = next(iter(run.calls()))
    assert (call.answerer, call.place.kind, call.place.subject) == ("system", "world.lookup", "main")
    scores = [round(score * 2**20) / 2**20 for score in (0.3, 0.2)]
    assert json.loads(call.reply) == {"ids": ["c0001", "c0002"], "scores": scores}
