"""What is printed: nothing that others wrote steers the terminal, and files keep what was said."""

import io
import json
import re
import sys

import pytest

from openiir.core.errors import StorageFull
from openiir.plugin import Entry, Report, Section, Series, Table
from openiir.runs import terminal
from openiir.runs.progress import progress
from openiir.runs.views.drawing import draw_view
from openiir.runs.views.emit import output_view

EVIL = "\x1b]0;owned\x1b\\ \x1b[31m \x9b2J \x7f \u202e [link=http://x.org]y[/link] :bomb:"
SHOWN = "\ufffd]0;owned\ufffd\\ \ufffd[31m \ufffd2J \ufffd \ufffd [link=http://x.org]y[/link] :bomb:"
VIEWS = {
    "table": Table(columns=(EVIL, "n"), rows=((EVIL, 1),)),
    "series": Series(unit=EVIL, low=0.0, high=1.0, lines={EVIL: ((1, 0.5),)}),
    "timeline": [Entry(step=1, heading=EVIL, text=EVIL, actor=EVIL, notes=(EVIL,))],
    "report": Report(title=EVIL, sections=(Section(title=EVIL, statements=((EVIL, (EVIL,)),)),)),
}


@pytest.fixture(params=["terminal", "pipe"])
def printed(request, monkeypatch, capfd):
    """What was printed, without the colours that are our own."""
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setenv("TERM", "xterm-256color")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: request.param == "terminal", raising=False)
    return lambda: re.sub(r"\x1b\[[0-9;]*m", "", "".join(capfd.readouterr()))


@pytest.mark.parametrize("form", VIEWS)
def test_a_view_is_shown_as_it_is_written(form, printed):
    output_view(EVIL, VIEWS[form], "text", None, "run")
    told = printed()
    assert told.count(SHOWN) >= 3 and not re.search(r"[^\n\t -\x7e\u00a0-\u2029\u2030-\uffff]", told), told


def test_lines_and_prompts_are_shown_as_they_are_written(printed, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: prompt)
    terminal.print_result(f"{EVIL}\tone\r\ntwo\rthree")
    terminal.print_message(EVIL + "\ud800")
    with progress() as watch:
        watch(EVIL).note(EVIL)
    assert terminal.read_line(EVIL) == SHOWN
    told = printed()
    assert told.count(SHOWN) == 4 and "one\r\ntwo\ufffdthree" in told and "\ud800" not in told


def test_programs_and_files_get_what_was_said(tmp_path, monkeypatch, capfd):
    output_view("Title", VIEWS["table"], "", tmp_path / "a.txt", "run")
    assert EVIL in (tmp_path / "a.txt").read_text()
    output_view("Title", VIEWS["table"], "json", None, "run")
    assert json.loads(capfd.readouterr().out)["rows"] == [[EVIL, 1]]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    output_view("Title", VIEWS["table"], "json", None, "run")
    assert "\x9b" not in capfd.readouterr().out


def test_an_error_is_shown_as_it_is_written(openiir):
    failed = openiir("show", "no-\x1b[2Jrun")
    assert failed.code == 2 and "no-\ufffd[2Jrun" in failed.err and "\x1b" not in failed.err


def test_an_output_may_lack_letters_be_closed_or_be_full(monkeypatch):
    class Full(io.StringIO):
        def flush(self):
            raise OSError(28, "No space left on device")

    ascii_ = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", ascii_)
    terminal.print_result("\u2014")
    assert ascii_.detach().getvalue() == b"\\u2014\n"  # type: ignore[attr-defined]
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stdin", None)
    terminal.print_result("to nobody")
    terminal.print_for_program("to nobody")
    terminal.show(lambda console: console.print("to nobody"))
    with pytest.raises(EOFError):
        terminal.read_line()
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(StorageFull, match="No space left on device"):
        terminal.print_result("too much")


def test_piped_text_is_as_wide_as_asked_and_has_no_blanks_at_its_end(monkeypatch, capfd):
    wide = [Entry(step=1, heading="h", text="word " * 60, actor="a")]
    widths = []
    for columns in ("", "40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        draw_view("Title", wide)
        lines = capfd.readouterr().out.split("\n")
        assert not any(line.endswith(" ") for line in lines)
        widths.append(max(map(len, lines)))
    assert 90 < widths[0] <= 100 and 30 < widths[1] <= 40 and 190 < widths[2] <= 200
