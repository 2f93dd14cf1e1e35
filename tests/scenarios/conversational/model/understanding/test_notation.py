"""Acts in one line: written, read back, and read as models write it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.plugin import UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Act, Slot
from openiir.scenarios.conversational.model.understanding.notation import format_acts, parse_acts

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_.\-]{0,12}", fullmatch=True)
texts = st.text(max_size=30) | st.sampled_from(
    ['a "b", c', "It's (1)", 'x\\"', "a)|b(", "x=y,z", "", " ", '"', "\\", "',y=("]
)
slots = (
    names | st.text(min_size=1, max_size=12) | st.sampled_from(["Price Range", "a (b)", 'x"', "y=", "1st"])
)
acts = st.lists(
    st.builds(
        lambda intent, slots: Act(intent=intent, slots=tuple(Slot(slot=s, value=v) for s, v in slots)),
        names,
        st.lists(st.tuples(slots, st.none() | texts), max_size=4),
    ),
    max_size=4,
)


@given(acts)
@settings(deadline=None, max_examples=80)
def test_what_is_written_is_read_back(said):
    assert parse_acts(format_acts(said)) == tuple(said)


def pairs(text):
    return [(act.intent, act.pairs) for act in parse_acts(text)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", []),
        (" \n ", []),
        ("BYE", [("BYE", ())]),
        ("BYE()|", [("BYE", ())]),
        ("INQUIRE.MORE(plot) | BYE()", [("INQUIRE.MORE", (("plot", None),)), ("BYE", ())]),
        ('DISCLOSE(genre="horror",year)', [("DISCLOSE", (("genre", "horror"), ("year", None)))]),
        (
            "LIKE(title='Schindler's List', year=1993)",
            [("LIKE", (("title", "Schindler's List"), ("year", "1993")))],
        ),
        ('LIKE(title="The "Best" Of")', [("LIKE", (("title", 'The "Best" Of'),))]),
        ('LIKE(title="a \\"b\\"")', [("LIKE", (("title", 'a "b"'),))]),
        (
            "LIKE(title=The Good, the Bad and the Ugly (1966))",
            [("LIKE", (("title", "The Good, the Bad and the Ugly (1966)"),))],
        ),
        ("X ( a = It (2017) , b )\n|\tY", [("X", (("a", "It (2017)"), ("b", None))), ("Y", ())]),
        ("X(a=“b, c”,d=‘e’)", [("X", (("a", "b, c"), ("d", "e")))]),
        ('X("Price Range"="cheap",\'b c\')', [("X", (("Price Range", "cheap"), ("b c", None)))]),
        ('X(a="",b=)', [("X", (("a", ""), ("b", None)))]),
    ],
)
def test_what_models_write_is_read(text, read):
    assert pairs(text) == read


@pytest.mark.parametrize(
    ("text", "place", "remedy"),
    [
        ('X(a="b', "character 5", "close it with"),
        ("X(a", "character 4", "closing bracket"),
        ("X(a=b", "character 5", "close the bracket"),
        ("X(", "character 3", "close the bracket"),
        ("|", "character 1", "an intent is expected"),
        ("X()Y()", "character 4", "put | between"),
        ("X(a b)", "character 5", "comma"),
        ("I think it is X()", "character 3", "put | between"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, place, remedy):
    with pytest.raises(UnusableAnswer) as refused:
        parse_acts(text)
    assert place in str(refused.value) and remedy in str(refused.value)
