from typing import get_args

import pytest

from openiir.core.records import StanceWords, stance_from_words, stance_in_words


@pytest.mark.parametrize("words", get_args(StanceWords))
def test_words_are_read_as_the_stance_they_are_nearest_to(words: StanceWords) -> None:
    assert stance_in_words(stance_from_words(words)) == words


@pytest.mark.parametrize(
    ("stance", "words"),
    [(0.15, "undecided"), (0.151, "leaning in favour"), (0.45, "leaning in favour"), (0.75, "in favour"), (1, "firmly in favour")],
)
def test_a_stance_between_two_words_is_the_less_decided_on_both_sides(stance: float, words: str) -> None:
    assert stance_in_words(stance) == words
    assert stance_in_words(-stance) == words.replace("in favour", "against")
