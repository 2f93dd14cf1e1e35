import json
import re
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from openiir.testing.standin.choices import Choices
from openiir.testing.standin.instances import Instances, schema_in
from openiir.testing.standin.patterns import write_matching
from openiir.testing.standin.words import PromptWords

PROMPT = "Ada asks whether c12 or c7 settles the price of offshore wind, given source s-3 and claim c40."


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(Closed):
    claim: Annotated[str, Field(pattern=r"^c[0-9]{1,3}$")]
    weight: Annotated[float, Field(ge=-1.0, le=1.0)]


class Everything(Closed):
    text: Annotated[str, Field(min_length=5, max_length=40)]
    tiny: Annotated[str, Field(max_length=3)]
    long: Annotated[str, Field(min_length=600, max_length=900)]
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}-\d{4}$", max_length=7)]
    grade: Annotated[int, Field(ge=1, le=5)]
    odd: Annotated[int, Field(gt=-3, lt=3, multiple_of=2)]
    below: Annotated[int, Field(le=-500)]
    share: Annotated[float, Field(gt=0.0, lt=1.0)]
    colour: Colour
    kind: Literal["only"]
    choice: Literal["a", "b"] | None
    either: int | Annotated[str, Field(max_length=10)]
    parts: Annotated[list[Inner], Field(min_length=1, max_length=3)]
    ids: Annotated[set[Annotated[int, Field(ge=0, le=3)]], Field(min_length=2, max_length=4)]
    pair: tuple[int, bool]
    scores: Annotated[dict[str, Annotated[int, Field(ge=0, le=9)]], Field(min_length=1, max_length=2)]
    note: str | None = None
    flag: bool = False


class Tree(Closed):
    name: Annotated[str, Field(max_length=20)]
    children: Annotated[list["Tree"], Field(max_length=3)] = []
    next: "Tree | None" = None


def written(schema, key):
    return Instances(schema, Choices(key), PromptWords(PROMPT)).write()


@pytest.mark.parametrize("model", [Everything, Tree, Inner])
def test_every_instance_passes_the_model_whose_schema_it_was_written_from(model):
    schema = model.model_json_schema()
    seen = set()
    for i in range(150):
        text = json.dumps(written(schema, f"key {i}"))
        model.model_validate_json(text)
        seen.add(text)
    assert len(seen) > 75


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"$ref": "#/$defs/a"}, {"properties": {"y": {"const": 2}}, "required": ["y"]}]},
        {"oneOf": [{"$ref": "#/$defs/a"}]},
        {"$ref": "#/$defs/a"},
    ],
)
def test_references_and_combinations_are_followed(schema):
    defs = {"a": {"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"]}}
    value = written(schema | {"$defs": defs}, "k")
    assert value["x"] == 1 and value.get("y", 2) == 2


def test_the_same_key_gives_the_same_instance_and_others_others():
    schema = Everything.model_json_schema()
    assert written(schema, "one") == written(schema, "one") != written(schema, "two")


def test_an_id_in_the_prompt_is_preferred_to_an_invented_one():
    schema = {"type": "string", "pattern": "^c[0-9]+$"}
    assert {written(schema, f"{i}") for i in range(60)} == {"c12", "c7", "c40"}


def test_texts_are_made_of_the_prompts_words():
    words = set(re.findall("[a-z]+", PROMPT.lower()))
    text = PromptWords(PROMPT).text(Choices("k"))
    assert set(re.findall("[a-z]+", text.lower())) <= words
    assert text[0].isupper() and text.endswith(".")


@pytest.mark.parametrize(
    "pattern",
    [
        r"^p\d{3}$",
        r"^[a-z][a-z0-9_-]*$",
        r"^(yes|no)$",
        r"^\w+@[^@\s]+$",
        r"id:[0-9a-f]{8}",
        r"^a?b+c{2,}.$",
        "^$",
    ],
)
def test_a_text_written_for_a_pattern_matches_it(pattern):
    for i in range(50):
        assert re.search(pattern, write_matching(pattern, Choices(f"{i}")))


def test_a_pattern_that_cannot_fit_its_length_is_named():
    with pytest.raises(ValueError, match="of 0 to 3 characters"):
        write_matching("^[a-z]{9}$", Choices("k"), longest=3)


def test_choices_are_uniform():
    choices, counts = Choices("k"), [0] * 10
    for _ in range(20_000):
        counts[choices.below(10)] += 1
    chi_squared = sum((n - 2000) ** 2 / 2000 for n in counts)
    assert chi_squared < 27.9  # 0.001 at 9 degrees of freedom
    draws = [choices.between(-2, 2) for _ in range(1000)]
    assert set(draws) == {-2, -1, 0, 1, 2}


def test_a_schema_is_found_in_a_prompt_among_other_braces():
    schema = Tree.model_json_schema()
    prompt = (
        f'Rank {{a}} and {{"type": "x"}}. Answer as JSON by this schema:\n{json.dumps(schema, indent=1)}\n'
        "Now."
    )
    assert schema_in(prompt) == schema
    assert schema_in('no schema here: {"answer": 1} {"type": "broken') is None


@pytest.mark.parametrize("hint", [int, list[str], dict[str, int], bool, None | str])
def test_a_bare_type_is_written_too(hint):
    adapter = TypeAdapter(hint)
    for i in range(20):
        adapter.validate_python(written(adapter.json_schema(), f"{i}"), strict=True)
