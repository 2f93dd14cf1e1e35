"""Feeds of a world's documents: where items and topics come from, and rankings that are real retrieval."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from small_lanes import searching

from openiir.core.errors import InputError
from openiir.core.storage import Log
from openiir.core.world import World
from openiir.kit.items.retrieval import query_of, retrieval_scores
from openiir.kit.measures.retrieval import evaluate
from openiir.kit.measures.trec import Judgement
from openiir.plugin import Draw, Ranking
from openiir.runs.post_run import check_agent, measure, scenario_of, surfaces_of
from openiir.runs.study import load_study, study_permissions
from openiir.runs.trust import Trust
from openiir.scenarios.curated_feed.behaviour.personas import persona_belief
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic
from openiir.scenarios.curated_feed.model.items.topics import documents, named_topics
from openiir.testing.offline import Finished, replay_offline, run_loaded

WORDS = {
    "wind": "turbines blades towers gusts breeze offshore",
    "bread": "flour yeast ovens dough bakers crust",
    "trains": "rails stations carriages timetables tickets platforms",
}
PEOPLE = {"ada": ("turbines", "gusts"), "ben": ("yeast", "crust"), "cleo": ("rails", "tickets")}
CONFIG: dict[str, Any] = {
    "users": 3,
    "weeks": 2,
    "sessions": 1,
    "slots": 4,
    "candidates": 6,
    "epsilon": 0.0,
    "audit_items": 5,
    "audit_users": 3,
    "beside": [],
    "topics": [
        {"name": "wind", "keywords": ["turbines", "gusts"]},
        {"name": "bread"},
        {"name": "trains", "keywords": ["rails"]},
    ],
    "items": {"source": "world", "per_week": 15},
}


def text(about: str, n: int) -> str:
    words = WORDS[about].split()
    lead = " ".join(words[(n + at) % len(words)] for at in range(1 + n % 4))
    return f"The {about} page {n} is about {lead}. It is a {'good' if n % 2 else 'dreadful'} thing to have."


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes a study over thirty short documents; tables given replace those of `CONFIG`."""

    def write(config: dict[str, Any] | None = None, *, world: bool = True, **top: Any) -> Path:
        (tmp_path / "pages").mkdir(exist_ok=True)
        for about in WORDS:
            for n in range(10):
                (tmp_path / "pages" / f"{about}-{n}.txt").write_text(text(about, n))
        people = [
            {"id": id, "name": id.title(), "bio": "Reads.", "interests": list(i)} for id, i in PEOPLE.items()
        ]
        (tmp_path / "people.toml").write_text(tomli_w.dumps({"persona": people}))
        values = {"type": "curated_feed", "name": "pages", "seed": 4, "personas": "people.toml", **top}
        values |= {"world": {"sources": ["pages"], "dimensions": 8}} if world else {}
        values["config"] = {**CONFIG, **(config or {})}
        (tmp_path / "study.toml").write_text(tomli_w.dumps(values))
        return tmp_path / "study.toml"

    return write


@pytest.fixture
def feed(written: Callable[..., Path], tmp_path: Path) -> Iterator[Callable[..., Finished]]:
    done: list[Finished] = []

    def run(config: dict[str, Any] | None = None, **top: Any) -> Finished:
        done.append(run_loaded(load_study(str(written(config, **top))), tmp_path / f"run-{len(done)}"))
        return done[-1]

    yield run
    for one in done:
        one.run.close()


def indexed(run: Finished) -> tuple[World, list[str]]:
    """The run's world as an index, and the ids of the items on its shelf in order."""
    world = asyncio.run(World.build("main", run.log.chunks(), _lsa(run)))
    return world, list(run.log.columns("catalogue")["id"])


def _lsa(run: Finished) -> Any:
    from openiir.core.retrieval import LSA

    return LSA.from_bytes(run.run.fitted_parts()["lsa:main"])


def shown(run: Finished, agent: str | None = None, surface: str = "feed") -> Ranking:
    return surfaces_of(scenario_of(run.run))[surface].view(
        run.log, **({} if agent is None else {"agent": agent})
    )


