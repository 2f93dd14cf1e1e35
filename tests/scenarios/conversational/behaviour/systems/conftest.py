"""A small catalogue with all that makes titles hard, and users in words."""

import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.model.dialogue import Dialogue, Utterance
from openiir.scenarios.conversational.model.titles.facets import Facets

FILMS = Collection(
    "movie",
    ids=("h", "m", "s", "i", "u", "a", "t"),
    titles=(
        "Heat (1995)",
        "Monsters, Inc. (2001)",
        "Schindler's List",
        "It",
        "Up",
        'Alien: "Director\'s Cut"',
        "Matrix, The (1999)",
    ),
    attributes={
        "genre": (
            ("Crime", "Drama"),
            ("Animation", "Comedy"),
            ("Drama",),
            ("Horror",),
            ("Animation", "Comedy"),
            ("Horror", "Sci-Fi"),
            ("Sci-Fi",),
        ),
        "director": (
            ("Michael Mann",),
            ("Pete Docter",),
            ("Steven Spielberg",),
            (),
            ("Pete Docter",),
            ("Ridley Scott",),
            ("Lana Wachowski", "Lilly Wachowski"),
        ),
        "year": (("1995",), ("2001",), ("1993",), ("2017",), ("2009",), ("1979",), ("1999",)),
    },
)
USERS = (("h", "s", "t"), ("h", "t"), ("m", "u"), ("m", "u", "h"), ("a", "i"), ("h",))
PAST = (
    Dialogue(
        id="1",
        utterances=(
            Utterance(speaker="user", text="I want something scary tonight"),
            Utterance(speaker="system", text="Then watch It, it is frightening", items=("i",)),
            Utterance(speaker="user", text="I have seen that one"),
            Utterance(speaker="system", text="What about Alien then?", items=("a",)),
        ),
    ),
    Dialogue(
        id="2",
        utterances=(
            Utterance(speaker="user", text="something funny for the children"),
            Utterance(speaker="system", text="Do they like cartoons?"),
            Utterance(speaker="user", text="yes they love cartoons"),
            Utterance(speaker="system", text="You could watch Monsters, Inc. (2001) with them"),
            Utterance(speaker="user", text="and a western, too"),
            Utterance(speaker="system", text="Of course, High Noon", items=("not in the catalogue",)),
        ),
    ),
)


def ratings_of(users: tuple[tuple[str, ...], ...], collection: Collection) -> Ratings:
    pairs = [(user, collection.index[id]) for user, ids in enumerate(users) for id in ids]
    user, item = np.array(pairs).T
    return Ratings(len(users), len(collection), user, item, np.full(len(pairs), 4.0))


def known_of(collection: Collection, ratings: Ratings | None) -> SystemKnowledge:
    return SystemKnowledge(collection, Facets(collection), ratings, dialogues=lambda name: PAST)


@pytest.fixture(scope="session")
def known() -> SystemKnowledge:
    return known_of(FILMS, ratings_of(USERS, FILMS))
