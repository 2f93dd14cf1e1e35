"""The record within an export: it verifies as the run does, whatever is left out, and what is left out is
nowhere."""

import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import InputError
from openiir.core.storage import Log, RunFile
from openiir.server.export import write
from openiir.server.export.blocks import PAGE, RECORD, ROWS, pack_json, read_export, read_values, unpack
from openiir.server.export.write import write_export

GOLDEN = Path(__file__).parents[2] / "golden"
LEFT_OUT = {
    "personas": ("llm-assessors", "recommender-visits", "conversational"),
    "sources": ("llm-assessors", "feed-world"),
    "prompts": ("by-model-standard", "llm-assessors"),
}
"""Runs that hold a part, each kind of type once."""
SECTIONS = ["study", "personas", "chunks", "searches", "calls", "events", "claims", "edges", "tables"]
WORD = re.compile(r"\w+")


def read_all(page: Path) -> list[Any]:
    """All that an exported page holds: the data of its pages, and the blocks of its record."""
    blocks = read_export(page)
    kept = [
        unpack(packed) for key, packed in blocks.items() if key.startswith((RECORD, "beside/s", "beside/p"))
    ]
    return [*dict(read_values(blocks, page)).values(), *kept]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(one)


def runs_of_four(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(text.replace("\\n", " ").casefold())
    return set(zip(*(words[n:] for n in range(4)), strict=False))


def personas_of(run: RunFile) -> Iterator[str]:
    for persona in Log(run).personas:
        yield persona.bio
    for event in Log(run).events("recommender.visitor"):
        yield from texts([event.payload["taste"], event.payload["persona"]])


def sources_of(run: RunFile) -> Iterator[str]:
    yield from (chunk.text for chunk in Log(run).chunks())


def prompts_of(run: RunFile) -> Iterator[str]:
    said = runs_of_four(" ".join(json.dumps(event.payload) for event in Log(run).events()))
    for call in run.calls():
        for text in texts(json.loads(call.request)):
            yield from (" ".join(words) for words in runs_of_four(text) - said)


@pytest.mark.parametrize(
    ("part", "name"), [(part, name) for part, names in LEFT_OUT.items() for name in names]
)
def test_what_is_left_out_is_nowhere_and_the_rest_verifies(name, part, openiir, golden, exported, tmp_path):
    folder, page = golden(name), tmp_path / "run.html"
    left = {"personas": personas_of, "sources": sources_of, "prompts": prompts_of}
    assert openiir("export", folder, "--out", page, "--without", part).code == 0
    with RunFile.open(folder) as run:
        gone = set().union(*(runs_of_four(text) for text in left[part](run)))
        if part != "sources":
            gone -= set().union(*(runs_of_four(text) for text in sources_of(run)))
        if part != "personas":
            gone -= set().union(*(runs_of_four(persona.model_dump_json()) for persona in Log(run).personas))
    found = {run for text in texts(read_all(page)) for run in runs_of_four(text)}
    assert gone & found == set()
    told, whole = openiir("verify", page), openiir("verify", folder)
    assert told.code == whole.code == 0
    assert told.out.splitlines()[1:10] == whole.out.splitlines()[1:10]
    if gone and name != "feed-world":  # whose pages show no passage
        held = {run for text in texts(read_all(exported(name))) for run in runs_of_four(text)}
        assert gone & held, "it is in an export from which nothing is left out"


def test_no_word_of_a_persona_remains(openiir, tmp_path):
    """Words that nothing else has, in a bio, a trait and an interest that is looked up."""
    (tmp_path / "source.md").write_text(
        "The quorblex committee counted every vandrilow twice. A vandrilow that is counted once saves the "
        "quorblex "
        "office much money. Nobody trusts a quorblex that was never audited by people who know the trade.\n"
        * 3
    )
    people = "".join(
        f'[[persona]]\nid = "p{n}"\nname = "Person {n}"\nbio = "A zarnuth from Plemmish who counts money and '
        "trusts "
        f'offices number {n}."\nstance = {0.8 - n * 0.7}\ntraits = {{guild = "ombriddle"}}\ninterests = '
        '["zarnuth"]\n'
        for n in range(3)
    )
    (tmp_path / "personas.toml").write_text(people)
    (tmp_path / "study.toml").write_text(
        'type = "panel"\nname = "words"\nseed = 3\npersonas = "personas.toml"\n'
        '[config]\ntopic = "Offices should be counted"\n[world]\nsources = ["source.md"]\n'
    )
    made = openiir("run", tmp_path / "study.toml", "--out", tmp_path / "run")
    assert made.code == 0, made
    page = tmp_path / "run.html"
    assert openiir("export", tmp_path / "run", "--out", page, "--without", "personas").code == 0
    whole = json.dumps(read_all(page)).casefold()
    assert [word for word in ("zarnuth", "plemmish", "ombriddle") if word in whole] == []
    assert openiir("verify", page).code == 0


@pytest.mark.parametrize("form", ["run.html", "folder", "run.zip"])
def test_every_form_of_an_export_verifies_and_its_damage_is_named(form, openiir, own_export):
    place = own_export("llm-assessors", form, "prompts")
    told = openiir("verify", place)
    assert told.code == 0 and told.out.splitlines()[2].split() == ["study", "ok"]
    changes = {
        f"{RECORD}/events/1": lambda rows: [rows[0][:4] + ["eve"] + rows[0][5:], *rows[1:]],
        "runs/llm-assessors/surfaces/transcript": lambda page: {**page, "title": "Another"},
    }
    for (key, change), named in zip(changes.items(), ("events", "views"), strict=True):
        packed = read_export(place)[key]
        replace(place, packed, pack_json(change(unpack(packed))))
        told = openiir("verify", place)
        assert told.code == 1 and named in told.out.splitlines()[0].removeprefix("changed: ").split(", ")


def replace(place: Path, packed: str, other: str) -> None:
    """Write other text in the place of a block of an export."""
    if place.suffix == ".zip":
        with zipfile.ZipFile(place) as archive:
            files = {one: archive.read(one).decode() for one in archive.namelist()}
        with zipfile.ZipFile(place, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text.replace(packed, other))
        return
    for file in [place] if place.is_file() else [*place.rglob("*.js"), place / PAGE]:
        file.write_text(file.read_text("utf-8").replace(packed, other), "utf-8")


@pytest.mark.parametrize("how", ["cut", "text", "encrypted", "folder"])
def test_a_zip_that_cannot_be_read_is_refused_in_words(how, openiir, own_export):
    place = own_export("llm-assessors", "run.zip", "prompts")
    data = bytearray(place.read_bytes())
    if how == "folder":
        place.unlink()
        place.mkdir()
    else:
        for sign in (b"PK\x01\x02", b"PK\x03\x04") if how == "encrypted" else ():
            at = -1
            while (at := data.find(sign, at + 1)) >= 0:
                data[at + (8 if sign[2] == 1 else 6)] |= 1
        place.write_bytes({"cut": data[: len(data) // 2], "text": b"text", "encrypted": data}[how])
    told = openiir("verify", place)
    assert told.code == 2 and "run.zip" in told.err


def test_a_zip_is_read_up_to_the_limit_of_files(limit_inputs, exported):
    place = exported("llm-assessors", "run.zip", "prompts")
    limit_inputs(file_bytes=100_000)
    with pytest.raises(InputError, match="100,000"):
        read_export(place)


def test_a_damaged_file_of_a_zip_is_damage(openiir, own_export):
    place = own_export("llm-assessors", "run.zip", "prompts")
    with zipfile.ZipFile(place) as archive:
        at = next(one.header_offset for one in archive.infolist() if "events-1" in one.filename) + 200
    data = bytearray(place.read_bytes())
    data[at] ^= 255
    place.write_bytes(data)
    assert openiir("verify", place).out.splitlines()[0] == "changed: events"


def test_a_missing_file_of_a_folder_is_damage(openiir, own_export):
    place = own_export("llm-assessors", "folder", "prompts")
    next((place / "data").glob("events-1-*.js")).unlink()
    assert openiir("verify", place).out.splitlines()[0] == "changed: events"


def test_another_content_hash_in_the_page_shows(openiir, own_export):
    page = own_export("feed")
    packed = read_export(page)[RECORD]
    head = {**unpack(packed), "content": "sha256:" + "0" * 64}
    page.write_text(page.read_text("utf-8").replace(packed, pack_json(head)), "utf-8")
    assert openiir("verify", page).out.splitlines()[0] == "changed: content hash"


def test_a_run_of_recipe_one_is_checked_where_its_texts_are_there(openiir, tmp_path):
    shutil.copytree(GOLDEN.parent / "runs" / "recipe-1", tmp_path / "old")
    write_export(tmp_path / "old", tmp_path / "all.html")
    assert openiir("verify", tmp_path / "all.html").code == 0
    write_export(tmp_path / "old", tmp_path / "some.html", ("personas",))
    told = openiir("verify", tmp_path / "some.html")
    assert told.code == 0 and "not checked: recipe 1 needs the texts" in told.out


def test_other_files_are_no_exports(openiir, tmp_path):
    (tmp_path / "page.html").write_text("<html></html>")
    told = openiir("verify", tmp_path / "page.html")
    assert told.code == 2 and "holds no record of a run" in told.err


def test_a_page_too_large_for_browsers_is_refused(monkeypatch, golden, tmp_path):
    monkeypatch.setattr(write, "LARGEST", 100_000)
    with pytest.raises(InputError, match=r"export it to a folder: --out .*run/"):
        write_export(golden("feed"), tmp_path / "run.html")


def test_rows_are_cut_into_blocks(openiir, monkeypatch, golden, tmp_path):
    monkeypatch.setattr("openiir.server.export.blocks.ROWS", 50)
    write_export(golden("llm-assessors"), tmp_path / "run.html", ("prompts",))
    assert f"{RECORD}/events/4" in read_export(tmp_path / "run.html") and ROWS > 50
    assert openiir("verify", tmp_path / "run.html").code == 0
