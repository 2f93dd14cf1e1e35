from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from openiir.core.asking import Count, Question, question_schema, read_reply, record_schema
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Record
from openiir.core.seeds import Draw


class Link(Record):
    to: str = Field(max_length=10)


class Reply(Record):
    who: str = Field(max_length=10, description="In one word.")
    what: str = Field(default="", max_length=10)
    cites: tuple[str, ...] = Field(default=(), max_length=3)
    to: str | None = Field(default=None, max_length=10, description="Whom.")
    tags: tuple[str, ...] | None = None
    links: tuple[Link, ...] = Field(default=(), max_length=3)


@dataclass(frozen=True)
class Ask(Question[Reply]):
    things: tuple[str, ...] = ("k1",)
    kind: ClassVar[str] = "test.ask"

    def prompt(self) -> str:
        return "Who?"

    def allowed(self) -> Mapping[str, Sequence[str]]:
        things = self.things
        return {
            "who": ("ada", "ben"),
            "what": things,
            "cites": things,
            "to": things,
            "tags": things,
            "Link.to": things,
        }

    def offline(self, draw: Draw) -> Reply:
        return Reply(who="ada")


def test_the_schema_that_is_sent_lists_what_is_allowed() -> None:
    schema = question_schema(Ask())["properties"]
    assert schema["who"] == {"type": "string", "enum": ["ada", "ben"], "description": "In one word."}
    assert schema["what"]["enum"] == ["k1", ""]
    assert schema["cites"]["items"]["enum"] == ["k1"] and schema["cites"]["maxItems"] == 1
    assert schema["to"] == {
        "anyOf": [{"type": "string", "enum": ["k1"]}, {"type": "null"}],
        "description": "Whom.",
    }
    assert schema["tags"]["anyOf"][0] == {
        "type": "array",
        "items": {"type": "string", "enum": ["k1"]},
        "maxItems": 1,
    }
    assert schema["links"]["items"]["properties"]["to"]["enum"] == ["k1"]
    assert "enum" not in record_schema(Reply)["properties"]["who"], (
        "the class's own schema must stay as it is"
    )


def test_where_nothing_is_allowed_only_emptiness_is() -> None:
    schema = question_schema(Ask(()))["properties"]
    assert schema["what"]["enum"] == [""] and schema["cites"]["maxItems"] == 0
    assert schema["to"] == {"type": "null"}, "of what can be null alone no form of the reply says anything"
    assert read_reply('{"who": "ada", "to": null, "cites": []}', Ask(())) == Reply(who="ada")


@pytest.mark.parametrize(
    "text",
    [
        '{"who": "ada"}',
        '{"who": "ada", "to": null}',
        '{"who": "ada", "to": "k1", "tags": ["k1"]}',
        '{"who": "ben", "what": "", "cites": ["k1"]}',
        '{"who": "ben", "what": "k1", "links": [{"to": "k1"}]}',
    ],
)
def test_what_is_allowed_passes(text: str) -> None:
    assert read_reply(text, Ask())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"who": "cleo"}', "who 'cleo' does not exist here; choose from: ada, ben"),
        ('{"who": ""}', "who ''"),
        ('{"who": "ada", "what": "k2"}', "what 'k2'"),
        ('{"who": "ada", "cites": ["k1", "k9"]}', "cites 'k9'"),
        ('{"who": "ada", "links": [{"to": "k7"}]}', "to 'k7'"),
    ],
)
def test_anything_else_is_named_with_the_choice(text: str, said: str) -> None:
    with pytest.raises(UnusableAnswer) as refused:
        read_reply(text, Ask())
    assert said in str(refused.value)


class Picked(Record):
    positions: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(max_length=100)
    best: int | None = Field(None, ge=1, le=100)


@dataclass(frozen=True)
class PickOne(Question[Picked]):
    shown: Count
    kind: ClassVar[str] = "test.pick-one"

    def prompt(self) -> str:
        return "Which?"

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"positions": range(1, self.shown + 1), "best": range(1, self.shown + 1)}

    def offline(self, draw: Draw) -> Picked:
        return Picked(positions=())


def test_whole_numbers_that_are_allowed_stay_whole_numbers() -> None:
    fields = question_schema(PickOne(3))["properties"]
    assert fields["positions"]["items"] == {"type": "integer", "enum": [1, 2, 3]}
    assert fields["positions"]["maxItems"] == 3
    assert fields["best"] == {"anyOf": [{"type": "integer", "enum": [1, 2, 3]}, {"type": "null"}]}
    assert question_schema(PickOne(0))["properties"]["positions"]["maxItems"] == 0
    assert read_reply('{"positions": [3, 1]}', PickOne(3)) == Picked(positions=(3, 1))
    with pytest.raises(UnusableAnswer, match="positions 4 does not exist here; choose from: 1, 2, 3"):
        read_reply('{"positions": [4]}', PickOne(3))


@pytest.mark.parametrize(
    ("given", "read_as"),
    [('" ADA"', "ada"), ('"Ada."', "ada"), ('"\u201cben\u201d"', "ben"), ('"b-e_n"', "ben")],
)
def test_a_value_spelt_otherwise_is_read_as_the_one_it_means(given: str, read_as: str) -> None:
    assert read_reply(f'{{"who": {given}}}', Ask()).who == read_as


@pytest.mark.parametrize(
    ("given", "read_as"),
    [('"3"', 3), ('" 2."', 2), ('"1.5"', None), ('"1 3"', None), ("-3", None), ("15", None)],
)
def test_numbers_are_read_from_text_and_never_run_together(given: str, read_as: int | None) -> None:
    page = PickOne(15 if given != "15" else 3)
    text = f'{{"positions": [], "best": {given}}}'
    if read_as is not None:
        assert read_reply(text, page).best == read_as
        return
    with pytest.raises(UnusableAnswer):
        read_reply(text, page)
