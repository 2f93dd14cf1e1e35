"""Pieces of prompts."""

import pytest

from openiir.kit.prompting import cut_text

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
