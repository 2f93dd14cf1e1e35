import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from openiir.core.asking import (
    Answer,
    ExternalAnswerer,
    Ledger,
    ModelAnswerer,
    OfflineAnswerer,
    PlacedQuestion,
    RecordedAnswerer,
    record_schema,
)
from openiir.core.errors import InputError, ReplayDifference, RunStopped
from openiir.core.llm import Sampling
from openiir.core.llm.failures import TransientFailure
from openiir.core.llm.pool import EndpointMember, EndpointPool
from openiir.core.records import Call, Persona
from openiir.core.storage import RunFile
from openiir.core.transport import Patience

GOOD = '{"side":"for","surely":7,"why":"It pays."}'


def answer(answerer: Any, asked: PlacedQuestion) -> Answer:
    return asyncio.run(answerer.answer(asked))


@pytest.fixture
def model(new_run: Callable[..., RunFile], scripted: Callable[..., Any]) -> Callable[..., ModelAnswerer]:
    names = count()

    def make(*texts: str, ledger: Ledger | None = None, **more: Any) -> ModelAnswerer:
        return ModelAnswerer(
            ledger or Ledger(new_run(f"run-{next(names)}")),
            scripted(*texts, **more),
            "m",
            Sampling(temperature=0.2),
        )

    return make


def test_offline_is_the_questions_own_answer_priced_by_its_words(put: Callable[..., PlacedQuestion]) -> None:
    asked = put()
    got = answer(OfflineAnswerer(), asked)
    assert (
        got.reply == asked.question.offline(asked.draw) and got.answerer == "offline" and got.failure is None
    )
    # side, number and the three words of the reason: five words at four tokens for three
    assert got.reply_tokens == 7 and got.prompt_tokens == 0


def test_a_model_is_sent_prompt_schema_and_a_seed_of_its_place(
    put: Callable[..., PlacedQuestion], model: Any
) -> None:
    asker = model(GOOD, GOOD, GOOD)
    got = answer(asker, put())
    answer(asker, put("dues"))
    sent, other = asker.provider.asked
    assert got.reply.side == "for" and got.answerer == "model" and got.attempts == 1
    assert (got.prompt_tokens, got.reply_tokens) == (100, 10)
    assert sent.messages == put().messages() and sent.schema == record_schema(put().question.Reply)
    assert sent.sampling.temperature == 0.2 and 0 <= sent.sampling.seed < 2**31
    assert sent.sampling.seed != other.sampling.seed


def test_every_reply_is_kept_at_once_with_what_was_sent(
    put: Callable[..., PlacedQuestion], model: Any
) -> None:
    asker = model(GOOD)
    answer(asker, put())
    (call,) = asker.ledger.run.calls()
    assert call.place == put().place and call.attempt == 0 and call.usable and call.error is None
    assert call.reply == GOOD and call.model == "scripted-1" and call.answerer == "model"
    assert json.loads(call.request) == asker.provider.asked[0].plain()


def test_a_malformed_reply_is_asked_for_once_more_with_what_is_wrong(
    put: Callable[..., PlacedQuestion], model: Any
) -> None:
    asker = model("Certainly!", GOOD)
    got = answer(asker, put())
    first, second = asker.provider.asked
    assert got.reply.side == "for" and got.attempts == 2 and got.failure is None
    assert (got.prompt_tokens, got.reply_tokens) == (200, 20)  # a repair is paid for
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[-2].text == "Certainly!" and "no JSON object" in second.messages[-1].text
    assert second.sampling.seed != first.sampling.seed
    assert [(c.attempt, c.usable) for c in asker.ledger.run.calls()] == [(0, False), (1, True)]


def test_what_only_the_question_can_check_is_repaired_as_well(
    put: Callable[..., PlacedQuestion], model: Any
) -> None:
    asker = model('{"side":"for","why":"fines"}', GOOD)
    assert answer(asker, put()).attempts == 2
    assert "give a reason" in asker.provider.asked[1].messages[-1].text


