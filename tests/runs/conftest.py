"""A system that remembers its sessions, and a study of dialogues with it."""

import hashlib
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from small_server import SmallServer

PEOPLE = ("ada", "ben", "cleo", "dan", "eve")


class Bot:
    """A stateful system: what it says is a function of all that its session has heard so far.

    `misbehave` gives, for (user, number of the turn), "" or a way to fail: 500, html, drop, or end. `wait`
    gives the seconds before a turn is answered, for the number of requests so far.
    """

    def __init__(self, port: int = 0) -> None:
        self.sessions: defaultdict[str, list[str]] = defaultdict(list)
        self.requests: list[dict[str, Any]] = []
        self.closed: list[str] = []
        self.open_at_once = self.most_at_once = 0
        self.misbehave: Callable[[str, int], str] = lambda user, number: ""
        self.wait: Callable[[int], float] = lambda number: 0.0
        self.lock = threading.Lock()
        self.server = SmallServer(self.answer, port)
        self.url, self.stop = self.server.url, self.server.stop

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, str]:
        with self.lock:
            number, session = len(self.requests), body["session"]
            self.requests.append({"path": path, **body})
            if path == "/open":
                self.sessions[session].append("opened")
                self.open_at_once += 1
                self.most_at_once = max(self.most_at_once, self.open_at_once)
                return 200, json.dumps({"say": self._said(session)})
            if path == "/close":
                self.closed.append(session)
                self.open_at_once -= 1
                return 200, "{}"
            self.sessions[session].append(body["text"])
            way = self.misbehave(body["user"], len(self.sessions[session]))
            said = self._said(session)
        time.sleep(self.wait(number))
        if way == "500":
            return 500, f"Traceback at {time.time()}"
        if way == "html":
            return 200, f"<html>{time.time()}</html>"
        return (-1, "") if way == "drop" else (200, json.dumps({"say": said, "bye": way == "end"}))

    def _said(self, session: str) -> str:
        heard = self.sessions[session]
        return f"{len(heard)}\x1b[2J of {hashlib.sha256(repr(heard).encode()).hexdigest()[:8]}"


@pytest.fixture
def new_bot():
    """Starts a bot, at a port that is given or at any."""
    bots: list[Bot] = []

    def start(port=0):
        bots.append(Bot(port))
        return bots[-1]

    yield start
    for bot in bots:
        bot.stop()


@pytest.fixture
def bot(new_bot):
    return new_bot()


@pytest.fixture
def village(parlour, monkeypatch):
    """The small type with a cast, a crowd, a clock and events, registered; gives its class."""
    parlour.register("village", patch=monkeypatch)
    return parlour.Village


@pytest.fixture
def talks(parlour, trusted, tmp_path, monkeypatch):
    """Writes a study of five people who talk with the systems at these addresses, by name, as they may."""
    parlour.register("talker", patch=monkeypatch)

    def write(tables="", folder="talks", **urls):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / "people.toml").write_text(
            "".join(f'[[persona]]\nid = "{name}"\nname = "{name}"\nbio = "Listens."\n' for name in PEOPLE)
        )
        systems = "".join(
            f'[system.{name}]\nconnector = "http"\nurl = "{url}/turn"\ntimeout = 5\nresponse = '
            '"say"\nbackoff = 0.01\n'
            'request = { text = "{text}", session = "{session}", user = "{user}" }\n'
            f'[system.{name}.open]\nurl = "{url}/open"\nrequest = {{ session = "{{session}}" }}\n'
            f'[system.{name}.close]\nurl = "{url}/close"\nrequest = {{ session = "{{session}}" }}\n'
            f'[system.{name}.end]\npath = "bye"\nvalue = true\n'
            for name, url in urls.items()
        )
        (place / "study.toml").write_text(
            f'type = "talker"\nname = "talks"\nseed = 4\npersonas = "people.toml"\n{systems}\n{tables}\n'
        )
        return place / "study.toml" if urls == {} else trusted(place / "study.toml")

    return write
