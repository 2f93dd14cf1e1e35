"""Networks read from and written to files."""

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openiir.core.errors import InputError
from openiir.kit.networks import build_graph, read_network, to_networkx, write_network

ROWS = (
    "source,target,step,trust\nann,ben,3,0.5\nben,cleo,0,0.25\nann,ben,1,0.9\ncleo,cleo,2,0.1\ncleo,ann,2,1\n"
)


@pytest.fixture
def table(tmp_path):
    def write(text=ROWS, name="follows.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def follows(found):
    links = found.graph.following
    names = [found.ids[n] for n in links.owners()], [found.ids[n] for n in links.member]
    return dict(zip(zip(*names, strict=True), links.since.tolist(), strict=True))


def test_a_table_is_read_with_its_steps_and_weights(table):
    found = read_network(table(), since="step", weight="trust")
    assert found.ids == ("ann", "ben", "cleo")
    assert follows(found) == {("ann", "ben"): 1, ("ben", "cleo"): 0, ("cleo", "ann"): 2}
    assert (found.self_follows, found.repeats) == (1, 1)
    weights = zip(found.graph.followers.owners(), found.graph.followers.member, found.weight, strict=True)
    assert {(found.ids[b], found.ids[a]): w for a, b, w in weights} == {
        ("ann", "ben"): 0.5, ("ben", "cleo"): 0.25, ("cleo", "ann"): 1.0
    }  # fmt: skip


def test_parquet_other_columns_and_a_population(tmp_path):
    path = tmp_path / "follows.parquet"
    pq.write_table(pa.table({"who": [7, 10], "whom": [10, 2]}), path)
    found = read_network(path, "who", "whom")
    assert found.ids == ("2", "7", "10") and follows(found) == {("7", "10"): 0, ("10", "2"): 0}
    larger = read_network(path, "whom", "who", members=["10", "2", "7", "9"])
    assert larger.graph.members == 4 and follows(larger) == {("10", "7"): 0, ("2", "10"): 0}
    both = read_network(path, "who", "whom", mutual=True)
    assert both.graph.links == 4


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_what_is_written_is_read_again(tmp_path, ending):
    graph = build_graph(4, [0, 1, 3], [1, 2, 0], [5, 6, 7]).graph
    path = tmp_path / f"net.{ending}"
    ids = ["a\x07b", "<b>", "c & d", "é"]
    write_network(path, graph, ids, {"side": np.array([-1, 1, 0, 1]), "label": ["x", "y", "z", "\u0000"]})
    again = read_network(path, since="since", members=["a\ufffdb", *ids[1:]])
    assert np.array_equal(again.graph.following.member, graph.following.member)
    assert np.array_equal(again.graph.followers.since, graph.followers.since)
    read = nx.read_graphml(path) if ending == "graphml" else nx.read_gexf(path)
    assert read.nodes["<b>"]["side"] == 1 and set(read.nodes) == {"a\ufffdb", *ids[1:]}


def test_an_undirected_file_holds_follows_both_ways(tmp_path):
    nx.write_graphml(nx.path_graph(3), tmp_path / "path.graphml")
    found = read_network(tmp_path / "path.graphml")
    assert set(follows(found)) == {("0", "1"), ("1", "0"), ("1", "2"), ("2", "1")}


def test_a_networkx_graph_has_ids_columns_and_steps():
    graph = build_graph(3, [0, 2], [1, 0], [4, 9]).graph
    plain = to_networkx(graph, ["a", "b", "c"], {"stance": [0.5, -1.0, 0.0]})
    assert list(plain.edges(data="since")) == [("a", "b", 4), ("c", "a", 9)]
    assert plain.nodes["b"] == {"stance": -1.0}
    with pytest.raises(InputError, match="stance has 2 values for 3 members"):
        to_networkx(graph, columns={"stance": [1, 2]})


@pytest.mark.parametrize(
    ("text", "name", "more", "words"),
    [
        (ROWS, "f.csv", {"members": ["ann", "ben"]}, r"row 5: source = 'cleo' is not among the 2 members"),
        (ROWS, "f.csv", {"members": ["ann", "ben", "ann"]}, "two members have one id"),
        (ROWS, "f.csv", {"follower": "who"}, "no column 'who'"),
        ("source,target\nann,\n", "f.csv", {}, "row 2: target is empty"),
        (ROWS, "f.csv", {"since": "trust"}, "row 2: trust = 0.5 is no step"),
        ("<graphml", "f.graphml", {}, "no graphml file that can be read"),
        ("a b c d", "f.edgelist", {}, "no edgelist file that can be read"),
        ("a b {'weight': 1}\nb c\n", "f.edgelist", {"weight": "weight"}, "has no attribute 'weight'"),
    ],
)
def test_bad_files_are_refused(table, text, name, more, words):
    with pytest.raises(InputError, match=words):
        read_network(table(text, name), **more)


def test_a_network_larger_than_the_population_is_refused(tmp_path):
    nx.write_graphml(nx.path_graph(4), tmp_path / "path.graphml")
    with pytest.raises(InputError, match="4 nodes for a population of 3"):
        read_network(tmp_path / "path.graphml", members=["0", "1", "2"])


def test_other_endings_are_not_written(tmp_path):
    with pytest.raises(InputError, match="written as .graphml or .gexf"):
        write_network(tmp_path / "net.csv", build_graph(2, [0], [1]).graph)


def test_the_network_of_congress_is_read_whole(congress):
    found = read_network(congress, "target", "source", weight="weight")
    assert (found.graph.members, found.graph.links) == (475, 13_289)
    assert found.ids == tuple(map(str, range(475)))
    theirs = nx.read_edgelist(congress, create_using=nx.DiGraph)
    ours = zip(found.graph.followers.owners(), found.graph.followers.member, found.weight, strict=True)
    assert {(str(a), str(b)): w for a, b, w in ours} == {(a, b): w for a, b, w in theirs.edges(data="weight")}
