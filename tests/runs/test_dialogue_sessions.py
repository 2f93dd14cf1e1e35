"""Which session a turn goes to, when a failure is an answer, and when it stops the run."""

import asyncio
from typing import Any

import pytest

from openiir.core.asking import PlacedQuestion
from openiir.core.records import Place
from openiir.core.seeds import Draw
from openiir.core.storage import RunFile
from openiir.core.systems import ConnectionDropped, ConnectionFailed, SystemFault, SystemReply, read_system
from openiir.runs import systems
from openiir.runs.session_limits import SessionLimits

SPEC = read_system({"connector": "http", "url": "http://127.0.0.1:9/", "response": "say"})


class Scripted:
    """Sessions that answer with what their system has been given to answer;
    each notes its name and its end."""

    def __init__(
        self, *answers: str | SystemFault, opening: str | None = None, unreached: bool = False
    ) -> None:
        self.answers, self.opening, self.unreached = list(answers), opening, unreached
        self.names: list[str] = []
        self.sent: list[dict[str, Any]] = []
        self.closed = 0

    async def open(self, spec: Any, name: str, shared: Any) -> Any:
        self.names.append(name)
        if self.unreached:
            raise ConnectionFailed("bot", "no connection", "start it")
        return Session(self)


class Session:
    def __init__(self, system: Scripted) -> None:
        self.system = system
        self.opening = None if system.opening is None else SystemReply(text=system.opening, raw="")

    async def send(self, request: dict[str, Any]) -> SystemReply:
        self.system.sent.append(request)
        answer = self.system.answers.pop(0)
        if isinstance(answer, SystemFault):
            raise answer
        return SystemReply(text=answer, raw="")

    async def close(self) -> str | None:
        self.system.closed += 1
        return "it said no goodbye"


@pytest.fixture
def run(tmp_path):
    with RunFile.create(tmp_path / "run") as run:
        run.declare({"type": "t", "name": "n", "seed": 1}, [], [], {})
        yield run


def held(system: Scripted, run: RunFile, monkeypatch: pytest.MonkeyPatch) -> systems.SystemDialogues:
    monkeypatch.setattr(systems, "open_session", system.open)
    return systems.SystemDialogues(SPEC, "bot", run, SessionLimits({"bot": 2}))


def put(parlour: Any, lane: str = "ada", asker: str = "system:bot") -> PlacedQuestion:
    place = Place(lane=lane, asker=asker, kind=parlour.Say.kind, subject="", step=1, ordinal=0)
    return PlacedQuestion(place, parlour.Say("", "ada", ()), None, Draw(1, "a"))


def test_a_lane_and_asker_keep_to_one_session_until_they_leave(parlour, run, monkeypatch):
    system = Scripted(*"abcde", opening="Hi!")
    talks = held(system, run, monkeypatch)

    async def play():
        told = [await talks.turn(put(parlour), words, print) for words in ("", "one", "two")]
        told.append(await talks.turn(put(parlour, lane="ben"), "three", print))
        told.append(await talks.turn(put(parlour, asker="ben"), "four", print))
        await talks.leave("ada", "system:bot")
        await talks.leave("ada", "nobody")
        await talks.leave("nowhere", None)
        told.append(await talks.turn(put(parlour), "five", print))
        await talks.aclose()
        return told

    assert [heard.text for heard in asyncio.run(play())] == ["Hi!", *"abcde"]
    assert [request["text"] for request in system.sent] == ["one", "two", "three", "four", "five"]
    assert system.sent[0]["user"] == "ada" and system.sent[0]["persona"] == "system:bot"
    ends = ["ada/system:bot/1/1", "ben/system:bot/1/1", "ada/ben/1/1", "ada/system:bot/1/2"]
    mine = run.state("sessions")
    assert system.names == [f"{mine}/bot/{end}" for end in ends] and system.closed == 4


def test_after_a_failure_the_dialogue_is_over(parlour, run, monkeypatch):
    failed = SystemFault("bot", "answered status 500: 'at 12:31'", "look")
    system = Scripted(failed, ConnectionDropped("bot", "the connection broke", "look"), "fine", opening="")
    talks, noted = held(system, run, monkeypatch), []

    async def play():
        told = [await talks.turn(put(parlour), "one", lambda *tried: noted.append(tried)) for _ in range(2)]
        told.append(await talks.turn(put(parlour, lane="ben"), "two", lambda *tried: noted.append(tried)))
        await talks.leave("ada", "system:bot")
        return [*told, await talks.turn(put(parlour), "again", print)]

    faults = [heard.fault for heard in asyncio.run(play())]
    assert faults == [
        "answered status 500",
        "the session was over, after an earlier failure",
        "the connection broke",
        "",
    ]
    assert noted == [(1, "answered status 500: 'at 12:31'", 0.0)], (
        "tries of connections are noted by the connector"
    )


def test_who_was_never_reached_stops_the_run_and_who_was_is_at_fault(parlour, run, monkeypatch):
    gone = ConnectionFailed("bot", "no connection", "start it")

    async def never():
        talks = held(Scripted(gone), run, monkeypatch)
        assert (await talks.turn(put(parlour), "", print)).text == "", "by HTTP nothing was sent yet"
        with pytest.raises(ConnectionFailed):
            await talks.turn(put(parlour), "one", print)

    async def once(opening, *answers):
        talks = held(Scripted(*answers, opening=opening), run, monkeypatch)
        for words in ("", "one")[: len(answers)]:
            await talks.turn(put(parlour), words, print)
        return await talks.turn(put(parlour), "two", print)

    asyncio.run(never())
    assert asyncio.run(once(None, "here", gone)).fault == "no connection"
    assert asyncio.run(once("Hi!", gone)).fault == "no connection", "its greeting came"


def test_who_is_not_there_is_not_looked_for_by_every_lane(parlour, run, monkeypatch):
    system = Scripted(unreached=True)
    talks = held(system, run, monkeypatch)

    async def live(lane):
        talks.enter_lane(lane)
        await talks.turn(put(parlour, lane=lane), "hello", print)

    async def play():
        return await asyncio.gather(*(live(lane) for lane in "abcdefgh"), return_exceptions=True)

    assert all(isinstance(one, ConnectionFailed) for one in asyncio.run(play())) and len(system.names) == 1


def test_only_lanes_beside_others_start_anew_and_wait(parlour, run, monkeypatch):
    talks = held(Scripted(*"abc", opening=""), run, monkeypatch)
    asked = put(parlour)
    assert not talks.is_only_recorded(asked.place)
    talks.note_recorded(asked.place)
    assert not talks.is_only_recorded(asked.place), "the main lane goes on as it can"
    talks.enter_lane("ada")
    assert talks.is_only_recorded(asked.place)

    async def play():
        await talks.leave("ada", None)
        talks.enter_lane("ada")
        assert not talks.is_only_recorded(asked.place)
        for lane in "xyz":  # more than the width, as the main lane may have
            await asyncio.wait_for(talks.turn(put(parlour, lane=lane), "hello", print), 5)

    asyncio.run(play())
