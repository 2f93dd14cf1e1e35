"""Where people say they stand: seven steps, as fine as people report themselves."""

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
    """A stance in words as a number, -1 to 1: steps of .3 from -.9 to .9."""
    return _NUMBERS[STANCES.index(word)]


def stance_word(number: float) -> Stance:
    """The word nearest to a stance of -1 to 1; between two, the more moderate."""
    return min(
        zip(STANCES, _NUMBERS, strict=True), key=lambda pair: (round(abs(pair[1] - number), 9), abs(pair[1]))
    )[0]
