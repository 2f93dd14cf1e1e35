"""Questions to agents of finished runs and verdicts on their statements go to the after-file, and no
further."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from openiir.core.storage import AfterFile, RunFile
from openiir.runs.run_io import open_checked
from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access
from openiir.testing.offline import run_offline

WRITE = {"X-Openiir": "1", "Authorization": "Bearer a-token"}
STUDIES = {
    "panel": ("seed=5",),
    "recommender": ("config.users=3", "config.page={ most = 2 }"),
    "conversational": ("config.dialogues=2", "config.judge={ dialogues = 0 }"),
    "curated_feed": ("config.users=40", "config.weeks=2", "config.promoted=3"),
    "social_media": ("config.members=60", "config.followees=8", "config.rounds=10"),
}


@pytest.fixture
def panel(served):
    """The panel of the served folder, which has no after-file yet."""
    return served / "panel"


@pytest.fixture
def writing(client):
    one = client(write=True)
    one.headers.update(WRITE)
    return one


def content_of(folder: Path) -> str:
    """The content hash, computed anew from the record."""
    with open_checked(folder, finished=True) as run:
        return str(run.state("content"))


def agents_of(server: TestClient, run: str) -> list[str]:
    return [id for id, _ in server.get(f"/api/runs/{run}").json()["people"]]


def test_an_answer_comes_with_its_prompt_and_is_kept(writing, panel):
    before = content_of(panel), (panel / "run.db").read_bytes()
    agent = agents_of(writing, "panel")[0]
    assert writing.get("/api/runs/panel/interviews").json() == {"interviews": []}
    assert not (panel / "after.db").exists(), "looking makes no file"
    body = {"agent": agent, "question": "What of the buses?", "thread": "t1"}
    (answer,) = writing.post("/api/runs/panel/ask", json=body).json()["answers"]
    assert answer["agent"] == agent and answer["by"] == "offline" and answer["answer"]
    assert [one["role"] for one in answer["prompt"]] == ["system", "user"]
    assert "What of the buses?" in answer["prompt"][1]["text"]
    (kept,) = writing.get("/api/runs/panel/interviews").json()["interviews"]
    assert (kept["agent"], kept["reply"], kept["thread"]) == (agent, answer["answer"], "t1")
    assert kept["given"] and kept["prompt"] == answer["prompt"]
    assert (content_of(panel), (panel / "run.db").read_bytes()) == before


def test_a_follow_up_knows_its_thread_and_no_other(writing, panel):
    one, other = agents_of(writing, "panel")[:2]

    def ask(agent, question, thread):
        body = {"agent": agent, "question": question, "thread": thread}
        answers = writing.post("/api/runs/panel/ask", json=body).json()["answers"]
        return str(answers[0]["prompt"][1]["text"])

    ask(one, "What of the buses?", "t1")
    assert 'you were asked "What of the buses?" and answered "' in ask(one, "And why?", "t1")
    assert "buses" not in ask(one, "And why?", "t2").partition("Now you are asked")[2]
    assert "buses" not in ask(other, "And why?", "t1").partition("Now you are asked")[2]
    assert 'asked "What of the buses?"' not in ask(one, "And why?", "")


def test_everybody_is_asked_at_once(writing, panel):
    asked = writing.post("/api/runs/panel/ask", json={"agent": "all", "question": "Why?"}).json()
    assert [one["agent"] for one in asked["answers"]] == agents_of(writing, "panel")
    with AfterFile(panel, content_of(panel)) as after:
        assert len(after.interviews()) == len(asked["answers"])


def test_the_room_of_a_run_opens_once_until_the_run_is_another(writing, panel, monkeypatch):
    checked: list[Path] = []
    monkeypatch.setattr(
        "openiir.runs.interviews.open_checked",
        lambda folder, **how: checked.append(folder) or open_checked(folder, **how),
    )
    body = {"agent": agents_of(writing, "panel")[0], "question": "Why?"}
    for _ in range(3):
        assert writing.post("/api/runs/panel/ask", json=body).status_code == 200
    assert len(checked) == 1
    (panel / "run.db").touch()
    assert writing.post("/api/runs/panel/ask", json=body).status_code == 200
    assert len(checked) == 2


@pytest.mark.parametrize("type", STUDIES)
def test_agents_of_every_type_answer_and_their_statements_are_judged(type, tmp_path):
    made = run_offline(type, tmp_path / "made", *STUDIES[type])
    made.run.close()
    (tmp_path / "runs").mkdir()
    folder = Path(shutil.move(made.folder, tmp_path / "runs" / "one"))
    before = content_of(folder)
    app = build_app(tmp_path / "runs", Access(token="a-token", write=True), Settings())
    with TestClient(app, base_url="http://127.0.0.1:8317", headers=WRITE) as server:
        agent = agents_of(server, "one")[0]
        asked = {"agent": agent, "question": "What did you think of it?"}
        (answer,) = server.post("/api/runs/one/ask", json=asked).json()["answers"]
        assert answer["answer"], answer
        found = server.get("/api/runs/one/validations", params={"agent": agent}).json()
        if (
            type == "curated_feed"
        ):  # of readers answered for by the behaviour model alone, nothing is on record
            assert found["statements"] == []
            return
        statement = found["statements"][0]
        assert statement["text"] and statement["verdicts"] == []
        verdict = {"agent": agent, "statement": statement["id"], "verdict": "disagree", "person": "Ada"}
        told = server.post("/api/runs/one/validate", json={**verdict, "comment": "no"}).json()
        (given,) = told["statements"][0]["verdicts"]
        assert (given["person"], given["verdict"], given["comment"]) == ("Ada", "disagree", "no")
    assert content_of(folder) == before


def test_of_each_person_the_last_verdict_counts(writing, panel):
    agent = agents_of(writing, "panel")[0]
    statements = writing.get("/api/runs/panel/validations", params={"agent": agent}).json()["statements"]
    one, other = (statement["id"] for statement in statements[:2])

    def judge(person, statement, verdict, of=agent):
        body = {"agent": of, "statement": statement, "verdict": verdict, "person": person}
        return dict(writing.post("/api/runs/panel/validate", json=body).json())

    judge("Ada", one, "agree")
    judge("Ada", one, "disagree")
    judge("Bo", one, "disagree")
    judge("Ada", other, "agree")
    judge("Bo", other, "unsure")
    found = judge("Cy", other, "disagree")
    assert found["agreement"] == {
        "statements": 2,
        "people": 3,
        "agree": 1,
        "disagree": 3,
        "unsure": 1,
        "shared": 2,
        "same": 0.5,
    }
    (reported, *_) = writing.get("/api/runs/panel/validations").json()["statements"]
    told = judge("Ada", reported["id"], "agree", of="")
    assert told["judged"] == ["", agent] and len(told["statements"][0]["verdicts"]) == 1  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({"agent": "nobody", "statement": "k001", "verdict": "agree", "person": "Ada"}, 404, "nobody"),
        ({"agent": "", "statement": "k999", "verdict": "agree", "person": "Ada"}, 404, "k999"),
        ({"agent": "", "statement": "k001", "verdict": "perhaps", "person": "Ada"}, 422, "verdict"),
        ({"agent": "", "statement": "k001", "verdict": "agree", "person": ""}, 422, "person"),
    ],
)
def test_a_verdict_on_nothing_is_refused(body, code, words, writing, panel):
    answer = writing.post("/api/runs/panel/validate", json=body)
    assert answer.status_code == code and words in answer.text
    assert not (panel / "after.db").exists()


def test_a_reading_server_shows_verdicts_and_takes_none(reading, panel):
    body = {"agent": "", "statement": "k001", "verdict": "agree", "person": "Ada"}
    assert reading.post("/api/runs/panel/validate", json=body, headers=WRITE).status_code == 405
    assert reading.get("/api/runs/panel/validations").json()["agreement"]["statements"] == 0
    with RunFile.open(panel) as run:
        assert run.state("status") == "done"
    assert not (panel / "after.db").exists()
