"""Citations of passages: citation marks in an utterance, and the quoted span of each passage."""

import re
from collections.abc import Sequence

from openiir.kit.offline_speaker import Passage
from openiir.plugin import Citation, UnusableAnswer
from openiir.plugin.arguments import sentences, tokens

QUOTED = 0.75
"""Share of a sentence's words that an utterance must contain to quote it."""
_NUMBERS = re.compile(r"(?<!\s)\s*+\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]")
"""Passage numbers in square brackets, with the blank before them."""


def check_marks(text: str, count: int) -> None:
    """Raise UnusableAnswer if a citation mark has a number above `count`, the passages shown."""
    numbers = [int(n) for marks in _NUMBERS.findall(text) for n in marks.split(",")]
    if wrong := [n for n in numbers if not 1 <= n <= count]:
        there = f"only [1] to [{count}] are there" if count else "there are none"
        raise UnusableAnswer(
            f"the text cites passage [{wrong[0]}], but {there}; leave the mark out or correct it"
        )


def ids_to_numbers(text: str, passages: Sequence[Passage]) -> str:
    """Replace passage ids in citation marks by the passages' numbers, from 1."""
    numbers = {passage.id: n for n, passage in enumerate(passages, 1)}
    return re.sub(r"\[([^\[\]\s]+)\]", lambda found: f"[{numbers.get(found[1], found[1])}]", text)


def strip_marks(text: str) -> str:
    """Remove all citation marks, which listeners do not hear."""
    return re.sub(r"(?<!\s)\s*+\[[^\[\]\s]{1,40}\]", "", text)


def mark_sentence(sentence: str, passage: str) -> str:
    """Insert a citation mark before a sentence's full stop."""
    return f"{sentence[:-1]} [{passage}]{sentence[-1]}"


def cite(text: str, passages: Sequence[Passage]) -> tuple[str, tuple[Citation, ...]]:
    """Replace passage numbers by ids in citation marks, and locate the span cited in each passage."""
    marked = _NUMBERS.sub(
        lambda found: "".join(f" [{passages[int(n) - 1].id}]" for n in found[1].split(",")), text
    )
    return marked, tuple(_citation(marked, passage) for passage in passages if f"[{passage.id}]" in marked)


def _citation(text: str, passage: Passage) -> Citation:
    """Locate the span of a passage that a text quotes, or else its most similar sentence."""
    said = set(tokens(text))
    spans = sentences(passage.text) or [(0, len(passage.text))]
    shares = [(_share(said, passage.text[start:end]), start, end) for start, end in spans]
    _, start, end = max(shares, key=lambda share: (share[0], -share[1]))
    for share, begin, finish in shares:
        if share >= QUOTED and begin >= end and not passage.text[end:begin].strip():
            end = finish
    return Citation(chunk=passage.id, start=start, end=end)


def _share(said: set[str], sentence: str) -> float:
    """Compute the share of a sentence's words that were said; 0 for a sentence of at most two words."""
    stems = set(tokens(sentence))
    return len(said & stems) / len(stems) if len(stems) > 2 else 0.0
