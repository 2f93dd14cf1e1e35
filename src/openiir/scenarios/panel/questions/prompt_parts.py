"""Wording that panelists' questions share: points of the panel, passages and their marks for citing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openiir.kit.prompting import bullet_lines
from openiir.plugin import Persona as Member
from openiir.plugin import Source, int_sum

Persona, Study = Source("persona"), Source("study")
_TITLES = frozenset(
    "dr prof professor mr mrs ms mx judge sir dame lady lord captain father sister the".split()
)
_EMPTY_LINES = re.compile(r"\s*\n\s*\n\s*")


@dataclass(frozen=True)
class PanelPoint:
    """A claim of the debate, as a panelist recalls it."""

    speaker: str
    """Name of the speaker; `You` for one's own claim."""
    text: str
    asker: str = ""
    """Name of the panelist who asked what the claim rests on."""
    quoted: bool = True
    """Whether it was said in exactly these words."""

    def __str__(self) -> str:
        asked = f" {self.asker} asked what this rests on." if self.asker else ""
        text = f'"{self.text}"' if self.quoted else self.text
        return f"{self.speaker}: {text}{asked}"


def spent_words(names: Sequence[str]) -> str:
    """Say which panelists have used up their tokens; empty for nobody."""
    return f"Out of speaking time: {', '.join(names)}." if names else ""


def round_words(panel: str, topic: str, round_: str, goal: str) -> str:
    """Describe the panel, the motion, and the round with its aim."""
    return f"{panel} discusses the motion: {topic}\nThis round is called {round_}. Its aim: {goal}"


@dataclass(frozen=True)
class ShownPassage:
    """A passage that is shown to a panelist."""

    text: str
    before: bool = False
    """Whether the panelist read it in an earlier turn."""


def number_passages(passages: Sequence[ShownPassage]) -> str:
    """Format passages with the numbers by which they are cited, without empty lines; empty for none."""
    lines = ["What you have at hand:"]
    for n, one in enumerate(passages, 1):
        before, text = "(you read this before) " if one.before else "", _EMPTY_LINES.sub("\n", one.text)
        lines.append(f"[{n}] {before}{text}")
    return "\n".join(lines) if passages else ""


def call_by_name(one: Member, cast: Sequence[Member]) -> str:
    """Return the name a panelist is called by: the first name, unless two share it or a title comes first."""
    first, *rest = one.name.split()
    namesakes = int_sum(other.name.split()[0] == first for other in cast)
    plain = bool(rest) and namesakes == 1 and first.lower().rstrip(".") not in _TITLES and first[-1] != "."
    return first if plain else one.name


def utterance_words(round_: str, speaker: str, text: str) -> str:
    """Word an utterance as a memory."""
    return f'in the round {round_} {speaker} said: "{text}"'


def list_notes(notes: Sequence[str]) -> str:
    """Format memories as a paragraph of a prompt; empty without memories."""
    return f"What you remember:\n{bullet_lines(notes)}\n\n" if notes else ""


def cite_words(passages: Sequence[ShownPassage], more: str = "") -> str:
    """Return the instruction on citing passages, followed by `more`; empty without passages."""
    how = "Put the number of a passage in brackets, as in the list, behind a sentence that rests on it"
    return f" {how}{more}." if passages else ""
