import pytest

from openiir.core.retrieval.stem import stem
from openiir.core.retrieval.tokens import content_words, tokens, word_spans, words

# The worked examples of Porter's paper of 1980, each run through all steps.
PORTER = """
    caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster bled
    bled motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling
    fall hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat conditional
    condit rational ration digitizer digit vietnamization vietnam predication predic operator oper feudalism
    feudal decisiveness decis hopefulness hope callousness callous triplicate triplic formative form formalize
    formal electrical electr hopeful hope goodness good revival reviv allowance allow inference infer airliner
    airlin gyroscopic gyroscop adjustable adjust defensible defens irritant irrit replacement replac
    adjustment adjust dependent depend adoption adopt communism commun activate activ homologous homolog
    effective effect bowdlerize bowdler probate probat rate rate cease ceas controlling control rolling roll
""".split()  # noqa: SIM905


@pytest.mark.parametrize(("word", "expected"), list(zip(PORTER[::2], PORTER[1::2], strict=True)))
def test_stems_are_those_of_the_paper(word, expected):
    assert stem(word) == expected


def test_forms_of_one_word_share_a_stem():
    assert len({stem(w) for w in ("connect", "connected", "connecting", "connection", "connections")}) == 1


@pytest.mark.parametrize("word", ["3.5", "naïve", "co2", "is", "中"])
def test_only_english_words_of_three_letters_are_stemmed(word):
    assert stem(word) == word


def test_words_stand_as_they_are_and_numbers_stay_whole():
    assert words("It’s 3.5 MW: state-of-the-art, 1,000 £ for naïve_x.") == [
        "It’s",
        "3.5",
        "MW",
        "state",
        "of",
        "the",
        "art",
        "1,000",
        "for",
        "naïve",
        "x",
    ]


def test_ideographs_are_words_of_their_own():
    assert words("风力 power") == ["风", "力", "power"]


def test_spans_hold_the_words():
    text = "One, two-three 4.5!"
    assert [text[start:end] for start, end in word_spans(text)] == words(text)


def test_content_words_lose_stop_words_and_single_letters():
    assert content_words("The cost of a turbine isn't x or 7.") == ["cost", "turbine", "7"]


def test_tokens_match_across_form_case_possessive_and_ligature():
    assert tokens("The Turbine’s eﬃciency") == tokens("turbines: EFFICIENCY")


def test_nothing_gives_nothing():
    assert words("") == content_words(" \n") == tokens("the of") == []
