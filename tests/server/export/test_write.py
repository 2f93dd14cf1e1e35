"""A run as one page: its data answer what the viewer asks for, and what is left out is nowhere in it."""

import errno
import os
import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from openiir.core.errors import InputError
from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.export import answers
from openiir.server.export.blocks import read_export, read_values
from openiir.server.export.write import write_export
from openiir.server.guard import Access

SMALL = "recommender-personas"
"""The golden run that is exported soonest, for tests that look at no page of it."""


def read_page(page: Path) -> dict[str, Any]:
    """The data of an exported page, by key."""
    return dict(read_values(read_export(page), page))


def test_a_page_holds_what_the_server_would_answer(served, reading, tmp_path):
    size = write_export(served / "panel", tmp_path / "run.html")
    assert size == (tmp_path / "run.html").stat().st_size
    data = read_page(tmp_path / "run.html")
    assert data["runs"]["runs"][0]["id"] == "panel" and data["runs/panel"]["checked"]["ok"]
    for key in ("surfaces/transcript", "surfaces/graph", "questions"):
        assert data[f"runs/panel/{key}"] == reading.get(f"/api/runs/panel/{key}?limit=500").json()
    agent = data["runs/panel"]["surfaces"][0]["agents"][0][0]
    assert data[f"runs/panel/surfaces/stances?agent={agent}"]["body"]["lines"]
    for entry in data["runs/panel/surfaces/transcript"]["body"]["entries"]:
        assert not entry["of"] or f"runs/panel/questions/{entry['of']}" in data
        assert all(f"runs/panel/chunks/{cite['world']}/{cite['chunk']}" in data for cite in entry["cites"])


def test_prompts_of_offline_questions_are_written_from_their_facts(served, tmp_path):
    write_export(served / "panel", tmp_path / "run.html")
    data = read_page(tmp_path / "run.html")
    cards = data["runs/panel/questions"]["questions"]
    pages = [data[f"runs/panel/questions/{card['place']}"] for card in cards]
    assert len(pages) > 50
    assert all(page["restored"] and page["messages"] and page["replies"] for page in pages)


def test_of_each_kind_so_many_computed_prompts_are_exported_evenly(served, tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "PROMPTS", 5)
    write_export(served / "panel", tmp_path / "run.html")
    data = read_page(tmp_path / "run.html")
    cards = data["runs/panel/questions"]["questions"]
    held = [card for card in cards if f"runs/panel/questions/{card['place']}" in data]
    kinds = Counter(card["kind"] for card in cards)
    assert max(kinds.values()) > 5
    assert Counter(card["kind"] for card in held) == {kind: min(n, 5) for kind, n in kinds.items()}
    for kind in (kind for kind, count in kinds.items() if count > 5):
        places = [n for n, card in enumerate(c for c in cards if c["kind"] == kind) if card in held]
        gaps = [later - one for one, later in pairwise([*places, kinds[kind]])]
        assert places[0] == 0 and max(gaps) - min(gaps) <= 1


def test_what_is_left_out_is_nowhere(served, tmp_path):
    write_export(served / "panel", tmp_path / "run.html", ("prompts", "personas", "sources"))
    data = read_page(tmp_path / "run.html")
    assert data["runs/panel"]["left_out"] == ["personas", "prompts", "sources"]
    shown = [key for key in data if key.startswith("runs/")]
    assert shown and not any("/questions" in key or "/chunks/" in key for key in shown)
    personas = [value["persona"] for key, value in data.items() if "/agents/" in key]
    assert personas and all(set(persona) == {"id", "name"} for persona in personas)


def test_the_same_run_gives_the_same_page_closed_to_the_network(served, tmp_path):
    for name in ("a.html", "b.html"):
        write_export(served / "feed", tmp_path / name, ("prompts",))
    text = (tmp_path / "a.html").read_text("utf-8")
    assert text == (tmp_path / "b.html").read_text("utf-8")
    assert "default-src 'none'" in text and text.count("<script>") == 1
    assert not re.search(r"\b(?:src|href)=", text.partition("<script>")[0])


@pytest.mark.parametrize("name", ["run.html", "run.zip", "run"])
def test_a_full_disk_leaves_no_half_of_an_export(name, golden, tmp_path, monkeypatch):
    written: list[int] = []
    write = Path.write_bytes

    def fill(path, content):
        written.append(write(path, content[:100]))
        if len(written) > 2 or name == "run.html":
            raise OSError(errno.ENOSPC, "No space left on device")
        return 100

    def fill_zip(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    monkeypatch.setattr("zipfile.ZipFile.writestr", fill_zip)
    with pytest.raises(InputError, match=r"cannot be written \(No space left"):
        write_export(golden(SMALL), tmp_path / name, ("prompts",))
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    write_export(golden(SMALL), tmp_path / name, ("prompts",))
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["run.html", "run.zip", "run"])
def test_a_place_within_a_file_is_refused(name, golden, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_export(golden(SMALL), tmp_path / "file" / name, ("prompts",))


def test_another_ending_is_refused(served, tmp_path):
    with pytest.raises(InputError, match=r"end the name in \.html or \.zip"):
        write_export(served / "panel", tmp_path / "run.json")


def test_a_run_in_a_folder_that_is_not_named_in_utf_8_is_listed_and_exported(served, tmp_path):
    root = tmp_path / "odd"
    for name in (os.fsdecode(b"r\xff"), "plain"):
        shutil.copytree(served / "feed", root / name)
    with TestClient(build_app(root, Access(token="t"), Settings()), base_url="http://127.0.0.1:8317") as odd:
        odd.headers.update({"Authorization": "Bearer t", "X-Openiir": "1"})
        listed = odd.get("/api/runs").json()["runs"]
        assert [card["id"] for card in listed] == ["plain", r"r\xff"]
        assert odd.get("/api/runs/r%5Cxff").json()["state"] == "finished"
    write_export(root / os.fsdecode(b"r\xff"), tmp_path / "page.html")
    assert "r\\xff" in (tmp_path / "page.html").read_text()
    data = read_page(tmp_path / "page.html")
    first = data[r"runs/r\xff/surfaces/feed"]
    assert first["next"] is None or rf"runs/r\xff/surfaces/feed?after={first['next']}" in data
