import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openiir.core.hashing import sha256
from openiir.core.retrieval.tokens import words as counted
from openiir.core.world import SourceDocument, chunk_sources, load_sources

TEXT = "First one here. Second one is here too.\n\nThird begins a paragraph. Fourth ends it."

piece = st.sampled_from(
    ["word", "Two words.", "no end", ". ", "\n\n", "\n", " ", "3.5 ", "中文。", "- item\n", "(x) ", "A."]
)
texts = st.lists(piece, max_size=40).map("".join)


def source(text, name="a.txt"):
    return SourceDocument(name=name, media="text/plain", text=text, sha256=sha256(text))


@settings(deadline=None)
@given(texts, st.integers(1, 12))
@example("One two. " * 30, 7)
def test_a_chunk_is_its_stretch_of_the_source_within_the_size(text, words):
    for one in chunk_sources([source(text)], "w", words):
        assert text[one.start : one.end] == one.text == one.text.strip()
        assert 1 <= len(counted(one.text)) <= words
        assert one.sha256 == sha256(one.text)


@settings(deadline=None)
@given(texts, st.integers(1, 12))
def test_every_word_is_in_a_chunk_unless_it_repeats(text, words):
    chunks = chunk_sources([source(text)], "w", words)
    assert all(one.end <= other.start for one, other in zip(chunks, chunks[1:], strict=False))
    held = {one.text.casefold() for one in chunks}
    end = 0
    for one in [*chunks, None]:
        left_out = text[end : one.start if one else len(text)]
        assert all(any(word.casefold() in text for text in held) for word in counted(left_out))
        end = one.end if one else end


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (20, [TEXT]),
        (8, ["First one here. Second one is here too.", "Third begins a paragraph. Fourth ends it."]),
        (5, ["First one here.", "Second one is here too.", "Third begins a paragraph.", "Fourth ends it."]),
        (
            2,
            [
                "First one",
                "here.",
                "Second one",
                "is here",
                "too.",
                "Third begins",
                "a paragraph.",
                "Fourth ends",
                "it.",
            ],
        ),
    ],
)
def test_borders_are_paragraphs_then_sentences_then_words(words, expected):
    assert [one.text for one in chunk_sources([source(TEXT)], "w", words)] == expected


@pytest.mark.parametrize(("first", "sizes"), [(3, [10, 1]), (4, [10, 2]), (5, [5, 8]), (6, [6, 8])])
def test_a_paragraph_ends_a_chunk_that_it_fills_at_least_half(first, sizes):
    """Of ten words; the next paragraph's eight are one word each, so that they can fill what is left."""
    text = f"{'Ants. ' * first}\n\n{' '.join(f'Bee{n}.' for n in 'abcdefgh')}"
    assert [len(counted(one.text)) for one in chunk_sources([source(text)], "w", 10)] == sizes


def test_ids_count_in_order_of_source_and_offset():
    sources = [source("Bees hum. Owls hoot.", "b.txt"), source("Ants dig.", "a.txt")]
    chunks = chunk_sources(sources, "w", 2)
    assert [(one.id, one.source, one.text, one.world) for one in chunks] == [
        ("c0001", "a.txt", "Ants dig.", "w"),
        ("c0002", "b.txt", "Bees hum.", "w"),
        ("c0003", "b.txt", "Owls hoot.", "w"),
    ]
    assert chunk_sources(reversed(sources), "w", 2) == chunks


def test_equal_chunks_stay_once_in_a_world_whatever_their_case_and_blanks():
    sources = [source("Ants dig. Bees hum.", "a.txt"), source("BEES\nhum. Owls hoot.", "b.txt")]
    assert [one.text for one in chunk_sources(sources, "w", 2)] == ["Ants dig.", "Bees hum.", "Owls hoot."]


def test_without_words_there_is_no_chunk():
    assert chunk_sources([source("... --- !"), source("", "b.txt")], "w") == ()


def test_a_chunk_needs_a_word():
    with pytest.raises(ValueError, match="at least one word"):
        chunk_sources([source(TEXT)], "w", 0)


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")
def test_real_articles_fill_their_chunks_and_keep_their_place():
    loaded = load_sources(["corpus-wiki-debate/wind-power*/*.txt"], Path(os.environ["OPENIIR_DATA"]))
    chunks = chunk_sources(loaded.sources, "wind")
    text = {one.name: one.text for one in loaded.sources}
    assert all(text[one.source][one.start : one.end] == one.text for one in chunks)
    sizes = sorted(len(counted(one.text)) for one in chunks)
    assert sizes[-1] <= 120
    assert sizes[len(sizes) // 2] >= 80
