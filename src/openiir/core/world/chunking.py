"""Division of sources into chunks at paragraph and sentence borders, each with offsets and hash."""

from collections.abc import Iterable, Iterator, Sequence

from openiir.core.hashing import sha256
from openiir.core.records import Chunk
from openiir.core.retrieval.sentences import paragraphs, sentences
from openiir.core.retrieval.tokens import word_spans
from openiir.core.sums import int_sum
from openiir.core.world.sources import SourceDocument

WORDS = 120
"""Default for the most words per chunk."""

Span = tuple[int, int]


def chunk_sources(sources: Iterable[SourceDocument], world: str, words: int = WORDS) -> tuple[Chunk, ...]:
    """Divide sources into the chunks of a world, numbered c0001, c0002, ... by source name and offset.

    A chunk holds whole sentences, `words` words at most; it ends with its paragraph where that is at least
    half full. Only a sentence longer than `words` is parted, between words. A chunk whose text stood before
    in this world, letter case and white space apart, is dropped; so is one without any word.
    """
    if words < 1:
        raise ValueError(f"a chunk has at least one word, got {words}")
    chunks: list[Chunk] = []
    seen: set[str] = set()
    for source in sorted(sources, key=lambda source: source.name):
        for start, end in _chunk_spans(source.text, words):
            text = source.text[start:end]
            plain = comparison_form(text)
            if plain in seen or not word_spans(text):
                continue
            seen.add(plain)
            number = f"c{len(chunks) + 1:04d}"
            chunks.append(
                Chunk(
                    id=number,
                    world=world,
                    source=source.name,
                    start=start,
                    end=end,
                    text=text,
                    sha256=sha256(text),
                )
            )
    return tuple(chunks)


def comparison_form(text: str) -> str:
    """Normalise letter case and white space, to recognise equal passages."""
    return " ".join(text.casefold().split())


def _chunk_spans(text: str, words: int) -> Iterator[Span]:
    """Divide a text into spans of at most `words` words, leaving out only white space."""
    held: list[Span] = []
    size = 0
    for paragraph in paragraphs(text):
        pieces = list(_count_sentences(text, paragraph, words))
        whole = int_sum(count for _, count in pieces)
        if held and size + whole > words and size * 2 >= words:
            yield held[0][0], held[-1][1]
            held, size = [], 0
        for span, count in pieces:
            if held and size + count > words:
                yield held[0][0], held[-1][1]
                held, size = [], 0
            held.append(span)
            size += count
    if held:
        yield held[0][0], held[-1][1]


def _count_sentences(text: str, paragraph: Span, words: int) -> Iterator[tuple[Span, int]]:
    """List a paragraph's sentences with their numbers of words, splitting those over the limit."""
    first, last = paragraph
    for start, end in sentences(text[first:last]):
        span = first + start, first + end
        found = word_spans(text[span[0] : span[1]])
        if len(found) <= words:
            yield span, len(found)
        else:
            yield from _split_long(text, span, found, words)


def _split_long(text: str, span: Span, found: Sequence[Span], words: int) -> Iterator[tuple[Span, int]]:
    begin = span[0]
    for at in range(words, len(found) + words, words):
        end = span[0] + found[at][0] if at < len(found) else span[1]
        # White space before the cut belongs to neither side; a blank may be missing where one script runs on.
        yield (begin, begin + len(text[begin:end].rstrip())), min(words, len(found) - at + words)
        begin = end
