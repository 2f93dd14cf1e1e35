"""Two recommenders that lie outside, over HTTP: what they are sent, and what is made of odd pages."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest

from openiir.core.errors import EndpointError
from openiir.core.storage import Log
from openiir.runs.settings import Settings
from openiir.scenarios.recommender import Recommender
from openiir.scenarios.recommender.behaviour.systems import PageFailed, PageServed
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.run import setup
from openiir.scenarios.recommender.run.actions import PageBrowsed
from openiir.testing.offline import replay_offline


class Outside(BaseHTTPRequestHandler):
    """`/all` gives the items that come next in order of id; `/odd` also some it should not; `/empty` none.

    The requests whose numbers are in `failing` get an error page.
    """

    heard: list[dict[str, Any]] = []
    items: list[str] = []
    failing: frozenset[int] = frozenset()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.heard.append({"path": self.path, **body})
        fresh = [item for item in self.items if item not in body["shown"]]
        answer: dict[str, list[str]] = {
            "/all": fresh,
            "/odd": ["nothing-like-it", *body["shown"][:1], *fresh[:2], *fresh[:1]],
            "/empty": [],
        }
        sent = json.dumps({"items": answer[self.path]}).encode()
        self.send_response(503 if len(self.heard) in self.failing else 200)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[ThreadingHTTPServer]:
    Outside.heard, Outside.items, Outside.failing = [], [f"f{n:02}" for n in range(1, 91)], frozenset()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def declared(service: ThreadingHTTPServer, *paths: str) -> dict[str, Any]:
    url = f"http://127.0.0.1:{service.server_port}"
    request = {"user": "{user}", "page": "{page}", "n": "{n}", "shown": "{shown}"}
    spec = {"connector": "http", "request": request, "response": "$.items", "backoff": 0.001}
    return {"system": {path: {**spec, "url": f"{url}/{path}"} for path in paths}}


def by_name(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "by": f"system:{name}"} for name in names]


def test_two_systems_are_asked_page_by_page_and_a_replay_needs_neither(
    live: Callable[..., Any], service: ThreadingHTTPServer, tmp_path: Path
) -> None:
    page = {"most": 3, "items": 3, "exits": False}
    folder, content, run = live(
        Settings(), declared(service, "all", "odd"), systems=by_name("all", "odd"), page=page
    )
    log = Log(run)
    data, folds = setup.load_data(RecommenderConfig.model_validate(log.study["config"]), tmp_path, 0)
    for event, browsed in PageBrowsed.read(log):
        user = data.users.index(str(event.actor).removeprefix("user-"))
        known = set(folds.train.of(user)[0].tolist()) | set(folds.validation.of(user)[0].tolist())
        assert not known & {data.collection.index[seen.item] for seen in browsed.items}, (
            "what is known is never shown"
        )
    views = log.columns("views")
    for system in ("all", "odd"):
        for who in set(views["visitor"].tolist()):
            own = views["item"][(views["system"] == system) & (views["visitor"] == who)].tolist()
            assert len(own) == len(set(own))
    asked = [
        one for one in Outside.heard if one["path"] == "/all" and one["user"] == Outside.heard[0]["user"]
    ]
    assert [one["page"] for one in asked] == [1, 2, 3] and all(one["n"] == 3 for one in asked)
    assert [len(one["shown"]) for one in asked] == [0, 3, 6], "it is told what was shown"
    notes = [served for event, served in PageServed.read(log) if event.actor == "system:odd"]
    assert notes and all(n.unknown == 1 and n.missing >= 1 for n in notes) and any(n.repeated for n in notes)
    assert any(n.known for n in notes)
    measures = Recommender().metrics(log)
    assert measures["all/P_view"].defined and not measures["all/offline.ndcg@10"].defined
    assert np.isfinite(measures["all/S_sat"].value)
    service.shutdown()
    service.server_close()
    assert replay_offline(folder) == content


def test_one_failed_answer_fails_its_page_and_no_more(
    live: Callable[..., Any], service: ThreadingHTTPServer, openiir: Callable[..., Any]
) -> None:
    Outside.failing = frozenset({2, 5})
    page = {"most": 3, "items": 3, "exits": False}
    folder, content, run = live(
        Settings(), declared(service, "all"), systems=[*by_name("all"), "popularity"], page=page
    )
    log = Log(run)
    visits = log.columns("visits")
    own = visits["system"] == "all"
    assert visits["gone"][own].tolist() == [3] * 4 and visits["pages"][own].sum() == 3 * 4 - 2
    assert [failed.system for _, failed in PageFailed.read(log)] == ["all"] * 2
    asked = [
        event.payload
        for event in log.events("asked", actor="system:all")
        if event.payload["outcome"] == "failed"
    ]
    assert [(a["attempts"], a["failure"]) for a in asked] == [
        (1, "the system failed: answered status 503")
    ] * 2
    measures = Recommender().metrics(log)
    assert (measures["all/failed_pages"].value, measures["popularity/failed_pages"].value) == (2, 0)
    assert "pages it failed to give" in openiir("show", folder, "comparison", "--format", "json").out
    (tries,) = run.db.execute(
        "select count(*) from transport where what like 'answered status 503: %'"
    ).fetchone()
    assert tries == 2, "what it said in full"
    service.shutdown()
    service.server_close()
    assert replay_offline(folder) == content


def test_a_system_that_may_hear_it_twice_is_asked_again(
    live: Callable[..., Any], service: ThreadingHTTPServer
) -> None:
    top = declared(service, "all")
    folder, content, run = live(Settings(), top, systems=by_name("all"))
    top["system"]["all"]["repeatable"] = True
    before, Outside.failing = len(Outside.heard), frozenset({len(Outside.heard) + 2})
    _, _, again = live(Settings(), top, systems=by_name("all"))
    assert len(Outside.heard) - before == before + 1 and not list(PageFailed.read(Log(again)))
    assert list(again.calls()) == list(run.calls()), "a try is no part of the record"
    assert again.db.execute("select number, what from transport").fetchall() == [(1, ANY)]


def test_a_system_that_was_never_reached_stops_the_run(
    live: Callable[..., Any], service: ThreadingHTTPServer
) -> None:
    service.shutdown()
    service.server_close()
    with pytest.raises(EndpointError, match="no connection to .*; start the system"):
        live(Settings(), declared(service, "all"), systems=by_name("all"))


def test_a_system_with_no_items_ends_each_visit_at_once(
    live: Callable[..., Any], service: ThreadingHTTPServer
) -> None:
    folder, content, run = live(Settings(), declared(service, "empty"), systems=by_name("empty"))
    log = Log(run)
    visits = log.columns("visits")
    assert set(visits["left"].tolist()) == {"nothing left"} and visits["pages"].tolist() == [0] * 4
    assert [(s.missing, s.unknown) for _, s in PageServed.read(log)] == [(4, 0)] * 4
    assert not Recommender().metrics(log)["empty/P_view"].defined
    assert replay_offline(folder) == content
