"""Tables of texts, written as lines."""

import pytest

from openiir.kit.text_tables import add_help, read_text_table
from openiir.plugin import Interview, Surface

TABLE = """
one | What it shows,
    in two lines.
two | Another.
"""


def test_an_indented_line_continues_the_one_above():
    assert read_text_table(TABLE) == {"one": ("What it shows, in two lines.",), "two": ("Another.",)}


def test_views_get_their_help_and_interviews_pass():
    views = [Surface(name, "table", name.title(), print) for name in ("two", "one")]
    chat = Interview("chat", "Ask", print, print)
    two, one, last = add_help(TABLE, *views, chat)
    assert (one.help, two.help) == ("What it shows, in two lines.", "Another.")
    assert one.title == "One" and last is chat
    with pytest.raises(KeyError, match="three"):
        add_help(TABLE, Surface("three", "table", "Three", print))
