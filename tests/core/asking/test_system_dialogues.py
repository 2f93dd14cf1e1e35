"""Turns of a dialogue, as declared systems and others are asked them."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from pydantic import Field

from openiir.core.asking import (
    Ledger,
    ModelAnswerer,
    OnTry,
    PlacedQuestion,
    Question,
    RestartLane,
    SystemAnswer,
    SystemAnswerer,
)
from openiir.core.asking.system_dialogues import replace_controls
from openiir.core.errors import EndpointError, ReplayDifference, UnusableAnswer
from openiir.core.llm import Sampling
from openiir.core.records import Message, Place, Record
from openiir.core.seeds import Draw
from openiir.core.storage import RunFile


class Said(Record):
    text: str = Field("", max_length=40)
    ended: bool = False
    ids: tuple[str, ...] = Field((), max_length=3)
    fault: str = ""


@dataclass(frozen=True)
class Say(Question[Said]):
    words: str
    kind: ClassVar[str] = "test.say"

    def prompt(self) -> str:
        return f"They say {self.words!r}. What do you say?"

    def check(self, reply: Said) -> None:
        if "taboo" in reply.text:
            raise UnusableAnswer("no taboos")

    def says(self) -> str:
        return self.words

    def read_answer(self, text: str, data: Any, ended: bool, fault: str) -> Mapping[str, Any]:
        return {"text": text, "ended": ended, "fault": fault, "ids": data or ()}

    def offline(self, draw: Draw) -> Said:
        return Said(text="Hm.")


@dataclass
class Told:
    """Sessions that answer what they are given to answer."""

    answers: list[SystemAnswer | Exception]
    turns: list[str] = field(default_factory=list)
    on_record: int = 0
    stale: bool = False

    async def turn(self, asked: PlacedQuestion, words: str, on_try: OnTry) -> SystemAnswer:
        self.turns.append(words)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def note_recorded(self, place: Place) -> None:
        self.on_record += 1

    def is_only_recorded(self, place: Place) -> bool:
        return self.stale

    def has_dialogue(self, lane: str) -> bool:
        return False

    def enter_lane(self, lane: str) -> None: ...

    async def leave(self, lane: str, asker: str | None) -> None: ...


async def by_prompt(asked: PlacedQuestion, messages: tuple[Message, ...]) -> str:
    return json.dumps({"side": "for"})


def turn(words: str = "hello", ordinal: int = 0) -> PlacedQuestion:
    place = Place(lane="ada", asker="system:bot", kind="test.say", subject="", step=1, ordinal=ordinal)
    return PlacedQuestion(place, Say(words), None, Draw(1, "test.say"))


def partner(
    run: RunFile, *answers: SystemAnswer | Exception, source: RunFile | None = None
) -> SystemAnswerer:
    return SystemAnswerer(Ledger(run, source, live=source is None), by_prompt, Told(list(answers)), "bot")


def ask(answerer: Any, asked: PlacedQuestion) -> Any:
    return asyncio.run(answerer.answer(asked))


def test_a_turn_is_asked_once_and_then_comes_from_the_record(new_run: Callable[..., RunFile]) -> None:
    run = new_run()
    live = partner(run, SystemAnswer("How about\r\nthis\x00one?\u202e", ("i1",), ended=True))
    answer = ask(live, turn())
    assert (
        answer.reply == Said(text="How about\nthis one? ", ended=True, ids=("i1",)) and answer.attempts == 1
    )
    (call,) = run.calls()
    assert (
        json.loads(call.request) == {"to": "bot", "said": "hello"}
        and call.usable
        and call.answerer == "system"
    )
    again = partner(run)
    assert ask(again, turn()) == answer and again.sessions.on_record == 1 and not again.sessions.turns
    assert live.sessions.on_record == 0
    replayed = partner(new_run("copy"), source=run)
    assert ask(replayed, turn()) == answer
    with pytest.raises(ReplayDifference, match="asked otherwise"):
        ask(partner(new_run("other"), source=run), turn("hallo"))


@pytest.mark.parametrize(
    "heard", [SystemAnswer("x" * 41), SystemAnswer("a taboo"), SystemAnswer("", ("a", "b", "c", "d"))]
)
def test_nothing_is_repaired(heard: SystemAnswer, new_run: Callable[..., RunFile]) -> None:
    run = new_run()
    one = partner(run, heard)
    answer = ask(one, turn())
    assert answer.reply.fault.startswith("its answer cannot be used: ") and answer.reply.text == ""
    assert len(one.sessions.turns) == len(list(run.calls())) == 1


def test_a_failure_is_a_reply_and_what_stops_the_run_is_none(new_run: Callable[..., RunFile]) -> None:
    run = new_run()
    assert ask(partner(run, SystemAnswer("", fault="no answer\x07")), turn()).reply == Said(
        fault="no answer "
    )
    with pytest.raises(EndpointError, match="nobody"):
        ask(partner(run, EndpointError("nobody there")), turn(ordinal=1))
    assert len(list(run.calls())) == 1


def test_a_lane_starts_anew_where_its_record_ends_amid_a_dialogue(new_run: Callable[..., RunFile]) -> None:
    run = new_run()
    ask(partner(run, SystemAnswer("Yes.")), turn())
    resumed = partner(run, SystemAnswer("And?"))
    resumed.sessions.stale = True
    assert ask(resumed, turn()).reply.text == "Yes.", "what is on record is taken"
    with pytest.raises(RestartLane):
        ask(resumed, turn(ordinal=1))
    assert not resumed.sessions.turns and not isinstance(RestartLane(), Exception)
    resumed.ledger.run.abandon("ada", 1)
    resumed.sessions.stale = False
    assert ask(resumed, turn()).reply.text == "And?"


def test_any_other_question_goes_to_a_system_by_its_prompt(
    new_run: Callable[..., RunFile], put: Callable[..., PlacedQuestion]
) -> None:
    run = new_run()
    one = partner(run)
    assert ask(one, put()).reply.side == "for" and not one.sessions.turns
    (call,) = run.calls()
    assert "messages" in json.loads(call.request)


def test_who_is_no_system_is_asked_by_the_prompt(
    new_run: Callable[..., RunFile], scripted: Callable[..., Any]
) -> None:
    model = ModelAnswerer(Ledger(new_run()), scripted('{"text":"Aha"}'), "m", Sampling())
    assert ask(model, turn()).reply == Said(text="Aha")
    assert model.provider.asked[0].messages[-1].text.startswith("They say 'hello'.")


def test_controls_are_blanks_and_what_is_written_stays() -> None:
    kept = "Ünï\tcödé\n日本 👍 zero\u200djoined"
    assert replace_controls(kept) == kept
    assert replace_controls("a\x1b[2Jb\x85c\x7fd\u2066e\r\nf\rg") == "a [2Jb c d e\nf g"
