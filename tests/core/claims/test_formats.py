"""Exports another program can read, and the way back."""

import json
import os
import re
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.claims.formats import from_aif, graph_text, read_aif, to_aif, to_cypher
from openiir.core.claims.graph import claim_graph
from openiir.core.errors import InputError
from openiir.core.records import Citation, Claim, Edge

text = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
printable = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), min_size=1, max_size=20)
unit = st.floats(0, 1)
citations = st.lists(
    st.builds(Citation, chunk=printable, start=st.integers(0, 9), end=st.integers(0, 9)), max_size=2
).map(tuple)


names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=4)


@st.composite
def debates(draw, ids=names, words=text):
    known = draw(st.lists(ids, unique=True, max_size=5))
    claims = [
        Claim(
            id=name,
            text=draw(words),
            topic=draw(words),
            stance=draw(st.floats(-1, 1)),
            step=draw(st.integers(0, 9)),
            speaker=draw(words),
            utterance=draw(st.integers(0, 9)),
            start=draw(st.integers(0, 9)),
            end=3,
            cites=draw(citations),
            confidence=draw(unit),
            extractor=draw(words),
        )
        for name in known
    ]
    pairs = [(a, b) for i, a in enumerate(known) for b in known[:i]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    kinds = st.sampled_from(["supports", "counters", "refines", "questions"])
    edges = [
        Edge(source=a, target=b, type=draw(kinds), confidence=draw(unit), extractor=draw(words), step=1)
        for a, b in chosen
    ]
    return claims, edges


@settings(deadline=None, max_examples=50)
@given(debates())
def test_aif_round_trip_loses_nothing(debate):
    claims, edges = debate
    back = from_aif(json.loads(json.dumps(to_aif(claims, edges))))
    assert back.claims == tuple(claims)
    assert back.edges == tuple(edges)


@settings(deadline=None, max_examples=50)
@given(debates(ids=st.from_regex(r"k\d{1,3}", fullmatch=True), words=printable))
def test_graphml_round_trip_loses_nothing(debate):
    claims, edges = debate
    graph = nx.parse_graphml(graph_text(claim_graph(claims, edges), "graphml"), force_multigraph=True)
    assert claims == [
        Claim.model_validate({"id": name, **fields, "cites": json.loads(fields.get("cites", "[]"))})
        for name, fields in graph.nodes(data=True)
    ]
    back = [
        Edge.model_validate({"source": source, "target": target} | fields)
        for source, target, fields in graph.edges(data=True)
    ]
    assert sorted(map(str, back)) == sorted(map(str, edges))


@settings(deadline=None, max_examples=50)
@given(debates())
def test_graphml_of_any_text_is_well_formed(debate):
    claims, edges = debate
    assert nx.parse_graphml(
        graph_text(claim_graph(claims, edges), "graphml"), force_multigraph=True
    ).number_of_edges() <= len(edges)


def test_aif_has_the_node_types_of_the_ontology(debate):
    claims, edges = debate
    document = to_aif(claims, edges)
    kinds = {node["nodeID"]: node["type"] for node in document["nodes"]}
    links = {(kinds[edge["fromID"]], kinds[edge["toID"]]) for edge in document["edges"]}
    assert links == {
        tuple(pair.split(">")) for pair in "L>YA YA>I I>RA RA>I I>CA CA>I I>MA MA>I L>TA TA>L".split()
    }
    assert sum(kind == "I" for kind in kinds.values()) == len(claims)


def node(identity, kind, said=""):
    return {"nodeID": identity, "type": kind, "text": said}


def link(source, target):
    return {"edgeID": f"{source}-{target}", "fromID": source, "toID": target}


def test_the_graph_of_another_program():
    nodes = [
        node("1", "I", "Trees cool."),
        node("2", "I", "Shade is cool."),
        node("3", "I", "Roots break pipes."),
        node("4", "I", "Says who?"),
        node("5", "RA"),
        node("6", "CA"),
        node("7", "TA"),
        node("8", "L", "Ann : Trees cool."),
        node("9", "L", "Bo : Says who?"),
        node("10", "L", "Coder: Ann : Trees cool."),
        node("11", "YA", "Asserting"),
        node("12", "YA", "Pure Questioning"),
        node("13", "YA", "Analysing"),
    ]
    edges = [
        link(*pair.split(">")) for pair in "2>5 5>1 3>6 6>5 8>11 11>1 9>12 12>4 8>7 7>9 10>13 13>3".split()
    ]
    found = from_aif(
        {"nodes": nodes, "edges": edges, "locutions": [{"nodeID": "9", "personID": "bo-17"}]}, "Trees"
    )
    assert [(c.id, c.speaker, c.topic) for c in found.claims] == [
        ("1", "Ann", "Trees"),
        ("2", "unknown", "Trees"),
        ("3", "unknown", "Trees"),
        ("4", "bo-17", "Trees"),
    ]
    assert {(e.source, e.type, e.target) for e in found.edges} == {
        ("2", "supports", "1"),
        ("3", "counters", "2"),
        ("4", "questions", "1"),
    }


GOOD = {"nodes": [node("1", "I", "x")], "edges": []}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "object with nodes and edges"),
        ({"nodes": []}, "list 'edges'"),
        ({"nodes": {}, "edges": []}, "list 'nodes'"),
        ({"nodes": [{"type": "I"}], "edges": []}, "node 1 has no nodeID"),
        ({"nodes": ["I"], "edges": []}, "node 1 has no nodeID"),
        ({"nodes": [{"nodeID": "1"}], "edges": []}, "node '1' has no type"),
        ({"nodes": [node("1", "XX")], "edges": []}, "type 'XX'"),
        ({"nodes": [node("1", "I"), node("1", "I")], "edges": []}, "two nodes"),
        ({"nodes": [{"nodeID": "1", "type": "I"}], "edges": []}, "has no text"),
        ({**GOOD, "edges": [{"fromID": "1"}]}, "edge 1 has no toID"),
        ({**GOOD, "edges": [link("1", "7")]}, "names the node '7'"),
        ({"nodes": [{**node("1", "I", "x"), "openiir": {"mood": 1}}], "edges": []}, "'openiir' attribute"),
        ({"nodes": [{**node("1", "I", "x"), "openiir": "yes"}], "edges": []}, "'openiir' attribute"),
    ],
)
def test_what_is_no_aif_is_refused_with_the_reason(document, said):
    with pytest.raises(InputError, match=re.escape(said)):
        from_aif(document)


