"""One check of the contract against a type in a test's own file."""

from typing import Any, NamedTuple

import pytest

from openiir.runs import types
from openiir.testing import ScenarioContract
from openiir.testing.offline import offline_study, run_loaded


class Entered(NamedTuple):
    """An entry point to a type in a test's file."""

    name: str
    scenario: Any
    value = "tests:It"
    dist = None

    def load(self):
        return self.scenario


@pytest.fixture
def entered(monkeypatch):
    """Registers a type alone, as if it were installed."""
    return lambda one: monkeypatch.setattr(types, "_entries", lambda: [Entered(one.name, one)])


@pytest.fixture
def tried(entered, tmp_path):
    """Runs one check of the contract against a type, in a study with these tables."""

    def check(scenario, name, **tables):
        entered(scenario)
        contract = type("Contract", (ScenarioContract,), {"type": scenario})()
        loaded = offline_study({"type": scenario.name, "seed": 5, **tables}, tmp_path)
        finished = run_loaded(loaded, tmp_path / "finished")
        (tmp_path / "more").mkdir()
        given = {"loaded": loaded, "finished": finished, "tmp_path": tmp_path / "more"}
        method = getattr(contract, name)
        wanted = method.__code__.co_varnames[1 : method.__code__.co_argcount]
        with finished.run:
            method(**{key: given[key] for key in wanted})

    return check
