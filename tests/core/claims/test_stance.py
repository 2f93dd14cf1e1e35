"""Stance: topics are read the right way round, and sentences get the side a reader gives them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.claims import stance
from openiir.core.claims.topic import analyse_topic
from openiir.core.claims.valence import base_forms, vader_compound, word_role

GOLDEN_VADER = {
    "The treatment is not effective.": -0.3724,
    "Masks reduce transmission.": 0.0,
    "There is no evidence that the treatment works.": -0.296,
    "I doubt that masks reduce transmission.": -0.3612,
}


@pytest.mark.parametrize(("sentence", "compound"), GOLDEN_VADER.items())
def test_vader_alone_is_what_it_was_when_the_baseline_was_set(sentence, compound):
    assert vader_compound(sentence) == compound


@pytest.mark.parametrize(
    ("sentence", "topic", "sign"),
    [
        ("The treatment is not effective.", "The treatment should be offered to all patients", -1),
        ("Masks reduce transmission.", "Masks should be worn on trains", 1),
        (
            "There is no evidence that the treatment works.",
            "The treatment should be offered to all patients",
            -1,
        ),
        ("I doubt that masks reduce transmission.", "Masks should be worn on trains", -1),
        ("Masks reduce transmission.", "We should ban masks on trains", -1),
        ("I doubt that masks reduce transmission.", "We should ban masks on trains", 1),
    ],
)
def test_the_sentences_vader_cannot_judge(sentence, topic, sign):
    assert stance(sentence, topic) * sign > 0.05


LLM = "Should LLM judgments replace human assessors?"
WIND = "Wind power should be a primary focus of future energy supply"
CARS = "City centres should be closed to private cars"
BAN = "We should ban homework"


@pytest.mark.parametrize(
    ("sentence", "topic", "sign"),
    [
        ("LLM judgments are reliable and cheap.", LLM, 1),
        ("LLM judgments are biased towards text written by models.", LLM, -1),
        ("Human assessors are slow and expensive.", LLM, 1),
        ("Human assessors should not be replaced.", LLM, -1),
        ("Wind power reduces emissions.", WIND, 1),
        ("Wind power does not reduce emissions.", WIND, -1),
        ("Wind farms destroy habitats.", WIND, -1),
        ("Fossil fuels pollute the air.", WIND, 1),
        ("Although wind turbines are noisy, wind power is clean and cheap.", WIND, 1),
        ("Wind power is clean, but it is unreliable and expensive.", WIND, -1),
        ("Homework harms the health of pupils.", BAN, 1),
        ("Homework improves discipline.", BAN, -1),
        ("Homework should be banned.", BAN, 1),
        ("We should not ban homework.", BAN, -1),
        ("Banning homework would be a disaster.", BAN, -1),
        ("The cost of wind power is low.", WIND, 1),
        ("The cost of wind power is high.", WIND, -1),
        ("Wind power provides little benefit.", WIND, -1),
        ("Wind power protects the coast from pollution.", WIND, 1),
        ("Homework helps weak pupils.", BAN, -1),
        ("AI overviews deprive publishers of income.", "AI overviews harm publishers", 1),
        ("AI overviews save readers time and are reliable.", "AI overviews harm publishers", -1),
    ],
)
def test_side_of_plain_sentences(sentence, topic, sign):
    assert stance(sentence, topic) * sign > 0.05


def test_a_sentence_without_any_judgement_takes_no_side():
    assert stance("The turbine stands on a hill near Vienna.", WIND) == 0.0


def test_what_names_nothing_of_the_topic_weighs_less():
    assert 0 < stance("Tides are clean and renewable.", WIND) < stance("Wind is clean and renewable.", WIND)


@pytest.mark.parametrize(
    ("topic", "signs", "polarity"),
    [
        ("We should ban human cloning", {"human": -1, "clone": -1}, -1),
        ("Homeschooling should be banned", {"homeschool": -1}, -1),
        ("Advertising is harmful", {"advertis": -1}, -1),
        ("We should not close the library", {"librari": 1}, 1),
        (
            "LLM judgments should not be used instead of human assessors",
            {"llm": -1, "human": 1, "assessor": 1},
            -1,
        ),
        ("Human assessors should be replaced by language models", {"human": -1, "languag": 1}, -1),
        ("This house would never eat meat", {"meat": -1}, -1),
        ("Should dense retrieval replace BM25?", {"dens": 1, "bm25": -1}, 1),
        ("Are dense retrievers better than BM25?", {"dens": 1, "bm25": -1}, 1),
        ("AI overviews harm publishers", {"ai": -1, "publish": -1}, -1),
        ("Filter bubbles are a myth", {"filter": -1, "bubbl": -1}, -1),
        ("Do recommender systems polarise users?", {"recommend": -1}, -1),
        ("Can simulation replace user studies?", {"simul": 1}, 1),
        ("Researchers should stop using MovieLens", {"movielen": -1, "research": None}, -1),
        ("We need fewer benchmarks", {"benchmark": -1}, -1),
        ("The ministry is justified in forbidding fireworks", {"firework": -1}, -1),
    ],
)
def test_a_topic_is_read_with_its_direction(topic, signs, polarity):
    aim = analyse_topic(topic)
    assert {stem: aim.signs.get(stem) for stem in signs} == signs
    assert aim.polarity == polarity


@pytest.mark.parametrize(
    ("proposition", "opposite"),
    [
        ("We should ban cars", "We should not ban cars"),
        ("Cars should be banned", "Cars should not be banned"),
    ],
)
def test_negating_a_topic_turns_the_stance(proposition, opposite):
    for sentence in ("Cars are dangerous.", "Cars improve access to jobs."):
        assert stance(sentence, proposition) == -stance(sentence, opposite) != 0


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=120), st.text(max_size=60))
def test_any_text_has_a_stance_within_bounds(text, topic):
    assert -1.0 <= stance(text, topic) <= 1.0


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("reduces", "reduce"),
        ("banned", "ban"),
        ("denies", "deny"),
        ("improving", "improve"),
        ("violation", "violate"),
    ],
)
def test_inflections_find_their_base(word, base):
    assert base in base_forms(word)
    assert word_role(word) == word_role(base) or word_role(word).kind == "valence"


def test_a_negative_prefix_turns_a_listed_word():
    assert word_role("inflexible").value == -word_role("flexible").value < 0