def test_documents_are_the_items_under_their_names_and_the_studys_topics(
    feed: Callable[..., Finished],
) -> None:
    run = feed()
    columns = run.log.columns("catalogue")
    texts = documents(run.log.chunks())
    assert sorted(columns["id"]) == sorted(texts) and np.bincount(columns["week"]).tolist() == [0, 15, 15]
    topics = [Topic(**topic) for topic in CONFIG["topics"]]
    theta = named_topics([*texts.values()], topics).theta([texts[id] for id in columns["id"]])
    np.testing.assert_array_equal(np.stack([columns[f"topic_{n}"] for n in (1, 2, 3)], axis=1), theta)
    assert [row["name"] for row in run.log.table("taxonomy")] == ["wind", "bread", "trains"]
    users = run.log.columns("users")
    for n, persona in enumerate(run.log.personas):
        own = [users[f"belief_{topic}"][n] for topic in (1, 2, 3)]
        np.testing.assert_allclose(
            own, persona_belief(persona, topics, Draw(4, "curated_feed/persona", step=0)), atol=2**-20
        )


def test_topics_can_be_fitted_and_have_names_in_the_views(feed: Callable[..., Finished]) -> None:
    run = feed(
        {"topics": 3, "items": {"source": "world", "per_week": 0}, "weeks": 1, "slots": 2, "candidates": 2}
    )
    names = [row["name"] for row in run.log.table("taxonomy")]
    assert len(names) == 3 and len(run.log.columns("catalogue")["id"]) == 30
    assert [row[1] for row in surfaces_of(scenario_of(run.run))["topics"].view(run.log).rows] == names
    assert replay_offline(run.folder) == run.content


def test_chunks_can_be_items(feed: Callable[..., Finished]) -> None:
    run = feed({"items": {"source": "world", "unit": "chunk", "per_week": 15}})
    assert set(run.log.columns("catalogue")["id"]) == {chunk.id for chunk in run.log.chunks()}


def test_a_feed_of_retrieval_is_the_ranking_of_the_index(feed: Callable[..., Finished]) -> None:
    run = feed({"ranker": "retrieval", "weeks": 1, "slots": 6, "items": {"source": "world", "per_week": 0}})
    world, ids = indexed(run)
    scores = asyncio.run(retrieval_scores(searching(world), [query_of(p) for p in run.log.personas], ids))
    for row, persona in zip(scores, run.log.personas, strict=True):
        best = sorted(range(len(ids)), key=lambda at, row=row: (-row[at], at))[:6]
        served = [one.item for one in shown(run, persona.id).rows]
        assert served == [ids[at] for at in best] and row[best[0]] > row[best[-1]]
    table = run.log.columns("impressions")
    np.testing.assert_array_equal(table["score"], scores[table["user"], table["item"]])
    qrels = [Judgement(p.id, row.item, 1) for p in run.log.personas for row in shown(run, p.id).rows[2:3]]
    assert evaluate(shown(run), qrels, ("RR",))["RR"].value == pytest.approx(1 / 3)


def test_retrieval_takes_over_by_a_change_and_is_evaluated_beside(feed: Callable[..., Finished]) -> None:
    config = {"ranker": "random", "weeks": 2, "evaluate": [], "epsilon": 0.2}
    plain = feed(config)
    run = feed(config, change=[{"step": 2, "set": {"ranker": "retrieval"}}])
    late = run.log.columns("impressions")
    now = late["week"] == 2
    assert set(late["ranker"][now]) == {"retrieval"} and set(late["ranker"][~now]) == {"random"}
    before = plain.log.columns("impressions")
    np.testing.assert_array_equal(before["item"][before["week"] == 1], late["item"][~now])
    ids = run.log.columns("catalogue")["id"]
    first = now & (late["det_rank"] == 1) & (late["user"] == 1)
    assert first.any() and all("bread" in ids[item] for item in late["item"][first])
    beside = feed({**config, "evaluate": ["retrieval"]})
    assert (beside.log.columns("impressions")["would_retrieval"] >= 0).any()
    assert replay_offline(run.folder) == run.content


def test_what_is_injected_into_retrieval_matches_nothing(feed: Callable[..., Finished]) -> None:
    item = {"items": 3, "topic": 1, "valence": 1.0}
    config = {"ranker": "retrieval", "beside": ["random"]}
    plain, pushed = feed(config), feed(config, event=[{"step": 1, "kind": "inject", **item}])
    assert shown(plain) == shown(pushed)
    rows = pushed.log.columns("catalogue")
    assert [id for id, made in zip(rows["id"], rows["injected"], strict=True) if made][:3] == [
        "x0000001",
        "x0000002",
        "x0000003",
    ]


