"""Where a model answers, its own words are the panelist's state: nothing is invented for it."""

import asyncio
import json
import re
from collections.abc import Iterator

import pytest

from openiir.core.llm import Endpoint
from openiir.core.storage import Log, RunFile
from openiir.plugin import stance_number
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.panel.views.interviewing import interview
from openiir.scenarios.panel.views.report import report
from openiir.scenarios.panel.views.surfaces import activity, trace_stances
from openiir.scenarios.panel.views.transcript import transcript
from openiir.testing.standin import StandIn

SETS = (
    'cast=["wen-zhao", "nora-feld", "dmitri-vance"]',
    'answers={default = "model", persona = {"nora-feld" = "offline"}, '
    'kind = {"panel.moderate" = "offline", "claims.extract" = "offline"}}',
    "model.name=standin",
    "config.passages=3",
    "world.dimensions=16",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunFile]:
    folder = tmp_path_factory.mktemp("mixed") / "run"
    with StandIn() as server, prepare_run(load_study("panel", SETS), folder, Settings()) as run:
        asyncio.run(drive(run, Settings(endpoint=Endpoint(url=server.url)), Watcher()))
    with RunFile.open(folder) as run:
        yield run


def said(run: RunFile, persona: str) -> list[tuple[int, float]]:
    """Step and stance of each usable reply that says where a panelist stands."""
    return sorted(
        (call.place.step, stance_number(json.loads(call.reply)["where_you_stand"]))
        for call in run.calls()
        if call.place.asker == persona and call.usable and "where_you_stand" in call.reply
    )


@pytest.mark.parametrize("persona", ["wen-zhao", "dmitri-vance"])
def test_a_models_stance_on_record_is_what_it_said(run: RunFile, persona: str) -> None:
    rows = {row["step"]: row["stance"] for row in Log(run).table("stances") if row["persona"] == persona}
    given = said(run, persona)
    assert given[0][0] == 1 and len(given) >= 2, "it is asked before anything is said, and speaks"
    for step, stance in rows.items():
        last = [value for at, value in given if at <= step][-1]
        assert stance == pytest.approx(last, abs=2e-6)


def test_the_opinion_dynamics_moves_the_offline_panelist_alone(run: RunFile) -> None:
    stances = {row["stance"] for row in Log(run).table("stances") if row["persona"] == "nora-feld"}
    assert not said(run, "nora-feld") and len(stances) > 2


def test_views_tell_who_answered_for_whom(run: RunFile) -> None:
    entries = {
        entry.actor: entry.notes
        for entry in transcript(Log(run))
        if entry.actor and entry.heading != "passes"
    }
    assert {name: notes[-1] for name, notes in entries.items()} == {
        "Wen Zhao": "answered by standin",
        "Nora Feld": "answered offline",
        "Dmitri Vance": "answered by standin",
    }
    names = {"Wen Zhao (standin)", "Nora Feld (offline)", "Dmitri Vance (standin)"}
    table = activity(Log(run))
    assert {table.labels[row[0]] for row in table.rows} == names == set(trace_stances(Log(run)).lines)
    positions = report(Log(run)).sections[0].statements
    assert sorted(text.partition(")")[0] + ")" for text, _ in positions) == sorted(names)


def test_what_a_panelist_thought_and_read_is_in_front_of_it_again(run: RunFile) -> None:
    prompts = [
        json.loads(c.request)["messages"][-1]["text"] for c in run.calls() if c.place.kind == "panel.speak"
    ]
    assert any(" you thought: " in prompt for prompt in prompts)
    assert any("(you read this before)" in prompt for prompt in prompts)


def test_every_passage_that_was_read_before_is_marked_and_no_other(run: RunFile) -> None:
    for persona in ("wen-zhao", "dmitri-vance"):
        read: set[str] = set()
        for call in sorted(run.calls(), key=lambda call: call.place.step):
            if call.place.asker == persona and call.place.kind == "panel.speak" and call.usable:
                page = json.loads(call.request)["messages"][-1]["text"]
                shown = re.findall(
                    r"^\[\d\] (\(you read this before\) )?(.*?)(?=\n\[\d\]|\n\n)",
                    page,
                    re.MULTILINE | re.DOTALL,
                )
                assert all(bool(again) == (text in read) for again, text in shown)
                read |= {text for _, text in shown}
        assert read


def test_an_interview_is_answered_from_what_was_said_heard_and_thought_by_policy(run: RunFile) -> None:
    log = Log(run)
    wen = next(persona for persona in log.personas if persona.id == "wen-zhao")
    thought = next(row["text"] for row in log.table("memories") if row["persona"] == wen.id)
    asked = f"What did Nora say, and you? {thought}"
    remembered = {
        policy: interview(log, wen.model_copy(update={"memory": policy}), asked).remembered
        for policy in ("full", "window:3", "none")
    }
    assert all(
        any(words in one for one in remembered["full"])
        for words in ("you said: ", "Nora said: ", "you thought: ")
    )
    assert len(remembered["window:3"]) == 3 and not remembered["none"]
    assert (
        "You remember nothing of it."
        in interview(log, wen.model_copy(update={"memory": "none"}), asked).prompt()
    )
