"""Reading acts about books, games and other items, with slots of any name."""

import pytest

from openiir.kit.items import Collection
from openiir.plugin import Draw
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.questions.understand import understand_question

from .conftest import format_acts

TITLES = ("Moon Dust", "Iron Keep")


def read_in(kind, **attributes):
    named = {name.replace("_of_", " "): values for name, values in attributes.items()}
    return CatalogueReader(Collection(kind=kind, ids=("1", "2"), titles=TITLES, attributes=named))


@pytest.fixture(scope="module")
def games():
    return read_in(
        "game",
        genres=(("RPG",), ("Puzzle",)),
        developer=(("Nine Cats",), ()),
        Price_of_Range=(("cheap",), ("dear",)),
    )


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("What genre do you like?", "ELICIT(genres)"),
        ("Which price range?", 'ELICIT("Price Range")'),
        ("It was developed by Nine Cats.", 'INFORM(developer="Nine Cats")'),
        ("You could play Moon Dust.", 'RECOMMEND(title="Moon Dust")'),
    ],
)
def test_systems_of_other_domains(games, text, acts):
    assert format_acts(games.system_acts(text)) == acts


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("I want an RPG", 'DISCLOSE(genres="RPG")'),
        ("something cheap", 'DISCLOSE("Price Range"="cheap")'),
        ("I've played it already", "CONSUMED()"),
        ("I'll play Iron Keep", 'ACCEPT(title="Iron Keep")'),
        ("How much does it cost?", "INQUIRE(price)"),
    ],
)
def test_users_of_other_domains(games, text, acts):
    assert format_acts(games.user_acts(text)) == acts


def test_a_slot_of_any_name_goes_through_the_question(games):
    question = understand_question("Which price range?", "system", games.slots, (), games)
    reply = question.offline(Draw(1, "t"))
    assert question.acts(reply)[0].pairs == (("Price Range", None),)


def test_a_catalogue_without_attributes_or_items():
    assert format_acts(read_in("book").user_acts("I'll read Iron Keep")) == 'ACCEPT(title="Iron Keep")'
    empty = CatalogueReader(Collection(kind="movie", ids=(), titles=(), attributes={}))
    assert format_acts(empty.system_acts("How about Up (2009)?")) == 'RECOMMEND(title="Up (2009)")'
