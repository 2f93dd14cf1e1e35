"""Items by what they are called."""

import pytest

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.titles.title_index import Titles, key, read_title

FILMS = (
    "Matrix, The (1999)",
    "Seven (a.k.a. Se7en) (1995)",
    "It (1927)",
    "It (2017)",
    "Up (2009)",
    "Her (2013)",
    "Schindler's List (1993)",
    "Dumb & Dumber (Dumb and Dumber) (1994)",
    "Rocky II (1979)",
    "Amelie (Fabuleux destin d'Amélie Poulain, Le) (2001)",
    "Star Maker, The (Uomo delle stelle, L') (1995)",
    "Crouching Tiger, Hidden Dragon (2000)",
    "(500) Days of Summer (2009)",
    "Léon: The Professional (1994)",
    "It: Chapter Two (2019)",
    "!!!",
    "2001: A Space Odyssey (1968)",
    "Солярис (1972)",
)


@pytest.fixture(scope="module")
def titles():
    return Titles(Collection("movie", tuple(map(str, range(len(FILMS)))), FILMS))


def named(items):
    return [FILMS[item] for item in items]


@pytest.mark.parametrize(
    ("text", "film"),
    [
        ("Matrix, The", 0),
        ("the matrix", 0),
        ("MATRIX", 0),
        ("The Matrix (1999)", 0),
        ("Matrix (2099)", 0),
        ("Seven", 1),
        ("se7en (1995)", 1),
        ("up", 4),
        ("her", 5),
        ("Schindler’s list", 6),
        ("schindlers list", 6),
        ("dumb and dumber", 7),
        ("Rocky 2", 8),
        ("rocky two", 8),
        ("Amélie", 9),
        ("le fabuleux destin d'amelie poulain", 9),
        ("L'uomo delle stelle", 10),
        ("crouching tiger hidden dragon", 11),
        ("500 Days of Summer", 12),
        ("leon the professional", 13),
        ("it chapter 2", 14),
        ("!!!", 15),
        ("2001 a space odyssey", 16),
        ("солярис", 17),
    ],
)
def test_every_spelling_of_a_name_is_that_name(titles, text, film):
    assert named(titles.exact(text)) == [FILMS[film]]


def test_a_year_chooses_among_films_of_one_name(titles):
    assert named(titles.exact("it")) == ["It (1927)", "It (2017)"]
    assert named(titles.exact("It (2017)")) == named(titles.exact("IT", year="2017")) == ["It (2017)"]
    assert len(titles.exact("It (1990)")) == 2
    assert titles.exact("Nothing of the Kind") == ()


def test_a_title_says_names_and_a_year():
    assert read_title("Seven (a.k.a. Se7en) (1995)") == (("Seven", "Se7en"), "1995")
    assert read_title("It  (2017)") == (("It",), "2017")
    assert read_title("Death Note: Desu nôto (2006–2007)") == (("Death Note: Desu nôto",), "2006")
    assert read_title("(Untitled) (2009)") == (("(Untitled)",), "2009")
    assert read_title("1984") == (("1984",), "") and read_title("(2009)") == (("(2009)",), "")
    assert read_title("Office ()") == (("Office",), "")


def test_a_key_is_its_own_key():
    for title in (*FILMS, "The", "A", "", "  ", "The The", "the a team", "one two"):
        for name in read_title(title).names:
            assert key(key(name)) == key(name) or key(name).partition(" ")[0] in {"the", "a", "an"}


def test_a_year_may_be_an_attribute():
    collection = Collection("movie", ("a", "b"), ("Dune", "Dune"), {"year": (("1984",), ("2021",))})
    assert Titles(collection).exact("Dune (2021)") == (1,)


def test_an_empty_collection_names_nothing():
    titles = Titles(Collection("item", (), ()))
    assert titles.exact("x") == ()
