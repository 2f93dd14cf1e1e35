"""Cues of style in words: how somebody writes who uses them, and how they sway somebody who reads."""

from collections.abc import Mapping, Sequence

import numpy as np

from openiir.scenarios.multi_generational.model.credibility.text_cues import CUES

_HABITS: Mapping[str, tuple[str, str]] = {
    "citation": ("say where you have it from", "says where it has things from"),
    "hedging": ("leave room for doubt", "leaves room for doubt"),
    "numbers": ("give figures", "gives figures"),
    "anecdote": ("tell a story from your own life", "tells a story from its author's life"),
    "authority": ("appeal to authority", "appeals to authority"),
    "urgency": ("press readers to act at once", "presses readers to act at once"),
}
"""Each cue as something a writer does, and as something a post does."""
_OFTEN = {"nearly always": "and", "often": "and", "now and then": "and", "seldom": "or", "never": "or"}
"""How often a writer does something, and the word that joins several things that it does so often."""
_BELIEVES = ("far more", "more", "", "less", "far less")
"""How much more a detector believes a post that shows a cue; nothing is said of cues that hardly count."""


def word_habits(cues: Sequence[float]) -> list[str]:
    """Say how often a writer uses each of CUES (0 to 1), most often first: a sentence for each degree."""
    habits: dict[str, list[str]] = {}
    for name, cue in zip(CUES, cues, strict=True):
        habits.setdefault(list(_OFTEN)[4 - min(int(cue * 5), 4)], []).append(_HABITS[name][0])
    return [f"You {often} {_join(habits[often], last)}." for often, last in _OFTEN.items() if often in habits]


def word_weights(weights: Sequence[float]) -> list[str]:
    """Say how much more or less a reader believes what shows each of CUES, by weights in log-odds of being false."""
    habits: dict[str, list[str]] = {}
    for name, degree in zip(CUES, np.digitize(weights, (-1.0, -0.25, 0.25, 1.0)), strict=True):
        habits.setdefault(_BELIEVES[degree], []).append(_HABITS[name][1])
    shown = [degree for degree in _BELIEVES if degree and degree in habits]
    return [f"You believe a post {degree} if it {_join(habits[degree], 'or')}." for degree in shown]


def _join(words: Sequence[str], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]