def test_after_the_repair_comes_a_recorded_failure(put: Callable[..., PlacedQuestion], model: Any) -> None:
    asker = model("No.", '{"side":"perhaps"}', "never asked for")
    got = answer(asker, put())
    assert got.reply is None and got.attempts == 2 and "side" in got.failure
    assert [c.usable for c in asker.ledger.run.calls()] == [False, False]
    assert [c.error for c in asker.ledger.run.calls()][1] == got.failure
    assert len(asker.provider.asked) == 2


def test_a_reply_that_was_cut_off_is_repaired_with_twice_the_room(
    put: Callable[..., PlacedQuestion], model: Any
) -> None:
    limits = {}
    for most in (10, 3_000, 9_000, None, 11):
        asker = model('{"side":"for","why":"It', GOOD)
        asker.sampling = Sampling(max_tokens=most)
        asker.provider.tokens = 10 if most == 11 else most or 10
        assert answer(asker, put()).attempts == 2
        limits[most] = [sent.sampling.max_tokens for sent in asker.provider.asked]
        again = ModelAnswerer(Ledger(asker.ledger.run, live=False), asker.provider, "m", asker.sampling)
        assert answer(again, put()).attempts == 2, "a replay sends the same repair"
    assert limits == {
        10: [10, 20],
        3_000: [3_000, 4_096],
        9_000: [9_000, 9_000],
        None: [None, None],
        11: [11, 11],
    }


def test_what_is_on_record_is_not_asked_again(put: Callable[..., PlacedQuestion], model: Any) -> None:
    first = model("No.", GOOD)
    got = answer(first, put())
    again = model(ledger=Ledger(first.ledger.run))
    assert answer(again, put()) == got and again.provider.asked == []


def test_a_replay_reads_the_record_and_asks_nobody(
    put: Callable[..., PlacedQuestion], model: Any, new_run: Callable[..., RunFile]
) -> None:
    first = model("No.", GOOD)
    got = answer(first, put())
    copy = new_run("copy")
    again = model(ledger=Ledger(copy, first.ledger.run, live=False))
    with pytest.raises(ReplayDifference, match="does not make: test.* attempt 0"):
        Ledger(copy, first.ledger.run, live=False).check_all_used()
    assert answer(again, put()) == got and again.provider.asked == []
    again.ledger.check_all_used()
    with pytest.raises(ReplayDifference, match="the record has no such call"):
        answer(again, put("dues"))


def test_a_call_asked_otherwise_is_named(put: Callable[..., PlacedQuestion], model: Any) -> None:
    first = model(GOOD)
    answer(first, put())
    warmer = model(ledger=Ledger(first.ledger.run))
    warmer.sampling = Sampling(temperature=0.9)
    with pytest.raises(
        ReplayDifference, match=r"test.vote to ada about fines .* asked otherwise.*0\.2.*0\.9"
    ):
        answer(warmer, put())


