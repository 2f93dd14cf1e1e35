"""What the server tells a reader of runs:
passages behind marks, what a check covered, unpaired differences, rows."""

import json
import shutil
from pathlib import Path

import pytest

from openiir.core.storage import Log, RunFile
from openiir.runs.compare import compare
from openiir.server.comparing import comparison_json
from openiir.server.event_cards import LETTERS, PARTS, event_words
from openiir.server.lookups import find_numbered_passages
from openiir.testing.offline import run_offline


def test_numbers_of_a_prompt_lead_to_the_passages_that_were_looked_up(reading, served):
    with RunFile.open(served / "panel") as run:
        lookup = next(Log(run).events("lookup"))
        speaks = [event for event in Log(run).events("asked") if event.payload["question"] == "panel.speak"]
    asked = next(event for event in speaks if event.actor == lookup.actor and event.seq > lookup.seq)
    found = reading.get(f"/api/runs/panel/questions/{asked.seq}").json()
    assert {world for world, _ in found["passages"].values()} == {lookup.payload["world"]}
    assert {chunk for _, chunk in found["passages"].values()} <= set(lookup.payload["chunks"])
    for number, (world, chunk) in found["passages"].items():
        text = reading.get(f"/api/runs/panel/chunks/{world}/{chunk}").json()["text"]
        listed = f"[{number}] {' '.join(text.split())[:40]}"
        assert any(listed in " ".join(message["text"].split()) for message in found["messages"])


def test_neighbours_of_a_passage_are_of_its_source(reading, served):
    with RunFile.open(served / "panel") as run:
        chunks = [chunk for chunk in Log(run).chunks() if chunk.world == "main"]
    ends = [n for n, chunk in enumerate(chunks[1:]) if chunk.source != chunks[n].source]
    inner = [n for n, chunk in enumerate(chunks[1:]) if chunk.source == chunks[n].source]
    assert ends and inner
    told = [reading.get(f"/api/runs/panel/chunks/main/{chunk.id}").json() for chunk in chunks]
    for n in ends:
        assert (told[n]["after"], told[n + 1]["before"]) == ("", "")
    for n in inner:
        assert (told[n]["after"], told[n + 1]["before"]) == (chunks[n + 1].text, chunks[n].text)


def test_marks_that_number_no_passage_lead_nowhere(served):
    with RunFile.open(served / "panel") as run:
        chunk = Log(run).chunks()[0]
        texts = [
            f"[1] {chunk.text}\n[2] a passage of another run\nas in [3] and [4]",
            f"[5] (read before) {chunk.text}",
        ]
        passage = chunk.world, chunk.id
        assert find_numbered_passages(run, texts) == {"1": passage, "5": passage}
        assert find_numbered_passages(run, ["no list"]) == {}


def test_a_check_tells_the_rows_of_each_section(reading, served):
    counts = json.loads((served / "panel/manifest.json").read_text())["counts"]
    rows = reading.get("/api/runs/panel/check").json()["rows"]
    assert rows["study"] == 1 and rows["events"] == counts["event"] > 100
    assert (rows["claims"], rows["chunks"]) == (counts["claim"], counts["chunk"])


def test_a_card_counts_the_rows_of_tables(reading, served):
    card = reading.get("/api/runs/feed").json()
    with RunFile.open(served / "feed") as run:
        (rows,) = run.db.execute("select sum(rows) from part").fetchone()
    assert card["rows"] == rows > card["events"]


def test_runs_of_different_types_are_refused(reading):
    refused = reading.get("/api/compare", params={"run": ["panel", "feed"]})
    assert refused.status_code == 400
    assert refused.json()["detail"].startswith(
        "'panel' (panel) and 'feed' (curated_feed) are of different types"
    )


@pytest.fixture(scope="module")
def feeds(tmp_path_factory):
    """Small feeds: one ranker with two seeds, and another ranker with a third."""
    found = {}
    for name, *keys in (("a", "seed=1"), ("b", "seed=2"), ("c", "seed=3", 'config.ranker="history"')):
        made = run_offline(
            "curated_feed", tmp_path_factory.mktemp(name), "config.users=20", "config.weeks=2", *keys
        )
        made.run.close()
        found[name] = made.folder
    return found


def test_one_setting_is_told_by_seed(feeds):
    compared = compare([feeds["a"], feeds["b"]])
    told = comparison_json(compared, Path("/"))
    assert told["by_seed"] and not told["paired"]
    for one, measure in zip(told["measures"], compared.measures, strict=True):
        assert [line["arm"] for line in one["lines"]] == ["seed 1", "seed 2"]
        assert [line["value"] for line in one["lines"]] == [point.value for point in measure.arms[0].points]


def test_arms_without_a_shared_seed_differ_unpaired(feeds):
    told = comparison_json(compare([feeds["a"], feeds["c"]]), Path("/"))
    assert len(told["arms"]) == 2 and not told["paired"]
    lines = [one["lines"] for one in told["measures"] if None not in [line["value"] for line in one["lines"]]]
    assert any(other["difference"] for _, other in lines)
    assert all(other["difference"] == other["value"] - base["value"] for base, other in lines)
    assert all(other["low"] is None and other["reason"] is None for _, other in lines)


def test_fields_of_an_event_stay_json_however_long_they_are():
    payload = {"items": [{"reason": "x" * 2 * LETTERS, "n": n} for n in range(3 * PARTS)], "gone": 1}
    told = json.loads(event_words(payload))
    assert told["gone"] == 1 and told["items"][PARTS] == f"… and {2 * PARTS} more"
    assert told["items"][0] == {"reason": f"{'x' * LETTERS} …", "n": 0}
    assert event_words({"text": "as said", "n": 1}) == "as said"


def test_an_export_holds_the_passages_that_prompts_number(served, tmp_path):
    from openiir.runs.settings import Settings
    from openiir.server.export.answers import collect_answers
    from openiir.server.reading import Reader

    shutil.copytree(served / "panel", tmp_path / "panel")
    reader = Reader(tmp_path, Settings())
    data = dict(collect_answers(reader, "panel"))
    numbered = {
        f"runs/panel/chunks/{world}/{chunk}"
        for key, found in data.items()
        if key.startswith("runs/panel/questions/")
        for world, chunk in found["passages"].values()
    }
    assert numbered and numbered <= data.keys()
    without = dict(collect_answers(reader, "panel", ["sources"]))
    assert not any("/chunks/" in key for key in without)
    assert not any(
        found["passages"] for key, found in without.items() if key.startswith("runs/panel/questions/")
    )
