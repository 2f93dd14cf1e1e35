"""What the server tells of a run is what the run holds."""

import itertools
import shutil
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.storage import Log, RunFile
from openiir.runs.catalogue import read_card
from openiir.runs.settings import Settings
from openiir.server.reading import Reader
from openiir.testing.offline import run_offline

GOLDEN = Path(__file__).parents[1] / "golden"
WRITE = {"X-Openiir": "1", "Authorization": "Bearer a-token"}


def test_runs_are_listed_with_their_state(reading):
    found = {card["id"]: card for card in reading.get("/api/runs").json()["runs"]}
    assert set(found) == {"panel", "feed"}
    assert found["panel"]["state"] == "finished" and found["panel"]["content"].startswith("sha256:")
    assert found["panel"]["steps"] > 1 and found["panel"]["events"] > 20


def test_a_run_says_what_it_can_show(reading):
    run = reading.get("/api/runs/panel").json()
    surfaces = {one["name"]: one for one in run["surfaces"]}
    assert list(surfaces) == ["graph", "stances", "report", "transcript", "activity"]
    assert run["about"].startswith("A small group of personas")
    assert surfaces["transcript"]["live"] == "append" and surfaces["transcript"]["help"].endswith(".")
    assert reading.get("/api/runs/panel/measures").json()[0]["name"] and run["study"]["type"] == "panel"
    assert str(Path.cwd()) not in reading.get("/api/runs/panel").text


def test_pages_of_a_surface_join_to_the_whole(reading):
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


def test_every_surface_of_every_run_is_given(reading):
    for run in ("panel", "feed"):
        for surface in reading.get(f"/api/runs/{run}").json()["surfaces"]:
            page = reading.get(f"/api/runs/{run}/surfaces/{surface['name']}").json()
            assert page["form"] == surface["form"] and len(page["digest"]) == 64


def test_an_entry_leads_to_its_question_and_its_source(reading, served):
    entries = reading.get("/api/runs/panel/surfaces/transcript").json()["body"]["entries"]
    entry = next(one for one in entries if one["cites"])
    question = reading.get(f"/api/runs/panel/questions/{entry['of']}").json()
    assert question["asker"] == entry["agent"] and question["kind"] == "panel.speak"
    assert question["restored"] and [one["role"] for one in question["messages"]] == ["system", "user"]
    assert question["schema"]["type"] == "object" and question["shadow"] is None
    assert [(one["answerer"], one["usable"]) for one in question["replies"]] == [("offline", True)]
    cite = entry["cites"][0]
    passage = reading.get(f"/api/runs/panel/chunks/{cite['world']}/{cite['chunk']}").json()
    assert passage["text"][cite["start"] : cite["end"]]
    with RunFile.open(served / "panel") as run:
        claims = {claim.id for claim in Log(run).claims()}
    assert {one["entry"] for one in passage["cited"]} <= claims


def test_an_agent_has_its_own_page(reading):
    agent = reading.get("/api/runs/panel").json()["surfaces"][0]["agents"][0][0]
    page = reading.get(f"/api/runs/panel/agents/{agent}", params={"limit": 5}).json()
    assert page["persona"]["id"] == agent and page["asked"] > 0 and len(page["events"]) == 5
    after = reading.get(f"/api/runs/panel/agents/{agent}", params={"after": page["next"]}).json()
    assert after["events"][0]["seq"] > page["events"][-1]["seq"]
    asked = reading.get("/api/runs/panel/questions", params={"asker": agent}).json()
    assert {one["asker"] for one in asked["questions"]} == {agent}


