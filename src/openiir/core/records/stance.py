"""Stances in the seven words that people give them in."""

from collections.abc import Mapping
from typing import Literal

StanceWords = Literal[
    "firmly against", "against", "leaning against", "undecided", "leaning in favour", "in favour", "firmly in favour"
]
"""As finely as people report where they stand; the type of a reply's field."""
_STANCES: Mapping[StanceWords, float] = {
    "firmly against": -0.9,
    "against": -0.6,
    "leaning against": -0.3,
    "undecided": 0.0,
    "leaning in favour": 0.3,
    "in favour": 0.6,
    "firmly in favour": 0.9,
}


def stance_in_words(stance: float) -> StanceWords:
    """The nearest words to a stance from -1 to 1; halfway between two, the less decided."""
    return min(_STANCES, key=lambda words: (round(abs(_STANCES[words] - stance), 9), abs(_STANCES[words])))


def stance_from_words(words: StanceWords) -> float:
    """The stance from -1 to 1 that the words are read as."""
    return _STANCES[words]
