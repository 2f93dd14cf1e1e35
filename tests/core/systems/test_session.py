"""What sessions of all connectors have in common, shown on Python callables that keep what they are sent."""

import asyncio
import sys
import types
import uuid

import pytest

from openiir.core.errors import InputError
from openiir.core.systems import SystemFault, open_session, read_system


@pytest.fixture
def system(monkeypatch):
    """A module whose `answer` records each request and gives the next of `answers`."""
    module = types.ModuleType("recording_system")
    module.heard, module.answers = [], []

    def answer(request):
        module.heard.append(request)
        return module.answers.pop(0) if module.answers else {"reply": "ok"}

    module.answer = answer
    monkeypatch.setitem(sys.modules, "recording_system", module)
    return module


def declared(**keys):
    base = {"connector": "python", "callable": "recording_system:answer", "response": "reply"}
    return read_system(base | keys)


def talk(spec, *texts, name="lane 1"):
    async def main():
        session = await open_session(spec, name)
        replies = [await session.send({"text": text}) for text in texts]
        return session, replies, await session.close()

    return asyncio.run(main())


def test_the_session_id_is_a_uuid_of_the_name_alone(system):
    spec = declared(request="{session}")
    for name in ("lane 1", "lane 1", "lane 2"):
        talk(spec, "hi", name=name)
    first, again, other = system.heard
    assert first == again != other
    assert str(uuid.UUID(first)) == first


def test_history_and_messages_hold_what_was_said_before(system):
    system.answers = [{"reply": "welcome"}, {"reply": "which year?"}, {"reply": "try Alien"}]
    spec = declared(
        open={"request": "start"},
        request={"context": "{history}", "messages": "{messages}", "message": "{text}"},
    )
    session, replies, _ = talk(spec, "a film", "1979")
    assert session.opening.text == "welcome"
    assert [r.text for r in replies] == ["which year?", "try Alien"]
    assert system.heard[-1] == {
        "context": ["welcome", "a film", "which year?"],
        "messages": [
            {"role": "assistant", "content": "welcome"},
            {"role": "user", "content": "a film"},
            {"role": "assistant", "content": "which year?"},
            {"role": "user", "content": "1979"},
        ],
        "message": "1979",
    }


def test_what_the_caller_gives_stands_before_what_the_session_would(system):
    async def main():
        session = await open_session(declared(request=["{history}", "{session}"]), "lane 1")
        await session.send({"text": "x", "history": ["theirs"], "session": "theirs"})
        return session.id

    own = asyncio.run(main())
    assert system.heard == [[["theirs"], own]]


def test_what_an_answer_gives_can_be_kept_for_later_requests(system):
    system.answers = [{"id": 17, "reply": ""}, {"reply": "a", "next": "t1"}, {"reply": "b", "next": "t2"}]
    spec = declared(
        open={"request": {"user": "{session_name}"}, "keep": {"conversation": "id", "token": "id"}},
        keep={"token": "next"},
        request={"c": "{conversation}", "t": "{token}"},
        close={"request": {"end": "{conversation}", "t": "{token}"}},
    )
    talk(spec, "x", "y")
    assert system.heard == [
        {"user": "lane 1"},
        {"c": 17, "t": 17},
        {"c": 17, "t": "t1"},
        {"end": 17, "t": "t2"},
    ]


def test_a_placeholder_that_nothing_fills_is_named_and_nothing_is_sent(system):
    with pytest.raises(InputError, match="'user'"):
        talk(declared(request={"u": "{user}"}), "x")
    assert system.heard == []


def test_a_value_that_json_cannot_hold_is_named(system):
    with pytest.raises(InputError, match="cannot be written as JSON"):
        talk(declared(request="{text}"), float("nan"))


def test_a_failed_turn_leaves_the_history_as_it_was(system):
    system.answers = [{"wrong": 1}, {"reply": "right"}]

    async def main():
        session = await open_session(declared(request="{history}"), "lane 1")
        with pytest.raises(SystemFault, match="nothing at reply"):
            await session.send({"text": "x"})
        await session.send({"text": "y"})

    asyncio.run(main())
    assert system.heard == [[], []]


def test_a_failing_opening_fails_the_session_and_releases_it(system):
    system.answers = ["not json"]
    with pytest.raises(SystemFault, match="no JSON where JSON was declared"):
        asyncio.run(open_session(declared(open={"request": "start"}), "lane 1"))


def test_an_answer_to_the_closing_request_is_not_looked_into(system):
    system.answers = [{"reply": "ok"}, "<html>Message Processed</html>"]
    assert talk(declared(close={"request": "/exit"}), "hi")[2] is None


def test_what_goes_wrong_at_the_close_is_told_and_loses_nothing(system):
    system.answers = [{"reply": "ok"}, {1, 2}]
    _, replies, trouble = talk(declared(close={"request": "/exit"}), "hi")
    assert replies[0].text == "ok"
    assert "no JSON form" in trouble


def test_a_closed_session_says_so(system):
    async def main():
        session = await open_session(declared(), "lane 1")
        await session.close()
        await session.send({"text": "x"})

    with pytest.raises(SystemFault, match="the session was closed; open a new one"):
        asyncio.run(main())


def test_two_turns_at_once_follow_one_another(monkeypatch):
    module = types.ModuleType("slow_system")
    running = []

    async def answer(request):
        running.append(1)
        await asyncio.sleep(0.01)
        most = len(running)
        running.pop()
        return str(most)

    module.answer = answer
    monkeypatch.setitem(sys.modules, "slow_system", module)

    async def main():
        spec = read_system({"connector": "python", "callable": "slow_system:answer"})
        session = await open_session(spec, "lane 1")
        return await asyncio.gather(*(session.send({"text": str(n)}) for n in range(3)))

    assert [reply.text for reply in asyncio.run(main())] == ["1", "1", "1"]