def test_a_lookup_tells_the_scores_by_part(reading, served):
    where = "/api/runs/panel/worlds/main/lookup"
    found = {
        mode: reading.get(where, params={"query": "assessors and labels", "mode": mode, "k": 5}).json()
        for mode in ("hybrid", "rerank", "keyword", "vector")
    }
    best_bm25 = max(hit["bm25"] for hit in found["keyword"]["hits"])
    best_cosine = max(hit["cosine"] for hit in found["vector"]["hits"])
    weight = found["hybrid"]["weight"]
    for hit in found["hybrid"]["hits"]:
        mixed = weight * hit["bm25"] / best_bm25 + (1 - weight) * max(0, hit["cosine"]) / best_cosine
        assert hit["score"] == pytest.approx(mixed, abs=1e-5)
    assert all(hit["score"] == hit["bm25"] and hit["cosine"] is None for hit in found["keyword"]["hits"])
    assert all(hit["score"] == hit["cosine"] for hit in found["vector"]["hits"])
    with RunFile.open(served / "panel") as run:
        looked = next(e for e in Log(run).events("lookup") if e.payload["world"] == "main")
        persona = next(one for one in run.personas() if one.id == looked.actor)
    query = {"query": looked.payload["query"], "mode": persona.retrieval, "k": len(looked.payload["chunks"])}
    again = reading.get(where, params=query).json()["hits"]
    assert [hit["chunk"] for hit in again] == looked.payload["chunks"], "as the agent found them in the run"
    for wrong, words in (({"query": "x", "mode": "best"}, "mode"), ({"query": ""}, "query")):
        answer = reading.get(where, params=wrong)
        assert answer.status_code == 422 and words in answer.text
    assert reading.get("/api/runs/panel/worlds/mane/lookup", params={"query": "x"}).status_code == 404


def test_a_type_tells_its_settings_with_help_texts(reading):
    schema = reading.get("/api/schema/panel").json()
    assert schema["config"]["properties"]["mu"]["description"].startswith("How far a hearer moves")
    assert reading.get("/api/schema/pannel").status_code == 404
    events = reading.get("/api/schema/curated_feed").json()["events"]
    assert events["inject"]["required"] == ["items", "topic", "valence"]


def test_mistakes_are_answered_in_words(reading):
    for path, words in (
        ("surfaces/transkript", "transcript"),
        ("agents/nobody", "nobody"),
        ("questions/999999", "999999"),
        ("chunks/main/c9999", "c9999"),
        ("surfaces/transcript?after=x", "cursor"),
    ):
        answer = reading.get(f"/api/runs/panel/{path}")
        assert answer.status_code in (400, 404) and words in answer.json()["detail"]


def test_a_damaged_run_is_listed_as_such(served, client):
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


def test_a_run_that_goes_while_it_is_read_stops_no_list(served, monkeypatch):
    """Somebody deletes its folder after its database was found."""
    find, looks = Path.stat, itertools.count()

    def lose(path, **options):
        if path.name == "run.db" and path.parent.name == "panel" and next(looks) > 2:
            raise FileNotFoundError(2, "No such file or directory")
        return find(path, **options)

    monkeypatch.setattr(Path, "stat", lose)
    assert read_card("panel", served / "panel").state == "damaged"
    assert read_card("feed", served / "feed").state == "finished"


def test_a_finished_run_streams_its_state_and_ends(reading):
    lines = reading.get("/api/runs/panel/stream").text
    assert "event: step" in lines and '"state": "finished"' in lines
    again = reading.get("/api/runs/panel/stream", headers={"Last-Event-ID": "9999"}).text
    assert "event: step" not in again


def test_an_agent_answers_without_touching_the_record(served, client):
    writing = client(write=True)
    agent = writing.get("/api/runs/panel").json()["surfaces"][0]["agents"][0][0]
    before = (served / "panel" / "manifest.json").read_bytes()
    asked = {"agent": agent, "question": "What moved you?"}
    answer = writing.post("/api/runs/panel/ask", json=asked, headers=WRITE).json()
    assert answer["answers"][0]["agent"] == agent and answer["answers"][0]["answer"]
    assert (served / "panel" / "manifest.json").read_bytes() == before
    assert writing.get("/api/runs/panel/check").json()["ok"]


