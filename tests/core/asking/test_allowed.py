from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from openiir.core.asking import Question, read, schema_for, schema_of
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Record
from openiir.core.seeds import Draw


class Link(Record):
    to: str = Field(max_length=10)


class Reply(Record):
    who: str = Field(max_length=10)
    what: str = Field(default="", max_length=10)
    cites: tuple[str, ...] = Field(default=(), max_length=3)
    links: tuple[Link, ...] = Field(default=(), max_length=3)


@dataclass(frozen=True)
class Ask(Question[Reply]):
    people: tuple[str, ...] = ("ada", "ben")
    things: tuple[str, ...] = ("k1",)
    kind: ClassVar[str] = "test.ask"
    Reply: ClassVar[type[Record]] = Reply

    def prompt(self) -> str:
        return "Who?"

    def offline(self, draw: Draw) -> Reply:
        return Reply(who=self.people[0])

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"who": self.people, "what": self.things, "cites": self.things, "Link.to": self.things}


def test_the_schema_that_is_sent_lists_what_is_allowed() -> None:
    schema = schema_for(Ask())
    assert schema["properties"]["who"] == {"type": "string", "enum": ["ada", "ben"]}
    assert schema["properties"]["what"]["enum"] == ["k1", ""]
    assert schema["properties"]["cites"]["items"]["enum"] == ["k1"]
    assert schema["$defs"]["Link"]["properties"]["to"]["enum"] == ["k1"]
    assert "enum" not in schema_of(Reply)["properties"]["who"], "the class's own schema must stay as it is"


def test_where_nothing_is_allowed_only_emptiness_is() -> None:
    schema = schema_for(Ask(things=()))
    assert schema["properties"]["what"]["enum"] == [""] and schema["properties"]["cites"]["maxItems"] == 0


@pytest.mark.parametrize(
    "text",
    ['{"who": "ada"}', '{"who": "ben", "what": "", "cites": ["k1"]}', '{"who": "ben", "what": "k1", "links": [{"to": "k1"}]}'],
)
def test_what_is_allowed_passes(text: str) -> None:
    assert read(text, Ask())


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
        read(text, Ask())
    assert said in str(refused.value)


class Picked(Record):
    positions: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(max_length=100)


@dataclass(frozen=True)
class PickOne(Question[Picked]):
    shown: int
    kind: ClassVar[str] = "test.pick-one"
    Reply: ClassVar[type[Record]] = Picked

    def prompt(self) -> str:
        return "Which?"

    def offline(self, draw: Draw) -> Picked:
        return Picked(positions=())

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"positions": range(1, self.shown + 1)}


def test_whole_numbers_can_be_allowed_too() -> None:
    field = schema_for(PickOne(3))["properties"]["positions"]
    assert field["items"] == {"type": "integer", "enum": [1, 2, 3]} and field["maxItems"] == 3
    assert schema_for(PickOne(0))["properties"]["positions"]["maxItems"] == 0
    assert read('{"positions": [3, 1]}', PickOne(3)) == Picked(positions=(3, 1))
    with pytest.raises(UnusableAnswer, match="positions 4 does not exist here; choose from: 1, 2, 3"):
        read('{"positions": [4]}', PickOne(3))
