"""Each ready declaration against a small server that speaks its protocol, quirks included."""

import asyncio
import json
import sys

import pytest
from aiohttp import web

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.systems import SystemFault, SystemSpec, open_session, probe_system, read_system
from openiir.core.systems.ready import list_ready_names

TITLE = "Café «Amélie» (2001) 🎬"


def talk(server, *texts, **keys):
    """The session and its replies; a reply that failed is the fault's words."""

    async def main():
        async with server as url:
            spec = read_system({"url": url, "timeout": 5, "backoff": 0} | keys)
            session = await open_session(spec, "dialogue 1")
            replies = []
            for text in texts:
                try:
                    replies.append(await session.send({"text": text}))
                except SystemFault as fault:
                    replies.append(str(fault).replace(url, "URL"))
            assert await session.close() is None
            return session, replies

    return asyncio.run(main())


def doctor(server, **keys):
    async def main():
        async with server as url:
            return await probe_system(read_system({"url": url} | keys))

    return asyncio.run(main())


class MovieBot:
    """What MovieBot 1.0.1 answers to its one page; `heard` is who said what."""

    def __init__(self):
        self.heard = []

    async def __call__(self, request):
        if request.method == "GET":
            return web.Response(text="MovieBot is alive")
        try:
            event = (await request.json())["entry"][0]["messaging"][0]
            sender, text = event["sender"]["id"], event["message"]["text"]
        except (KeyError, IndexError, ValueError):
            text = "crash"
        if text == "crash":
            page = "<!doctype html><title>500 Internal Server Error</title>"
            return web.Response(status=500, text=page, content_type="text/html")
        self.heard.append((sender, text))
        return self.answer(sender, text)

    def answer(self, sender, text):
        if text == "/exit":
            return web.Response(text="Message Processed", content_type="text/html")
        if text == "/start":
            return self.said("Hi there. What do you like?", recipient={"id": sender})
        if text == "a film":
            button = {"button_type": "postback", "title": "/accept", "payload": "/accept"}
            attachment = {"type": "buttons", "payload": {"buttons": [button]}}
            return self.said(f"Do you like: {TITLE} 8.3 122 min", attachment=attachment)
        return self.said("" if text == "nothing" else f"re: {text}")

    @staticmethod
    def said(text, recipient=None, **more):
        envelope = {"recipient": recipient} if recipient else {}
        return web.json_response({**envelope, "message": {"text": text, "intent": "", **more}})


def test_a_moviebot(web_server):
    bot = MovieBot()
    session, replies = talk(web_server(bot), "a film", "nothing", 'é "😀"', ready="moviebot")
    assert session.opening.text == "Hi there. What do you like?"
    assert [r.text for r in replies] == [f"Do you like: {TITLE} 8.3 122 min", "", 're: é "😀"']
    assert replies[0].data["message"]["attachment"]["type"] == "buttons"
    assert [text for _, text in bot.heard] == ["/start", "a film", "nothing", 'é "😀"', "/exit"]
    assert {sender for sender, _ in bot.heard} == {session.id}


def test_a_moviebot_that_crashes_or_is_left_in_the_middle_is_a_fault_and_no_utterance(web_server):
    _, replies = talk(web_server(MovieBot()), "crash", "/exit", "hi", ready="moviebot")
    assert "answered status 500: '<!doctype html><title>500 Internal" in replies[0]
    assert "answered no JSON where JSON was declared: 'Message Processed'" in replies[1]
    assert replies[2].text == "re: hi"


class Arena:
    """A model server of CRS Arena: state in a cookie, plain 400 without a key; `heard` is the bodies."""

    def __init__(self):
        self.heard = []

    async def __call__(self, request):
        if request.method == "GET":
            return web.Response(text="Model is running.")
        body = await request.json()
        for key in ("context", "message"):
            if key not in body:
                return web.Response(status=400, text=f"Missing {key}")
        self.heard.append((request.cookies.get("session"), body))
        response = web.json_response({"response": f"[{len(body['context'])}] {body['message']}"})
        response.set_cookie("session", f"options-{len(self.heard)}", httponly=True, path="/")
        return response


def test_a_model_of_crs_arena(web_server):
    arena = Arena()
    session, replies = talk(web_server(arena), "hi", TITLE, "", ready="crs-arena")
    assert session.opening is None
    assert [r.text for r in replies] == ["[0] hi", f"[2] {TITLE}", "[4] "]
    assert [cookie for cookie, _ in arena.heard] == [None, "options-1", "options-2"]
    assert arena.heard[1][1] == {"context": ["hi", "[0] hi"], "message": TITLE}


