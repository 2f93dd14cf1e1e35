"""A study that names a ready declaration holds it whole, and talks by it with what speaks the protocol."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import socketio
from aiohttp import web

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.storage import Log, RunFile
from openiir.core.systems import SystemSpec
from openiir.runs.study import load_study
from openiir.runs.trust import Trust

STUDY = """type = "recommender"
[system.movies]
ready = "{ready}"
url = "http://127.0.0.1:1/"
timeout = 7
"""


def loaded(place, ready="moviebot", sets=()):
    (place / "study.toml").write_text(STUDY.format(ready=ready))
    return load_study(str(place), sets, trust=Trust(hosts=("localhost:1", "localhost:2")))


def test_the_document_holds_the_declaration_and_not_its_name(tmp_path):
    stored = json.loads(canonical(loaded(tmp_path).document()))["system"]["movies"]
    assert "ready" not in stored
    assert stored["response"] == ["message.text"]
    assert (stored["url"], stored["timeout"]) == ("http://127.0.0.1:1/", 7)
    assert SystemSpec.model_validate(stored) == loaded(tmp_path).study.system["movies"]


def test_a_key_can_be_set_from_outside(tmp_path):
    system = loaded(tmp_path, sets=['system.movies.url="http://127.0.0.1:2/"']).study.system["movies"]
    assert system.url == "http://127.0.0.1:2/"


def test_a_wrong_name_is_told_with_its_place(tmp_path):
    with pytest.raises(InputError, match=r"study\.toml.*system\.movies.*did you mean 'moviebot'"):
        loaded(tmp_path, ready="moviebott")


class MovieBot:
    """A bot that speaks MovieBot 1.0.1's protocol and crashes when asked whether a film is sad."""

    def __init__(self) -> None:
        self.senders: set[str] = set()
        self.commands: Counter[str] = Counter()

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        event = (await request.json())["entry"][0]["messaging"][0]
        sender, text = event["sender"]["id"], event["message"]["text"]
        self.senders.add(sender)
        self.commands[text] += text.startswith("/")
        if text == "/exit":
            return web.Response(text="Message Processed", content_type="text/html")
        if text == "is it sad":
            page = f"<!doctype html><p>Traceback at {id(request)}"
            return web.Response(status=500, text=page, content_type="text/html")
        said = "Hi there." if text == "/start" else f"Do you like: {text.upper()} 8.1 120 min"
        return web.json_response({"recipient": {"id": sender}, "message": {"text": said, "intent": ""}})


async def arena(request: web.Request) -> web.StreamResponse:
    """A model of CRS Arena, which knows by a cookie how often it was spoken to, and by the context as
    well."""
    body = await request.json()
    turn = int(request.cookies.get("turn", "0"))
    if len(body["context"]) != 2 * turn:
        return web.Response(status=400, text=f"turn {turn}, but {body['context']}")
    response = web.json_response({"response": f"{turn}: {body['message']}"})
    response.set_cookie("turn", str(turn + 1))
    return response


def parrot(server: socketio.AsyncServer) -> None:
    """An agent that speaks the protocol of DialogueKit's platform."""

    async def say(sid: str, text: str) -> None:
        await server.emit("message", {"sender": "parrot", "message": {"text": text}}, to=sid)

    @server.event
    async def connect(sid: str, environ: Any) -> None:
        await say(sid, "Hello, I am Parrot.")

    @server.on("message")
    async def message(sid: str, data: Any) -> None:
        await server.emit("typing", {}, to=sid)
        await say(sid, f"(Parroting) {data['message']}")


@contextmanager
def served(bot: MovieBot) -> Iterator[str]:
    """All on a loop and thread of their own:
    the bot at `/`, the model at `/arena`, the parrot at `/socket.io/`."""
    loop = asyncio.new_event_loop()

    async def start() -> web.AppRunner:
        server, app = socketio.AsyncServer(async_mode="aiohttp"), web.Application()
        parrot(server)
        server.attach(app)
        app.router.add_post("/", bot)
        app.router.add_post("/arena", arena)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=0.1).start()
        return runner

    runner = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_dialogues_are_held_by_ready_declarations_and_replayed_without_the_systems(talks, openiir, tmp_path):
    bot = MovieBot()
    with served(bot) as url:
        tables = "".join(
            f'[system.{name}]\nready = "{ready}"\nurl = "{url}{path}"\ntimeout = 5\n'
            for name, ready, path in (
                ("movies", "moviebot", ""),
                ("parrot", "dialoguekit", ""),
                ("model", "crs-arena", "/arena"),
            )
        )
        study = talks(f'[config]\nsystems = ["movies", "parrot", "model"]\nturns = 6\n{tables}')
        ran = openiir("run", study, "--trust", "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    with RunFile.open(tmp_path / "run") as run:
        told = [event.payload for event in Log(run).events("talker.told")]
    by_system = {
        name: [one for one in told if one["system"] == name] for name in ("movies", "parrot", "model")
    }
    assert [one["text"] for one in by_system["movies"]].count("Hi there.") == 5
    assert {one["fault"] for one in by_system["movies"]} == {"", "answered status 500"}
    assert [one["text"] for one in by_system["parrot"]].count("Hello, I am Parrot.") == 5
    assert not any(one["fault"] for one in by_system["parrot"] + by_system["model"])
    assert sum(one["text"].startswith("0: ") for one in by_system["model"]) == 5
    assert bot.commands["/start"] == bot.commands["/exit"] == len(bot.senders) == 5
    replayed = openiir("replay", tmp_path / "run")
    assert (replayed.code, replayed.content) == (0, ran.content)
