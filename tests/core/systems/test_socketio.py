"""The Socket.IO connector against python-socketio's own server."""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import serve

from openiir.core.systems import SystemFault, open_session, probe_system, read_system
from openiir.core.systems.incoming import End
from openiir.core.systems.secrets import DeclaredHeaders
from openiir.core.systems.socketio import SocketIoTransport, websocket_address


def declared(url, **keys):
    base = {"connector": "socketio", "url": url, "request": {"message": "{text}"}, "response": "message.text"}
    return read_system(base | {"backoff": 0, "timeout": 5} | keys)


def talk(server, *texts, **keys):
    async def main():
        async with server as url:
            session = await open_session(declared(url, **keys), "test")
            try:
                return session, [await session.send({"text": text}) for text in texts]
            finally:
                await session.close()

    return asyncio.run(main())


def said(text, **more):
    return {"sender": "bot", "message": {"text": text, **more}}


def echoing(server):
    @server.on("message")
    async def message(sid, data):
        await server.emit("message", said(f"you said {data['message']}"), to=sid)


def bubbling(server):
    @server.on("message")
    async def message(sid, data):
        await server.emit("typing", {}, to=sid)
        for word in data["message"].split():
            await server.emit("message", said(word), to=sid)


@asynccontextmanager
async def scripted(*frames, before=('0{"sid":"s","pingInterval":25000}',)):
    """A server that opens with some frames and answers all but pongs with the next frames of its script."""
    heard = []

    async def handler(connection):
        for frame in before:
            await connection.send(frame)
        left = iter(frames)
        async for message in connection:
            heard.append(message)
            for frame in next(left, ()) if message[0] != "3" else ():
                await connection.send(frame)

    async with serve(handler, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


def exchange(*frames, texts=("hi",), before=None, **keys):
    """What a scripted server hears and is understood to say."""

    async def main():
        script = scripted(*frames) if before is None else scripted(*frames, before=before)
        async with script as (url, heard):
            session = await open_session(declared(url, **keys), "test")
            try:
                return heard, [await session.send({"text": text}) for text in texts]
            finally:
                await session.close()

    return asyncio.run(main())


def test_a_turn_is_an_event_out_and_an_event_back(socketio_server):
    _, replies = talk(socketio_server(echoing), "hi", 'é "😀" [{')
    assert [r.text for r in replies] == ["you said hi", 'you said é "😀" [{']
    assert replies[0].data == said("you said hi")


@pytest.mark.parametrize("always_connect", [False, True])
def test_a_greeting_said_before_the_door_is_open_is_heard(socketio_server, always_connect):
    def set_up(server):
        echoing(server)

        @server.event
        async def connect(sid, environ):
            await server.emit("message", said("welcome"), to=sid)

    session, replies = talk(socketio_server(set_up, always_connect=always_connect), "hi", open={})
    assert session.opening.text == "welcome"
    assert replies[0].text == "you said hi"


def test_several_messages_a_turn_are_one_answer_once_the_system_falls_silent(socketio_server):
    keys = {"settle": 0.1, "response": "[*].message.text"}
    _, replies = talk(socketio_server(bubbling), "one two", "three", **keys)
    assert [r.text for r in replies] == ["one\ntwo", "three"]
    assert [len(r.data) for r in replies] == [2, 1]


def test_the_doctor_finds_the_second_message(socketio_server, monkeypatch):
    monkeypatch.setattr(sys.modules["openiir.core.systems.probe"], "_LISTENING_SECONDS", 0.1)

    async def main():
        async with socketio_server(bubbling) as url:
            return await probe_system(declared(url))

    report = asyncio.run(main())
    assert report.steps[-2].what == "second utterance"
    assert not report.steps[-2].ok
    assert "settle = 0.5" in report.steps[-2].remedy


def test_events_of_other_names_and_namespaces_are_passed_over():
    frames = ['42["typing",{}]', '42/other,["reply","no"]', "42nonsense", '42["reply","yes"]']
    heard, (reply,) = exchange(["40"], frames[:2] + frames[3:], event="say", answer="reply", response="text")
    assert reply.text == "yes"
    assert heard[1] == '42["say",{"message":"hi"}]'


def test_a_namespace_is_joined_and_spoken_in(socketio_server):
    def set_up(server):
        @server.on("message", namespace="/chat")
        async def message(sid, data):
            await server.emit("message", said(data["message"]), to=sid, namespace="/chat")

    _, (reply,) = talk(socketio_server(set_up), "hi", namespace="/chat")
    assert reply.text == "hi"


def test_a_namespace_that_does_not_exist_is_a_refusal(socketio_server):
    with pytest.raises(SystemFault, match="refused the connection: .*declare the namespace or the header"):
        talk(socketio_server(echoing), "hi", namespace="/chat")


def test_opening_and_closing_may_be_events_of_their_own(socketio_server):
    heard = []

    def set_up(server):
        @server.on("session_request")
        async def begin(sid, data=None):
            heard.append(data)
            await server.emit("bot_uttered", {"text": "hello"}, to=sid)

        @server.on("user_uttered")
        async def turn(sid, data):
            await server.emit("bot_uttered", {"text": data["message"]}, to=sid)

        @server.on("leave")
        async def leave(sid, *data):
            heard.append(("leave", data))
            await server.emit("bot_uttered", {"text": "bye"}, to=sid)

    session, (reply,) = talk(
        socketio_server(set_up),
        "hi",
        event="user_uttered",
        answer="bot_uttered",
        response="$.text",
        open={"event": "session_request", "request": {"session_id": "{session}"}},
        close={"event": "leave"},
    )
    assert (session.opening.text, reply.text) == ("hello", "hi")
    assert heard == [{"session_id": session.id}, ("leave", ())]


def test_the_system_may_ask_for_an_acknowledgement(socketio_server):
    acknowledged = []

    def set_up(server):
        @server.on("message")
        async def message(sid, data):
            async def heard(*data):
                acknowledged.append(data)
                await server.emit("message", said("thanks"), to=sid)

            await server.emit("heard", {}, to=sid, callback=heard)

    assert talk(socketio_server(set_up), "hi")[1][0].text == "thanks"
    assert acknowledged == [()]


def test_pings_are_answered_whenever_they_come():
    answer = f"42{json.dumps(['message', said('x')])}"
    heard, replies = exchange(["2", "40"], ["2probe", answer], [answer], texts=("hi", "there"))
    assert len(replies) == 2
    assert heard[:2] == ["40", "3"]
    assert "3probe" in heard


@pytest.mark.parametrize(
    ("arguments", "text"),
    [('"a text"', "a text"), ('{"message": {"text": "x"}}', "x"), ('{"other": 1},"y"', '[{"other":1},"y"]')],
)
def test_an_events_data_may_be_a_text_an_object_or_several_things(arguments, text):
    _, (reply,) = exchange(["40"], [f'42["message",{arguments}]'], response=["message.text", "text"])
    assert reply.text == text


def test_a_disconnect_is_the_end_where_it_is_declared_so_and_a_fault_elsewhere(socketio_server):
    def set_up(server):
        @server.on("message")
        async def message(sid, data):
            await server.disconnect(sid)

    _, (reply,) = talk(socketio_server(set_up), "hi", end={"closed": True})
    assert (reply.text, reply.ended) == ("", True)
    with pytest.raises(SystemFault, match="closed the connection instead of answering"):
        talk(socketio_server(set_up), "hi")


def test_last_words_are_heard_before_the_end():
    last = ['42["message","goodbye"]', "41"]
    _, replies = exchange(["40"], last, texts=("hi", "hm"), response="text", end={"closed": True})
    assert [(r.text, r.ended) for r in replies] == [("goodbye", False), ("", True)]


@pytest.mark.parametrize("settle", [0, 0.05])
def test_a_system_that_says_nothing_is_given_up_on(socketio_server, settle):
    with pytest.raises(SystemFault, match="no message within 0.2 s"):
        talk(socketio_server(lambda server: None), "hi", timeout=0.2, settle=settle)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (("hello",), "opened with 'hello', which is no Engine.IO"),
        (('0{"sid":"s"}', "41"), "ended the session before it began"),
        (('0{"sid":"s"}', '44{"message":"who are you?"}'), "refused the connection: .*who are you"),
    ],
)
def test_what_is_no_socketio_or_lets_nobody_in_is_said_to(before, message):
    with pytest.raises(SystemFault, match=message):
        exchange(before=before)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ('42["message",{"message":{"text":NaN}}]', "answered no JSON where JSON was declared"),
        ('42["message",{"message":', "answered no JSON"),
        ('42["message",{"other":1}]', "the answer has nothing at message.text"),
        ('42["message","<html>"]', "answered an HTML page"),
        ('42["message"]', "nothing at message.text"),
    ],
)
def test_an_event_that_is_not_as_declared_is_quoted(frame, message):
    with pytest.raises(SystemFault, match=message):
        exchange(["40"], [frame])


