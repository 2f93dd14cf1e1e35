"""Rows for graph databases: no link before its ends, whole views, and claims that no view shows."""

from collections import Counter
from pathlib import Path

import pytest

from openiir.core.storage import Log
from openiir.core.storage.graph_tables import NodeTable
from openiir.plugin import Cite, Network, NetworkNode, Ref, Surface, Tree, TreeNode
from openiir.runs.run_io import open_checked
from openiir.runs.views import property_graph
from openiir.runs.views.property_graph import graph_rows

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def rows_of():
    def read(name):
        with open_checked(GOLDEN / name) as run:
            return list(graph_rows(run, "r"))

    return read


def kinds(rows):
    return Counter(table.label if isinstance(table, NodeTable) else table.type for table, _ in rows)


@pytest.mark.parametrize(
    "name", ["llm-assessors", "social-media", "generations", "coordination-emergent", "feed"]
)
def test_rows_have_known_columns_and_links_follow_their_ends(rows_of, name):
    there = set()
    for table, row in rows_of(name):
        for column, type in table.columns.items():
            value = row.get(column)
            assert value is None or isinstance(value, type) or (type is float and isinstance(value, int))
        if isinstance(table, NodeTable):
            assert (table.label, row["key"]) not in there
            there.add((table.label, row["key"]))
            assert row["key"].startswith("r/") and row["run"] == "r"
        else:
            ends = (table.source.label, row["source"]), (table.target.label, row["target"])
            assert there.issuperset(ends)


def test_every_birth_is_a_node_below_its_parent(rows_of):
    rows, births = rows_of("generations"), {}
    with open_checked(GOLDEN / "generations") as run:
        for side, *born in Log(run).fields("multi_generational.born", "side", "agents", "parents"):
            births.setdefault(side, []).append(born)
    tree = [row for table, row in rows if row.get("view") == "tree"]
    assert [row["id"] for row in tree] == [
        id for side in births.values() for agents, _ in side for id in agents
    ]
    links = {(row["source"], row["target"]) for table, row in rows if getattr(table, "type", "") == "PARENT"}
    assert links == {
        (f"r/tree/{id}", f"r/tree/{before[parent]}")
        for side in births.values()
        for (before, _), (agents, parents) in zip(side, side[1:], strict=False)
        for id, parent in zip(agents, parents, strict=True)
    }
    assert kinds(rows)["REFERS_TO"] == len(tree)


def test_every_window_of_a_network_is_there(rows_of):
    rows = rows_of("coordination-emergent")
    steps = {row["step"] for table, row in rows if getattr(table, "type", "") == "LINK"}
    assert len(steps) > 1


def test_claims_without_a_view_are_rows_with_their_strength(rows_of, monkeypatch):
    before = rows_of("llm-assessors")
    monkeypatch.setattr(property_graph, "surfaces_of", lambda scenario: {})
    assert kinds(rows_of("llm-assessors")) == kinds(before)
    assert [row for row in rows_of("llm-assessors") if row not in before] == []
    assert kinds(before)["Claim"] > 20 and kinds(before)["CITES"] > 5


def test_references_and_citations_of_nodes_are_links(rows_of, monkeypatch):
    speaker = Ref(to="agent", id="wen-zhao")
    tree = Tree(nodes=(TreeNode(id="1", label="x", refs=(speaker, Ref(to="claim", id="k001"))),))
    cite = Cite(world="main", chunk="c0001", start=2, end=5)
    network = Network(nodes=(NetworkNode(id="wen-zhao", label="Wen", cites=(cite,)),), edges=())
    views = {
        "t": Surface("t", "tree", "T", lambda log: tree),
        "n": Surface("n", "graph", "N", lambda log: network),
    }
    monkeypatch.setattr(property_graph, "surfaces_of", lambda scenario: views)
    links = [(table, row) for table, row in rows_of("llm-assessors") if not isinstance(table, NodeTable)]
    found = {
        (table.type, row["source"], row["target"]) for table, row in links if table.source.label == "Node"
    }
    assert found == {
        ("REFERS_TO", "r/t/1", "r/wen-zhao"),
        ("REFERS_TO", "r/t/1", "r/k001"),
        ("REFERS_TO", "r/n/wen-zhao", "r/wen-zhao"),
        ("CITES", "r/n/wen-zhao", "r/main/c0001"),
    }
