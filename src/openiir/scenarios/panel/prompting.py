"""The words that panelists' questions share: points of the panel, passages with their marks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openiir.plugin import Source, UnusableAnswer

Persona, Study = Source("persona"), Source("study")
MARK = re.compile(r"\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]")
"""Numbers of passages in brackets, and the blank before them."""


@dataclass(frozen=True)
class Point:
    """A claim of the panel, as one who was there recalls it."""

    speaker: str
    """`You` for one's own."""
    text: str
    asker: str = ""
    """Who asked what it rests on."""

    def __str__(self) -> str:
        asked = f" {self.asker} asked what this rests on." if self.asker else ""
        return f'{self.speaker}: "{self.text}"{asked}'


@dataclass(frozen=True)
class Read:
    """A passage in front of somebody."""

    text: str
    before: bool = False
    """Whether they cited it before."""


def passages_shown(passages: Sequence[Read]) -> str:
    """Passages with the marks by which they are cited, as a paragraph; nothing where there are none."""
    marked = [
        f"[{n}] {'(you cited this before) ' if one.before else ''}{one.text}"
        for n, one in enumerate(passages, 1)
    ]
    return "\n".join(["What you have at hand:", *marked]) if passages else ""


def cite_words(passages: Sequence[Read], more: str = "") -> str:
    """How to cite them, as a sentence to be added, with what is special in this place; nothing where there are none."""
    how = (
        f" Put the number of a passage in brackets, as in the list, behind a sentence that rests on it{more}."
    )
    return how if passages else ""


def check_marks(text: str, passages: Sequence[Read]) -> None:
    """Refuse marks of passages that are not there."""
    if wrong := [
        n for marks in MARK.findall(text) for n in map(int, marks.split(",")) if not 1 <= n <= len(passages)
    ]:
        there = f"only [1] to [{len(passages)}] are there" if passages else "there are none"
        raise UnusableAnswer(
            f"the text cites passage [{wrong[0]}], but {there}; leave the mark out or correct it"
        )


def with_marks(text: str, ids: Sequence[str]) -> str:
    """A text with the passages' ids in the place of their numbers."""
    return MARK.sub(lambda found: "".join(f" [{ids[int(n) - 1]}]" for n in found[1].split(",")), text)


def with_numbers(text: str, ids: Sequence[str]) -> str:
    """A text with the passages' numbers in the place of their ids."""
    return re.sub(
        r"\[([^\[\]\s]+)\]",
        lambda found: f"[{ids.index(found[1]) + 1}]" if found[1] in ids else found[0],
        text,
    )


def without_marks(text: str) -> str:
    """What somebody says, as others hear it: without marks of passages, numbers or ids."""
    return re.sub(r"\s*\[[^\[\]\s]{1,40}\]", "", text)