def test_two_dialogues_with_a_model_of_crs_arena_share_no_state(web_server):
    arena = Arena()

    async def main():
        async with web_server(arena) as url:
            spec = read_system({"ready": "crs-arena", "url": url})
            sessions = [await open_session(spec, name) for name in ("a", "b")]
            for text in ("1", "2"):
                for session in sessions:
                    await session.send({"text": text})
            for session in sessions:
                await session.close()

    asyncio.run(main())
    assert [cookie for cookie, _ in arena.heard] == [None, None, "options-1", "options-2"]


def test_a_key_that_crs_arena_misses_is_told_in_its_own_words(web_server):
    _, replies = talk(web_server(Arena()), "hi", ready="crs-arena", request={"message": "{text}"})
    assert "answered status 400: 'Missing context'; compare request" in replies[0]


class Agent:
    """An agent of SimLab; `heard` is the paths and bodies."""

    def __init__(self):
        self.heard = []

    async def __call__(self, request):
        body = await request.json()
        self.heard.append((request.path, body))
        if request.path == "/configure":
            return web.Response(status=201)
        if request.path != "/receive_utterance":
            return web.Response(status=404)
        acts = [{"intent": "RECOMMEND", "annotations": [{"slot": "TITLE", "value": TITLE}]}]
        plain = {"message": f"re: {body['message']}"}
        full = {**plain, "dialogue_acts": acts, "annotations": [], "metadata": {}}
        return web.json_response(plain if body["message"] == "plain" else full)


def test_an_agent_of_simlab(web_server):
    agent = Agent()
    keys = {"ready": "simlab", "agent": "baseline", "parameters": {"k": 5}}
    session, replies = talk(web_server(agent), "a film", "plain", **keys)
    assert agent.heard[0] == ("/configure", {"id": "baseline", "parameters": {"k": 5}})
    sent = {"context": [], "message": "a film", "user_id": session.id, "agent_id": "baseline"}
    assert agent.heard[1] == ("/receive_utterance", sent)
    assert replies[0].text == "re: a film"
    assert replies[0].data[0]["annotations"] == [{"slot": "TITLE", "value": TITLE}]
    assert replies[1].data == {"message": "re: plain"}