def test_another_path_is_where_it_is_looked_for(socketio_server):
    @asynccontextmanager
    async def misplaced():
        async with socketio_server(echoing) as url:
            yield f"{url}/elsewhere"

    with pytest.raises(SystemFault, match="answered status 404 instead of a WebSocket"):
        talk(misplaced(), "hi")


def test_a_server_that_takes_no_websocket_says_so(socketio_server):
    with pytest.raises(SystemFault, match="answered status 400 instead of a WebSocket"):
        talk(socketio_server(echoing, transports=["polling"]), "hi")


def test_a_header_is_sent_and_its_secret_shown_nowhere(socketio_server, monkeypatch):
    monkeypatch.setenv("SOCKET_KEY", "s3cr3t-value")

    def set_up(server):
        @server.event
        async def connect(sid, environ):
            await server.emit("message", said(f"key {environ['HTTP_X_KEY']}"), to=sid)

    session, _ = talk(socketio_server(set_up), headers={"X-Key": "${SOCKET_KEY}"}, open={})
    assert session.opening.text == "key ${SOCKET_KEY}"


class Deaf:
    """A connection that takes whatever is sent."""

    async def send(self, frame):
        assert isinstance(frame, str)


FRAMES = st.builds(
    lambda head, rest: head + rest,
    st.sampled_from(
        ["", "0", "1", "2", "3", "4", "40", "41", "42", "42/", "42/a,", "4213", "43", "44", "451-", "6"]
    ),
    st.text()
    | st.sampled_from(
        ['["message"]', '["message",{}]', '["message",[[]]]', "[]", "{}", "[1e999]", "[" * 2000]
    ),
)


