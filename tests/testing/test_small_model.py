"""Small studies of every type on a real, very small model:
runs end by the platform's own rules and replay."""

import asyncio
from pathlib import Path

import pytest

from openiir.core.llm import Endpoint
from openiir.core.storage import Log, RunFile
from openiir.runs import types
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.offline import replay_offline

pytestmark = pytest.mark.extras
BY_MODEL = ('answers="model"', "model.name=small", "model.max_tokens=300")
ROUND = (
    '{name="opening", goal="Everyone says once where they stand.", turns=3, acts=["assert"], '
    'until=["everyone-spoke"]}'
)


@pytest.fixture(scope="module")
def endpoint():
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    from small_model import fetch_small_model, small_model_server

    try:
        fetch_small_model()
    except RuntimeError as error:
        pytest.skip(str(error))
    with small_model_server() as url:
        yield Endpoint(url=url, width=2, timeout=300)


def live(endpoint: Endpoint, folder: Path, study: str, *sets: str) -> Log:
    """Runs a study; every call was usable in the end or its failure is on record, and a replay gives the same
    run."""
    settings = Settings(endpoint=endpoint)
    with prepare_run(load_study(study, [*BY_MODEL, *sets]), folder, settings) as run:
        content = asyncio.run(drive(run, settings, Watcher()))
    assert replay_offline(folder) == content
    run = RunFile.open(folder)
    last = {call.place: call for call in run.calls()}
    asked = [event.payload for event in Log(run).events("asked") if event.payload.get("answerer") == "model"]
    assert len(last) >= len(asked) >= 1  # how many it takes is the model's: a lost reply may end a visit
    failed = [call.error for call in last.values() if not call.usable]
    assert all(failed) and sorted(failed) == sorted(
        one["failure"] for one in asked if one["outcome"] == "failed"
    )
    return Log(run)


def test_everybody_on_a_panel_gets_the_floor(endpoint, tmp_path):
    cast = 'cast=["wen-zhao", "dmitri-vance"]'
    seats = ("stand", "look-up", "speak", "moderate")
    answers = (
        "answers={default='offline', kind={" + ", ".join(f"'panel.{kind}'='model'" for kind in seats) + "}}"
    )
    log = live(
        endpoint,
        tmp_path / "run",
        "panel",
        answers,
        cast,
        f"config.shape={{round=[{ROUND}]}}",
        "config.passages=2",
        "world.dimensions=16",
    )
    heard = [
        (event.actor, event.payload["outcome"])
        for event in log.events("asked")
        if event.payload["question"] == "panel.speak"
    ]
    assert {actor for actor, _ in heard} == {"wen-zhao", "dmitri-vance"}
    assert [event.actor for event in log.events("panel.speak")] == [
        actor for actor, outcome in heard if outcome == "answered"
    ]
    (closed,) = log.events("panel.round-closed")
    assert closed.payload["turns"] == len(heard) <= 3


def test_a_dialogue_ends_as_dialogues_do(endpoint, tmp_path):
    cut = (
        "config.dialogues=1",
        "config.turns=2",
        'config.simulators=["dual"]',
        'config.systems=["attribute"]',
        "config.judge.dialogues=0",
    )
    log = live(
        endpoint, tmp_path / "run", "conversational", *cut, "config.data.synthetic={users=30, items=60}"
    )
    assert [e.payload["end"] for e in log.events("conversational.dialogue")][0] in (
        "satisfied",
        "gave-up",
        "turn-limit",
    )


def test_a_visit_ends_as_visits_do(endpoint, tmp_path):
    cut = (
        "config.users=1",
        'config.systems=["popularity"]',
        "config.page={most=1, items=2}",
        "config.visitors={persona=false, self_ask=false}",
    )
    log = live(endpoint, tmp_path / "run", "recommender", *cut, "config.data.synthetic={users=60, items=90}")
    assert set(log.columns("visits")["left"]) <= {"exit", "last page"}


def test_a_reader_of_a_feed_is_asked_what_they_think_before_and_after(endpoint, tmp_path):
    cut = (
        "config.users=20",
        "config.promoted=1",
        "config.weeks=1",
        "config.sessions=1",
        "config.topics=3",
        "config.slots=4",
    )
    log = live(endpoint, tmp_path / "run", "curated_feed", *cut, "config.beside=[]", "config.evaluate=[]")
    kinds = [event.payload["question"] for event in log.events("asked")]
    assert kinds == ["curated_feed.survey", "curated_feed.browse", "curated_feed.survey"]


