import pytest

from openiir.plugin import STANCES, stance_number, stance_word


def test_a_word_is_the_nearest_to_the_number_it_is_read_as():
    assert [stance_word(stance_number(word)) for word in STANCES] == list(STANCES)


@pytest.mark.parametrize(
    ("stance", "word"),
    [
        (0.15, "undecided"),
        (0.151, "leaning in favour"),
        (0.45, "leaning in favour"),
        (0.75, "in favour"),
        (1, "firmly in favour"),
    ],
)
def test_a_stance_between_two_words_is_the_more_moderate_on_both_sides(stance, word):
    assert stance_word(stance) == word
    assert stance_word(-stance) == word.replace("in favour", "against")
