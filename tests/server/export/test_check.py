"""The pages of an export are made again from its rows:
a forged one is named, whatever hashes were renewed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.hashing import sha256
from openiir.runs import types
from openiir.server.export import write
from openiir.server.export.blocks import RECORD, pack_json, read_export, read_values, unpack
from openiir.server.export.check import check_export, find_difference
from openiir.server.export.write import write_export

GOLDEN = Path(__file__).parents[2] / "golden"


def forge(page: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Write an export with changed blocks, whose list of hashes was renewed."""
    before = read_export(page)
    blocks = {key: unpack(packed) for key, packed in before.items() if "/tables/" not in key or RECORD in key}
    change(blocks)
    after = {key: pack_json(value) for key, value in blocks.items()}
    head = blocks[RECORD]
    head["blocks"] = {key: sha256(after.get(key, before[key])) for key in before if key != RECORD}
    after[RECORD] = pack_json(head)
    text = page.read_text("utf-8")
    for key, packed in after.items():
        text = text.replace(f">{before[key]}<", f">{packed}<")
    target.write_text(text, "utf-8")
    return target


def change_text(value: Any, old: str, new: str) -> Any:
    """Replace a text wherever it stands in a value."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [change_text(one, old, new) for one in value]
    return (
        {key: change_text(one, old, new) for key, one in value.items()} if isinstance(value, dict) else value
    )


@pytest.mark.parametrize("name", ["by-model-standard", "feed", "conversational", "generations"])
def test_pages_that_nobody_changed_are_made_again_alike(name, exported):
    found = check_export(exported(name))
    assert (found.list_changes(), found.unchecked, found.made) == ([], "", {})


def test_a_forged_utterance_is_named(exported, openiir, tmp_path):
    """Its text is changed wherever pages show it, and every hash of the list is renewed."""
    page = exported("by-model-standard")
    key = "runs/by-model-standard/surfaces/transcript"
    told = dict(read_values(read_export(page), page))[key]["body"]["entries"]
    said = max((entry["text"] for entry in told), key=len)[:40]

    def change(blocks):
        for name in blocks:
            if name.startswith("runs"):
                blocks[name] = change_text(blocks[name], said, "What I never said.")

    forged = forge(page, tmp_path / "forged.html", change)
    assert not check_export(forged).record.list_changes(), "its hashes are right"
    verified = openiir("verify", forged)
    assert verified.code == 1 and verified.out.splitlines()[0].startswith("changed: ")
    assert (
        "views" in verified.out.splitlines()[0]
        and "What I never said." in verified.out
        and key in verified.out
    )


@pytest.mark.parametrize(
    ("key", "path", "kind"),
    [
        ("runs/by-model-standard/measures", (0, "value"), "overview"),
        ("runs/by-model-standard", ("study", "seed"), "overview"),
        ("runs/by-model-standard/questions/", ("*", "messages"), "questions"),
        ("runs/by-model-standard/questions/", ("*", "replies"), "questions"),
        ("runs/by-model-standard/chunks/", ("*", "text"), "passages"),
        ("runs/by-model-standard/agents/", ("*", "debits"), "agents"),
    ],
)
def test_whatever_else_is_forged_is_named(key, path, kind, exported, tmp_path):
    def change(blocks):
        name = next(name for name in blocks if name.startswith(key))
        value = blocks[name]
        for part in path[:-1]:
            value = next(iter(value.values())) if part == "*" else value[part]
        value[path[-1]] = 12345 if not isinstance(value[path[-1]], list | str) else []

    found = check_export(forge(exported("by-model-standard"), tmp_path / "forged.html", change))
    assert found.list_changes() == [kind] and not found.unchecked


def test_where_views_cannot_be_made_again_nothing_is_called_intact(exported, openiir, monkeypatch, tmp_path):
    page = exported("feed")
    with monkeypatch.context() as patched:
        patched.setattr("openiir.__version__", "9.9")
        assert "is 9.9" in expect_unchecked(openiir("verify", page))
    with monkeypatch.context() as patched:
        patched.setattr(types, "find_type", refuse_type)
        patched.setattr("openiir.runs.post_run.find_type", refuse_type)
        assert "not installed" in expect_unchecked(openiir("verify", page))
    monkeypatch.setattr(write, "TABLES", 100)
    folder = shutil.copytree(GOLDEN / "feed", tmp_path / "feed")
    write_export(folder, tmp_path / "short.html")
    assert "leaves out tables" in expect_unchecked(openiir("verify", tmp_path / "short.html"))
    write_export(folder, tmp_path / "whole.zip")
    assert openiir("verify", tmp_path / "whole.zip").out.startswith("intact, unsigned")
    write_export(folder, tmp_path / "bare.html", ("sources",))
    assert "are left out" in expect_unchecked(openiir("verify", tmp_path / "bare.html"))


def refuse_type(name: str) -> Any:
    from openiir.core.errors import InputError

    raise InputError(f"the type {name} is not installed")


def expect_unchecked(told: Any) -> str:
    first: str = told.out.splitlines()[0]
    assert told.code == 0 and first.startswith("views not checked: ") and "intact" not in told.out
    return first


def test_a_difference_is_said_with_its_place():
    shown = {"a": [1, {"b": 0.1 + 0.2}], "c": "x"}
    assert find_difference(shown, {"a": [1, {"b": 0.3}], "c": "x"}) == ""
    assert find_difference(shown, {"a": [1, {"b": 0.4}], "c": "x"}).startswith("a: no. 2: b: 0.3")
    assert find_difference(shown, {"a": [1], "c": "x"}) == "a: 2 entries, 1 are made"
    assert find_difference(shown, {"a": [1, {"b": 0.3}]}) == "c is not there"
    assert find_difference({"a": [1, {"b": 0.3}]}, shown) == "c is left out"
    assert find_difference({"a": 1}, {"a": 1, "c": 3}, frozenset("c")) == ""
    assert find_difference({"a": 1, "c": 2}, {"a": 1, "c": 3}, frozenset("c")) == ""
    assert find_difference(True, 1) and find_difference(None, 0)
