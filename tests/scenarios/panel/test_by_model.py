"""Where a model answers, its own words are the panelist's state: nothing is invented for it."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from openiir.core.llm import Endpoint
from openiir.core.storage import Log, RunFile
from openiir.plugin.stances import stance_number
from openiir.runs.begin import begin
from openiir.runs.engine import Silent, drive
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.testing.standin import StandIn

SETS = (
    'cast=["wen-zhao", "nora-feld", "dmitri-vance"]',
    'answers={default = "model", persona = {"nora-feld" = "offline"}, kind = {"panel.moderate" = "offline", "claims.extract" = "offline"}}',
    "model.name=standin",
    "config.passages=3",
    "world.dimensions=16",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunFile]:
    folder = tmp_path_factory.mktemp("mixed") / "run"
    with StandIn() as server, begin(load_study("panel", SETS), folder, Settings()) as run:
        asyncio.run(drive(run, Settings(endpoint=Endpoint(url=server.url)), Silent()))
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


def test_what_a_panelist_thought_and_cited_is_in_front_of_it_again(run: RunFile) -> None:
    prompts = [
        json.loads(c.request)["messages"][-1]["text"] for c in run.calls() if c.place.kind == "panel.speak"
    ]
    assert any("you thought, " in prompt for prompt in prompts)
    assert any("(you cited this before)" in prompt for prompt in prompts)
