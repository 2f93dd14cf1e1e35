"""What answers of an export share is written once, and joined again it is what it was."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.server.export import shared_values
from openiir.server.export.shared_values import REFERENCE, SHORTEST, SharedValues, ValueReader

LONG = "A sentence that is long enough. "
TEXTS = st.text() | st.sampled_from([LONG, f"{LONG}Another one of the same length.\n", LONG * 3, REFERENCE])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


def share(values: list[Any]) -> tuple[list[Any], list[Any]]:
    shared = SharedValues()
    numbers = [shared.add(value) for value in values]
    return [shared.write(number) for number in numbers], shared.values


@given(st.lists(VALUES, max_size=6))
def test_values_joined_again_are_what_they_were(values):
    written, shared = share(values)
    assert json.dumps([ValueReader(shared).join(one) for one in written]) == json.dumps(values)


def test_an_object_a_sentence_and_a_text_are_written_once():
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    end = "What do you look for, and why do you ask?"
    written, shared = share(
        [{"schema": schema, "text": f"{LONG}{end}"}, {"schema": schema, "text": f"{LONG}Ask."}]
    )
    assert shared == [schema, LONG]
    assert written[0] == {"schema": {REFERENCE: 0}, "text": {REFERENCE: [1, end]}}
    assert written[1] == {"schema": {REFERENCE: 0}, "text": {REFERENCE: [1, "Ask."]}}


def test_parts_of_a_shared_value_are_not_shared_by_themselves():
    inner = "x" * SHORTEST
    assert share([[[inner, "y"], [inner, "y"]]])[1] == [[inner, "y"]]


def test_short_values_and_equal_numbers_of_other_types_stay():
    assert share([1, 1.0, True, "short", "short"]) == ([1, 1.0, True, "short", "short"], [])
    assert [type(one) for one in share([1, 1.0, True])[0]] == [int, float, bool]


def test_an_object_with_the_key_of_references_is_told_apart():
    value = {REFERENCE: 0}
    written, shared = share([value])
    assert written == [{REFERENCE: value}] and ValueReader(shared).join(written[0]) == value


@pytest.mark.parametrize(
    "shared",
    [
        [{REFERENCE: 0}],
        [[{REFERENCE: 1}] * 100, [{REFERENCE: 2}] * 100, [{REFERENCE: 3}] * 100, [0] * 100],
        [{REFERENCE: 7}],
        [{REFERENCE: [1]}, 5],
    ],
    ids=["in itself", "without end", "missing", "no text"],
)
def test_values_that_nothing_wrote_are_refused(shared, monkeypatch):
    monkeypatch.setattr(shared_values, "MOST_JOINED", 10_000)
    with pytest.raises(ValueError, match="shared values"):
        ValueReader(shared).join({REFERENCE: 0})
