"""Hostile clients are refused, and every answer carries the headers that browsers heed."""

import pytest
from starlette.testclient import TestClient

from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access

WRITE = {"X-Openiir": "1", "Authorization": "Bearer a-token"}
ASKED = {"agent": "all", "question": "What moved you?"}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1:8317", ""])
def test_a_name_that_was_rebound_to_this_machine_is_refused(reading, host):
    answer = reading.get("/api/runs", headers={"Host": host})
    assert answer.status_code == 421 and "panel" not in answer.text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8317"])
def test_another_page_is_refused(reading, origin):
    assert reading.get("/api/runs", headers={"Origin": origin}).status_code == 403


def test_its_own_page_is_served_with_a_strict_policy(reading):
    answer = reading.get("/api/runs", headers={"Origin": "http://127.0.0.1:8317"})
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert "access-control-allow-origin" not in answer.headers


def test_nothing_is_written_unless_that_was_asked_for(reading, client):
    assert reading.post("/api/runs/panel/ask", json=ASKED, headers=WRITE).status_code == 405
    writing = client(write=True)
    for left_out, code in (("X-Openiir", 403), ("Authorization", 401)):
        headers = {**WRITE, left_out: ""}
        assert writing.post("/api/runs/panel/ask", json=ASKED, headers=headers).status_code == code
    wrong = {**WRITE, "Authorization": "Bearer another"}
    assert writing.post("/api/runs/panel/ask", json=ASKED, headers=wrong).status_code == 401


def test_a_large_body_is_refused_before_it_is_read(client):
    large = {"agent": "all", "question": "x" * 1_000_001}
    assert client(write=True).post("/api/runs/panel/ask", json=large, headers=WRITE).status_code == 413


def test_a_token_for_all_is_asked_of_readers_too(client):
    closed = client(token_for_all=True)
    assert closed.get("/api/runs").status_code == 401
    page = {"X-Openiir": "1"}
    assert closed.post("/api/token", json={"token": "another"}, headers=page).status_code == 401
    session = closed.post("/api/token", json={"token": "a-token"}, headers=page)
    assert session.status_code == 204 and "HttpOnly" in session.headers["set-cookie"]
    assert closed.get("/api/runs").status_code == 200  # by the cookie


def test_a_supervisor_needs_no_token_and_hears_of_a_folder_that_is_gone(client, tmp_path):
    assert client(token_for_all=True).get("/health").json()["status"] == "ok"
    (folder := tmp_path / "runs").mkdir()
    with TestClient(build_app(folder, Access(), Settings()), base_url="http://127.0.0.1") as server:
        folder.rmdir()
        gone = server.get("/health")
        assert gone.status_code == 503 and "cannot be listed: No such file" in gone.json()["detail"]
        assert str(folder) not in gone.text
        assert server.get("/health", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("id", ["../secret", "..%2F..%2Fetc", "panel/../../x", ".hidden", "nothing"])
def test_a_run_is_found_by_its_name_in_the_list_alone(reading, id):
    assert reading.get(f"/api/runs/{id}").status_code in (404, 405)
