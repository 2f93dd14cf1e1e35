import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.world.html_text import from_html
from openiir.core.world.text import BadSource, decode, from_markdown, from_plain, normalise_text


@given(st.text(max_size=60))
def test_the_normal_form_is_stable_and_clean(text):
    once = normalise_text(text)
    assert normalise_text(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in once if c not in "\n\t")
    assert "\n\n\n" not in once
    once.encode()


def test_the_normal_form_by_example():
    assert (
        normalise_text("a\r\nb\rc\x0cd\u2028e  \n\n\n\nf\u00a0g\u00adh\x07\ufeff") == "a\nb\nc\nd\ne\n\nf gh"
    )
    assert normalise_text("e\u0301") == "\u00e9"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("naïve".encode(), "naïve"),
        (b"\xef\xbb\xbfna\xc3\xafve", "naïve"),
        ("naïve".encode("utf-16"), "naïve"),
        ("\ufeffnaïve".encode("utf-16-be"), "naïve"),
    ],
)
def test_utf_8_and_byte_order_marks_are_understood(data, text):
    assert decode(data) == text


def test_another_encoding_must_be_named():
    data = "first line\nnaïve".encode("windows-1252")
    with pytest.raises(BadSource, match=r"0xef in line 2\).*encoding = "):
        decode(data)
    assert decode(data, "windows-1252").endswith("naïve")
    with pytest.raises(BadSource, match="neither in utf-8 nor ascii"):
        decode(data, "ascii")
    with pytest.raises(BadSource, match="'latin-99', which does not exist"):
        decode(data, "latin-99")


def test_zero_bytes_are_no_text():
    with pytest.raises(BadSource, match="binary"):
        decode(b"text\0more")


def test_plain_text_keeps_its_marks_and_resolves_references():
    assert from_plain("44&nbsp;metres *not* [a](b) &#38; R&D") == "44 metres *not* [a](b) & R&D"


def test_markdown_leaves_its_prose():
    page = """---
title: hidden
---
# Wind *power* #
A [link](http://x.y "t") and ![a picture](p.png), **bold _and_ `code`**; snake_case stays.<!-- not this -->

Second
======
- item one
- item [two][ref]

[ref]: http://x.y
"""
    assert from_markdown(page) == (
        "Wind power\n\nA link and , bold and code; snake_case stays.\n\nSecond\n\n- item one\n- item two"
    )


def test_markdown_keeps_what_is_no_mark():
    text = "2 * 3 * 4, a_b_c, [note] and 5 < 6 <!-- open"
    assert from_markdown(text) == text


PAGE = """<html><head><meta charset="{charset}"><title>T</title><script>var hidden = 1</script></head><body>
<nav><a href="/">menu</a></nav><article><h1>Cafés</h1><p>Cafés are places where people meet for coffee.</p>
<p>Some of them have <b>been open</b> for more than a century &amp; a half.</p></article></body></html>"""


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_html_gives_its_paragraphs(charset):
    text = from_html(PAGE.format(charset=charset).encode(charset))
    assert "Cafés are places where people meet for coffee.\n\nSome of them have been open for" in text
    assert "& a half" in text
    assert "hidden" not in text


def test_a_page_that_is_not_what_it_declares_is_read_as_the_world_says():
    page = PAGE.format(charset="utf-8").encode("iso-8859-2", "replace")
    with pytest.raises(BadSource, match="is not in utf-8"):
        from_html(page)
    assert "Cafés are places" in from_html(page, "iso-8859-2")


def test_latin_1_means_what_browsers_take_it_for():
    page = "<html><head><meta charset=iso-8859-1></head><body><p>“Quoted” words.</p></body></html>"
    assert from_html(page.encode("windows-1252")) == "“Quoted” words."


def test_a_fragment_of_html_is_enough():
    assert from_html(b"<p>Other words.</p>") == "Other words."


def test_html_without_text_or_tags_is_refused():
    with pytest.raises(BadSource, match="no readable text"):
        from_html(b"<html><body><script>x</script></body></html>")
    with pytest.raises(BadSource, match="no HTML"):
        from_html(b"just words")
