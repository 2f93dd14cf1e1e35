import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.systems.template import fill, fill_known, fill_text, placeholders

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_placeholder_that_is_the_whole_value_keeps_its_type_and_breaks_no_json(value):
    sent = canonical(fill({"a": [{"b": "{it}"}], "c": 1}, {"it": value}))
    assert json.loads(sent) == {"a": [{"b": value}], "c": 1}


@given(st.text())
def test_no_text_can_break_out_of_the_text_around_it(text):
    sent = canonical(fill({"say": 'user said: "{text}"'}, {"text": text}))
    assert json.loads(sent) == {"say": f'user said: "{text}"'}


def test_what_is_put_in_is_not_looked_through_for_placeholders():
    assert fill("{text}!", {"text": "{session}", "session": "s"}) == "{session}!"


def test_values_inside_a_text_are_written_as_json():
    assert (
        fill_text("n={n} on={on} l={l}", {"n": 2, "on": True, "l": ["a", None]}) == 'n=2 on=true l=["a",null]'
    )


def test_doubled_braces_stand_for_themselves_and_other_braces_are_left_alone():
    assert fill("{{text}} {} {1} {a b} }}", {}) == "{text} {} {1} {a b} }}"
    assert fill('{"m":{"t":"{text}"}}', {"text": "x"}) == '{"m":{"t":"x"}}'


def test_placeholders_are_found_wherever_they_stand():
    template = {"a": ["{x}", {"b": "say {y} {{z}}"}], "c": 3}
    assert list(placeholders(template)) == ["x", "y"]


def test_a_placeholder_without_a_value_is_named_with_the_nearest_that_has_one():
    with pytest.raises(InputError, match="'sesion'; did you mean 'session'"):
        fill({"id": "{sesion}"}, {"session": "s", "text": "t"})


@given(st.lists(json_values, max_size=4))
def test_a_list_can_be_put_among_the_elements_of_another(values):
    assert fill(["first", "{*it}", "last"], {"it": values}) == ["first", *values, "last"]
    assert fill({"all": "{*it}"}, {"it": values}) == {"all": values}


def test_what_is_put_among_elements_must_have_a_value_too():
    assert list(placeholders(["{*it}"])) == ["it"]
    with pytest.raises(InputError, match="'its'; did you mean 'it'"):
        fill(["{*its}"], {"it": []})


def test_some_placeholders_can_be_filled_before_the_others():
    template = {
        "a": "{url}/x",
        "b": ["{model}", "{text}", "{{url}}", "{*url}"],
        "c": {"d": "{table}"},
        "n": 1,
    }
    known = {"url": "http://h", "model": "m {text}", "table": {"k": [1]}}
    assert fill_known(template, known) == {
        "a": "http://h/x",
        "b": ["m {text}", "{text}", "{{url}}", "{*url}"],
        "c": {"d": {"k": [1]}},
        "n": 1,
    }
