"""Every question the platform and its types ask has a reply that cannot run on and that strict endpoints
take."""

import importlib
import json
import pkgutil
from pathlib import Path
from random import Random
from typing import get_args

import pytest

import openiir
from openiir.core.asking import record_schema
from openiir.core.llm.formats import can_be_strict
from openiir.plugin import Question, Record
from openiir.testing.probing import find_unbounded
from openiir.testing.standin.instances import SchemaInstances
from openiir.testing.standin.words import PromptWords

SAMPLES = 20
PAGES = Path(__file__).parents[1] / "golden" / "prompts"


def all_questions():
    for module in pkgutil.walk_packages(openiir.__path__, "openiir."):
        if not module.name.startswith("openiir.cli.template") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting, found = [Question], []
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if one.__module__.startswith("openiir.") and hasattr(one, "kind"):
            found.append(one)
    return sorted(found, key=lambda q: (q.kind, q.__name__))


@pytest.mark.parametrize("question", all_questions(), ids=lambda q: q.kind)
def test_a_reply_is_bounded(question):
    assert not find_unbounded(question.Reply)


@pytest.mark.parametrize("question", all_questions(), ids=lambda q: q.kind)
def test_a_reply_can_be_written_by_its_schema_and_read(question):
    schema = record_schema(question.Reply)
    assert can_be_strict(schema)
    for n in range(SAMPLES):
        written = SchemaInstances(
            schema, Random(f"{question.kind} {n}"), PromptWords("A few words of a prompt.")
        ).write()
        question.Reply.model_validate_json(json.dumps(written))


@pytest.mark.parametrize("question", all_questions(), ids=lambda q: q.kind)
def test_a_schema_and_its_example_are_valid(question):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema, or uv sync --group test")
    validator = jsonschema.Draft202012Validator
    schema = record_schema(question.Reply)
    validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema), "it is in one piece"
    for place, default in left_out(question.Reply, schema):
        validator(place).validate(default)
    if question.example is not None:
        validator(schema).validate(question.example.model_dump(mode="json"))


def left_out(reply, schema):
    """The schema of each field that may be left out, in nested replies too, and what then stands in it."""
    for name, field in reply.model_fields.items():
        place = schema["properties"][name]
        if not field.is_required():
            yield place, json.loads(json.dumps(field.get_default(call_default_factory=True)))
        for inner in (
            inner
            for inner in get_args(field.annotation)
            if isinstance(inner, type) and issubclass(inner, Record)
        ):
            yield from left_out(
                inner,
                next(
                    one
                    for kind in place.get("anyOf", [place])
                    for one in (kind.get("items", kind),)
                    if "properties" in one
                ),
            )


def test_every_question_has_a_page_that_people_read():
    """But for what a system under test is told."""
    kinds = {q.kind for q in all_questions() if (q.says, q.request) == (Question.says, Question.request)}
    assert {path.stem for path in PAGES.glob("*.txt")} == kinds


def test_kinds_are_names_of_their_own():
    kinds = [q.kind for q in all_questions()]
    assert len(set(kinds)) == len(kinds) >= 6
    assert all("." in kind for kind in kinds)