def test_inferences_about_inferences_are_followed_once_and_only_so_far(limit_inputs):
    document = {"nodes": [node("a", "I", "x"), node("z", "RA")], "edges": [link("a", "z"), link("z", "0.0")]}
    above = [[f"{floor}.{n}" for n in range(2)] for floor in range(40)]
    document["nodes"] += [node(one, "RA") for floor in above for one in floor] + [node("b", "I", "x")]
    document["edges"] += [
        link(higher, lower)
        for one, other in zip(above, above[1:], strict=False)
        for lower in one
        for higher in other
    ]
    document["edges"].append(link("b", "39.1"))
    assert [(e.source, e.target) for e in from_aif(document).edges] == [("a", "b")]  # of 2^39 ways up
    chain = {
        "nodes": [node("a", "I", "x"), *(node(str(n), "RA") for n in range(2_000))],
        "edges": [link("a", "0")],
    }
    chain["edges"] += [link("0", "1"), *(link(str(n + 1), str(n)) for n in range(1, 1_999))]
    with pytest.raises(InputError, match="about more than 1,000 inferences"):
        from_aif(chain)


def test_the_edges_of_a_graph_are_limited(limit_inputs):
    document = {"nodes": [node("r", "RA"), *(node(str(n), "I", "x") for n in range(8))], "edges": []}
    document["edges"] = [link(str(n), "r") if n < 4 else link("r", str(n)) for n in range(8)]
    limit_inputs(edges=16)
    assert len(from_aif(document).edges) == 16
    limit_inputs(edges=15)
    with pytest.raises(InputError, match=r"more than 15 edges; .*raise edges in the table \[inputs\]"):
        from_aif(document)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe", "not utf-8"), (b"{", "not JSON"), (b"[]", "object with nodes"), (None, "does not exist")],
)
def test_a_bad_file_is_named(tmp_path, content, said):
    path = tmp_path / "graph.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        read_aif(path)
    assert str(path) in str(caught.value)


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set: no AraucariaDB here")
def test_the_whole_of_araucaria_comes_in():
    folder = Path(os.environ["OPENIIR_DATA"]) / "args-aif" / "araucaria"
    claims = edges = counters = 0
    for path in sorted(folder.glob("*.json")):
        found = read_aif(path)
        again = from_aif(to_aif(found.claims, found.edges))
        assert again == found
        claims += len(found.claims)
        edges += len(found.edges)
        counters += sum(edge.type == "counters" for edge in found.edges)
    assert (claims, counters) == (3993, 38)
    assert edges == 3355 - 20


