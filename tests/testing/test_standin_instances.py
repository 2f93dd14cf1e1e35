import json
import re
from enum import StrEnum
from random import Random
from typing import Annotated, Literal

import pytest
from pydantic import Field

from openiir.core.asking import record_schema
from openiir.core.records import Record
from openiir.testing.standin.instances import SchemaInstances, schema_in
from openiir.testing.standin.words import PromptWords

PROMPT = "Ada asks whether c12 or c7 settles the price of offshore wind, given source s-3 and claim c40."


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(Record):
    claim: str = Field(pattern=r"^c[0-9]{1,3}$")
    weight: float = Field(ge=-1.0, le=1.0)


class Everything(Record):
    text: str = Field(min_length=5, max_length=40)
    tiny: str = Field(max_length=3)
    long: str = Field(min_length=600, max_length=900)
    grade: int = Field(ge=1, le=5)
    odd: int = Field(gt=-3, lt=3)
    below: int = Field(le=-500)
    share: float = Field(gt=0.0, lt=1.0)
    colour: Colour
    kind: Literal["only"]
    choice: Literal["a", "b"] | None
    either: int | Annotated[str, Field(max_length=10)]
    parts: tuple[Inner, ...] = Field(min_length=1, max_length=3)
    pair: tuple[int, bool]
    note: str | None = None
    flag: bool = False


def written(schema, key):
    return SchemaInstances(schema, Random(key), PromptWords(PROMPT)).write()


@pytest.mark.parametrize("model", [Everything, Inner])
def test_every_instance_is_a_reply_of_the_class_whose_schema_it_was_written_from(model):
    seen = {json.dumps(written(record_schema(model), f"key {i}")) for i in range(150)}
    for text in seen:
        model.model_validate_json(text)
    assert len(seen) > 75


def test_what_no_reply_holds_is_refused():
    with pytest.raises(ValueError, match="writes no value for the schema {'type': 'date'}"):
        written({"type": "date"}, "k")


def test_the_same_key_gives_the_same_instance_and_others_others():
    schema = record_schema(Everything)
    assert written(schema, "one") == written(schema, "one") != written(schema, "two")


def test_an_id_in_the_prompt_is_preferred_to_an_invented_one():
    schema = {"type": "string", "pattern": "^c[0-9]+$"}
    assert {written(schema, f"{i}") for i in range(60)} == {"c12", "c7", "c40"}


def test_texts_are_made_of_the_prompts_words():
    words = set(re.findall("[a-z]+", PROMPT.lower()))
    text = PromptWords(PROMPT).text(Random("k"))
    assert set(re.findall("[a-z]+", text.lower())) <= words
    assert text[0].isupper() and text.endswith(".")


def test_a_schema_is_found_in_a_prompt_among_other_braces():
    schema = record_schema(Everything)
    prompt = (
        f'Rank {{a}} and {{"type": "x"}}. Answer as JSON by this schema:\n{json.dumps(schema, indent=1)}\n'
        "Now."
    )
    assert schema_in(prompt) == schema
    assert schema_in('no schema here: {"answer": 1} {"type": "broken') is None