def test_a_model_reads_the_documents_own_words(feed: Callable[..., Finished]) -> None:
    pushed = [{"step": week, "kind": "inject", "items": 3, "topic": 2, "valence": 0.9} for week in (1, 2)]
    run = feed({"promoted": 3, "ranker": "chronological"}, event=pushed)
    texts = {" ".join(found.split()) for found in documents(run.log.chunks()).values()}
    told = [item for asked in run.asked for item in asked.question.page]
    assert told and all(one.text in texts or " about bread that " in one.text for one in told)
    titles = {one.headline for one in told if one.text in texts}
    assert titles and all(title.split(" ")[0] in ("Wind", "Bread", "Trains") for title in titles)
    personas = [persona.id for persona in run.log.personas]
    assert personas == list(PEOPLE)


def test_users_of_no_persona_promoted_over_fitted_topics(feed: Callable[..., Finished]) -> None:
    run = feed({"users": 5, "promoted": 5, "topics": 2})
    assert run.log.personas[4].bio == "Somebody who opens a feed every few days."
    assert run.asked[0].question.page


@pytest.mark.parametrize(
    ("config", "top", "words"),
    [
        ({}, {"world": False}, r'config.items.source = "world" needs the world main; add \[world\]'),
        ({"ranker": "retrieval", "items": {"per_week": 30}}, {}, "config.items.source = 'synthetic'"),
        (
            {"ranker": "retrieval", "users": 4},
            {},
            "config.users = 4: the ranker 'retrieval' needs a query from each, and 3",
        ),
        ({"topics": 17, "items": {"per_week": 30}}, {}, "topics = 17: 16 topics are built in"),
        ({"topics": [{"name": "a"}, {"name": "a"}]}, {}, "topics: two are called 'a'"),
        ({"topics": [{"name": "the"}]}, {}, "config.topics: 'the' has no word"),
        ({"items": {"per_week": 0}}, {}, "per_week = 0"),
        ({"users": 0}, {}, "users"),
        (
            {"topics": 3, "items": {"per_week": 2}},
            {},
            r"items = 4 \(2 arriving a week\) for 8 exposures .*config.repeats",
        ),
        ({"queries": "cranfield"}, {}, "queries"),
        ({"queries": "ir_datasets:no-such"}, {}, "config.queries = 'ir_datasets:no-such': no collection"),
        (
            {"ranker": "random", "items": {"per_week": 30}, "topics": 3},
            {"change": [{"step": 2, "set": {"ranker": "retrieval"}}]},
            r"\[\[change\]\].*'retrieval' searches documents",
        ),
        ({}, {"change": [{"step": 2, "set": {"ranker": "no.such:ranker"}}]}, "no.such:ranker"),
    ],
)
def test_a_study_that_cannot_be_is_refused_in_one_line(
    written: Callable[..., Path], config: dict[str, Any], top: dict[str, Any], words: str
) -> None:
    file = str(written(config, **top))
    with pytest.raises(InputError, match=words) as refused:
        load_study(file, trust=Trust().with_leave(study_permissions(file)))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"topics": 40}, "topics = 40: they are fitted on 30 texts"),
        (
            {"weeks": 12, "slots": 6},
            r"30 sources of \[world\] as config.items: items = 30 .*12 weeks|72 exposures",
        ),
    ],
)
def test_a_world_that_is_too_small_leaves_no_run_behind(
    openiir: Callable[..., Any],
    written: Callable[..., Path],
    tmp_path: Path,
    config: dict[str, Any],
    words: str,
) -> None:
    import re

    ran = openiir("run", written(config), "--out", tmp_path / "out")
    assert ran.code == 2 and re.search(words, ran.err), ran.err
    assert not (tmp_path / "out" / "run.db").exists()


def test_repeats_need_no_large_world(feed: Callable[..., Finished]) -> None:
    run = feed({"weeks": 12, "slots": 6, "repeats": True})
    assert run.log.steps()[-1][0] == 12


