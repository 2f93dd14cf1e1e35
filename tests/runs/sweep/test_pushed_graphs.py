"""A sweep's runs pushed to a graph store: those that are done, by the sweep's folder."""

import pytest

from openiir.core.errors import InputError
from openiir.core.storage.graph_store import GraphStore
from openiir.runs import push_graph
from openiir.runs.push import push_runs


class Noted(GraphStore):
    """A store that keeps what it is to save."""

    def __init__(self):
        self.saved = {}

    create_tables = execute = merge = __exit__ = lambda *_, **__: None

    def save(self, run, rows):
        if run["key"] in self.saved:
            return None
        self.saved[run["key"]] = run
        return len(list(rows))


@pytest.fixture
def store(monkeypatch):
    noted = Noted()
    monkeypatch.setattr(push_graph, "open_graph_store", lambda url: noted)
    return noted


def test_the_folder_of_a_sweep_stands_for_its_runs(small, sweep, with_parlour, store, tmp_path):
    folder = tmp_path / "sweep"
    sweep(small('[sweep]\n"config.warmth" = [0.2, 0.8]\nseeds = 2\n'), folder)
    lines = list(push_runs([folder], "ladybug:x"))
    assert [line.partition(": ")[0] for line in lines] == [f"{folder}/cells/000{n}" for n in (1, 2, 3, 4)]
    assert sorted(run["seed"] for run in store.saved.values()) == [11, 11, 12, 12]
    assert {run["type"] for run in store.saved.values()} == {"parlour"}
    assert all(run["content"].startswith("sha256:") for run in store.saved.values())
    (again,) = push_runs([folder / "cells" / "0002"], "ladybug:x")
    assert "there already" in again


def test_a_run_that_has_not_ended_is_refused(evening, sittings, with_parlour, store, tmp_path):
    sittings({"argv": ["run", str(evening()), "--out", str(tmp_path / "run")], "kill": 40})
    with pytest.raises(InputError, match="has not ended .*openiir resume"):
        list(push_runs([tmp_path / "run"], "ladybug:x"))
    assert not store.saved
