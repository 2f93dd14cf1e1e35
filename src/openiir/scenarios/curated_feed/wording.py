"""A user's views and what came of them, in words."""

import math
from collections.abc import Sequence
from typing import Protocol

from openiir.plugin import STANCES, Stance, stance_word
from openiir.plugin.arguments import tokens


def view(stands: Stance, issue: str) -> str:
    """Where somebody stands on an issue."""
    return (
        f"undecided about {issue}"
        if stands == "undecided"
        else f"{stands}{' of' if 'favour' in stands else ''} {issue}"
    )


class Standpoint(Protocol):
    """Where somebody stands on an issue."""

    @property
    def issue(self) -> str: ...

    @property
    def stands(self) -> Stance: ...


def views(standpoints: Sequence[Standpoint]) -> str:
    """Where somebody stands on several issues, those of one stance together, the most in favour first."""
    sides = [
        (stands, [one.issue for one in standpoints if one.stands == stands]) for stands in reversed(STANCES)
    ]
    return "\n".join(f"- {view(stands, '; '.join(issues))}" for stands, issues in sides if issues)


def told(issue: str, first: float, now: float, shown: float, clicked: float) -> str:
    """What came of a topic for a user, in the first person."""
    seen = f"I saw {_about(shown)} on it and opened {_about(clicked)}"
    before, after = stance_word(first), stance_word(now)
    if before == after:
        return f"I am {view(after, issue)}, as I was at the start; {seen}."
    return f"I began {view(before, issue)} and am now {after}; {seen}."


class _Course(Protocol):
    @property
    def topic(self) -> str: ...

    @property
    def shown(self) -> float: ...

    @property
    def clicked(self) -> float: ...


def diet(standings: Sequence[_Course]) -> str:
    """What a user was shown most, and opened."""
    shown, clicked = math.fsum(s.shown for s in standings), math.fsum(s.clicked for s in standings)
    if shown <= 0:
        return "I was shown nothing."
    most = min(standings, key=lambda s: (-s.shown, s.topic))
    return f"I was shown {counted(round(shown), 'item')}, most of all on {most.topic}, and opened {round(clicked) or 'none'}."


def names(asked: str, topic: str, issue: str) -> bool:
    """Whether a question is about a topic, by its stems."""
    about = set(tokens(asked))
    return bool(about & set(tokens(topic)) or len(about & set(tokens(issue))) >= 2)


def counted(n: int, what: str) -> str:
    """A number of things."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _about(number: float) -> str:
    return "next to nothing" if number < 0.5 else f"about {round(number)}"
