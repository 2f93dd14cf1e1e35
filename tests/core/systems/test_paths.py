import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.systems.paths import MISSING, parse_path, text_paths, value_at

ANSWER = {
    "text": "top",
    "message": {"text": "hello", "a.b": 1, "none": None},
    "choices": [{"m": "first", "tags": ["x", "y"]}, {"m": "last", "tags": ["z"]}, {}],
    "empty": [],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", ANSWER),
        ("$.text", "top"),
        ("message.text", "hello"),
        ("$.message.text", "hello"),
        ('message["a.b"]', 1),
        ("message.none", None),
        ("choices[0].m", "first"),
        ("choices[-1]", {}),
        ("choices[-2].m", "last"),
        ("choices[*].m", ["first", "last"]),
        ("choices[*].tags[*]", ["x", "y", "z"]),
        ("choices[*].tags", [["x", "y"], ["z"]]),
        ("empty[*].m", []),
        ("choices[3]", MISSING),
        ("choices[-4]", MISSING),
        ("choices.m", MISSING),
        ("choices[*].n", MISSING),
        ("message[0]", MISSING),
        ("message[*]", MISSING),
        ("message.text.more", MISSING),
        ("nowhere", MISSING),
    ],
)
def test_a_path_leads_where_it_says(path, value):
    assert value_at(ANSWER, path) == value


@pytest.mark.parametrize(
    "path", ["a..b", "a.", ".a", "a[", "a[x]", "a]b", "a[1", "$a", 'a[""]', "[*", "a[1.5]"]
)
def test_a_path_that_cannot_be_read_is_refused_by_its_rest(path):
    with pytest.raises(ValueError, match="cannot be read from"):
        parse_path(path)


keys = st.text(st.characters(exclude_characters='"', exclude_categories=["Cs"]), min_size=1, max_size=8)
trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)


def leaves(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else []


@given(trees)
def test_every_path_offered_as_a_remedy_leads_to_its_text(tree):
    assert [value_at(tree, path) for path in text_paths(tree)] == leaves(tree)
