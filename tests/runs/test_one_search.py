"""Agents' look-ups, a ranker's candidates and interviews search a world by one and the same call."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import small_engines

from openiir.core.retrieval.hybrid import HybridIndex
from openiir.core.storage import AfterFile, Log
from openiir.runs.run_io import open_checked

QUESTION = "Do worn ropes part without a sound?"
RETRIEVER = '[world.retriever]\nconnector = "python"\ncallable = "small_engines:search"\n'
FEED = """type = "curated_feed"
name = "feed"
personas = "people.toml"
[world]
sources = ["sea.md", "land.md"]
chunk_words = 20
dimensions = 4
{}
[config]
ranker = "retrieval"
beside = []
users = 3
weeks = 1
sessions = 1
slots = 2
candidates = 2
repeats = true
epsilon = 0.0
topics = [{{ name = "ropes" }}, {{ name = "tides" }}]
items = {{ source = "world", unit = "chunk", per_week = 0 }}
"""


@pytest.fixture(params=["index", "engine"])
def heard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str]]:
    """The table of the world's retriever, if any, and the queries that reach the index or the engine."""
    queries: list[str] = []
    if request.param == "engine":
        monkeypatch.setattr(small_engines, "ASKED", Requests(queries))
        return RETRIEVER, queries
    inner = HybridIndex._score_parts

    async def watch(self: Any, query: str, *rest: Any) -> Any:
        queries.append(query)
        return await inner(self, query, *rest)

    monkeypatch.setattr(HybridIndex, "_score_parts", watch)
    return "", queries


class Requests(list[dict[str, Any]]):
    """Notes the queries of an engine's requests."""

    def __init__(self, queries: list[str]) -> None:
        self.queries = queries

    def append(self, request: dict[str, Any]) -> None:
        self.queries.append(request["query"])


def test_agents_rankers_and_interviews_go_through_one_call(
    heard: tuple[str, list[str]],
    evening: Callable[..., Path],
    trusted: Callable[[Path], Path],
    openiir: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, queries = heard
    study = evening(tables=table)
    (study.parent / "feed.toml").write_text(FEED.format(table))
    people = study.parent / "people.toml"
    people.write_text(people.read_text().replace('id = "ada"', 'id = "ada"\ninterests = ["tide", "tables"]'))
    ran = openiir("run", trusted(study), "--out", tmp_path / "evening")
    assert ran.code == 0, ran.err
    with open_checked(tmp_path / "evening") as run:
        texts = {chunk.id: chunk.text for chunk in Log(run).chunks()}
        looked_up = [event.payload["query"] for event in Log(run).events("lookup")]
    monkeypatch.setattr(small_engines, "PASSAGES", texts)
    assert sorted(queries) == sorted(looked_up) and len(queries) == 12, "agents"

    queries.clear()
    ran = openiir("run", trusted(study.parent / "feed.toml"), "--out", tmp_path / "feed")
    assert ran.code == 0, ran.err
    assert sorted(queries) == ["Ben has fished for 19 years.", "Cleo has fished for 31 years.", "tide tables"]
    with open_checked(tmp_path / "feed") as run:
        shown = Log(run).columns("impressions")
        items = Log(run).columns("catalogue")["id"]
        first = [str(items[n]) for n in shown["item"][shown["user"] == 0]][:1]
    tides = [id for id, text in texts.items() if "Tide tables" in text]
    assert first == tides, "a ranker"

    queries.clear()
    asked = openiir("ask", tmp_path / "feed", "--agent", "ben", "--look-up", "main", QUESTION)
    assert asked.code == 0, asked.err
    assert queries == [QUESTION], "an interview"
    with open_checked(tmp_path / "feed") as run, AfterFile(run.folder, str(run.state("content"))) as after:
        prompt = json.loads(after.interviews()[-1].prompt)[-1]["text"]
    found = small_engines.overlap(QUESTION, texts, 3)[0][0] if table else "c0003"
    assert f"You look it up, and read:\n- {texts[found]}" in prompt
    assert f"I looked it up, and read: {texts[found]}" in asked.out
    plain = openiir("ask", tmp_path / "feed", "--agent", "ben", QUESTION)
    assert queries == [QUESTION] and "looked it up" not in plain.out
    nowhere = openiir("ask", tmp_path / "feed", "--agent", "ben", "--look-up", "elsewhere", QUESTION)
    assert nowhere.code == 2 and "no world of this study is called 'elsewhere'" in nowhere.err
