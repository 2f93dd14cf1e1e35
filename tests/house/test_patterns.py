"""Text of strangers takes time in proportion to its length, whatever it repeats."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from openiir.core.claims.relation import differ_in_meaning
from openiir.core.claims.text import find_words, strip_citations
from openiir.core.files import _LONG_KEY
from openiir.core.personas.persona_file import read_personas
from openiir.core.personas.viewpoints import viewpoints
from openiir.core.records import Chunk
from openiir.kit.offline_speaker.passages import _spoken_sentences
from openiir.scenarios.conversational.model.understanding.slot_tagger import split_words_and_signs
from openiir.scenarios.panel.model.speaking.citations import strip_marks
from openiir.scenarios.social_media.model.short_posts import _shorten

LENGTH = 30_000
SECONDS = 2.0
"""A generous budget of processor time for what takes some tenths of a second; a pattern that tries anew takes
minutes."""
ADA = '[[persona]]\nid = "ada"\nname = "Ada"\nbio = "Repairs lifts."\n'


def draft(text: str) -> Any:
    chunk = Chunk(id="a-0", world="main", source="a", start=0, end=len(text), text=text, sha256="0" * 64)
    return viewpoints([chunk], "Ropes should be checked", 1)


@pytest.mark.parametrize(
    ("read", "unit"),
    [
        (lambda text: differ_in_meaning(f"It takes {text}", "It takes 3 hours"), "1"),
        (lambda text: differ_in_meaning(f"It takes {text}", "It takes 3 hours"), "1,"),
        (strip_citations, " \u2028"),
        (strip_citations, "(c001:"),
        (lambda text: find_words("a", text), "\u2028"),
        (strip_marks, "\u2028"),
        (_spoken_sentences, " "),
        (_shorten, "."),
        (split_words_and_signs, "'"),
        (split_words_and_signs, "a'"),
        (_LONG_KEY.search, '\\"'),
        (_LONG_KEY.search, '"\\'),
        (_LONG_KEY.search, "'a."),
        (draft, "["),
        (draft, "<"),
        (lambda text: read_personas(f"x = [\n[{text[5:-4]}\n1]]\n{ADA}", "f"), "\t"),
        (lambda text: read_personas(f"x = [\n['{text}',\n1]]\n{ADA}", "f"), " "),
        (lambda _: read_personas("".join(f"k{n} = 1\n" for n in range(12_000)) + ADA, "f"), "a"),
    ],
)
def test_what_a_text_repeats_does_not_multiply_its_cost(read: Callable[[str], Any], unit: str) -> None:
    text = f"Words {unit * (LENGTH // len(unit))} end."
    started = time.process_time()
    read(text)
    assert time.process_time() - started < SECONDS
