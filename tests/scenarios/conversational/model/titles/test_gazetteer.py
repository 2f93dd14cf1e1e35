"""Values of attributes in what people say."""

import pytest

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.titles.gazetteer import Gazetteer, ValueMention

FILMS = Collection(
    "movie",
    ("a", "b", "c"),
    ("A", "B", "C"),
    {
        "genre": (("Comedy", "Romance"), ("Horror", "Sci-Fi"), ("Drama", "Children")),
        "director": (("Clint Eastwood",), ("Ada Novak", "Greta Holm"), ("Sam Black",)),
        "actor": (("Clint Eastwood", "Hugo Holm"), ("Olga Weiss",), ("Zoe Holm", "Pavel O'Dea")),
        "keyword": (("small town", "her", "news"), ("dark comedy", "vampires"), ("comedy", "scary")),
        "year": (("1984",), ("2001",), ("2019",)),
        "decade": (("1980s",), ("2000s",), ("2010s",)),
    },
)


@pytest.fixture(scope="module")
def gazetteer():
    return Gazetteer(FILMS, ("genre", "director", "actor", "keyword", "year", "decade"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I love comedies", ["genre=Comedy"]),
        ("something FUNNY or scary?", ["genre=Comedy", "genre=Horror"]),
        ("a good romcom", ["genre=Romance", "genre=Comedy"]),
        ("a new series", []),
        ("any Rom-Com please", ["genre=Romance", "genre=Comedy"]),
        ("romantic comedies", ["genre=Romance", "genre=Comedy"]),
        ("science fiction, sci fi, scifi and sci-fi", ["genre=Sci-Fi"] * 4),
        ("for the kids, a children's film", ["genre=Children"] * 2),
        ("a dark comedy", ["keyword=dark comedy"]),
        ("about a vampire in a small town", ["keyword=vampires", "keyword=small town"]),
        ("I saw her there", []),
        ("directed by Clint Eastwood", ["director=Clint Eastwood"]),
        ("a film by the director Eastwood", ["director=Clint Eastwood"]),
        ("with olga weiss in it", ["actor=Olga Weiss"]),
        ("Weiss's best", ["actor=Olga Weiss"]),
        ("I like weiss beer", []),
        ("anything by Holm", ["director=Greta Holm"]),
        ("with Zoe Holm's friends", ["actor=Zoe Holm"]),
        ("Black is a colour", []),
        ("Pavel ODea or Pavel O'Dea", ["actor=Pavel O'Dea"] * 2),
        ("from 1984 or the 80s, the 1980's, the eighties", ["year=1984"] + ["decade=1980s"] * 3),
        ("in the 2000s, not the 70s", ["decade=2000s"]),
        ("animated westerns", []),
        ("", []),
    ],
)
def test_values_are_found_as_people_say_them(gazetteer, text, found):
    assert [f"{one.slot}={one.value}" for one in gazetteer.find(text)] == found


def test_places_are_those_of_the_words(gazetteer):
    text = "No “Horror”, but Zoe Holm's small\ttowns!"
    assert [text[one.start : one.end] for one in gazetteer.find(text)] == [
        "Horror",
        "Zoe Holm",
        "small\ttowns",
    ]


def test_only_the_slots_asked_for():
    found = Gazetteer(FILMS, ("keyword",)).find("scary comedy by Eastwood")
    assert found == (ValueMention("keyword", "scary", 0, 5), ValueMention("keyword", "comedy", 6, 12))


def test_every_value_is_found_in_its_own_words(gazetteer):
    for slot in ("genre", "director", "actor", "keyword", "year", "decade"):
        for values in FILMS.attributes[slot]:
            for value in values:
                alone = Gazetteer(FILMS, (slot,)).find(f"it is {value} that I want")
                assert [one.value for one in alone] == ([value] if value != "her" else [])


def test_a_catalogue_without_the_slot_has_no_values():
    assert Gazetteer(FILMS, ("author",)).find("Ada Novak") == ()
    assert Gazetteer(Collection("item", (), ()), None).find("comedy") == ()