def test_search_finds_what_was_said_and_where_it_is_shown(reading):
    entries = reading.get("/api/runs/panel/surfaces/transcript").json()["body"]["entries"]
    place, entry = next((n, one) for n, one in enumerate(entries) if one["agent"] and len(one["text"]) > 40)
    words = [word for word in entry["text"].replace("'", " ").split() if word.isalnum()]
    found = reading.get("/api/runs/panel/search", params={"q": " ".join(words[:9]), "limit": 500}).json()
    hit = next(one for one in found["hits"] if one["ref"] == entry["id"])
    assert (hit["kind"], hit["view"], hit["place"]) == ("event", "transcript", place)
    assert hit["actor"] == entry["agent"] and hit["step"] == entry["step"]


def test_search_takes_all_words_the_last_unfinished_page_by_page(reading):
    def ask(words, **more):
        answer = reading.get("/api/runs/panel/search", params={"q": words, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    name = reading.get("/api/runs/panel").json()["people"][0][1]
    first, *_ = ask(name)["hits"]
    assert first["kind"] == "agent" and first["view"] is None
    assert ask(name[:-1])["total"] >= ask(name)["total"] > 0
    assert ask(f"{name} xylophone")["total"] == 0
    questions = ask("panel speak", limit=3)
    assert questions["total"] > 3 and len(questions["hits"]) == 3
    more = ask("panel speak", limit=3, after=questions["next"])["hits"]
    assert not {one["ref"] for one in more} & {one["ref"] for one in questions["hits"]}
    asker = ask("panel speak", kind="question")["hits"][0]["actor"]
    own = ask("panel", kind="question", agent=asker)["hits"]
    assert own and {(one["kind"], one["actor"]) for one in own} == {("question", asker)}
    assert ask("panel speak", kind="claim")["total"] == 0
    for odd in ('"', "* OR", "NEAR(", "-", "", "ünï ☃", "a" * 200):
        ask(odd)


def test_a_card_names_what_differs_from_the_reference_study(tmp_path):
    study = {
        "type": "curated_feed",
        "seed": 3,
        "config": {"users": 30, "weeks": 3, "kept": 0},
        "change": [{"step": 2, "set": {"ranker": "random"}}],
    }
    run_offline(study, tmp_path / "changed").run.close()
    changed = dict(read_card("run", tmp_path / "changed" / "run").changed)
    assert changed["ranker from step 2"] == '"random"'
    assert changed["weeks"] == "3"


def test_an_agents_page_leaves_defaults_and_the_budget_out_of_the_persona(reading):
    agent = reading.get("/api/runs/panel").json()["people"][0][0]
    page = reading.get(f"/api/runs/panel/agents/{agent}").json()
    assert page["tokens"] > 0 and not {"tokens", "traits", "memory"} & page["persona"].keys()
    assert {"id", "name", "bio", "stance"} <= page["persona"].keys()


def test_nobody_can_be_asked_in_a_run_without_personas(reading, tmp_path):
    sets = ("config.users=30", "config.weeks=1", "config.kept=0")
    run_offline("curated_feed", tmp_path / "crowd", *sets).run.close()
    reader = Reader(tmp_path / "crowd", Settings(cache=tmp_path / "cache"))
    assert reader.describe("run")["interviews"] == []
    assert reading.get("/api/runs/panel").json()["interviews"]
    with pytest.raises(InputError, match="names no personas"):
        reader.agent("run", "user-000001", 0, 5)


def test_questions_of_one_kind_at_one_step_differ_by_what_they_are_about(served, tmp_path):
    shutil.copytree(GOLDEN / "conversational", tmp_path / "talks")
    cards = Reader(tmp_path, Settings(cache=tmp_path / "cache")).questions("talks", None, None, None, 0, 500)
    told = [(one["step"], one["kind"], one["asker"], one["about"]) for one in cards["questions"]]
    assert len(told) > 50 and len(set(told)) == len(told)
    first = cards["questions"][-1]
    whole = Reader(tmp_path, Settings(cache=tmp_path / "cache")).question("talks", int(first["place"]))
    assert whole["about"] == first["about"]


def test_measures_come_with_label_and_definition(reading):
    found = {one["name"]: one for one in reading.get("/api/runs/panel/measures").json()}
    assert found["ei_index"]["label"] == "E-I index" and "camp" in found["ei_index"]["definition"]
    assert all(one["label"] and one["definition"] for one in found.values())
