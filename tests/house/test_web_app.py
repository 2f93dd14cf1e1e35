"""The built web app belongs to its sources, stays small, asks nobody else, and shows texts as texts."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

import openiir

BUILT = Path(openiir.__file__).parent / "web"
SOURCES = Path(__file__).parents[2] / "frontend"
NAMED = {"http://www.w3.org/", "https://vuejs.org/", "https://router.vuejs.org/"}
"""Namespaces, and pages that messages to developers name: nothing is loaded from them."""
pytestmark = pytest.mark.skipif(not SOURCES.is_dir(), reason="no sources of the web app beside this install")


def _sources(ending: str = "") -> list[Path]:
    found = [f for f in SOURCES.rglob(f"*{ending}") if f.is_file() and "node_modules" not in f.parts]
    return sorted(found, key=lambda file: file.relative_to(SOURCES).as_posix())


def _zipped(file: Path) -> int:
    return len(gzip.compress(file.read_bytes(), 9))


def _needed(script: Path, seen: set[Path]) -> set[Path]:
    """A script and those it imports before it runs."""
    if script not in seen:
        seen.add(script)
        for name in re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', script.read_text()):
            _needed(script.parent / name, seen)
    return seen


def test_the_app_was_built_from_these_sources() -> None:
    content = hashlib.sha256()
    for file in _sources():
        content.update(f"{file.relative_to(SOURCES).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    built = json.loads((BUILT / "built.json").read_text())["sources"]
    assert built == content.hexdigest(), (
        "frontend/ has changed: npm run build there, and commit src/openiir/web"
    )


def test_the_scripts_before_the_first_view_stay_small() -> None:
    page = (BUILT / "app/index.html").read_text()
    entry = BUILT / "app" / re.findall(r'<script type="module"[^>]* src="\./([^"]+)"', page)[0]
    assert sum(map(_zipped, _needed(entry, set()))) <= 90_000
    assert _zipped(BUILT / "still/viewer.js") <= 100_000


def test_pages_hold_no_inline_script_or_style() -> None:
    page = (BUILT / "app/index.html").read_text()
    assert "style=" not in page
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]* src=)", page)


def test_nothing_names_another_host() -> None:
    for file in BUILT.rglob("*"):
        if file.suffix in (".js", ".css", ".html"):
            named = re.findall(r"https?://[\w.-]+\.[a-z]{2,}/", file.read_text())
            assert set(named) <= NAMED, file


@pytest.mark.parametrize("ending", [".vue", ".ts"])
def test_texts_are_never_read_as_html(ending: str) -> None:
    for file in _sources(ending):
        assert not re.search(r"v-html|innerHTML|insertAdjacentHTML|document\.write", file.read_text()), file
        assert not re.search(r'<template>.*\sstyle="', file.read_text(), re.DOTALL), file


def test_pages_know_no_form_and_files_stay_short() -> None:
    forms = {file.stem for file in (SOURCES / "src/forms").glob("*.vue")}
    for file in (SOURCES / "src/pages").glob("*.vue"):
        assert not re.search(r'from "\.\./forms', file.read_text()), file
        for form in forms:
            assert f"<{form} " not in file.read_text(), file
    for file in [*_sources(".vue"), *_sources(".ts")]:
        assert len(file.read_text().splitlines()) <= 350, file
