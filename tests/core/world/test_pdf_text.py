import logging
import os
from pathlib import Path

import pytest

from openiir.core.world.pdf_text import from_pdf
from openiir.core.world.text import BadSource


def test_lines_become_paragraphs(make_pdf):
    text = from_pdf(
        make_pdf(
            [
                "Wind turbines in the north of the country have been built by large",
                "companies and by small ones; both of them say that planning takes lon-",
                "ger than building.",
                "A second paragraph begins after the short line, and it goes on with",
                "well-known facts about the sea-",
                "bed.",
                "1. The first item",
                "2. The second item",
                "7",
            ]
        )
    )
    assert text.split("\n\n") == [
        "Wind turbines in the north of the country have been built by large companies and by small ones; "
        "both of them say that planning takes longer than building.",
        "A second paragraph begins after the short line, and it goes on with well-known facts about the "
        "seabed.",
        "1. The first item",
        "2. The second item",
    ]


def test_a_hyphen_stays_where_the_document_writes_it(make_pdf):
    lines = [
        "The well-known case of a well-",
        "known hyphen, which a reader has seen more than once in this text.",
    ]
    assert "of a well-known hyphen" in from_pdf(make_pdf(lines))


def test_a_sentence_runs_on_over_the_end_of_a_page(make_pdf):
    pages = (["It was the best of all possible", "- 1 -"], ["worlds, said the doctor.", "2"])
    assert from_pdf(make_pdf(*pages)) == "It was the best of all possible worlds, said the doctor."


def test_what_cannot_be_read_is_named(encrypted_pdf, picture_pdf, make_pdf):
    with pytest.raises(BadSource, match="is encrypted; save it without a password"):
        from_pdf(encrypted_pdf)
    with pytest.raises(BadSource, match=r"no text \(pages: 1\).*text recognition"):
        from_pdf(picture_pdf)
    with pytest.raises(BadSource, match="does not begin as a PDF"):
        from_pdf(b"words")
    with pytest.raises(BadSource, match="is damaged"):
        from_pdf(make_pdf(["words"])[:60])


def test_reading_says_nothing_and_leaves_the_log_as_it_was(make_pdf, caplog):
    level = logging.getLogger("pypdf").level
    from_pdf(make_pdf(["some words"]).replace(b"startxref\n", b"startxref\n9"))
    assert not caplog.records
    assert logging.getLogger("pypdf").level == level


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")
@pytest.mark.parametrize(
    ("name", "words", "stretch"),
    [
        ("federal-register-2020-17221.pdf", 8_000, "opportunity to participate in the rule making"),
        ("us-010.pdf", 500, "agencies to solicit innovative ideas"),
        ("us-013.pdf", 1_000, "statewide assessments"),
    ],
)
def test_real_reports_are_read(name, words, stretch):
    text = from_pdf((Path(os.environ["OPENIIR_DATA"]) / "pdf-samples" / name).read_bytes())
    assert len(text.split()) > words
    assert stretch in text
    assert "\ufb01" not in text


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")
def test_a_real_encrypted_file_is_refused():
    with pytest.raises(BadSource, match="encrypted"):
        from_pdf(
            (
                Path(os.environ["OPENIIR_DATA"]) / "pdf-samples" / "libreoffice-writer-password.pdf"
            ).read_bytes()
        )
