"""What the server tells of a run is what the run holds."""

from collections.abc import Callable
from pathlib import Path

from starlette.testclient import TestClient

from openiir.core.storage import Log, RunFile

WRITE = {"X-Openiir": "1", "Authorization": "Bearer a-token"}


def test_runs_are_listed_with_their_state(reading: TestClient) -> None:
    found = {card["id"]: card for card in reading.get("/api/runs").json()["runs"]}
    assert set(found) == {"panel", "feed"}
    assert found["panel"]["state"] == "finished" and found["panel"]["content"].startswith("sha256:")
    assert found["panel"]["steps"] > 1 and found["panel"]["events"] > 20


def test_a_run_says_what_it_can_show(reading: TestClient) -> None:
    run = reading.get("/api/runs/panel").json()
    surfaces = {one["name"]: one for one in run["surfaces"]}
    assert list(surfaces) == ["transcript", "report", "graph", "stances", "activity"]
    assert surfaces["transcript"]["live"] == "append" and surfaces["transcript"]["help"].endswith(".")
    assert {one["name"] for one in run["measures"]} and run["study"]["type"] == "panel"
    assert str(Path.cwd()) not in reading.get("/api/runs/panel").text


def test_pages_of_a_surface_join_to_the_whole(reading: TestClient) -> None:
    whole = reading.get("/api/runs/panel/surfaces/transcript").json()
    joined, after = [], "0"
    while after:
        page = reading.get("/api/runs/panel/surfaces/transcript", params={"after": after, "limit": 7}).json()
        joined += page["body"]["entries"]
        after = page["next"]
    assert joined == whole["body"]["entries"] and whole["total"] == len(joined)
    sought = reading.get("/api/runs/panel/surfaces/transcript", params={"seek": 5}).json()
    assert sought["body"]["entries"][0]["step"] >= 5
    earlier = reading.get("/api/runs/panel/surfaces/transcript", params={"until": 3}).json()
    assert {entry["step"] for entry in earlier["body"]["entries"]} <= {1, 2, 3}


def test_every_surface_of_every_run_is_given(reading: TestClient) -> None:
    for run in ("panel", "feed"):
        for surface in reading.get(f"/api/runs/{run}").json()["surfaces"]:
            page = reading.get(f"/api/runs/{run}/surfaces/{surface['name']}").json()
            assert page["form"] == surface["form"] and len(page["digest"]) == 64


def test_an_entry_leads_to_its_question_and_its_source(reading: TestClient, served: Path) -> None:
    entries = reading.get("/api/runs/panel/surfaces/transcript").json()["body"]["entries"]
    entry = next(one for one in entries if one["cites"])
    question = reading.get(f"/api/runs/panel/questions/{entry['of']}").json()
    assert question["asker"] == entry["agent"] and question["kind"] == "panel.speak"
    assert question["executed"] and [one["role"] for one in question["messages"]] == ["system", "user"]
    assert question["schema"]["type"] == "object" and question["shadow"] is None
    assert [(one["answerer"], one["usable"]) for one in question["replies"]] == [("offline", True)]
    cite = entry["cites"][0]
    passage = reading.get(f"/api/runs/panel/chunks/{cite['world']}/{cite['chunk']}").json()
    assert passage["text"][cite["start"] : cite["end"]]
    with RunFile.open(served / "panel") as run:
        claims = {claim.id for claim in Log(run).claims()}
    assert {one["entry"] for one in passage["cited"]} <= claims


def test_an_agent_has_its_own_page(reading: TestClient) -> None:
    agent = reading.get("/api/runs/panel").json()["surfaces"][0]["agents"][0][0]
    page = reading.get(f"/api/runs/panel/agents/{agent}", params={"limit": 5}).json()
    assert page["persona"]["id"] == agent and page["asked"] > 0 and len(page["events"]) == 5
    after = reading.get(f"/api/runs/panel/agents/{agent}", params={"after": page["next"]}).json()
    assert after["events"][0]["seq"] > page["events"][-1]["seq"]
    asked = reading.get("/api/runs/panel/questions", params={"asker": agent}).json()
    assert {one["asker"] for one in asked["questions"]} == {agent}


def test_mistakes_are_answered_in_words(reading: TestClient) -> None:
    for path, words in (
        ("surfaces/transkript", "transcript"),
        ("agents/nobody", "nobody"),
        ("questions/999999", "999999"),
        ("chunks/main/c9999", "c9999"),
        ("surfaces/transcript?after=x", "cursor"),
    ):
        answer = reading.get(f"/api/runs/panel/{path}")
        assert answer.status_code in (400, 404) and words in answer.json()["detail"]


def test_a_damaged_run_is_listed_as_such(served: Path, client: Callable[..., TestClient]) -> None:
    broken = served / "broken"
    broken.mkdir()
    (broken / "run.db").write_bytes(b"no database")
    try:
        cards = {card["id"]: card["state"] for card in client().get("/api/runs").json()["runs"]}
        assert cards["broken"] == "damaged"
        assert client().get("/api/runs/broken").json()["state"] == "damaged"
    finally:
        (broken / "run.db").unlink()
        broken.rmdir()


def test_a_finished_run_streams_its_state_and_ends(reading: TestClient) -> None:
    lines = reading.get("/api/runs/panel/stream").text
    assert "event: step" in lines and '"state": "finished"' in lines
    again = reading.get("/api/runs/panel/stream", headers={"Last-Event-ID": "9999"}).text
    assert "event: step" not in again


def test_an_agent_answers_without_touching_the_record(
    served: Path, client: Callable[..., TestClient]
) -> None:
    writing = client(write=True)
    agent = writing.get("/api/runs/panel").json()["surfaces"][0]["agents"][0][0]
    before = (served / "panel" / "manifest.json").read_bytes()
    asked = {"agent": agent, "question": "What moved you?"}
    answer = writing.post("/api/runs/panel/ask", json=asked, headers=WRITE).json()
    assert answer["answers"][0]["agent"] == agent and answer["answers"][0]["answer"]
    assert (served / "panel" / "manifest.json").read_bytes() == before
    assert writing.get("/api/runs/panel/check").json()["ok"]
