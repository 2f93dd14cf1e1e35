"""Trees and graphs of views as GraphML and GEXF, read back with networkx."""

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from openiir.core.claims.formats import graph_text
from openiir.plugin import Graph, Network, NetworkLink, NetworkNode, Tree, TreeNode
from openiir.runs.post_run import scenario_of, surfaces_of
from openiir.runs.run_io import open_checked
from openiir.runs.views.emit import find_view
from openiir.runs.views.graph_files import build_graph

GOLDEN = sorted(file.parent for file in (Path(__file__).parents[2] / "golden").glob("*/manifest.json"))
READ = {"graphml": nx.read_graphml, "gexf": nx.read_gexf}


def read_back(view: Any, form: Any, folder: Path) -> Any:
    file = folder / f"view.{form}"
    file.write_text(graph_text(build_graph(view), form), encoding="utf-8")
    return READ[form](file)


@pytest.mark.parametrize("form", READ)
def test_a_tree_leads_from_parents_to_children(form, tmp_path):
    nodes = (
        TreeNode(id="a", label='Ada: "5 < 6 & so on"\x07', value=2.5, step=3, state="for"),
        TreeNode(id="b", parent="a", label="Ben"),
        TreeNode(id="c", parent="b", label="Cleo", value=1.0),
    )
    found = read_back(Tree(nodes=nodes), form, tmp_path)
    assert set(found.edges()) == {("a", "b"), ("b", "c")} and nx.is_arborescence(nx.DiGraph(found))
    told = {key: found.nodes["a"][key] for key in ("label", "value", "step", "state")}
    assert told == {"label": 'Ada: "5 < 6 & so on"\ufffd', "value": 2.5, "step": 3, "state": "for"}
    assert "value" not in found.nodes["b"], "a missing value is no value"


@pytest.mark.parametrize("form", READ)
def test_a_network_keeps_all_its_links(form, tmp_path):
    nodes = (
        NetworkNode(id="a", label="Ada", kind="cast", weight=0.5),
        NetworkNode(id="b", label="Ben", x=0.1, y=0.9),
    )
    links = (
        NetworkLink(source="a", target="b", kind="follows", weight=2.0, step=1),
        NetworkLink(source="a", target="b", kind="likes", step=4),
        NetworkLink(source="b", target="a", kind="follows"),
    )
    found = read_back(Network(nodes=nodes, edges=links), form, tmp_path)
    ends = sorted((a, b, fields["kind"], fields["step"]) for a, b, fields in found.edges(data=True))
    assert ends == [("a", "b", "follows", 1), ("a", "b", "likes", 4), ("b", "a", "follows", 0)]
    assert found.is_directed() and found.nodes["a"]["kind"] == "cast" and found.nodes["b"]["y"] == 0.9


@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize("folder", GOLDEN, ids=lambda folder: folder.name)
def test_trees_and_graphs_of_all_types_are_read_back_whole(folder, form, tmp_path):
    with open_checked(folder) as run:
        names = [s.name for s in surfaces_of(scenario_of(run)).values() if s.form in ("tree", "graph")]
        views = [find_view(run, name)[1] for name in names]
    for view in views:
        found, expected = read_back(view, form, tmp_path), build_graph(view)
        assert set(found) == {str(node) for node in expected} and found.is_directed()
        assert sorted(found.edges()) == sorted(expected.edges())
        if isinstance(view, Graph):
            kinds = sorted(
                fields["type_" if form == "gexf" else "type"] for *_, fields in found.edges(data=True)
            )
            assert kinds == sorted(edge.type for edge in view.edges)
            stances = {id: fields["stance"] for id, fields in found.nodes(data=True)}
            assert stances == {claim.id: claim.stance for claim in view.claims}


def test_the_command_writes_them_by_ending_or_format(openiir, tmp_path):
    folder = next(one for one in GOLDEN if one.name == "panel-delphi")
    assert not openiir("show", folder, "graph", "--out", tmp_path / "claims.gexf").err
    assert len(nx.read_gexf(tmp_path / "claims.gexf")) > 3
    assert openiir("show", folder, "graph", "--format", "gexf").out == (tmp_path / "claims.gexf").read_text()
    refused = openiir("show", folder, "transcript", "--format", "gexf")
    assert refused.code == 2 and "gexf is for trees and graphs, and this is neither; try json" in refused.err
