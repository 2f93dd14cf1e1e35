import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.retrieval.sentences import paragraphs, sentences


def split(text):
    return [text[start:end] for start, end in sentences(text)]


# Sentences are written one a list element; joined by a blank they must come apart there and nowhere else.
RUNNING = [
    ["Dr. J. R. Osei met Mrs. Lind at 3.5 p.m. in the U.S. Senate.", "The bill failed."],
    ["See Fig. 2 and Osei et al. (2004) for it.", "No. 5 is alive.", "He said no.", "They left."],
    ['"Is it true?" he asked.', '"Yes."', "She left."],
    ["It costs £3.50!", "Yahoo! is a firm.", "Why not?", "Wait...", "What?!"],
    ["He works at Acme Inc.", "The firm is large.", "Acme Inc. makes it."],
    ["Some prefer e.g. wind, i.e. moving air, cf. Table 3.", "Others (cf. Chap. 4) do not."],
    ["Vitamin C.", "The rest... and more."],
    ["Wind grows [REF].", "Costs fall.[12]", "Both matter [REF][REF]."],
    ["It rose 2.5% in 2012.", "In 2013 it fell.", "Version 1.2.3 is out."],
    ["Visit www.Example.Com or https://a.org/B.Then.", "Write to A.B@c.org today."],
    ["They met on Jan. 5 at 10 a.m. sharp.", "St. Paul vs. Mt. Airy drew."],
    ["(It is late.)", "He left (see p. 5).", "“So what?”", "Nothing."],
]


@pytest.mark.parametrize("expected", RUNNING)
def test_running_text(expected):
    assert split(" ".join(expected)) == expected


def test_a_missing_blank_does_not_hide_a_border():
    assert split("It was late[REF].The end.Nobody came.") == ["It was late[REF].", "The end.", "Nobody came."]
    assert split("ASP.NET and e.g.Wind and 3.Five") == ["ASP.NET and e.g.Wind and 3.Five"]


@pytest.mark.parametrize("next_one", ["The next began.", "A new one began.", "I left."])
def test_a_word_of_one_letter_begins_a_sentence_without_a_blank_too(next_one):
    text = f"That was the end.{next_one}"
    assert [text[start:end] for start, end in sentences(text)] == ["That was the end.", next_one]


def test_paragraphs_items_and_headings_end_a_sentence_but_a_line_break_does_not():
    text = "# Title\nOne line\nand the next. Then\n\nnew\n1. First item. More.\n2. Second\n- dash\n* star"
    assert split(text) == [
        "# Title",
        "One line\nand the next.",
        "Then",
        "new",
        "1. First item.",
        "More.",
        "2. Second",
        "- dash",
        "* star",
    ]


def test_stray_marks_stay_with_the_sentence_before():
    assert split("It fell [REF]. . Then it rose. [REF] .\n\n. Alone") == [
        "It fell [REF]. .",
        "Then it rose. [REF] .",
        ".",
        "Alone",
    ]


def test_scripts_with_their_own_full_stop():
    assert split("第一句。第二句！完") == ["第一句。", "第二句！", "完"]


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n-#[]\"'()é。\t"), max_size=80))
def test_spans_are_in_order_trimmed_and_leave_out_white_space_alone(text):
    for spans in (sentences(text), paragraphs(text)):
        end_before = 0
        for start, end in spans:
            assert end_before <= start < end
            assert not text[end_before:start].strip()
            assert text[start:end] == text[start:end].strip()
            end_before = end
        assert not text[end_before:].strip()


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")
def test_encyclopedia_articles_come_apart_at_sane_lengths():
    folder = Path(os.environ["OPENIIR_DATA"]) / "corpus-wiki-debate"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("*/*.txt"))[:40]]
    found = [text[start:end] for text in texts for start, end in sentences(text)]
    lengths = sorted(len(sentence.split()) for sentence in found)
    assert 15 <= lengths[len(lengths) // 2] <= 30
    small = [sentence for sentence in found if re.match(r"[a-z]+[^a-z]", sentence)]
    assert len(small) < 0.01 * len(found)
