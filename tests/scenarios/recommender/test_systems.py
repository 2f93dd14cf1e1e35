"""Two recommenders that lie outside, over HTTP: what they are sent, and what is made of odd pages."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openiir.core.storage import Log
from openiir.runs.settings import Settings
from openiir.scenarios.recommender import Recommender, founding
from openiir.scenarios.recommender.actions import Browsed, Served
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.testing.offline import replayed


class Outside(BaseHTTPRequestHandler):
    """`/all` gives the items that come next in order of id; `/odd` also some it should not; `/empty` none."""

    heard: list[dict[str, Any]] = []
    items: list[str] = []

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
        self.send_response(200)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[ThreadingHTTPServer]:
    Outside.heard, Outside.items = [], [f"f{n:02}" for n in range(1, 91)]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def declared(service: ThreadingHTTPServer, *paths: str) -> dict[str, Any]:
    url = f"http://127.0.0.1:{service.server_port}"
    request = {"user": "{user}", "page": "{page}", "n": "{n}", "shown": "{shown}"}
    systems = {path: {"connector": "http", "url": f"{url}/{path}", "request": request, "response": "$.items"} for path in paths}
    return {"system": systems}


def by_name(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "by": f"system:{name}"} for name in names]


def test_two_systems_are_asked_page_by_page_and_a_replay_needs_neither(
    live: Callable[..., Any], service: ThreadingHTTPServer, tmp_path: Path
) -> None:
    page = {"most": 3, "items": 3, "exits": False}
    folder, content, run = live(Settings(), declared(service, "all", "odd"), systems=by_name("all", "odd"), page=page)
    log = Log(run)
    data, folds = founding.data_of(RecommenderConfig.model_validate(log.study["config"]), tmp_path, 0)
    for event, browsed in Browsed.read(log):
        user = data.users.index(str(event.actor).removeprefix("user-"))
        known = set(folds.train.of(user)[0].tolist()) | set(folds.validation.of(user)[0].tolist())
        assert not known & {data.collection.index[seen.item] for seen in browsed.items}, "what is known is never shown"
    views = log.columns("views")
    for system in ("all", "odd"):
        for who in set(views["visitor"].tolist()):
            own = views["item"][(views["system"] == system) & (views["visitor"] == who)].tolist()
            assert len(own) == len(set(own))
    asked = [one for one in Outside.heard if one["path"] == "/all" and one["user"] == Outside.heard[0]["user"]]
    assert [one["page"] for one in asked] == [1, 2, 3] and all(one["n"] == 3 for one in asked)
    assert [len(one["shown"]) for one in asked] == [0, 3, 6], "it is told what was shown"
    notes = [served for event, served in Served.read(log) if event.actor == "system:odd"]
    assert notes and all(n.unknown == 1 and n.missing >= 1 for n in notes) and any(n.repeated for n in notes)
    assert any(n.known for n in notes)
    measures = Recommender().metrics(log)
    assert measures["all/P_view"].defined and not measures["all/offline.ndcg@10"].defined
    assert np.isfinite(measures["all/S_sat"].value)
    service.shutdown()
    service.server_close()
    assert replayed(folder) == content


def test_a_system_with_no_items_ends_each_visit_at_once(live: Callable[..., Any], service: ThreadingHTTPServer) -> None:
    folder, content, run = live(Settings(), declared(service, "empty"), systems=by_name("empty"))
    log = Log(run)
    visits = log.columns("visits")
    assert set(visits["left"].tolist()) == {"nothing left"} and visits["pages"].tolist() == [0] * 4
    assert [(s.missing, s.unknown) for _, s in Served.read(log)] == [(4, 0)] * 4
    assert not Recommender().metrics(log)["empty/P_view"].defined
    assert replayed(folder) == content
