"""The reference of the plug-in interface leaves nothing out, and says nothing that is not so."""

import inspect
import re
from pathlib import Path

import pytest

import openiir.plugin
import openiir.testing
from openiir import kit
from openiir.plugin import (
    Agent,
    ClaimSource,
    Draw,
    Interview,
    Lane,
    Log,
    Measure,
    Question,
    Scenario,
    Stage,
    Step,
    Surface,
)
from openiir.plugin import arguments as arguments_room

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "plugin.md").read_text(encoding="utf-8")
MENTIONED = set(re.findall(r"`(\w+)", PAGE))
CLASSES = {c.__name__: c for c in (Scenario, Question, Stage, Agent, Draw, Log)}
UNSAID = {
    "Stage": {"begin", "place", "set_clock", "collect_checkpoint", "restore"},
    "Agent": {"debit", "of"},
    "Draw": {"agent", "item", "step"},
}
"""Public for the platform's own sake; no type calls them."""


def rows(name):
    """Names and parameters in the table of a class."""
    (table,) = re.findall(rf"^\| `{name}` \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return dict(re.match(r"\| `(\w+)(\(.*?\))?` \|", line).groups() for line in table.splitlines())


def shown(function):
    """A signature as the page writes it: names and defaults, without self, annotations and markers."""
    parts = []
    for p in inspect.signature(function).parameters.values():
        if p.name in ("self", "cls"):
            continue
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(f"{stars}{p.name}" + ("" if p.default is p.empty else f"={p.default!r}"))
    return f"({', '.join(parts)})"


def public(cls):
    found = {n for n in dir(cls) if not n.startswith("_")} | set(getattr(cls, "__annotations__", {}))
    return {n for n in found if not n.startswith(("_", "model_"))} - UNSAID.get(cls.__name__, set())


def test_every_name_is_in_the_reference():
    for room in (openiir.plugin, arguments_room, openiir.testing):
        assert set(room.__all__) <= MENTIONED, room.__name__
        assert all(hasattr(room, name) for name in room.__all__)


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_is_told_with_its_parameters(name):
    told, cls = rows(name), CLASSES[name]
    own = {
        n
        for n in public(cls)
        if callable(getattr(cls, n, None)) or isinstance(getattr(cls, n, None), property)
    }
    assert own - {"Config", "Reply"} <= told.keys()
    for member, parameters in told.items():
        if parameters is not None:
            assert parameters == shown(getattr(cls, member)), member
        else:
            assert hasattr(cls, member) or member in cls.__annotations__, member


@pytest.mark.parametrize("cls", [Step, ClaimSource, Surface, Interview, Measure])
def test_what_is_built_is_told_with_its_parameters(cls):
    assert f"`{cls.__name__}{shown(cls)}`" in PAGE


def test_functions_are_told_with_their_parameters():
    for function in (openiir.plugin.quantise, openiir.testing.run_offline, openiir.testing.cast):
        assert f"`{function.__name__}{shown(function)}`" in PAGE


def test_a_lane_has_what_the_page_says():
    (said,) = re.findall(r"A `Lane` has (.*?) of its own", PAGE)
    for name in re.findall(r"`(\w+)`", said):
        assert hasattr(Lane, name)


def test_public_names_are_exported_in_order():
    for room in (openiir.plugin, arguments_room):
        assert list(room.__all__) == sorted(room.__all__)
        assert len(set(room.__all__)) == len(room.__all__)


def test_the_page_of_the_kit_names_every_room():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "kit.md").read_text(encoding="utf-8")
    rooms = {one.stem for one in Path(kit.__path__[0]).iterdir() if one.stem != "__init__"} - {"__pycache__"}
    assert {room for room in rooms if f"kit.{room}" not in page} == set()
    named = set(re.findall(r"kit\.(\w+)", page))
    assert named <= rooms