def test_a_reply_that_reads_otherwise_than_it_did_is_named(
    put: Callable[..., PlacedQuestion], model: Any, vote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = model('{"side":"for","why":"fines"}', GOOD)
    answer(first, put())
    monkeypatch.setattr(vote, "check", lambda self, reply: None)
    with pytest.raises(ReplayDifference, match="could not be used then, and now it can"):
        answer(model(ledger=Ledger(first.ledger.run)), put())


def test_other_words_for_the_same_fault_change_nothing(
    put: Callable[..., PlacedQuestion], model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = model("No.", GOOD)
    got = answer(first, put())
    monkeypatch.setattr("openiir.core.asking.reading.ReplyValidator.__call__", _reworded)
    assert answer(model(ledger=Ledger(first.ledger.run)), put()).attempts == got.attempts


def _reworded(self: Any, text: str) -> str | None:
    return "put otherwise" if text == "No." else None


def test_lone_surrogates_neither_break_the_record_nor_reach_it(
    put: Callable[..., PlacedQuestion], new_run: Callable[..., RunFile], ada: Persona
) -> None:
    async def give(asked: PlacedQuestion, messages: Any) -> str:
        return '{"side":"for","why":"\udcff"}'

    ledger = Ledger(new_run())
    asked = put(persona=ada)
    question = replace(asked.question, about="caf\ud800")
    got = answer(ExternalAnswerer(ledger, "system", give, "echo"), replace(asked, question=question))
    assert got.reply is not None and got.reply.why == "\ufffd"
    (call,) = ledger.run.calls()
    assert "caf\ufffd" in call.request and call.reply.encode()


@pytest.mark.parametrize("who", ["human", "system"])
def test_people_and_systems_are_read_repaired_and_recorded_alike(
    who: Any, put: Callable[..., PlacedQuestion], new_run: Callable[..., RunFile]
) -> None:
    replies = iter(["er", GOOD])

    async def give(asked: PlacedQuestion, messages: Any) -> str:
        return next(replies)

    ledger = Ledger(new_run())
    got = answer(ExternalAnswerer(ledger, who, give, "desk 4"), put())
    assert got.reply is not None and got.answerer == who and got.attempts == 2
    calls = list(ledger.run.calls())
    assert [c.reply for c in calls] == ["er", GOOD] and {c.answerer for c in calls} == {who}
    assert {c.model for c in calls} == {"desk 4"} and got.reply_tokens == sum(c.reply_tokens for c in calls)


def test_a_recording_answers_what_it_was_asked_and_nothing_else(
    put: Callable[..., PlacedQuestion], model: Any, new_run: Callable[..., RunFile]
) -> None:
    played = model("No.", GOOD)
    original = answer(played, put())
    ledger = Ledger(new_run("playing"))
    got = answer(RecordedAnswerer(ledger, played.ledger.run), put())
    assert got.reply == original.reply and got.answerer == "recording" and got.attempts == 2
    assert got.reply_tokens == original.reply_tokens
    with pytest.raises(InputError, match="was not asked this: test.vote to ada about dues"):
        answer(RecordedAnswerer(ledger, played.ledger.run), put("dues"))


def test_transport_tries_are_kept_apart_from_replies(
    put: Callable[..., PlacedQuestion], new_run: Callable[..., RunFile], scripted: Callable[..., Any]
) -> None:
    tries = iter([TransientFailure("429", "slow down"), TransientFailure("time-out"), None])

    def say(request: Any) -> str:
        failure = next(tries)
        if failure:
            raise failure
        return GOOD

    async def sleep(seconds: float) -> None:
        return None

    ledger = Ledger(new_run())
    provider = EndpointPool([EndpointMember("here", scripted(by=say), 1)], Patience(sleep=sleep))
    got = answer(ModelAnswerer(ledger, provider, "m", Sampling()), put())
    assert got.attempts == 1 and got.reply_tokens == 10
    rows = ledger.run.db.execute("select number, what from transport order by id").fetchall()
    assert rows == [(1, "429"), (2, "time-out")] and len(list(ledger.run.calls())) == 1


def test_hooks_see_each_new_call_and_can_stop_the_run(put: Callable[..., PlacedQuestion], model: Any) -> None:
    counted: list[Call] = []

    def stop() -> None:
        if counted:
            raise RunStopped("enough")

    asker = model("No.", GOOD)
    asker.ledger.before_call = stop
    asker.ledger.after_call = lambda call, details: counted.append(call)
    with pytest.raises(RunStopped):
        answer(asker, put())
    assert [c.attempt for c in counted] == [0]  # the reply that came is on record, its repair waits
    asker.ledger.before_call = lambda: None
    assert answer(asker, put()).attempts == 2 and [c.attempt for c in counted] == [0, 1]
