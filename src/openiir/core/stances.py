"""Stances in seven steps from against to in favour, as words and as numbers."""

from typing import Literal, get_args

Stance = Literal[
    "firmly against",
    "against",
    "leaning against",
    "undecided",
    "leaning in favour",
    "in favour",
    "firmly in favour",
]
STANCES: tuple[Stance, ...] = get_args(Stance)
_NUMBERS = (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9)


def stance_number(word: Stance) -> float:
    """Convert a stance in words to a number: -0.9 to 0.9 in steps of 0.3."""
    return _NUMBERS[STANCES.index(word)]


def stance_word(number: float) -> Stance:
    """Convert a number from -1 to 1 to the nearest stance in words; ties go to the more moderate."""
    return min(
        zip(STANCES, _NUMBERS, strict=True), key=lambda pair: (round(abs(pair[1] - number), 9), abs(pair[1]))
    )[0]
