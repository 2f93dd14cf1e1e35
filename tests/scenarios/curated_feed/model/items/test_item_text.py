"""Items in words tell what their numbers do."""

from dataclasses import replace

import numpy as np
import pytest

from openiir.kit.items import synthetic
from openiir.plugin import Draw, InputError
from openiir.scenarios.curated_feed.model.items.item_text import (
    ItemWords,
    describe,
    document_title,
    excerpt,
    headline,
    page_words,
)
from openiir.scenarios.curated_feed.model.items.taxonomy import TOPICS, Topic, taxonomy

ITEMS = synthetic(Draw(5, "items"), 400, [t.name for t in taxonomy(8)], per_week=100)


def of(valence: float, quality: float = 0.0) -> list[str]:
    n = len(ITEMS)
    changed = replace(ITEMS, valence=np.full(n, valence), quality=np.full(n, quality))
    return [describe(changed, index) for index in range(n)]


def test_no_two_neighbours_are_alike_even_where_their_numbers_are() -> None:
    same = replace(
        ITEMS, theta=np.tile(ITEMS.theta[:1], (400, 1)), valence=np.full(400, 0.5), quality=np.zeros(400)
    )
    texts = [describe(same, index) for index in range(400)]
    assert all(one != other for one, other in zip(texts, texts[1:], strict=False))
    assert len(set(texts)) > 40


def test_a_text_names_the_main_topic_and_what_is_at_issue() -> None:
    for index in range(100):
        main = TOPICS[int(ITEMS.theta[index].argmax())]
        text = describe(ITEMS, index)
        assert f"about {main.name}" in text
        assert main.at_issue in headline(ITEMS, index).lower()


def test_a_second_topic_is_named_from_a_quarter_of_the_mix() -> None:
    for index in range(100):
        order = np.argsort(-ITEMS.theta[index])
        named = f" and {TOPICS[order[1]].name} that" in describe(ITEMS, index)
        assert named == (ITEMS.theta[index, order[1]] >= 0.25)


def test_each_number_changes_the_words_its_own_way() -> None:
    sides = {v: of(v) for v in (-0.9, -0.5, -0.2, 0.0, 0.2, 0.5, 0.9)}
    said = [{text.split(". ")[0] for text in texts} for texts in sides.values()]
    assert all(not a & b for i, a in enumerate(said) for b in said[i + 1 :])
    heads = [{headline(replace(ITEMS, valence=np.full(len(ITEMS), v)), i) for i in range(60)} for v in sides]
    assert all(not a & b for i, a in enumerate(heads) for b in heads[i + 1 :])
    cares = [{text.split(". ")[1] for text in of(0.5, q)} for q in (-1.0, -0.3, 0.0, 0.3, 1.0)]
    assert all(not a & b for i, a in enumerate(cares) for b in cares[i + 1 :])


def test_a_text_does_not_depend_on_the_other_items() -> None:
    more = synthetic(Draw(5, "items"), 900, ITEMS.topics)
    assert [describe(more, i) for i in range(20)] == [describe(ITEMS, i) for i in range(20)]


def test_a_study_may_name_topics_of_its_own() -> None:
    own = (Topic(name="cats"), Topic(name="dogs", at_issue="longer walks"))
    items = synthetic(Draw(1, "items"), 30, [t.name for t in own])
    told = [headline(items, i, own).lower() for i in range(30)]
    assert all("cats" in one or "longer walks" in one for one in told)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sources/trams-cost-too-much.md", "Trams cost too much"),
        ("https://site.example/a/school_meals/", "School meals"),
        ("doc0017", ""),
    ],
)
def test_a_document_has_the_title_that_its_source_says(name: str, told: str) -> None:
    assert document_title(name) == told


def test_neither_headline_nor_text_stands_twice_on_a_page() -> None:
    ways = (("Trams", "They run."), ("Buses", "They run."), ("Trams", "They stop."), ("Bikes", "They wait."))

    def word(item: int, again: int) -> ItemWords:
        return ItemWords(*ways[min(again, 3) if item else 0])

    assert page_words(word, (0, 1)) == (ItemWords(*ways[0]), ItemWords(*ways[3]))


@pytest.mark.parametrize("k", [0, 17])
def test_k_beyond_the_topics_is_refused(k: int) -> None:
    with pytest.raises(InputError, match=f"topics = {k}: 16 topics are built in, so ask for 1 to 16"):
        taxonomy(k)


def test_two_topics_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two are called 'cats'"):
        taxonomy(1, (Topic(name="cats"), Topic(name="cats")))


def test_a_document_is_told_by_its_first_sentences_within_bounds() -> None:
    text = "One short sentence.\n\nAnother   of them stands here. " + "And words " * 500
    assert excerpt("As  short\nas this.") == "As short as this."
    assert excerpt(text, 60) == "One short sentence. Another of them stands here."
    assert excerpt("word " * 100, 30) == "word word word word word..."
    assert all(len(excerpt(text, most)) <= most for most in range(20, 300))
