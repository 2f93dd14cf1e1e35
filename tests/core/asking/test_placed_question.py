import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from openiir.core.asking import (
    Count,
    PlacedQuestion,
    Question,
    persona_words,
    question_scales,
    record_schema,
    reply_words,
    set_options,
)
from openiir.core.asking.reply_schema import reply_scales
from openiir.core.llm import estimated_tokens
from openiir.core.records import BigFive, Persona, Record
from openiir.core.seeds import Draw


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Part(Record):
    """A part."""

    title: str = Field(max_length=200)


class Whole(Record):
    """What a person reads of it."""

    title: str = Field("", max_length=200, description="In five words.")
    verdict: Literal["keep", "kill"]
    sure: bool | None = None
    colour: Colour
    level: Literal[1, 2, 3] = 1
    score: int = Field(0, ge=0, le=10)
    share: float | None = Field(None, ge=0, le=1)
    next: str = Field("", max_length=64)
    either: int | bool = 0
    parts: tuple[Part, ...] = Field((), max_length=3)


def test_the_schema_keeps_what_binds_and_drops_what_people_read() -> None:
    schema = record_schema(Whole)
    assert list(schema["properties"]) == list(Whole.model_fields)  # a reason asked for first is given first
    assert schema["properties"]["title"] == {
        "maxLength": 200,
        "type": "string",
        "description": "In five words.",
    }
    part = schema["properties"]["parts"]["items"]
    assert part["properties"]["title"] == {"maxLength": 200, "type": "string"} and part["required"] == [
        "title"
    ]
    assert "description" not in schema and "description" not in part and "$defs" not in schema
    assert schema["properties"]["colour"] == {"enum": ["red", "blue"], "type": "string"}
    assert schema["additionalProperties"] is False and schema["required"] == list(Whole.model_fields)


class Endless(Record):
    more: "Endless | None" = None


def test_a_reply_that_contains_itself_is_refused() -> None:
    with pytest.raises(TypeError, match="Endless contains itself"):
        record_schema(Endless)


def test_the_schema_shown_is_the_schema_sent() -> None:
    shown = reply_words(record_schema(Whole))
    instruction, _, rest = shown.partition("\n")
    assert "one JSON object" in instruction
    assert json.loads(rest) == record_schema(Whole) and list(json.loads(rest)["properties"]) == list(
        Whole.model_fields
    )


def test_asking_for_json_costs_few_words_beyond_the_schema() -> None:
    instruction, _, schema = reply_words(record_schema(Whole)).partition("\n")
    assert estimated_tokens(instruction) < 25
    assert schema == json.dumps(record_schema(Whole), separators=(",", ":"))


def test_fields_that_can_be_compared_and_how() -> None:
    assert reply_scales(Whole) == {
        "verdict": "choice",
        "sure": "choice",
        "colour": "choice",
        "level": "choice",
        "score": "number",
        "share": "number",
        "next": "id",
    }


class Picks(Record):
    positions: tuple[Annotated[int, Field(ge=1, le=4)], ...] = Field(max_length=9)
    colours: tuple[Colour, ...] = Field((), max_length=2)
    endless: tuple[Annotated[int, Field(ge=1, le=4)], ...] = ()
    far: tuple[Annotated[int, Field(ge=0, le=10**9)], ...] = Field((), max_length=9)
    words: tuple[str, ...] = Field((), max_length=3)


@dataclass(frozen=True)
class Pick(Question[Picks]):
    positions: tuple[Count, ...] | None = None
    fixed: tuple[tuple[str, Count], ...] = ()
    kind: ClassVar[str] = "test.pick"

    def prompt(self) -> str:
        return "Which?"

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        return {} if self.positions is None else {"positions": self.positions}

    def lengths(self) -> Mapping[str, int]:
        return dict(self.fixed)

    def offline(self, draw: Draw) -> Picks:
        return Picks(positions=())


def test_bounded_lists_of_few_values_are_sets_with_all_that_could_be_in_them() -> None:
    assert question_scales(Pick()) == {"positions": "set", "colours": "set"}
    assert set_options(Pick()) == {"positions": [1, 2, 3, 4], "colours": ["red", "blue"]}
    assert set_options(Pick((2, 3)))["positions"] == [2, 3]


def test_a_list_of_a_fixed_length_is_compared_entry_by_entry_and_an_empty_one_not() -> None:
    asked = Pick(fixed=(("positions", 0), ("colours", 2)))
    assert question_scales(asked) == {"colours": "list"} and not set_options(asked)


def test_a_persona_is_told_who_it_is_in_a_few_plain_lines() -> None:
    persona = Persona(
        id="ada",
        name="Ada Ng",
        bio="Runs a library.",
        stance=-0.4,
        interests=("fines", "shelves"),
        big_five=BigFive(openness=0.9, extraversion=0.5, neuroticism=0.1),
        traits={"on_leave": False, "patience": 0.552, "shelf_metres": 900},
    )
    assert persona_words(persona).splitlines() == [
        "You are Ada Ng. Runs a library.",
        "You are drawn to all that is new and nothing unsettles you.",
        "Words that catch your ear: fines, shelves.",
        "On leave: no.",
        "Shelf metres: 900.",
        "",
        "Answer as this person would: from what they know and believe, in their own voice.",
    ]


@pytest.mark.parametrize(
    ("bio", "told"),
    [
        ("Ada Ng runs a library.", "Ada Ng, who runs a library."),
        ("Ada Ng is a baker.", "Ada Ng, a baker."),
        ("Ada bakes.", "Ada Ng. Ada bakes."),
    ],
)
def test_a_bio_that_begins_with_the_name_does_not_say_it_again(bio: str, told: str) -> None:
    assert persona_words(Persona(id="ada", name="Ada Ng", bio=bio)).splitlines()[0] == f"You are {told}"


def test_what_is_ordinary_about_a_persona_is_left_out(ada: Persona) -> None:
    assert persona_words(ada).splitlines()[:2] == ["You are Ada Ng. Runs a library.", ""]


class Told(Pick):
    example: ClassVar[Record | None] = Picks(positions=(1,), words=("soup",))


def test_the_form_of_the_reply_is_an_example_or_the_schema_as_the_study_says(
    put: Callable[..., PlacedQuestion],
) -> None:
    asked = replace(put(), question=Told((2, 3)))
    by_example, by_schema = (replace(asked, form=form).messages()[-1].text for form in ("example", "schema"))
    assert (
        '"words": ["soup"]' in by_example
        and "- colours: red | blue" in by_example
        and "maxItems" not in by_example
    )
    assert "soup" not in by_schema and '"enum":[2,3]' in by_schema
    assert "maxItems" in replace(asked, question=Pick()).messages()[-1].text, (
        "without an example the schema is shown"
    )


def test_a_role_is_told_its_role_and_nothing_else(put: Callable[..., PlacedQuestion]) -> None:
    system, user = put(persona=None).messages()
    assert (system.role, system.text) == ("system", "You are the returning officer.")
    assert user.text.startswith("Are you for or against fines?\n\n") and user.text.endswith(
        reply_words(record_schema(put().question.Reply))
    )


def test_a_question_without_a_role_to_nobody_has_no_system_prompt(
    put: Callable[..., PlacedQuestion], vote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vote, "system", lambda self: "")
    assert [m.role for m in put(persona=None).messages()] == ["user"]
