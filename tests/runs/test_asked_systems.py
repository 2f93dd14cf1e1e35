"""Declared systems asked in their own name: what goes out, how answers are read, and replays without them."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_server import SmallServer

from openiir.core.asking import AnswererChoice
from openiir.core.records import Message, Place
from openiir.core.storage import Log, RunFile
from openiir.core.systems import SystemReply, read_system
from openiir.core.systems.replies import read_system_reply
from openiir.plugin import Record
from openiir.runs import systems
from openiir.runs.engine import Watcher, drive
from openiir.runs.forecast import forecast_run
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import load_settings
from openiir.runs.study import load_study
from openiir.runs.systems import SystemSessions, reply_text

Command = Callable[..., Any]


class Recommenders(SmallServer):
    """`/left` answers `{"results": [ids]}`, `/right` a list of tables with whole numbers for ids."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        super().__init__(self.recommend)

    def recommend(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        self.heard.append({"path": path, **body})
        n, offset = body["n"], len(body["seen"])
        if path == "/left":
            return 200, {"results": [f"{body['user']}-{offset + place}" for place in range(n)]}
        return 200, {"hits": [{"item": 10 * offset + place, "score": 1 / (place + 1)} for place in range(n)]}


@pytest.fixture
def service():
    with Recommenders() as server:
        yield server


@pytest.fixture
def study(parlour, service, trusted, tmp_path, monkeypatch):
    """Two visitors, two pages, two services;
    a third system is declared that nobody asks and nothing answers."""
    parlour.register("counter", patch=monkeypatch)
    url = service.url
    (tmp_path / "people.toml").write_text(
        "".join(f'[[persona]]\nid = "{name}"\nname = "{name}"\nbio = "Reads."\n' for name in ("ada", "ben"))
    )
    sent = 'request = { user = "{user}", n = "{n}", seen = "{seen}", words = "{text}" }'
    (tmp_path / "study.toml").write_text(
        'type = "counter"\nname = "pages"\nseed = 3\npersonas = "people.toml"\n'
        f'[system.left]\nconnector = "http"\nurl = "{url}/left"\n{sent}\nresponse = "$.results"\n'
        f'[system.right]\nconnector = "http"\nurl = "{url}/right"\n{sent}\nresponse = "$.hits[*].item"\n'
        '[system.idle]\nconnector = "http"\nurl = "http://127.0.0.1:9/"\nresponse = "text"\n'
        'headers = { Authorization = "${NOBODY_SET_THIS}" }\n'
    )
    return trusted(tmp_path / "study.toml")


def pages(folder: Path) -> dict[tuple[str, str, int], str]:
    with RunFile.open(folder) as run:
        return {(r["agent"], r["system"], r["step"]): r["items"] for r in Log(run).table("pages")}


def test_two_systems_answer_and_a_replay_needs_neither(study, service, openiir, tmp_path):
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    shown = pages(tmp_path / "run")
    assert shown["ada", "left", 1] == "ada-0,ada-1,ada-2" and shown["ben", "left", 2] == "ben-1,ben-2,ben-3"
    assert shown["ada", "right", 2] == "10,11,12" and len(shown) == 8
    heard = [one for one in service.heard if one["path"] == "/left" and one["user"] == "ben"]
    assert [(one["n"], one["seen"]) for one in heard] == [(3, []), (3, ["old-0"])]
    assert heard[0]["words"].startswith("Recommend 3 items to ben")
    service.stop()
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_what_a_template_may_use_is_recorded_and_compared(study, parlour, openiir, tmp_path, monkeypatch):
    openiir("run", study, "--out", tmp_path / "run")
    with RunFile.open(tmp_path / "run") as run:
        requests = [json.loads(call.request) for call in run.calls() if call.place.step == 2]
    assert {request["to"] for request in requests} == {"left", "right"}
    assert all(request["values"]["seen"] == ["old-0"] for request in requests)
    monkeypatch.setattr(parlour.Page, "request", lambda self: {"user": self.user, "n": self.n, "seen": ()})
    again = openiir("replay", tmp_path / "run")
    assert again.code == 1 and "first difference" in again.err and "asked otherwise" in again.err


def test_a_recording_plays_the_systems_too(study, service, openiir, tmp_path):
    openiir("run", study, "--out", tmp_path / "one")
    asked = len(service.heard)
    played = openiir(
        "run", study, "--set", "answers=recording", "--recording", tmp_path / "one", "--out", tmp_path / "two"
    )
    assert played.code == 0, played.err
    assert len(service.heard) == asked and pages(tmp_path / "one") == pages(tmp_path / "two")


def test_a_system_that_is_not_declared_is_named(study, openiir, tmp_path):
    failed = openiir("run", study, "--set", 'config.systems=["lefft"]', "--out", tmp_path / "run")
    assert failed.code == 2 and "lefft" in failed.err and "left" in failed.err


def test_a_rehearsal_asks_no_system(study, service, tmp_path):
    settings = load_settings()
    with prepare_run(load_study(str(study), trust=settings.trust), tmp_path / "run", settings) as run:
        (forecast,) = asyncio.run(forecast_run(run, settings))
    assert not forecast.calls and not service.heard


def test_a_study_played_offline_asks_no_system(study, service, tmp_path):
    settings = load_settings()
    with prepare_run(
        load_study(str(study), trust=settings.trust).offline(), tmp_path / "run", settings
    ) as run:
        asyncio.run(drive(run, settings, Watcher()))
    assert not service.heard and set(pages(tmp_path / "run").values()) == {"0,1,2"}


def test_a_system_answers_for_itself_unless_a_recording_plays():
    choice = AnswererChoice(default="model", kind={"counter.page": "human", "counter.chat": "recording"})
    assert choice.of("system:left", "counter.page") == "system:left"
    assert choice.of("system:left", "counter.chat") == "recording"
    assert choice.of("ada", "counter.page") == "human"


class Words(Record):
    text: str


class Both(Record):
    items: tuple[str, ...]
    total: int


class Numbers(Record):
    items: tuple[int, ...]


@pytest.mark.parametrize(
    ("declared", "whole", "reply", "text"),
    [
        ({"response": "$.results"}, {"results": ["a", "b"]}, "Recommended", '{"items":["a","b"]}'),
        ({"response": "$.results"}, {"results": [7, 8]}, "Recommended", '{"items":["7","8"]}'),
        ({"response": "$.results"}, {"results": [7, 8]}, Numbers, '{"items":[7,8]}'),
        ({"response": "[*].id"}, [{"id": "a"}, {"id": "b"}], "Recommended", '{"items":["a","b"]}'),
        ({"response": "text", "data": "r[*].id"}, {"r": [{"id": 1}]}, "Recommended", '{"items":["1"]}'),
        ({"response": "text"}, ["a"], "Recommended", '{"items":["a"]}'),
        ({"response": "$"}, {"items": ["a"]}, "Recommended", "said"),
        ({"response": "$"}, {"items": ["a"], "total": 4}, Both, "said"),
        ({"response": "$.words"}, {"words": ["a", "b"]}, Words, "said"),
        ({"response": "$.words"}, {"words": "a text"}, "Recommended", "said"),
    ],
)
def test_a_list_is_read_as_the_only_field_of_a_reply(parlour, declared, whole, reply, text):
    spec = read_system({"connector": "http", "url": "http://127.0.0.1:1/", **declared})
    answer, _ = read_system_reply(spec, json.dumps(whole), spec.paths, spec.data)
    kept = answer.model_copy(update={"text": "said"})
    assert reply_text(spec, kept, parlour.Recommended if reply == "Recommended" else reply) == text


def test_an_ended_session_says_nothing(parlour):
    spec = read_system({"connector": "python", "callable": "json:loads"})
    assert reply_text(spec, SystemReply(text="", ended=True, raw=""), parlour.Recommended) == ""


def test_questions_offer_templates_nothing_by_default(parlour):
    assert parlour.Rate(0.5, 1).request() == {}


@pytest.mark.parametrize(
    ("asker", "connector", "sessions"),
    [("system:left", "http", 16), ("system:left", "python", 1), ("ada", "http", 1)],
)
def test_a_service_asked_in_its_own_name_has_sixteen_sessions_and_a_lane_keeps_to_one(
    asker, connector, sessions, parlour, monkeypatch
):
    heard: dict[str, set[str]] = {}

    class Session:
        def __init__(self, name):
            self.name = name

        async def send(self, request):
            heard.setdefault(self.name, set()).add(request["persona"])
            return SystemReply(text=self.name, ended=False, raw="")

    async def opened(spec, name):
        return Session(name)

    monkeypatch.setattr(systems, "open_session", opened)
    spec = read_system(
        {
            "connector": connector,
            **(
                {"url": "http://127.0.0.1:1/", "response": "text"}
                if connector == "http"
                else {"callable": "json:loads"}
            ),
        }
    )
    talks = SystemSessions(spec, "left")

    async def ask(lane):
        place = Place(lane=f"lane {lane}", asker=asker, kind="k", subject="", step=1, ordinal=0)
        question: Any = SimpleNamespace(facts_only=SimpleNamespace(request=dict), Reply=parlour.Recommended)
        asked: Any = SimpleNamespace(place=place, question=question)
        return await talks.give(asked, (Message(role="user", text="?"),))

    answers = [asyncio.run(ask(lane)) for lane in range(400)]
    assert len(set(answers)) == len(heard) == sessions
    assert [asyncio.run(ask(lane)) for lane in range(400)] == answers
