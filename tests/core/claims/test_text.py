"""What counts as a claim, as a question, as specific."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.claims import CLAIM_THRESHOLD, claimhood, is_question, specificity
from openiir.core.claims.text import content_stems, strip_citations


@pytest.mark.parametrize(
    "sentence",
    [
        "Cities should plant more trees because shade reduces heat.",
        "Wind turbines kill fewer birds than cats do.",
        "Pooling clearly underestimates systems that find unusual documents.",
        "Offline metrics can mislead researchers about user satisfaction.",
    ],
)
def test_claims(sentence):
    assert claimhood(sentence) >= CLAIM_THRESHOLD


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Thank you, everyone.",
        "Good morning and welcome to the panel.",
        "Should cities plant more trees because shade reduces heat?",
        "The river Danube near Vienna.",
        "| Natural gas with capture | 60 | 130 |",
        "The wind farm was built in 1998 by the city of Vienna.",
        "Biofuel is defined as fuel from biological material.",
        "See also the following article.",
    ],
)
def test_what_is_no_claim(sentence):
    assert claimhood(sentence) < CLAIM_THRESHOLD


def test_arguing_harder_never_lowers_claimhood():
    plain = claimhood("Trees keep the streets of a city cool in summer.")
    argued = claimhood("Trees should keep the streets of a city cooler in summer because shade reduces heat.")
    assert argued > plain


@pytest.mark.parametrize(
    "sentence", ["Is it?", "How would we know that?", "How do we know that trees help", '"Why?"']
)
def test_questions(sentence):
    assert is_question(sentence)


@pytest.mark.parametrize("sentence", ["How it works is known.", "What matters is shade.", "It is.", ""])
def test_no_questions(sentence):
    assert not is_question(sentence)


def test_numbers_and_names_make_a_sentence_specific_and_hedges_less_so():
    vague = "It may perhaps get somewhat better."
    exact = "Nitrogen dioxide in Vienna fell by 31 percent between 2010 and 2015."
    assert specificity(vague) < specificity("Things get better.") <= specificity(exact)
    assert specificity("") == 0.0


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=200))
def test_scores_of_any_text_are_shares(text):
    assert 0.0 <= claimhood(text) <= 1.0
    assert 0.0 <= specificity(text) <= 1.0


def test_citation_marks_are_cleaned_away():
    assert (
        strip_citations("Trees cool streets [c0012].\n They  shade [c0001: 3-9] walls [REF].")
        == "Trees cool streets. They shade walls."
    )


def test_content_stems_leave_out_function_words():
    assert content_stems("The trees' shade is cooling the 3 streets") == (
        "tree",
        "shade",
        "cool",
        "3",
        "street",
    )
