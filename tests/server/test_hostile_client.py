"""A hostile client is answered in words:
no error of the server's own, and nothing that belongs to this machine."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access

WRITE = {"X-Openiir": "1", "Authorization": "Bearer a-token"}
HUGE = str(10**30)
NUMBERS = ("-1", "0", HUGE, str(2**63), "1e9", "x", "", "٣", "1%00", "0x10", "NaN", "9" * 5000)
PLACES = {
    "runs": ("after", "limit"),
    "runs/panel/surfaces/transcript": ("after", "limit", "until", "seek", "agent"),
    "runs/panel/surfaces/activity": ("after", "limit", "until", "seek"),
    "runs/panel/agents/AGENT": ("after", "limit"),
    "runs/panel/questions": ("after", "limit", "step", "asker", "kind"),
    "compare": ("run",),
}
IDS = (
    *"%2e%2e %2e%2e%2fsecret ..%5csecret /etc %2fetc%2fpasswd panel%00 panel/run.db panel/tables ~".split(),
    *("a" * 8000, "linked", "linked/cells/1", ".hidden", "😀", "%ff%fe", "*"),
)


@pytest.mark.parametrize("place", PLACES)
def test_odd_numbers_and_cursors_are_refused_or_understood(reading, place):
    agent = reading.get("/api/runs/panel").json()["people"][0][0]
    for name in PLACES[place]:
        for value in NUMBERS:
            answer = reading.get(f"/api/{place.replace('AGENT', agent)}", params={name: value})
            assert answer.status_code < 500, (name, value, answer.text)
            assert answer.status_code == 200 or answer.json()["detail"]


def test_odd_places_of_questions_and_passages_are_not_found(reading):
    for number in (*filter(None, NUMBERS), "%2e%2e", "%2e%2e%2f1"):
        places = (
            f"questions/{number}",
            f"chunks/main/{number}",
            f"chunks/{number}/{number}",
            f"agents/{number}",
        )
        for path in places:
            answer = reading.get(f"/api/runs/panel/{path}")
            assert answer.status_code in (400, 404, 405, 422), (path, answer.text)


@pytest.mark.parametrize("rest", ["", "/surfaces/transcript", "/questions/1", "/check", "/stream"])
def test_no_id_leads_out_of_the_folder(served, reading, rest):
    outside, links = served.parent / "secret", [served / "linked", served / "inner"]
    shutil.copytree(served / "panel", outside, dirs_exist_ok=True)
    try:
        for link, hidden in zip(links, (outside, served / ".hidden"), strict=True):
            link.symlink_to(hidden)
        for id in IDS:
            answer = reading.get(f"/api/runs/{id}{rest}")
            assert answer.status_code in (400, 404, 405) and "offline" not in answer.text, id
        assert "linked" not in reading.get("/api/runs").text
    finally:
        for link in links:
            link.unlink(missing_ok=True)


def test_no_file_beside_the_app_is_served(reading):
    beside = "/../pyproject.toml /%2e%2e/built.json /..%2fbuilt.json //etc/passwd /assets/..%5c.. /%00"
    for path in beside.split():
        assert reading.get(path).status_code in (400, 404), path


ODD_BODIES: list[tuple[bytes, dict[str, str], set[int]]] = [
    (b"{", {}, {422}),
    (b"[" * 200_000, {}, {400, 422}),
    (b'{"agent": "all", "question": "\\ud800"}', {}, {400, 422}),
    (b'{"agent": "\\u0000", "question": "why"}', {}, {404, 422}),
    (b'{"agent": "nobody", "question": "why"}', {}, {404}),
    (b'{"agent": "all"}', {}, {422}),
    (b'{"agent": "all", "question": ""}', {}, {400, 422}),
    (b'{"agent": "all", "question": "why", "path": "/etc"}', {}, {422}),
    (b"\xff\xfe", {}, {400, 422}),
    (b"{}", {"Content-Length": "many"}, {413}),
    (b"{}", {"Content-Length": "-5"}, {413}),
    (b"{}", {"Content-Length": "1000001"}, {413}),
    (b"{}", {"Transfer-Encoding": "chunked"}, {413, 422}),
]


def test_odd_bodies_are_refused(client):
    writing = client(write=True)
    for body, headers, codes in ODD_BODIES:
        sent = {**WRITE, "Content-Type": "application/json", **headers}
        answer = writing.post("/api/runs/panel/ask", content=body, headers=sent)
        assert answer.status_code in codes and answer.json()["detail"], (body[:60], headers, answer.text)


def test_a_body_without_a_stated_length_is_refused(client):
    parts = iter([b"x" * 600_000, b"x" * 600_000])
    answer = client(write=True).post("/api/runs/panel/ask", content=parts, headers=WRITE)
    assert answer.status_code == 413


@pytest.mark.parametrize("token", ["", "A-TOKEN", "a-token ", "\ud800", "\x00", "ü", "a" * 100_000])
def test_no_other_token_opens_a_session(client, token):
    closed = client(token_for_all=True)
    body = b'{"token": "' + token.encode("ascii", "backslashreplace").replace(b"\\x", b"\\u00") + b'"}'
    page = {"X-Openiir": "1", "Content-Type": "application/json"}
    answer = closed.post("/api/token", content=body, headers=page)
    assert answer.status_code in (401, 422) and "set-cookie" not in answer.headers
    for header in ({"Authorization": "Bearer"}, {"Cookie": "openiir=;openiir"}, {"Cookie": b"openiir=\xff"}):
        assert closed.get("/api/runs", headers=header).status_code == 401


def test_a_server_without_a_token_takes_no_empty_one(served):
    client = TestClient(build_app(served, Access(write=True), Settings()), base_url="http://127.0.0.1")
    asked = {"agent": "all", "question": "why"}
    assert client.post("/api/runs/panel/ask", json=asked, headers={"X-Openiir": "1"}).status_code == 401


def test_other_methods_are_refused(client):
    writing = client(write=True)
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"):
        answer = writing.request(method, "/api/runs/panel", headers={**WRITE, "Content-Length": "0"})
        assert answer.status_code == 405, method
        assert not [name for name in answer.headers if name.startswith("access-control")], method


def test_nothing_of_this_machine_leaves(served, tmp_path, monkeypatch):
    root = tmp_path / "runs"
    shutil.copytree(served, root)
    for name in ("changed", "torn", "empty"):
        shutil.copytree(root / "panel", root / name)
    with sqlite3.connect(root / "changed/run.db") as database:
        database.execute("update event set payload = '{}' where seq = 3")
    database.close()
    (root / "torn/run.db").write_bytes(b"no database at all")
    (root / "empty/run.db").write_bytes(b"")
    monkeypatch.setenv("SECRET_KEY", "sk-very-secret")
    endpoint = {"url": "http://models.example:9/v1", "key_env": "SECRET_KEY"}
    settings = Settings.model_validate({"endpoint": endpoint, "runs": str(root)})
    app = build_app(root, Access(token="a-token", write=True), settings)
    client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    private = (
        str(tmp_path),
        str(served),
        str(Path.home()),
        "models.example",
        "SECRET_KEY",
        "sk-very-secret",
        "a-token",
    )
    paths = ["about", "runs", "compare?run=panel&run=torn", "compare?run=panel&run=changed", "runs/none"]
    for run in ("panel", "feed", "changed", "torn", "empty"):
        paths += [
            f"runs/{run}{rest}"
            for rest in ("", "/check", "/stream", "/questions", "/questions/1", "/agents/x", "/surfaces/x")
        ]
        paths += [
            f"runs/{run}/surfaces/{one['name']}"
            for one in client.get(f"/api/runs/{run}").json().get("surfaces", ())
        ]
    answers: dict[str, Any] = {path: client.get(f"/api/{path}") for path in paths}
    asked = {"agent": "all", "question": "why"}
    answers |= {
        run: client.post(f"/api/runs/{run}/ask", json=asked, headers=WRITE)
        for run in ("torn", "changed", "none")
    }
    for path, answer in answers.items():
        assert answer.status_code < 500, (path, answer.text)
        told = answer.text + str(answer.headers)
        assert not [word for word in private if word in told], (path, told[:500])
