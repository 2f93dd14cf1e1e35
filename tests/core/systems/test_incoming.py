import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.hashing import canonical
from openiir.core.systems import SystemFault, read_system
from openiir.core.systems.incoming import End, MessageTransport

SOCKET = {"connector": "websocket", "url": "ws://127.0.0.1:1/", "response": "text"}


class Messages(MessageTransport):
    """Messages that nobody asks for by name."""

    def __init__(self, **keys):
        super().__init__(read_system(SOCKET | keys))

    def write_message(self, exchange, message): ...
    def explain_silence(self): ...
    async def send(self, text): ...


OVER = End(SystemFault("here", "it ended", "begin anew"))


def taking_in(turns, **keys):
    """Each turn is what comes unasked, then what comes after something was said; None is the end."""

    async def main():
        incoming = Messages(**keys)
        given = []
        for unasked, answered in turns:
            for message in unasked:
                await incoming.put(OVER if message is None else message)
            said = await incoming.take_unasked()
            for message in answered:
                await incoming.put(OVER if message is None else message)
            given.append(await incoming.answer(said))
        return given

    return asyncio.run(main())


def test_one_message_is_an_answer_and_the_end_is_told():
    assert taking_in([([], ["a"]), ([], ["b"]), ([], [None])]) == ["a", "b", OVER]


def test_messages_are_gathered_with_what_came_between_the_turns_first():
    turns = [([], ["a", "b"]), (["late"], ["c"]), ([], ["bye", None]), ([], [])]
    assert taking_in(turns, settle=0.01) == ['["a","b"]', '["late","c"]', '["bye"]', OVER]


def test_what_came_between_the_turns_is_an_answer_where_nothing_else_follows():
    assert taking_in([(["last words", None], []), ([], [])], settle=0.01) == ['["last words"]', OVER]


def test_a_message_that_nobody_asked_for_is_no_answer_to_the_next_turn():
    with pytest.raises(
        SystemFault, match="said more than its turn's one message: 'late'; write an empty .open."
    ):
        taking_in([([], ["a"]), (["late"], ["b"])])


def test_the_end_alone_is_nothing_unasked_for():
    assert taking_in([([], ["a"]), ([None], [])]) == ["a", OVER]


def test_messages_to_be_ignored_count_for_nothing():
    turns = [(["LOG 1"], ["LOG 2", "a", "LOG 3"]), (["LOG 4"], ["b"])]
    assert taking_in(turns, ignore={"text": "LOG"}) == ["a", "b"]


def test_a_system_that_says_much_unasked_is_made_to_wait(monkeypatch):
    monkeypatch.setattr("openiir.core.systems.incoming.LARGEST", 1000)

    async def main():
        incoming = Messages()
        talking = asyncio.create_task(say(incoming))
        for _ in range(20):
            await asyncio.sleep(0)
        unread = incoming._queue.qsize()
        heard = [await incoming.answer([]) for _ in range(10)]
        await talking
        return unread, heard

    async def say(incoming):
        for number in range(10):
            await incoming.put(f"{number}" * 400)

    unread, heard = asyncio.run(main())
    assert unread == 3 and heard == [f"{number}" * 400 for number in range(10)]


@given(
    st.lists(
        st.lists(st.text(st.characters(categories=["L"]), max_size=3), min_size=1, max_size=20), max_size=2
    )
)
@settings(max_examples=30)
def test_nothing_is_lost_and_nothing_said_twice(turns):
    words = [[f"w{word}" for word in turn] for turn in turns]
    assert taking_in([([], turn) for turn in words], settle=0.001) == [canonical(turn) for turn in words]
