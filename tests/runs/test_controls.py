"""Controls of a type: a null that is 0, a positive control that is found, and what is said where not."""

import math
from dataclasses import replace
from typing import Any

import pytest
from import_graph import TYPES

from openiir.core.errors import InputError, UnknownName
from openiir.plugin import Control
from openiir.runs.audit import run_controls
from openiir.runs.study import load_study
from openiir.runs.types import find_type

NULL = Control(
    "a panel whom nobody moves",
    "pairwise_distance_last",
    {"mu": 0.0, "phi": 0.0},
    less="pairwise_distance_first",
)
FOUND = replace(
    NULL,
    config={"mu": 0.5, "epsilon": 2.0},
    measure="pairwise_distance_first",
    less="pairwise_distance_last",
    least=0.1,
)


def verdicts(monkeypatch: pytest.MonkeyPatch, *controls: Control) -> list[Any]:
    monkeypatch.setattr(find_type("panel").__class__, "controls", controls)
    return list(run_controls(load_study("panel")))


@pytest.mark.parametrize("name", TYPES)
def test_every_built_in_type_declares_a_null_and_a_positive_control(name: str) -> None:
    nulls = [control.least is None for control in find_type(name).controls]
    assert (any(nulls) or find_type(name).twins) and not all(nulls)


def test_effects_are_measured_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = replace(FOUND, least=3.0)
    moved = replace(FOUND, least=None)
    found = verdicts(monkeypatch, NULL, FOUND, weak, moved)
    assert [one.holds for one in found] == [True, True, False, False]
    assert found[0].effect == 0 and found[1].effect > 0.1


def test_a_baseline_is_a_run_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    two = Control("turns", "utterances", {"shape.round.0.turns": 4}, baseline={"shape.round.0.turns": 6})
    (found,) = verdicts(monkeypatch, replace(two, least=-2.0))
    assert found.effect == -2 and found.holds


def test_a_measure_without_a_value_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = verdicts(monkeypatch, Control("nobody tires", "first_exhaustion_step", {}))
    assert math.isnan(found.effect) and not found.holds and found.words


def test_mistakes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownName, match="fame"):
        verdicts(monkeypatch, replace(NULL, measure="fame"))
    with pytest.raises(InputError, match="controls of the type 'panel'"):
        verdicts(monkeypatch, replace(NULL, config={"fame": 1}))


def test_the_command_says_what_controls_showed(openiir: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openiir.cli.audit.audit_type", lambda *args: [])
    told = openiir("audit", "panel")
    assert told.code == 0 and "null     holds a panel whom nobody moves" in told.out
    assert "positive holds" in told.out and "(at least 0.1)" in told.out
    monkeypatch.setattr(find_type("panel").__class__, "controls", (replace(FOUND, least=9.0),))
    told = openiir("audit", "panel")
    assert told.code == 1 and "that do not hold" in told.err
