"""Parsers that take too long or too much end themselves and nothing else."""

import sys
from pathlib import Path

import pytest

from openiir.core.world import extraction
from openiir.core.world.extraction import extract_text
from openiir.core.world.html_text import from_html
from openiir.core.world.text import BadSource

SERVE = extraction._SERVE
PAGE = b"<html><body><p>Enough words to be kept.</p></body></html>"
SLOW = b"<html><body><p %s>words</p></body></html>" % b" ".join(b"a%d=1" % n for n in range(40_000))
"""Attributes of an element take a time that grows with the square of their number."""


def test_one_process_reads_what_the_parser_reads_here():
    assert extract_text("text/html", PAGE, None) == from_html(PAGE)
    first = extraction._process.pid
    for media, data in (("text/html", b"no page"), ("application/pdf", b"%PDF-1.4 cut short")):
        with pytest.raises(BadSource):
            extract_text(media, data, None)
    assert extract_text("text/html", PAGE.decode().encode("utf-16"), None) == from_html(PAGE)
    assert extraction._process.pid == first


def test_html_without_its_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(BadSource, match=r"pip install 'openiir\[html\]'"):
        from_html(PAGE)


def test_time_and_memory_and_text_are_limited(limit_inputs):
    for most, data in (
        ({"document_seconds": 0.2}, SLOW),
        ({"document_memory": 1_000_000}, PAGE),
        ({"document_bytes": 10}, PAGE),
    ):
        limit_inputs(**most)
        with pytest.raises(BadSource, match=f"raise {next(iter(most))} in the table"):
            extract_text("text/html", data, None)
    limit_inputs()
    assert extract_text("text/html", PAGE, None) == from_html(PAGE)


def test_memory_of_the_program_that_asks_is_not_counted(limit_inputs):
    extraction.stop_extraction()
    limit_inputs(document_memory=300_000_000)
    held = b"x" * 400_000_000  # while the parser starts
    assert extract_text("text/html", PAGE, None) == from_html(PAGE)
    assert held


def test_a_parser_that_crashes_is_named_and_the_next_document_is_read(monkeypatch):
    monkeypatch.setenv("OPENIIR_SECRET", "s")
    monkeypatch.setattr(extraction, "_SERVE", "import os; os.abort()")
    extraction.stop_extraction()
    with pytest.raises(BadSource, match="ends the program that reads it"):
        extract_text("text/html", PAGE, None)
    monkeypatch.setattr(extraction, "_SERVE", SERVE)
    assert extract_text("text/html", PAGE, None) == from_html(PAGE)
    variables = Path(f"/proc/{extraction._process.pid}/environ")
    if variables.exists():  # the parser has no key of the user's
        assert b"SECRET" not in variables.read_bytes()
