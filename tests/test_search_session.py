"""The example of an outside package: installed, on documents of somebody else, and answered by a model."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from answered_runs import run_answered, run_by_standin
from search_session import SearchSession
from search_session.questions import OPEN, RETYPE, STOP, SearchReply
from site_packages import install

from openiir.core.asking import Answer, OfflineAnswerer
from openiir.core.storage import Log
from openiir.runs import types

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = ("--set", "config.searchers=6", "--set", "config.sessions=1")
RUN = """
import json, sys, openiir
from openiir.runs.types import load_registered_type

run = openiir.run("search-session", set=json.loads(sys.argv[1]), out="run", progress=False)
print(run.content, load_registered_type("search-session").origin)
"""


@pytest.fixture
def at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the type beside the installed ones."""
    monkeypatch.setitem(types.AT_HAND, SearchSession.name, SearchSession)


def test_installed_it_makes_the_same_run(openiir: Callable[..., Any], tmp_path: Path, at_hand: None) -> None:
    site = install(EXAMPLES / "search-session", tmp_path / "site")
    sets = json.dumps({"config.searchers": 6, "config.sessions": 1})
    command = [sys.executable, "-c", RUN, sets]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    content = openiir("run", "search-session", *SMALL, "--out", tmp_path / "here").content
    assert done.stdout.splitlines()[-1] == f"{content} search-session 0.1.0"


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set: no Cranfield")
def test_engineers_search_cranfield(
    openiir: Callable[..., Any], tmp_path: Path, at_hand: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "feedback-outage-cranfield"))
    place = tmp_path / "study"
    import_module("collection").write_collection(place, Path(os.environ["OPENIIR_DATA"]))
    (place / "study.toml").write_text((EXAMPLES / "search-session" / "cranfield.toml").read_text())
    small = ("--set", "config.searchers=20", "--set", "config.sessions=1", "--set", "world.dimensions=2")
    ran = openiir("run", place, *small, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    measured = openiir("measure", tmp_path / "run").out.split()
    measures = dict(zip(measured[::2], map(float, measured[1::2]), strict=True))
    assert measures["session/queries"] > 2 and measures["fixed/found"] > 0.5
    assert 1 < measures["session/minutes"] < 11
    shown = openiir("show", tmp_path / "run", "opened", "--agent", "searcher-3")
    assert "documents/" in shown.out and "Searcher 3" in shown.out
    assert openiir("replay", tmp_path / "run").content == ran.content


class Scripted(OfflineAnswerer):
    """A model that opens the second result, finds that it helps, types other words where it may, and stops.

    Tarek gives no usable answer.
    """

    name = label = "model"

    def __init__(self, asked: list[Any]) -> None:
        self.asked = asked

    async def answer(self, asked: Any) -> Answer:
        self.asked.append(asked)
        if asked.place.asker == "tarek-aziz":
            return Answer(None, self.name, failure="said nothing")
        here = (asked.place.lane, asked.place.asker)
        done = [one for one in self.asked if (one.place.lane, one.place.asker) == here]
        choices = (OPEN, RETYPE if RETYPE in asked.question.choices else STOP, STOP)
        going = choices[len(done) - 1]
        words = "night quiet" if going == RETYPE else ""
        reply = SearchReply(helped=len(done) == 2, next=going, looked=2 * (going == OPEN), words=words)
        return self.wrap(reply)


def test_what_a_model_decides_is_what_happens(tmp_path: Path, at_hand: None) -> None:
    asked: list[Any] = []
    people = '{"olga-brandt" = "model", "tarek-aziz" = "model"}'
    sets = ("config.searchers=6", "config.sessions=1", f'answers={{default = "offline", persona = {people}}}')
    model = run_answered("search-session", (*sets, "model.name=any"), tmp_path / "run", Scripted(asked))
    with model as run:
        rows = Log(run).table("results")
        looked = [event.payload["query"] for event in Log(run).events("lookup", actor="olga-brandt")]
    own = [row for row in rows if row["searcher"] == "olga-brandt"]
    assert [(row["arm"], row["rank"], row["opened"], row["helped"]) for row in own] == [
        (arm, rank, rank == 2, rank == 2) for arm in ("fixed", "session") for rank in (1, 2)
    ]
    assert not [row for row in rows if row["searcher"] == "tarek-aziz"]
    assert "night quiet" in looked
    told = {lane: [] for lane in ("fixed.olga-brandt", "session.olga-brandt")}
    for one in asked:
        if one.place.lane in told:
            told[one.place.lane].append(one.question.prompt())
    fixed, session = told.values()
    assert len(fixed) == 2 and len(session) == 3
    assert "search with other words" in session[0] and "other words" not in fixed[0]
    assert "You have just read" in fixed[1]
    assert 'You typed "night quiet"' in session[2] and "This helped: " in session[2]


def test_a_run_by_model_goes_on_after_a_stop_and_replays(tmp_path: Path, at_hand: None) -> None:
    sets = ("config.searchers=3", "config.sessions=2", "config.budget=120")
    log, content = run_by_standin("search-session", sets, tmp_path / "whole", malformed=0.1)
    assert run_by_standin("search-session", sets, tmp_path / "stopped", stop=1, malformed=0.1)[1] == content
    assert {row["arm"] for row in log.table("results")} == {"fixed", "session"}
