"""Requests that take long to answer: only the app and programs may ask, few run at once, what is known is not
sent again."""

import gzip
import json
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from openiir.runs.settings import Settings
from openiir.server import card_cache
from openiir.server.app import build_app
from openiir.server.guard import Access
from openiir.server.reading import Reader

COSTLY = [
    "runs/panel",
    "runs/panel/check",
    "runs/panel/measures",
    "runs/panel/search?q=a",
    "runs/panel/surfaces/transcript",
    "runs/panel/questions/2",
    "runs/panel/worlds/main/lookup?query=wind",
    "compare?run=panel&run=panel",
]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_images_and_links_of_other_pages_get_nothing(reading, site):
    for path in ("runs", "about", "runs/panel/check", "runs/panel/stream"):
        answer = reading.get(f"/api/{path}", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Dest": "image"})
        assert answer.status_code == 403 and "panel" not in answer.text


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_its_own_page_and_a_typed_address_are_answered(reading, site):
    assert reading.get("/api/runs", headers={"Sec-Fetch-Site": site}).status_code == 200


@pytest.mark.parametrize("path", COSTLY)
def test_costly_work_needs_a_header_that_no_image_can_send(reading, path):
    answer = reading.get(f"/api/{path}", headers={"X-Openiir": ""})
    assert answer.status_code == 403 and "X-Openiir: 1" in answer.json()["detail"]
    assert reading.get("/api/runs", headers={"X-Openiir": ""}).status_code == 200


def test_one_job_runs_at_a_time_and_cheap_requests_are_answered_meanwhile(served, monkeypatch):
    app = build_app(served, Access(), Settings())
    app.state.server.jobs.waiting = 1
    begun, end = threading.Semaphore(0), threading.Event()
    running: list[int] = []

    def check(reader, id):
        running.append(len(running))
        begun.release()
        end.wait(60)
        running.pop()
        return {"ok": len(running) == 0}

    monkeypatch.setattr(Reader, "check", check)
    with (
        TestClient(app, base_url="http://127.0.0.1:8317", headers={"X-Openiir": "1"}) as client,
        ThreadPoolExecutor(3) as threads,
    ):
        asked = [threads.submit(client.get, "/api/runs/panel/check") for _ in range(3)]
        assert begun.acquire(timeout=60)
        assert client.get("/api/runs").status_code == 200
        while not any(one.done() for one in asked):  # of three one runs, one waits, and one is sent away
            pass
        end.set()
        answers = sorted((one.result() for one in asked), key=lambda one: one.status_code)
    assert [one.status_code for one in answers] == [200, 200, 503]
    assert all(one.json() == {"ok": True} for one in answers[:2])
    assert int(answers[2].headers["Retry-After"]) > 0 and "ask again" in answers[2].json()["detail"]


def test_a_reply_is_compressed_and_a_stream_is_not(reading):
    answer = reading.get("/api/runs/panel")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(gzip.compress(answer.content)) < len(answer.content) / 2
    assert "content-encoding" not in reading.get("/api/runs/panel/stream").headers
    plain = reading.get("/api/runs/panel", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.content == answer.content


@pytest.mark.parametrize("path", ["runs/panel", "runs/panel/surfaces/transcript", "runs/panel/measures"])
def test_what_a_client_has_of_a_finished_run_is_not_computed_again(reading, path, monkeypatch):
    tag = reading.get(f"/api/{path}").headers["etag"]
    for name in ("describe", "page", "measures"):
        monkeypatch.delattr(Reader, name)
    again = reading.get(f"/api/{path}", headers={"If-None-Match": tag})
    assert again.status_code == 304 and not again.content and again.headers["etag"] == tag
    assert "frame-ancestors" in again.headers["content-security-policy"]
    other = reading.get(f"/api/{path}?limit=2", headers={"If-None-Match": tag})
    assert other.status_code == 500


def test_a_tag_changes_with_the_run_and_an_unfinished_run_has_none(served, tmp_path):
    root = tmp_path / "runs"
    shutil.copytree(served, root)
    app = build_app(root, Access(), Settings())
    with TestClient(app, base_url="http://127.0.0.1:8317", headers={"X-Openiir": "1"}) as client:
        tag = client.get("/api/runs/panel").headers["etag"]
        shutil.rmtree(root / "panel")
        shutil.copytree(served / "panel", root / "panel")
        assert client.get("/api/runs/panel", headers={"If-None-Match": tag}).status_code == 200
        (root / "panel/run.db").write_bytes(b"no database")
        assert "etag" not in client.get("/api/runs/panel", headers={"If-None-Match": tag}).headers


def test_a_list_of_runs_is_kept_for_the_next_server_until_a_run_changes(served, tmp_path, monkeypatch):
    root, settings = tmp_path / "runs", Settings(cache=tmp_path / "cache")
    shutil.copytree(served, root)
    first = Reader(root, settings).cards.page()
    read: list[str] = []
    wrapped: Callable[..., object] = card_cache.read_card

    def count(id, folder):
        read.append(id)
        return wrapped(id, folder)

    monkeypatch.setattr(card_cache, "read_card", count)
    assert Reader(root, settings).cards.page() == first and not read
    (root / "panel/planted").symlink_to("/etc/passwd")
    (changed, _) = Reader(root, settings).cards.page()
    assert read == ["panel"] and changed[1].state == "damaged"
    shutil.rmtree(root / "panel")
    assert [card.id for card in Reader(root, settings).cards.page()[0]] == ["feed"]
    (kept,) = (tmp_path / "cache").glob("*.cards")
    kept.write_text("no cards")
    assert [card.id for card in Reader(root, settings).cards.page()[0]] == ["feed"]
    assert json.loads(kept.read_text()).keys() == {"feed"}
