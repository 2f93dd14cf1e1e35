import pytest
from pydantic import Field

from openiir.core.llm.formats import FORMS, AcceptedFormats, can_be_strict, refuses_format, response_format
from openiir.core.records import Record


class Closed(Record):
    text: str
    parts: list[int]


class Nested(Record):
    inner: Closed
    others: list[Closed]


class WithDefault(Record):
    text: str
    note: str = ""


class WithFreeKeys(Record):
    scores: dict[str, int] = Field(max_length=3)


@pytest.mark.parametrize(
    ("model", "strict"), [(Closed, True), (Nested, True), (WithDefault, False), (WithFreeKeys, False)]
)
def test_strict_is_for_closed_schemas_that_require_everything(model, strict):
    schema = model.model_json_schema()
    assert can_be_strict(schema) is strict
    assert ("strict" in AcceptedFormats().forms(schema)) is strict


def test_a_refused_form_is_not_tried_again_for_its_schema_and_text_always_is():
    ladder, schema = AcceptedFormats(), Closed.model_json_schema()
    for form in FORMS:
        assert ladder.forms(schema)[0] == form
        ladder.note_refusal(schema, form)
    assert ladder.forms(schema) == ["text"]


def test_a_form_that_was_never_taken_is_skipped_for_other_schemas():
    ladder = AcceptedFormats()
    ladder.note_refusal(Closed.model_json_schema(), "strict")
    assert ladder.forms(Nested.model_json_schema()) == ["json_schema", "json_object", "text"]


def test_a_form_that_another_schema_was_taken_in_is_still_tried():
    ladder = AcceptedFormats()
    ladder.note_acceptance("strict")
    ladder.note_refusal(Closed.model_json_schema(), "strict")
    assert ladder.forms(Nested.model_json_schema())[0] == "strict"
    assert ladder.forms(Closed.model_json_schema())[0] == "json_schema"


@pytest.mark.parametrize(
    ("status", "body", "about"),
    [
        (400, "Unrecognized request argument supplied: response_format", True),
        (400, "Failed to parse grammar", True),
        (400, "'type' must be 'json_object' or 'text'", True),
        (400, "This model's maximum context length is 4096 tokens", False),
        (404, "model 'x' not found", False),
        (404, "", True),
        (422, "unprocessable", True),
        (501, "not implemented", True),
        (401, "response_format", False),
        (413, "", False),
    ],
)
def test_refusals_about_the_format_are_told_from_others(status, body, about):
    assert refuses_format(status, body) is about


def test_the_name_is_made_fit_for_the_wire():
    sent = response_format("strict", {"type": "object"}, "panel.utter é" + "x" * 80)
    name = sent["json_schema"]["name"]
    assert name.startswith("panel_utter__x") and len(name) == 64
    assert response_format("text", {}, "n") is None
