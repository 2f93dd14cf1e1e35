"""Runs pushed to real graph databases, read back, and compared with the runs' own graphs."""

import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from bolt_server import DATABASE, PASSWORD, USER, bolt_server

from openiir.core.claims import strengths
from openiir.core.claims.formats import to_cypher
from openiir.core.errors import EndpointError, InputError
from openiir.core.storage import Log
from openiir.core.storage.graph_store import open_graph_store
from openiir.core.storage.graph_tables import CLAIM, EDGES, LINKS, NODES, NodeTable
from openiir.core.storage.run_database import run_id
from openiir.plugin import Graph, Tree
from openiir.runs.post_run import scenario_of, surfaces_of
from openiir.runs.push import push_runs
from openiir.runs.run_io import open_checked
from openiir.runs.views.graph_files import build_graph
from openiir.runs.views.property_graph import graph_rows

GOLDEN = Path(__file__).parents[1] / "golden"
RUNS = [GOLDEN / name for name in ("llm-assessors", "social-media", "generations", "coordination-emergent")]


@pytest.mark.extras
@pytest.mark.parametrize("module", ["ladybug", "neo4j", "arcadedb_embedded"])
def test_the_databases_are_there_for_the_extras(module):
    """Else the tests below would only ever be skipped."""
    try:
        __import__(module)
    except ImportError:
        pytest.fail(f"make test-extras installs {module}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pytest.importorskip("neo4j", reason="make test-extras brings it")
    with pytest.MonkeyPatch.context() as patch, bolt_server(tmp_path_factory.mktemp("bolt")) as address:
        patch.setenv("NEO4J_USERNAME", USER)
        patch.setenv("NEO4J_PASSWORD", PASSWORD)
        yield address


@pytest.fixture(
    scope="module", params=[pytest.param(one, marks=pytest.mark.extras) for one in ("ladybug", "neo4j")]
)
def url(request, tmp_path_factory):
    """A database in a file, and one that the driver reaches with routing, with some runs."""
    if request.param == "neo4j":
        found = f"neo4j://{request.getfixturevalue('server')}/{DATABASE}"
    else:
        pytest.importorskip("ladybug", reason="make test-extras brings it")
        found = f"ladybug://{tmp_path_factory.mktemp('ladybug')}/lab.lbug"
    lines = list(push_runs(RUNS, found))
    assert all("nodes and links sent, id " in line for line in lines)
    return found


@contextmanager
def opened(folder):
    with open_checked(folder) as run:
        yield Log(run), str(run_id(run.db)), surfaces_of(scenario_of(run))


def tuples(store, names, match, run):
    """Rows of a match as dictionaries without what is missing, in no order."""
    rows = store.execute(f"{match} RETURN {', '.join(names.values())}", run=run)
    return sorted((present(dict(zip(names, row, strict=True))) for row in rows), key=repr)


def present(values):
    return dict(sorted((name, one) for name, one in values.items() if one is not None))


def in_no_order(rows):
    return sorted(map(present, rows), key=repr)


def count(store, run=None):
    """Nodes and links in all, or of a run."""
    of = " {run: $run}" if run else ""
    given = {"run": run} if run else {}
    nodes = {one.label: f"MATCH (n:{one.label}{of}) RETURN count(n)" for one in NODES}
    links = {
        (one.type, one.source.label, one.target.label): (
            f"MATCH (a:{one.source.label}{of})-[r:{one.type}]->(b:{one.target.label}) RETURN count(r)"
        )
        for one in LINKS
    }
    return {name: store.execute(query, **given)[0][0] for name, query in (nodes | links).items()}


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_claims_come_back_as_they_are_in_the_run(url, folder):
    with opened(folder) as (log, run, _), open_graph_store(url) as store:
        claims, edges, chunks = log.claims(), log.edges(), {one.id: one for one in log.chunks()}
        strong = strengths(claims, edges)
        own = {name: f"n.`{name}`" for name in CLAIM.properties if name != "run"}
        assert tuples(store, own, "MATCH (n:Claim {run: $run})", run) == in_no_order(
            {**one.model_dump(exclude={"cites"}), "side": one.side, "strength": strong[one.id]}
            for one in claims
        )
        for kind, table in EDGES.items():
            own = {"source": "a.id", "target": "b.id", **{name: f"r.{name}" for name in table.properties}}
            match = f"MATCH (a:Claim {{run: $run}})-[r:{table.type}]->(b:Claim)"
            assert tuples(store, own, match, run) == in_no_order(
                edge.model_dump(exclude={"type"}) for edge in edges if edge.type == kind
            )
        own = {"claim": "a.id", "text": "b.text", "start": "r.`start`", "end": "r.`end`"}
        match = "MATCH (a:Claim {run: $run})-[r:CITES]->(b:Chunk)"
        assert tuples(store, own, match, run) == in_no_order(
            {"claim": one.id, "text": chunks[cite.chunk].text, "start": cite.start, "end": cite.end}
            for one in claims
            for cite in set(one.cites)
        )
        members = log.members
        own, match = {"name": "a.name", "claim": "b.id"}, "MATCH (a:Agent {run: $run})-[:SAID]->(b:Claim)"
        assert tuples(store, own, match, run) == in_no_order(
            {"name": members.name(members.row(one.speaker)), "claim": one.id} for one in claims
        )


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_trees_and_networks_come_back_as_networkx_has_them(url, folder):
    with opened(folder) as (log, run, surfaces), open_graph_store(url) as store:
        for surface in surfaces.values():
            if surface.form not in ("tree", "graph") or isinstance(
                view := (surface.whole or surface.view)(log), Graph
            ):
                continue
            graph, here = build_graph(view), f"{{run: $run, view: '{surface.name}'}}"
            names = [name for name in next(iter(graph.nodes.values()), {}) if name not in ("x", "y")]
            own = {"id": "n.id", **{name: f"n.`{name}`" for name in names}}
            assert tuples(store, own, f"MATCH (n:Node {here})", run) == in_no_order(
                {"id": id} | {name: one[name] for name in names} for id, one in graph.nodes(data=True)
            )
            own = {"a": "a.id", "b": "b.id"}
            if isinstance(view, Tree):
                match = f"MATCH (b:Node {here})-[:PARENT]->(a:Node)"
            else:
                match = f"MATCH (a:Node {here})-[r:LINK]->(b:Node)"
                own |= {name: f"r.{name}" for name in ("kind", "weight", "step")}
            assert tuples(store, own, match, run) == in_no_order(
                {"a": a, "b": b} | data for a, b, data in graph.edges(data=True)
            )
            assert len(graph) > 5 and graph.number_of_edges() > 5


def test_a_second_push_changes_nothing(url):
    with open_graph_store(url) as store:
        before = count(store)
        assert before["Run"] == len(RUNS)
    assert all(": there already, id " in line for line in push_runs(RUNS, url))
    with open_graph_store(url) as store:
        store.execute("MATCH (n:Run) SET n.complete = false")
    assert all(" sent, id " in line for line in push_runs(RUNS, url))  # merged over what is there
    with open_graph_store(url) as store:
        assert count(store) == before
        assert store.execute("MATCH (n:Run) RETURN count(n), min(n.complete)") == [[len(RUNS), True]]


def test_any_text_and_number_comes_back(url):
    texts = ["", "two\nlines", "\0 \u2028 \x7f", "' \" \\ ` $x {y}", "\U0001f600 \u0645\u0631", "x" * 100_000]
    rows = [
        {"key": f"odd/{n}", "run": "odd", "text": text, "stance": -1 / 3, "strength": 1, "step": 2**40 + n}
        for n, text in enumerate(texts)
    ]
    names = {name: f"n.`{name}`" for name in rows[0]}
    with open_graph_store(url) as store:
        store.merge(CLAIM, rows)
        assert tuples(store, names, "MATCH (n:Claim {run: $run})", "odd") == in_no_order(rows)
        store.execute("MATCH (n:Claim {run: $run}) DELETE n", run="odd")


KILLED = """
import os, sys
from openiir.core.storage import graph_store
from openiir.runs.push import push_runs
from pathlib import Path

graph_store.BATCH, left = 7, int(sys.argv[3])
for store in (graph_store.Neo4jStore, graph_store.LadybugStore):
    def merge(self, table, rows, merge=store.merge):
        global left
        merge(self, table, rows)
        left -= 1
        if not left:
            os._exit(9)
    store.merge = merge
list(push_runs([Path(sys.argv[1])], sys.argv[2]))
"""


def test_a_push_that_was_killed_is_completed_by_the_next(url):
    folder, merges = GOLDEN / "panel-delphi", 4
    killed = subprocess.run([sys.executable, "-c", KILLED, folder, url, str(merges)], timeout=60)
    assert killed.returncode == 9
    with opened(folder) as (_, run, _), open_graph_store(url) as store:
        complete = "MATCH (n:Run {run: $run}) RETURN n.complete"
        assert store.execute(complete, run=run) == [[False]]
        assert 1 <= sum(count(store, run).values()) <= 7 * merges
    (line,) = push_runs([folder], url)
    with open_checked(folder) as there:
        rows = list(graph_rows(there, run))
    assert f": {len(rows):,} nodes and links sent" in line
    expected = {name: {run} if name == "Run" else set() for name in {one.label for one in NODES}}
    for table, row in rows:
        if isinstance(table, NodeTable):
            expected[table.label].add(row["key"])
        else:
            name = table.type, table.source.label, table.target.label
            ends = row["source"], row["target"]
            expected.setdefault(name, set()).add((*ends, *(row[one] for one in table.identity)))
    with open_graph_store(url) as store:
        assert store.execute(complete, run=run) == [[True]]
        found = count(store, run)
        assert {name: number for name, number in found.items() if number} == {
            name: len(keys) for name, keys in expected.items() if keys
        }
        store.execute("MATCH (n) WHERE n.run = $run DETACH DELETE n", run=run)
        assert not any(count(store, run).values())


def test_the_questions_of_the_page_are_answered_as_it_says(url):
    page = (Path(__file__).parents[2] / "docs/reference/graph-store.md").read_text()
    asked = re.findall(r"```cypher\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(asked) == page.count("```cypher") > 7
    with open_graph_store(url) as store:
        for question, answer in asked:
            rows = store.execute(question)
            said = [[round(one, 3) if isinstance(one, float) else one for one in row] for row in rows]
            assert [" | ".join(map(str, row)) for row in said] == answer.splitlines(), question


@pytest.mark.extras
def test_the_export_as_cypher_adds_nothing_to_a_push(server):
    url = f"bolt://{server}/{DATABASE}"
    list(push_runs(RUNS[:1], url))
    with opened(RUNS[0]) as (log, run, _), open_graph_store(url) as store:
        before = count(store, run)
        names = dict(log.persona_names())
        claims, edges = log.claims(), log.edges()
        lines = to_cypher(claims, edges, run, speakers=names, world="main").splitlines()
        assert len(lines) > len(claims) + len(edges) > 30
        for line in lines:
            store.execute(line.removesuffix(";"))
        assert count(store, run) == before


@pytest.mark.extras
def test_what_a_server_refuses_is_told(server, monkeypatch):
    with pytest.raises(EndpointError, match=f"bolt://{server}: .*nowhere.*; see that the server runs"):
        list(push_runs(RUNS[:1], f"bolt://{server}/nowhere"))
    monkeypatch.setenv("NEO4J_PASSWORD", "another one")
    with pytest.raises(InputError, match="refuses user and password") as told:
        list(push_runs(RUNS[:1], f"bolt://{server}/{DATABASE}"))
    assert "another one" not in str(told.value)
    with pytest.raises(EndpointError, match="Couldn't connect"):
        list(push_runs(RUNS[:1], "bolt://127.0.0.1:1"))


@pytest.mark.extras
def test_a_file_that_is_no_database_is_refused(tmp_path):
    pytest.importorskip("ladybug", reason="make test-extras brings it")
    (file := tmp_path / "notes.txt").write_text("no database, but something of which there is enough" * 99)
    with pytest.raises(InputError, match=r"notes.txt cannot be opened: .*; name a file of Ladybug"):
        list(push_runs(RUNS[:1], f"ladybug://{file}"))
    with pytest.raises(InputError, match="cannot be opened"):
        list(push_runs(RUNS[:1], f"ladybug://{tmp_path}/nowhere/x"))
