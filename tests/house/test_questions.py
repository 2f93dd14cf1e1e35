"""Every question the platform and its types ask has a reply that cannot run on and that strict endpoints take."""

import importlib
import json
import pkgutil

import pytest

import openiir
from openiir.core.asking import Unsplit, schema_of
from openiir.core.llm.formats import can_be_strict
from openiir.plugin import Question
from openiir.testing.probing import unbounded
from openiir.testing.standin.choices import Choices
from openiir.testing.standin.instances import Instances
from openiir.testing.standin.words import Words

SAMPLES = 20
OWED = {"claims.extract", "personas.draft"}
"""Kinds whose facts are not told apart from their dispositions yet; an entry goes when they are, and none is added."""


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
    assert not unbounded(question.Reply)


@pytest.mark.parametrize("question", all_questions(), ids=lambda q: q.kind)
def test_a_reply_can_be_written_by_its_schema_and_read(question):
    schema = schema_of(question.Reply)
    assert can_be_strict(schema)
    for n in range(SAMPLES):
        written = Instances(
            schema, Choices(f"{question.kind} {n}"), Words("A few words of a prompt.")
        ).write()
        question.Reply.model_validate_json(json.dumps(written))


@pytest.mark.parametrize("question", all_questions(), ids=lambda q: q.kind)
def test_a_schema_and_its_example_are_valid(question):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema, or uv sync --group test")
    validator = jsonschema.Draft202012Validator
    schema = schema_of(question.Reply)
    validator.check_schema(schema)
    if question.example is not None:
        validator(schema).validate(question.example.model_dump(mode="json"))


def test_questions_whose_facts_are_owed_are_named_and_get_fewer():
    assert {q.kind for q in all_questions() if issubclass(q, Unsplit)} == OWED


def test_kinds_are_names_of_their_own():
    kinds = [q.kind for q in all_questions()]
    assert len(set(kinds)) == len(kinds) >= 6
    assert all("." in kind for kind in kinds)
