"""What a study and a command may say is varied."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openiir.core.errors import InputError
from openiir.runs.settings import Settings
from openiir.runs.sweep.axes import Axis, format_assignment, read_axes
from openiir.runs.sweep.planning import SweepOrder, plan_sweep


def only(*vary: str, **table: object) -> Axis:
    (axis,) = read_axes(table, vary, "study.toml [sweep]")
    return axis


def test_a_dotted_key_and_a_table_mean_the_same():
    dotted = tomllib.loads('"config.mu" = [0.1, 0.3]\n"config.k" = { low = 1, high = 9 }')
    nested = tomllib.loads("config.mu = [0.1, 0.3]\nconfig.k = { low = 1, high = 9 }")
    assert read_axes(dotted, (), "") == read_axes(nested, (), "")
    assert [a.key for a in read_axes(dotted, (), "")] == ["config.mu", "config.k"]


def test_the_command_replaces_the_study_and_adds_to_it():
    axes = read_axes({"config.mu": [1, 2]}, ("config.mu=[3]", "answers=['offline', 'model']"), "")
    assert [(a.key, a.values) for a in axes] == [("config.mu", (3,)), ("answers", ("offline", "model"))]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("k=0.1..0.9", 0.1, 0.9),
        ("k=1..5", 1, 5),
        ("k=-1.5..2", -1.5, 2),
        ("k=1e-3..1e3", 1e-3, 1e3),
        ("k=-4..-2", -4, -2),
    ],
)
def test_a_range_is_typed_with_two_points(text, low, high):
    axis = only(text)
    assert axis.is_range and (axis.low, axis.high) == (low, high)
    assert axis.is_whole == (text in ("k=1..5", "k=-4..-2"))


def test_a_range_may_be_typed_as_a_table():
    assert only("k={low = 0.001, high = 10.0, log = true}").log


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k", "write it as key="),
        ("k=[]", "the list is empty"),
        ("k=[1, 1]", "there twice"),
        ("k=[offline]", "is not TOML"),
        ("k=0.5", "a list of values is needed"),
        ("k=3..1", "is not below"),
        ("k={low = 1}", "needs two numbers"),
        ("k={low = true, high = 2}", "needs two numbers"),
        ("k={low = 0, high = 2, log = true}", "starts above 0"),
        ("seed=[1, 2]", "--seeds"),
    ],
)
def test_what_is_no_axis_is_refused_in_words(text, words):
    with pytest.raises(InputError, match=words):
        read_axes({}, (text,), "study.toml [sweep]")


def test_no_axis_is_dropped_and_no_plan_outgrows_the_memory():
    with pytest.raises(InputError, match="k is there twice"):
        read_axes({}, ("k=[1]", "k=[2]"), "")
    for asked in (
        SweepOrder("panel", seeds=10**11),
        SweepOrder("panel", samples=10**11, design="lhs", vary=("config.mu=0..1",)),
    ):
        with pytest.raises(InputError, match="at most 1,000,000"):
            plan_sweep(asked, Settings())


@given(st.floats(0, 1), st.integers(-50, 50), st.integers(1, 60))
def test_whole_numbers_stay_whole_and_within(unit, low, span):
    value = Axis("k", low=low, high=low + span).at(unit)
    assert isinstance(value, int) and low <= value <= low + span


@given(st.floats(0, 1), st.floats(1e-6, 1e3), st.floats(1e-3, 1e6), st.booleans())
def test_numbers_stay_within_and_keep_their_order(unit, low, span, log):
    axis = Axis("k", low=low, high=low + span, log=log)
    assert low <= axis.at(0) <= axis.at(unit / 2) <= axis.at(unit) <= axis.at(1) <= low + span


def test_a_logarithmic_range_is_even_in_the_logarithm():
    axis = Axis("k", low=0.01, high=100.0, log=True)
    assert axis.at(0.5) == pytest.approx(1.0) and axis.levels(3) == pytest.approx([0.01, 1.0, 100.0])


def test_every_listed_value_and_whole_number_has_an_equal_share():
    units = [(n + 0.5) / 600 for n in range(600)]
    for axis in (Axis("k", values=("a", "b", "c")), Axis("k", low=4, high=6)):
        taken = [axis.at(u) for u in units]
        assert {taken.count(value) for value in set(taken)} == {200}


TOML = st.recursive(
    st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)


@given(TOML)
def test_an_assignment_reads_back_as_the_value(value):
    key, _, text = format_assignment("config.k", value).partition("=")
    assert key == "config.k" and tomllib.loads(f"x = {text}")["x"] == value