class Model:
    """An OpenAI-compatible endpoint; `heard` is the keys and bodies."""

    def __init__(self):
        self.heard = []

    async def __call__(self, request):
        if request.path != "/v1/chat/completions":
            return web.json_response({"error": {"message": "no such route"}}, status=404)
        body = await request.json()
        self.heard.append((request.headers.get("Authorization"), body))
        if body["messages"][-1]["content"] == "too much":
            return web.json_response({"error": {"message": "Rate limit reached"}}, status=429)
        message = {"role": "assistant", "content": f"re: {body['messages'][-1]['content']}"}
        return web.json_response({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def test_an_openai_compatible_endpoint(web_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    model = Model()

    async def main():
        async with web_server(model) as url:
            spec = read_system(
                {"ready": "openai-chat", "url": f"{url}/v1/", "model": "m", "prompt": "Be brief."}
            )
            session = await open_session(spec, "dialogue 1")
            replies = [await session.send({"text": text}) for text in ("hi", "{text}")]
            with pytest.raises(SystemFault, match="status 429.*Rate limit.*run fewer lanes"):
                await session.send({"text": "too much"})
            return [r.text for r in replies], await session.close()

    assert asyncio.run(main()) == (["re: hi", "re: {text}"], None)
    assert model.heard[0] == (
        "Bearer sk-0123456789",
        {
            "model": "m",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
        },
    )
    assert [m["role"] for m in model.heard[1][1]["messages"]] == ["system", "user", "assistant", "user"]


def test_an_endpoint_that_wants_no_key(web_server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = Model()

    async def main():
        async with web_server(model) as url:
            return await probe_system(
                read_system({"ready": "openai-chat", "url": f"{url}/v1", "model": "m", "headers": {}})
            )

    assert asyncio.run(main()).ok
    assert model.heard[0][0] is None
    assert model.heard[0][1]["messages"][0]["content"].startswith("You are a recommender")


class Platform:
    """DialogueKit's Flask-SocketIO platform with a parrot; `heard` is what was emitted."""

    def __init__(self):
        self.heard = []

    def __call__(self, server):
        async def say(sid, text, **more):
            await server.emit("message", {"sender": "parrot", "message": {"text": text, **more}}, to=sid)

        @server.event
        async def connect(sid, environ):
            await say(sid, "Hello, I am Parrot.")

        @server.on("message")
        async def message(sid, data):
            self.heard.append(data)
            if data["message"] == "bye":
                await server.disconnect(sid)
            elif data["message"] != "silence":
                await server.emit("typing", {"sender": "parrot"}, to=sid)
                acts = [{"intent": "PARROT", "annotations": [{"slot": "TITLE", "value": TITLE}]}]
                await say(sid, f"(Parroting) {data['message']}", dialogue_acts=acts)

        @server.event
        async def disconnect(sid, reason=None):
            self.heard.append("gone")


def test_an_agent_on_dialoguekits_platform(socketio_server):
    platform = Platform()
    session, replies = talk(socketio_server(platform), TITLE, "bye", "hi", ready="dialoguekit")
    assert session.opening.text == "Hello, I am Parrot."
    assert replies[0].text == f"(Parroting) {TITLE}"
    assert replies[0].data[0]["intent"] == "PARROT"
    assert replies[1].ended
    assert "the session is over: the system closed the connection" in replies[2]
    assert platform.heard == [{"message": TITLE}, {"message": "bye"}, "gone"]


def test_closing_a_session_closes_the_dialogue_on_dialoguekits_platform(socketio_server):
    platform = Platform()
    talk(socketio_server(platform), "hi", ready="dialoguekit")
    assert platform.heard == [{"message": "hi"}, "gone"]


@pytest.mark.parametrize(
    ("name", "server"), [("moviebot", MovieBot), ("crs-arena", Arena), ("simlab", Agent)]
)
def test_the_doctor_is_content_with_each(web_server, name, server):
    report = doctor(web_server(server()), ready=name)
    assert report.ok, "\n".join(report.lines())


def test_the_doctor_is_content_with_a_platform(socketio_server, monkeypatch):
    monkeypatch.setattr(sys.modules["openiir.core.systems.probe"], "_LISTENING_SECONDS", 0.01)
    report = doctor(socketio_server(Platform()), ready="dialoguekit")
    assert report.ok, "\n".join(report.lines())


def test_the_names_are_those_that_the_tests_know():
    assert list_ready_names() == ("crs-arena", "dialoguekit", "moviebot", "openai-chat", "simlab")


WANTED = {"openai-chat": {"model": "m"}}


@pytest.mark.parametrize("name", list_ready_names())
def test_a_study_holds_the_full_declaration_and_it_means_the_same_when_read_back(name):
    spec = read_system({"ready": name, "url": "http://127.0.0.1:1", **WANTED.get(name, {})})
    stored = canonical(spec)
    assert "ready" not in json.loads(stored)
    assert SystemSpec.model_validate_json(stored) == spec
    assert spec.url.startswith("http://127.0.0.1:1")


def test_a_key_of_ones_own_takes_the_place_of_the_files_whole_key():
    spec = read_system(
        {"ready": "moviebot", "url": "http://h/", "timeout": 3, "open": {"request": "{session}"}}
    )
    assert (spec.timeout, spec.open.request) == (3, "{session}")
    assert spec.close.request is not None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"ready": "movibot"}, "no ready declaration is called 'movibot'; did you mean 'moviebot'"),
        ({"ready": 3}, "no ready declaration is called '3'"),
        ({"ready": "moviebot"}, "connector http needs url"),
        ({"ready": "moviebot", "model": "m"}, "no key 'model'"),
        ({"ready": "simlab"}, "simlab needs url, where the agent's service is; such as url = \"http"),
        ({"ready": "openai-chat", "url": "http://h/v1"}, "openai-chat needs model"),
        ({"ready": "openai-chat", "url": "http://h/v1", "model": 4}, "must be a text, not 4"),
        ({"ready": "simlab", "url": "http://h", "parameters": "k"}, "must be a table, not 'k'"),
        ({"ready": "simlab", "url": "ftp://h"}, "does not begin with http://HOST"),
    ],
)
def test_what_a_ready_declaration_lacks_is_named(table, message):
    with pytest.raises(InputError, match=message) as caught:
        read_system(table, "study.toml: system.movies")
    assert str(caught.value).startswith("study.toml: system.movies: ")
