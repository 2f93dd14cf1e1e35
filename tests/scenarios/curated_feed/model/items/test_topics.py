"""Items from a world: topics named and fitted, sides, arrival, and what is refused."""

import numpy as np
import pytest

from openiir.core.hashing import sha256
from openiir.core.records import Chunk
from openiir.plugin import Draw, InputError
from openiir.scenarios.curated_feed.model.items.taxonomy import TOPICS, Topic
from openiir.scenarios.curated_feed.model.items.topics import (
    _topics_of,
    catalogue_from_world,
    documents,
    fit_topics,
    named_topics,
    valence,
)

WORDS = {
    "wind": "wind turbine energy power grid",
    "school": "school pupil teacher lesson exam",
    "train": "train rail station passenger ticket",
}
DRAW = Draw(2, "items")


def text_of(kind: str, n: int) -> str:
    """Ten words of a kind, drawn, with a few that stand anywhere."""
    words = WORDS[kind].split()
    at = DRAW.at(f"text/{kind}", item=n)
    return " ".join(words[at.below(5, step=i)] for i in range(10)) + " people think a good thing matters."


TEXTS = {f"{kind}-{n:02d}": text_of(kind, n) for kind in WORDS for n in range(8)}
OWN = tuple(Topic(name=kind, keywords=tuple(words.split())) for kind, words in WORDS.items())


def test_named_topics_find_their_documents() -> None:
    model = named_topics([*TEXTS.values()], OWN)
    theta = model.theta([*TEXTS.values()])
    assert (theta.argmax(axis=1) == np.repeat([0, 1, 2], 8)).all()
    assert (theta.sum(axis=1) == 1).all() and theta.max() == 1


def test_a_mix_follows_the_documented_weights() -> None:
    model = named_topics(["rail rail", "wind"], (Topic(name="rail"), Topic(name="wind")))
    rail = (1 + np.log(2)) * (1 + np.log(3 / 2))
    wind = 1 + np.log(3 / 2)
    assert model.theta(["rail wind rail"])[0] == pytest.approx(
        [rail / (rail + wind), wind / (rail + wind)], abs=2e-6
    )


def test_a_text_of_no_topic_is_spread_evenly() -> None:
    assert named_topics([*TEXTS.values()], OWN).theta(["nothing of the kind"])[0] == pytest.approx(
        [1 / 3] * 3, abs=2e-6
    )


def test_fitted_topics_are_those_the_texts_were_made_of() -> None:
    model = fit_topics([*TEXTS.values()], 3)
    main = model.theta([*TEXTS.values()]).argmax(axis=1)
    assert [len(set(main[start : start + 8])) for start in (0, 8, 16)] == [1, 1, 1] and len(set(main)) == 3
    for kind, words in WORDS.items():
        named_by = model.topics[main[[*TEXTS].index(f"{kind}-00")]]
        assert len(set(named_by.keywords) & set(words.split())) >= 4


def test_a_fit_is_the_same_each_time() -> None:
    one, other = (fit_topics([*TEXTS.values()], 4) for _ in range(2))
    assert one.topics == other.topics
    assert (one.theta(["wind school rail"]) == other.theta(["wind school rail"])).all()


def test_a_document_takes_the_side_its_sentences_take() -> None:
    proposition = "Wind power should be the main source of energy."
    praise = "Wind power is clean and safe. It was a Tuesday. Wind power reduces emissions."
    blame = "Wind power is a costly failure. It was a Tuesday. Wind power harms birds."
    assert valence(praise, proposition) > 0.2 and valence(blame, proposition) < -0.2
    assert valence("It was a Tuesday.", proposition) == valence("It was a Tuesday.") == 0
    assert valence("A wonderful, happy success.") > 0.4 > -0.4 > valence("A horrible, sad disaster.")


def test_documents_arrive_in_a_drawn_order_so_many_a_week() -> None:
    model = named_topics([*TEXTS.values()], OWN)
    made = catalogue_from_world(DRAW, TEXTS, model, per_week=5)
    assert sorted(made.ids) == sorted(TEXTS) and list(made.ids) != sorted(TEXTS)
    assert np.bincount(made.arrival).tolist()[1:] == [5, 5, 5, 5, 4]
    few = {name: text for name, text in TEXTS.items() if not name.endswith("7")}
    all_at_once = catalogue_from_world(DRAW, few, model)
    assert [n for n in made.ids if n in few] == list(all_at_once.ids) and all_at_once.count_arrived(1) == 21
    assert (made.theta == model.theta([TEXTS[name] for name in made.ids])).all()


def test_the_side_is_taken_towards_the_studys_proposition_or_the_topics_own() -> None:
    texts = {"a": "Wind turbines are wonderful."}
    topic = Topic(name="wind", proposition="Wind turbines should be banned.")
    model = named_topics([*texts.values()], (topic,))
    own, other = (
        catalogue_from_world(DRAW, texts, model, proposition=p)
        for p in ("", "Wind turbines should be everywhere.")
    )
    assert own.valence[0] == valence(texts["a"], topic.proposition)
    assert other.valence[0] == valence(texts["a"], "Wind turbines should be everywhere.")
    assert own.valence[0] < 0 < other.valence[0]


def test_items_are_sources_or_chunks() -> None:
    chunks = [
        Chunk(id=id, world="main", source=source, start=start, end=start + 3, text=text, sha256=sha256(text))
        for id, source, start, text in (
            ("c0002", "a.txt", 9, "two"),
            ("c0001", "a.txt", 0, "one"),
            ("c0003", "b.txt", 0, "new"),
        )
    ]
    assert documents(chunks) == {"a.txt": "one\n\ntwo", "b.txt": "new"}
    assert documents(chunks, "chunk") == {"c0001": "one", "c0002": "two", "c0003": "new"}


def test_what_cannot_be_is_refused_with_its_key() -> None:
    texts = [*TEXTS.values()]
    with pytest.raises(InputError, match="topics = 3: they are fitted on 2 texts of"):
        fit_topics(texts[:2], 3)
    with pytest.raises(InputError, match="share no words"):
        fit_topics(["12", "34"], 1)
    with pytest.raises(InputError, match="topics = 2: the texts bear 1 distinct ones"):
        _topics_of(np.array([[1.0], [0.0]]), ["wind"], ["wind"])
    with pytest.raises(InputError, match="no documents"):
        catalogue_from_world(DRAW, {}, named_topics(texts, OWN))


def test_the_built_in_topics_know_their_own_propositions() -> None:
    model = named_topics([t.proposition for t in TOPICS], TOPICS)
    found = model.theta([" ".join(t.keywords) for t in TOPICS]).argmax(axis=1)
    assert found.tolist() == list(range(16))