def test_a_feed_is_shown_of_users_who_are_no_personas(feed: Callable[..., Finished]) -> None:
    run = feed({"users": 6})
    surface = surfaces_of(scenario_of(run.run))["feed"]
    for name in ("ada", "user-000004"):
        check_agent(run.run, surface, name)
        assert {row.topic for row in shown(run, name).rows} == {name}
    with pytest.raises(InputError, match="no agent of the surface 'feed' is called 'user-000009'"):
        check_agent(run.run, surface, "user-000009")
    many = feed({"users": 40, "kept": 0.9})
    with pytest.raises(InputError, match=r"has no agent 'bob', but \d\d others, from "):
        check_agent(many.run, surface, "bob")
    kept = set(surface.agents(Log(many.run)))
    assert {row.topic for row in shown(many).rows} == kept and len(kept) < 40


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Queries and judgements that ir_datasets knows."""
    library = pytest.importorskip("ir_datasets", reason="needs ir_datasets (the extra ir)")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    (tmp_path / "q.tsv").write_text("q1\tyeast and crust\nq2\trails\nq3\tgusts\nq4\tnothing\n")
    (tmp_path / "qrels").write_text(
        "q1 0 pages/bread-3.txt 1\nq2 0 pages/trains-2.txt 2\n"
        "q3 0 pages/wind-1.txt 1\nq4 0 pages/wind-2.txt 1\n"
    )
    made = library.create_dataset(queries_tsv=str(tmp_path / "q.tsv"), qrels_trec=str(tmp_path / "qrels"))
    library.registry.register("pages-judged", made)
    yield "ir_datasets:pages-judged"
    del library.registry._registered["pages-judged"]


def test_users_can_be_a_collections_queries(
    written: Callable[..., Path], collection: str, tmp_path: Path
) -> None:
    config = {
        "ranker": "retrieval",
        "queries": collection,
        "users": 6,
        "weeks": 1,
        "items": {"source": "world", "per_week": 0},
    }
    loaded = load_study(str(written(config)))
    assert [p.id for p in loaded.personas] == [*PEOPLE, "q1", "q2", "q3"]
    run = run_loaded(loaded, tmp_path / "run")
    assert ["trains" in row.item for row in shown(run, "q2").first(2).rows] == [True, True]
    found = measure(run.folder, {"qrels": collection, "retrieval": ["RR", "R@4"]})
    lists = {name: [row.item for row in shown(run, name).rows] for name in ("q1", "q2", "q3")}
    wanted = {"q1": "pages/bread-3.txt", "q2": "pages/trains-2.txt", "q3": "pages/wind-1.txt"}
    recall = np.mean([wanted[name] in items for name, items in lists.items()])
    assert found["retrieval.R@4"].value == pytest.approx(recall), "queries that are no users do not count"
    with pytest.raises(InputError, match="measure --set qrels=ir_datasets:none-such"):
        measure(run.folder, {"qrels": "ir_datasets:none-such"})
    run.run.close()


def test_queries_can_stand_in_the_study(written: Callable[..., Path], tmp_path: Path) -> None:
    config = {"ranker": "retrieval", "users": 5, "weeks": 1, "items": {"source": "world", "per_week": 0}}
    study = written({**config, "queries": {"file": "queries.toml"}})
    (tmp_path / "queries.toml").write_text('t1 = "yeast and crust"\nt2 = "rails"\n')
    run = run_loaded(load_study(str(study)), tmp_path / "run")
    assert "bread" in shown(run, "t1").rows[0].item and "trains" in shown(run, "t2").rows[0].item
    assert replay_offline(run.folder) == run.content
    run.run.close()
    (tmp_path / "queries.toml").write_text('"T 1" = "yeast"\n')
    with pytest.raises(InputError, match="config.queries: query 'T 1' can be no persona"):
        load_study(str(study))


def test_a_query_may_not_take_a_personas_id(
    written: Callable[..., Path], collection: str, tmp_path: Path
) -> None:
    study = written({"queries": collection, "users": 7})
    (tmp_path / "people.toml").write_text('[[persona]]\nid = "q2"\nname = "Q"\nbio = "Q reads."\n')
    with pytest.raises(InputError, match="query 'q2' has the id of a persona"):
        load_study(str(study))
