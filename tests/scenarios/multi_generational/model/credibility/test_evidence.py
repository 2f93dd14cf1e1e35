"""Support by passages: against a naive loop, bounds, growth, and what speaks for and against a sentence."""

import random
from math import log, sqrt

import numpy as np
import pytest

from openiir.plugin import quantise
from openiir.scenarios.multi_generational.model.credibility.evidence import (
    PRIOR,
    SCOPE,
    WINDOW,
    EvidenceIndex,
)

WORDS = [
    "lamp",
    "harbour",
    "salt",
    "ferry",
    "kiln",
    "winter",
    "summer",
    "not",
    "the",
    "seven",
    "more",
    "less",
]
AXES = {"summer": ("season", 1), "winter": ("season", -1), "more": ("much", 1), "less": ("much", -1)}
PASSAGE = "Cones see colour in bright light. Rods serve in the dark, and they do not see colour."


def draw_texts(rng: random.Random, n: int) -> list[str]:
    def sentence() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(1, 9))).capitalize() + rng.choice([".", ", lamp."])

    return [" ".join(sentence() for _ in range(rng.randint(1, 3))) for _ in range(n)]


def read_naively(sentence: str) -> list[tuple[str, int]]:
    """Terms with signs of a sentence of WORDS."""
    terms, left = [], 0
    for word in sentence.lower().replace(",", " ,").replace(".", " .").split():
        if word in ",.":
            left = 0
        elif word == "not":
            left = 0 if left else SCOPE
        else:
            turn = -1 if left else 1
            if word not in ("the", "more"):
                terms.append((word, turn))
            if word in AXES:
                axis, sign = AXES[word]
                terms.append((axis, turn * sign))
            left = max(0, left - (word != "the"))
    return terms


def idf(term: str, texts: list[str]) -> float:
    units = [{term for term, _ in read_naively(unit)} for text in texts for unit in split(text)]
    held = sum(term in unit for unit in units)
    return log(1 + (len(units) - held + 0.5) / (held + 0.5))


def weigh_naively(sentence: str, texts: list[str]) -> list[tuple[object, float]]:
    """Features of a sentence with signed weights, by the idf of `texts`."""
    terms = [(term, sign, idf(term, texts)) for term, sign in read_naively(sentence)]
    features: list[tuple[object, float]] = [(term, sign * weight) for term, sign, weight in terms]
    for at, (one, first, weight) in enumerate(terms):
        for other, second, other_weight in terms[at + 1 : at + 1 + WINDOW]:
            if one != other:
                features.append(((one, other), first * second * sqrt(weight * other_weight) / WINDOW))
    return features


def split(text: str) -> list[str]:
    return [part + "." for part in text.split(".") if part]


def support_naively(sentence: str, passage: str, texts: list[str]) -> float:
    features = weigh_naively(sentence, texts)
    whole = sum(abs(weight) for _, weight in features) + PRIOR * idf("stranger", texts)
    found = []
    for unit in split(passage):
        held: dict[object, float] = {}
        for feature, weight in weigh_naively(unit, texts):
            held[feature] = held.get(feature, 0) + np.sign(weight)
        total = sum(weight * np.sign(held.get(feature, 0)) for feature, weight in features)
        found.append(total / whole)
    return max(found, key=lambda value: (quantise(abs(value)), value))


def test_support_is_that_of_a_naive_loop() -> None:
    for seed in range(12):
        rng = random.Random(seed)
        passages, later = draw_texts(rng, 5), draw_texts(rng, 3)
        sentences = [split(text)[0] for text in draw_texts(rng, 12)]
        index = EvidenceIndex(passages).over(passages + later)
        plain = [[support_naively(text, one, passages) for one in passages + later] for text in sentences]
        assert index.measure(sentences) == pytest.approx(np.array(plain), abs=2e-6)


def test_support_lies_within_bounds_and_on_the_grid() -> None:
    rng = random.Random(5)
    texts = draw_texts(rng, 60)
    support = EvidenceIndex(texts[:30]).measure(texts)
    assert np.abs(support).max() <= 1
    assert (support == quantise(support)).all()
    assert support.min() < -0.1


def test_a_sentence_of_the_passage_has_most_support_and_its_negation_loses_it() -> None:
    index = EvidenceIndex([PASSAGE, "The ferry leaves at noon."])
    same, negated, strange = index.measure(
        ["Cones see colour in bright light.", "Cones do not see colour in bright light.", "Bees dance."]
    )
    assert same[0] > 0.5 and negated[0] < 0
    assert same[1] == negated[1] == 0
    assert strange.tolist() == [0, 0]


def test_a_short_sentence_has_less_support_than_a_long_one() -> None:
    one, all_of_it = EvidenceIndex(["Salt is boiled in shallow pans of clay."]).measure(
        ["Salt.", "Salt is boiled in shallow pans of clay."]
    )[:, 0]
    assert 0 < one < all_of_it < 1


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Cones see colour, rods serve in the dark.", "Rods see colour, cones serve in the dark."),
        ("Rods do not see colour.", "Rods see colour."),
        ("Cones need bright light.", "Cones need dark light."),
    ],
)
def test_the_true_version_has_more_support(true: str, false: str) -> None:
    support = EvidenceIndex([PASSAGE, "Salt is boiled in shallow pans."]).measure([true, false])[:, 0]
    assert support[0] > support[1]


def test_opposites_speak_against_each_other_in_all_forms() -> None:
    index = EvidenceIndex(["Smoking increases the risk.", "The bell rings early."])
    for text in ("Smoking reduces the risk", "Smoking reduced the risk", "Smoking lowers the risk"):
        assert index.measure([text])[0, 0] < index.measure(["Smoking has a risk"])[0, 0]
    early, late = index.measure(["The bell rings earlier", "The bell rings later"])[:, 1]
    assert late < early / 2


def test_order_of_texts_and_other_passages_change_no_support() -> None:
    rng = random.Random(8)
    passages, added, sentences = (draw_texts(rng, n) for n in (9, 7, 40))
    index = EvidenceIndex(passages)
    before = index.measure(sentences)
    assert (index.measure(sentences[::-1])[::-1] == before).all()
    assert (EvidenceIndex(passages[::-1]).measure(sentences)[:, ::-1] == before).all()
    assert (index.over(passages + added).measure(sentences)[:, :9] == before).all()


def test_empty_texts_have_no_support() -> None:
    index = EvidenceIndex(["", "of the"])
    assert index.measure(["", "Salt", "of the"]).tolist() == [[0, 0]] * 3
    assert EvidenceIndex().measure(["Salt"]).shape == (1, 0)
    assert EvidenceIndex(["Salt"]).measure([]).shape == (0, 1)
    late = EvidenceIndex().over(["Salt and lamps"])
    one, none, both = late.measure(["Salt", "Kiln", "Salt and lamps"])[:, 0]
    assert 0 == none < one == pytest.approx(1 / 3, abs=1e-6) and one < both
