"""Trees and graphs among a run's views as rows of a property graph, for graph databases."""

from collections import Counter
from collections.abc import Mapping

from openiir.core.claims import strengths
from openiir.core.claims.formats import argument_rows, chunk_rows
from openiir.core.records import Chunk
from openiir.core.storage import Log, Members, RunFile
from openiir.core.storage.graph_tables import (
    AGENT,
    LINK,
    NODE,
    NODE_CITES,
    PARENT,
    REFERS_TO,
    GraphRows,
    NodeTable,
    Value,
)
from openiir.plugin import Cite, Graph, Network, Tree
from openiir.runs.post_run import scenario_of, surfaces_of


def graph_rows(run: RunFile, key: str) -> GraphRows:
    """Yield the rows of all trees and graphs among a run's views, whole, with keys that begin with `key`.

    Claims of a type without a view of them are rows as well. Each node is yielded once, before its links.
    """
    told = set[tuple[str, Value]]()
    for table, row in _all_rows(run, key):
        if isinstance(table, NodeTable):
            if (node := (table.label, row["key"])) in told:
                continue
            told.add(node)
        yield table, row


def _all_rows(run: RunFile, key: str) -> GraphRows:
    log = Log(run)
    names, members = dict(log.persona_names()), log.members
    for id, name in names.items():
        yield AGENT, {"key": f"{key}/{id}", "run": key, "id": id, "name": name}
    views = {
        surface.name: (surface.whole or surface.view)(log)
        for surface in surfaces_of(scenario_of(run)).values()
        if surface.form in ("tree", "graph")
    }
    graphs = [view for view in views.values() if isinstance(view, Graph)]
    for graph in graphs or [Graph(topic="", claims=tuple(log.claims()), edges=tuple(log.edges()))]:
        yield from _argument_rows(log, graph, names, members, key)
    for view, drawn in views.items():
        if isinstance(drawn, Tree):
            yield from _tree_rows(drawn, view, names, members, key)
        elif isinstance(drawn, Network):
            yield from _network_rows(log, drawn, view, names, key)


def _argument_rows(log: Log, graph: Graph, names: Mapping[str, str], members: Members, key: str) -> GraphRows:
    cited = {cite.chunk for claim in graph.claims for cite in claim.cites}
    world, chunks = _find_chunks(log, graph.world) if cited else ("", {})
    others = {one.speaker for one in graph.claims if one.speaker in members} - names.keys()
    yield from argument_rows(
        graph.claims,
        graph.edges,
        key,
        strengths=graph.strengths or strengths(graph.claims, graph.edges),
        speakers={**names, **{id: members.name(members.row(id)) for id in others}, **graph.speakers},
        world=world,
        chunks=chunks,
    )


def _find_chunks(log: Log, world: str) -> tuple[str, Mapping[str, Chunk]]:
    """Find the chunks of a world, or of a run's only one where a view names none."""
    chunks = log.chunks(world or None)
    worlds = {chunk.world for chunk in chunks}
    if len(worlds) != 1:
        return world, {}
    return worlds.pop(), {chunk.id: chunk for chunk in chunks}


def _tree_rows(tree: Tree, view: str, names: Mapping[str, str], members: Members, key: str) -> GraphRows:
    prefix = f"{key}/{view}/"
    for node in tree.nodes:
        fields = node.model_dump(exclude={"parent", "refs"})
        yield NODE, {"key": prefix + node.id, "run": key, "view": view, **fields}
    for node in tree.nodes:
        if node.parent:
            yield PARENT, {"source": prefix + node.id, "target": prefix + node.parent}
    refs = [(node.id, ref.to, ref.id) for node in tree.nodes for ref in node.refs]
    refs += [(node.id, "agent", node.id) for node in tree.nodes if node.id in names]
    for id in dict.fromkeys(id for _, to, id in refs if to == "agent" and id in members):
        yield AGENT, {"key": f"{key}/{id}", "run": key, "id": id, "name": members.name(members.row(id))}
    for kind, table in REFERS_TO.items():
        for node_id, to, id in refs:
            if to == kind:
                yield table, {"source": prefix + node_id, "target": f"{key}/{id}"}


def _network_rows(log: Log, network: Network, view: str, names: Mapping[str, str], key: str) -> GraphRows:
    prefix = f"{key}/{view}/"
    for node in network.nodes:
        fields = node.model_dump(exclude={"cites"})
        yield NODE, {"key": prefix + node.id, "run": key, "view": view, **fields}
    number: Counter[tuple[str, str, str]] = Counter()
    for link in network.edges:
        fields = link.model_dump() | {"number": number[link.source, link.target, link.kind]}
        yield LINK, fields | {"source": prefix + link.source, "target": prefix + link.target}
        number[link.source, link.target, link.kind] += 1
    for node in network.nodes:
        if node.id in names:
            yield REFERS_TO["agent"], {"source": prefix + node.id, "target": f"{key}/{node.id}"}
    cites: dict[str, list[tuple[str, Cite]]] = {}
    for node in network.nodes:
        for cite in node.cites:
            cites.setdefault(cite.world, []).append((node.id, cite))
    for world, cited in cites.items():
        chunks = _find_chunks(log, world)[1]
        yield from chunk_rows((cite.chunk for _, cite in cited), key, world, chunks)
        for id, cite in cited:
            target = f"{key}/{world}/{cite.chunk}"
            span = {"start": cite.start, "end": cite.end}
            yield NODE_CITES, {"source": prefix + id, "target": target, **span}
