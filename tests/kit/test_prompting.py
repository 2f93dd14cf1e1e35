"""Pieces of prompts."""

import pytest

from openiir.kit.prompting import choose_words, cut_text

TEXT = "A sailor trusts nobody. Dr. Weiss made this film in 1999. It is slow."


@pytest.mark.parametrize(
    ("most", "left"),
    [
        (200, TEXT),
        (len(TEXT) - 1, "A sailor trusts nobody. Dr. Weiss made this film in 1999."),
        (30, "A sailor trusts nobody."),
        (23, "A sailor trusts nobody."),
        (22, "A sailor trusts..."),
        (5, "A..."),
        (4, ""),
        (-3, ""),
    ],
)
def test_a_text_is_cut_at_a_sentence_or_a_word(most: int, left: str) -> None:
    assert cut_text(TEXT, most) == left


def test_a_scale_is_said_in_words_of_equal_width() -> None:
    words = ("no", "hardly", "partly", "yes")
    said = [choose_words(value, words) for value in (-0.3, 0.0, 0.249, 0.25, 0.5, 0.749, 0.75, 1.0, 1.4)]
    assert said == ["no", "no", "no", "hardly", "partly", "partly", "yes", "yes", "yes"]