@given(st.lists(FRAMES, max_size=5))
def test_whatever_frame_comes_it_is_a_message_an_end_or_nothing(frames):
    async def main():
        wire = SocketIoTransport(declared("http://h"), "ws://h", DeclaredHeaders({}, "s"))
        wire._joined = True
        for frame in frames:
            heard = await wire.read_frame(Deaf(), frame)
            assert heard is None or isinstance(heard, str | End)

    asyncio.run(main())


def test_attachments_are_passed_over():
    async def handler(connection):
        await connection.send("0{}")
        await connection.recv()
        await connection.send("40")
        await connection.recv()
        await connection.send('451-["message",{"_placeholder":true,"num":0}]')
        await connection.send(b"1 is no close packet")
        await connection.send('42["message",{"message":{"text":"here"}}]')
        await connection.wait_closed()

    @asynccontextmanager
    async def server():
        async with serve(handler, "127.0.0.1", 0) as listening:
            yield f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}"

    assert talk(server(), "hi")[1][0].text == "here"


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("http://h:5000", "ws://h:5000/socket.io/?EIO=4&transport=websocket"),
        ("https://h/", "wss://h/socket.io/?EIO=4&transport=websocket"),
        ("ws://h/a/b/?token=x", "ws://h/a/b/?token=x&EIO=4&transport=websocket"),
    ],
)
def test_where_a_server_listens(url, where):
    assert websocket_address(url) == where