def test_four_agents_ask_sources_in_three_worlds(endpoint, tmp_path):
    cut = ("config.members=20", "config.rounds=2", 'config.memory="shared:town"')
    log = live(endpoint, tmp_path / "run", "asymmetric_memory", *cut)
    asked = list(log.events("asked"))
    assert len(asked) == 4 * 3 * 2
    answered = sum(event.payload["outcome"] == "answered" for event in asked)
    rows = log.columns("accesses")
    assert ((rows["member"] < 4) & (rows["source"] >= 0)).sum() == answered > 12


def test_readers_look_at_the_pages_of_their_spaces(endpoint, tmp_path):
    keys = ("people=16", "spaces.number=4", "spaces.writers=2", "spaces.pieces=3", "rounds=2")
    arms = ("shares=[0.5]", "prices=[0.01]", "economy.publishers=20")
    log = live(endpoint, tmp_path / "run", "open_web", *(f"config.{key}" for key in (*keys, *arms)))
    looked = log.columns("looked")
    asked = {(e.lane, e.actor, e.step): e.payload["outcome"] for e in log.events("asked")}
    assert len({lane for lane, _, _ in asked}) == 2 and len({actor for _, actor, _ in asked}) == 4
    for (lane, actor, step), outcome in asked.items():
        mine = (looked["arm"] == lane) & (looked["step"] == step)
        mine &= looked["member"] == log.members.row(actor)
        assert (looked["writer"][mine] >= 0).tolist() == [outcome == "answered"]


def test_four_searchers_open_results_of_two_tiers(endpoint, tmp_path):
    tiers = "config.tiers={T0={mode='match', depth=3}, T1={mode='rerank', depth=5, web=1}}"
    log = live(endpoint, tmp_path / "run", "tiered_capability", "config.members=8", "config.rounds=2", tiers)
    asked = list(log.events("asked"))
    visits = [row for row in log.table("visits") if row["member"] < 4]
    assert len(visits) == 4 * 3 * 2 and len(asked) == len(visits) + sum(row["web"] for row in visits)
    unanswered = {(e.lane, e.step, e.actor) for e in asked if e.payload["outcome"] != "answered"}
    for row in visits:
        who = row["arm"], row["step"], log.members.id(row["member"])
        assert who not in unanswered or row["web"] or not row["opened"]


def test_four_agents_ask_several_sources_in_two_arms(endpoint, tmp_path):
    cut = ("config.members=20", "config.rounds=2", "config.sources=8", "config.choice.requests=2")
    log = live(endpoint, tmp_path / "run", "coordination_emergent", 'config.traces=["names"]', *cut)
    asked = list(log.events("asked"))
    assert len(asked) == 4 * 2 * 2
    answered = sum(event.payload["outcome"] == "answered" for event in asked)
    rows = log.columns("coordination_emergent_requested")
    assert (rows["member"] < 4).sum() == 2 * answered > 0


def test_searchers_of_three_platforms_open_what_they_choose(endpoint, tmp_path):
    cut = ("config.searchers=12", "config.rounds=1", "config.queries=10", "config.documents=6")
    event = "event=[{at='round 1', kind='outage', channel='click', share=1.0}]"
    log = live(endpoint, tmp_path / "run", "feedback_outage", *cut, event)
    asked = list(log.events("asked"))
    cast = len(log.members.personas)
    assert len(asked) == cast * 3 and {event.lane for event in asked} == {"control", "readers", "fault"}
    silent = {event.actor for event in asked if event.payload["outcome"] != "answered"}
    rows = log.columns("feedback_outage_searched")
    for row, persona in log.members.personas.items():
        if persona.id in silent:
            assert (rows["opened"][rows["member"] == row] == 0).any()


def test_searchers_of_two_worlds_use_what_they_choose(endpoint, tmp_path):
    cut = ("config.searchers=12", "config.rounds=1", "config.slots=3")
    log = live(endpoint, tmp_path / "run", "twin_ecosystem", *cut)
    by_lane = [event.lane for event in log.events("asked")]
    assert by_lane.count("free") == by_lane.count("regulated") == 4 and by_lane.count("direct") <= 4


def test_two_people_search_until_they_stop(endpoint, tmp_path, monkeypatch):
    from search_session import SearchSession

    monkeypatch.setitem(types.AT_HAND, SearchSession.name, SearchSession)
    sizes = ("config.searchers=2", "config.sessions=1", "config.budget=60")
    people = ('cast=["olga-brandt", "maud-keller"]', *sizes)
    log = live(endpoint, tmp_path / "run", "search-session", *people)
    asked = {(e.lane, e.actor) for e in log.events("asked")}
    assert len(asked) == 4 and {arm.partition(".")[0] for arm, _ in asked} == {"fixed", "session"}
    assert all(row["opened"] for row in log.table("results") if row["helped"])