@settings(deadline=None, max_examples=50)
@given(text)
def test_a_cypher_string_holds_any_text_on_one_line(words):
    claim = Claim(
        id="k'1",
        text=words,
        topic="",
        stance=0,
        step=0,
        speaker="a",
        utterance=0,
        start=0,
        end=1,
        confidence=1,
        extractor="x",
    )
    agent, line, said = to_cypher([claim], [], run="r").splitlines()
    literal = re.search(r"text: ('(?:[^'\\]|\\.)*'), topic", line)
    assert literal is not None
    inner = literal.group(1)[1:-1].replace("\\'", "'")
    assert json.loads(f'"{inner}"') == words
    assert "id: 'k\\'1'" in line and "{key: 'r/k\\'1'}" in said and ":Agent" in agent


def test_cypher_statements(debate):
    claims, edges = debate
    text = to_cypher(claims, edges, run="r1", strengths={"k1": 0.25}, speakers={"ada": "Ada"}, world="w")
    lines, k1, k2 = text.splitlines(), "Claim {key: 'r1/k1'}", "Claim {key: 'r1/k2'}"
    (claim,) = (line for line in lines if line.startswith(f"MERGE (n:{k1})"))
    assert "SET n += {run: 'r1', id: 'k1', text: 'What k1 says'" in claim
    assert "side: 'supporting'" in claim and "strength: 0.25" in claim
    (edge,) = (line for line in lines if "[r:COUNTERS {number: 0}]" in line)
    assert (
        edge.startswith(f"MATCH (a:{k2}) MATCH (b:{k1}) MERGE (a)-[") and "SET r += {confidence: 0.5" in edge
    )
    assert "MERGE (n:Agent {key: 'r1/ada'}) SET n += {run: 'r1', id: 'ada', name: 'Ada'};" in lines
    chunk = "Chunk {key: 'r1/w/c0001'}"
    assert f"MERGE (n:{chunk}) SET n += {{run: 'r1', id: 'c0001', world: 'w'}};" in lines
    assert f"MATCH (a:{k1}) MATCH (b:{chunk}) MERGE (a)-[r:CITES {{start: 0, end: 9}}]->(b);" in lines
    assert sum("-[r:SAID]->" in line for line in lines) == len(claims)
    assert all(line.endswith(";") for line in lines)


def test_parallel_edges_are_told_apart(debate):
    claims, edges = debate
    lines = to_cypher(claims, [edges[0], edges[0]]).splitlines()
    assert [line for line in lines if "{number: 1}" in line] == [lines[-1]]
