"""Needs are those that some document serves; known items have words of their own."""

import numpy as np
import pytest

from openiir.plugin import Draw
from openiir.scenarios.tiered_capability.model.needs import (
    NOISE,
    WORDS,
    JudgedNeeds,
    describe_document,
    draw_known_items,
)

DRAW = Draw(5, "tests.known")
PARTS = {f"d{n}": [f"alpha{n} beta{n} gamma{n} delta{n} the of and", f"epsilon{n}"] for n in range(300)}


def test_known_items_are_different_documents_with_words_mostly_their_own():
    own = total = 0
    for seed in range(4):
        queries, judged = draw_known_items(PARTS, 200, Draw(seed, "tests.known"))
        assert len(queries) == len({one.item for one in judged}) == 200
        for one in judged:
            words = queries[one.topic].split()
            assert 1 <= len(words) <= WORDS and one.relevance == 1
            mine = {word for text in PARTS[one.item] for word in text.split()} - {"the", "of", "and"}
            own, total = own + sum(word in mine for word in words), total + len(words)
    assert own / total == pytest.approx(1 - NOISE, abs=0.02)


def test_more_items_leave_the_queries_of_others_as_they_are():
    few, many = (draw_known_items(PARTS, n, DRAW)[0] for n in (20, 200))
    assert few.items() <= many.items()


def test_words_come_as_often_as_the_document_has_them():
    parts = {
        f"d{n}": ["rare " + "common " * 9 + " ".join(f"w{n}x{k}" for k in range(20))] for n in range(400)
    }
    queries = draw_known_items(parts, 400, DRAW)[0].values()
    share = [np.mean([word in query.split() for query in queries]) for word in ("common", "rare")]
    assert share[0] > 3 * share[1] > 0


def test_what_serves_best_is_known_by_need():
    grades = np.array([[0, 2, 4, 4], [0, 1, 0, 0]])
    needs = JudgedNeeds(("a", "b"), ("x", "y"), tuple("pqrs"), tuple("PQRS"), grades)
    assert needs.gains.tolist() == [[0, 0.5, 1, 1], [0, 0.25, 0, 0]]
    assert needs.best.tolist() == [[False, False, True, True], [False, True, False, False]]
    assert needs.tables()["judged"]["grade"].tolist() == [2, 4, 4, 1] and needs.title(1) == '"Q"'


def test_a_document_is_told_by_its_title_and_opening():
    told = describe_document("The well\n\nIts water is for the garden. " + "It is tested twice a year. " * 9)
    title, opening = told.split("\n   ")
    assert title == "The well" and opening.startswith("Its water") and len(opening) <= 130
    assert describe_document("One line alone") == "One line alone"
