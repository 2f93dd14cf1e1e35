"""Follower graphs from and to files: edge lists in CSV and Parquet, GraphML, GEXF and networkx edge lists."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from openiir.core.errors import InputError
from openiir.core.files import read_bytes, read_text
from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.table_files import FileTable, TableFile, read_table
from openiir.kit.networks.follower_graph import FollowerGraph, build_graph

_GRAPH_FILES = (".graphml", ".gexf", ".edgelist")


class NetworkFile(NamedTuple):
    """A follower graph read from a file, with its members' ids and the number of rows left out."""

    graph: FollowerGraph
    ids: tuple[str, ...]
    """Id of each member."""
    weight: Floats | None
    """Weight of each follow in the order of `graph.followers`, where a column was named; that of its first row."""
    self_follows: int
    repeats: int


def read_network(
    path: Path,
    follower: str = "source",
    followee: str = "target",
    since: str = "",
    weight: str = "",
    members: Sequence[str] | None = None,
    mutual: bool = False,
) -> NetworkFile:
    """Read a follower graph from a table with one follow in a row, or from a graph file, by the file's ending.

    `follower`, `followee`, `since` (step) and `weight` name columns; in a graph file an edge has the columns
    source, target and its attributes, and undirected edges are follows both ways, as rows of a table are with
    `mutual`. `members` are the ids of the population in its order; by default they are those in the file, in
    order of id. Self-follows and repeated rows are left out and counted. Raises InputError for a row with an
    unknown member or without an id, and for a file with more nodes than the population.
    """
    wanted = [name for name in (follower, followee, since, weight) if name]
    if path.suffix in _GRAPH_FILES:
        table, nodes, undirected = _read_graph_file(path, wanted)
        mutual = mutual or undirected
    else:
        table, nodes = read_table(TableFile(file=path.name), path, wanted), None
    columns = table.ids(follower), table.ids(followee)
    ids = _sort_ids(columns, nodes) if members is None else tuple(members)
    if len(set(ids)) < len(ids):
        raise InputError("two members have one id; give each member an id of its own")
    if nodes is not None and len(nodes) > len(ids):
        raise InputError(
            f"{path} has {len(nodes):,} nodes for a population of {len(ids):,}; make the population larger, or take "
            "nodes out of the file"
        )
    first, second = (_number(column, ids, name, table) for column, name in zip(columns, wanted, strict=False))
    steps = _whole_numbers(table, since) if since else np.zeros(len(first), dtype=np.int64)
    weights = table.numbers(weight) if weight else None
    if mutual:
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
        steps = np.tile(steps, 2)
        weights = None if weights is None else np.tile(weights, 2)
    built = build_graph(len(ids), first, second, steps)
    aligned = None if weights is None else _align(built.graph, first, second, weights)
    return NetworkFile(built.graph, ids, aligned, built.self_follows, built.repeats)


def _read_graph_file(path: Path, wanted: Sequence[str]) -> tuple[FileTable, list[str], bool]:
    """Read a graph file as a table of edges; with all its nodes, and whether its edges have no direction."""
    import networkx as nx
    import pyarrow as pa

    try:
        if path.suffix == ".graphml":
            graph = nx.parse_graphml(read_text(path))
        elif path.suffix == ".gexf":
            graph = nx.read_gexf(io.BytesIO(read_bytes(path)))
        else:
            graph = nx.parse_edgelist(read_text(path).splitlines(), create_using=nx.DiGraph)
    except (nx.NetworkXException, SyntaxError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path} is no {path.suffix[1:]} file that can be read: {error}; write it anew"
        ) from None
    edges = list(graph.edges(data=True))
    columns: dict[str, Any] = {
        "source": [str(a) for a, _, _ in edges],
        "target": [str(b) for _, b, _ in edges],
    }
    for name in wanted:
        if name not in columns:
            columns[name] = [fields.get(name) for _, _, fields in edges]
            if edges and None in columns[name]:
                raise InputError(f"{path}: an edge has no attribute {name!r}; name one that each edge has")
    arrays = {name: pa.array([str(v) for v in values], pa.string()) for name, values in columns.items()}
    return FileTable(path, arrays, None), [str(node) for node in graph.nodes], not graph.is_directed()


def _sort_ids(columns: Sequence[Any], nodes: Sequence[str] | None) -> tuple[str, ...]:
    """List distinct ids, by number where all are numbers, else by text."""
    import pyarrow.compute as pc

    ids = {id for column in columns for id in pc.unique(column).to_pylist()} | set(nodes or ())
    numeric = all(id.isascii() and id.isdecimal() for id in ids)
    return tuple(sorted(ids, key=(lambda id: (len(id.lstrip("0")), id.lstrip("0"), id)) if numeric else None))


def _number(column: Any, ids: Sequence[str], name: str, table: FileTable) -> Ints:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(column, value_set=pa.array(ids, pa.string()))
    numbers = np.asarray(pc.fill_null(found, pa.scalar(-1, pa.int32())), dtype=np.int64)
    if len(unknown := np.flatnonzero(numbers < 0)):
        raise InputError(
            f"{table.where(int(unknown[0]))}: {name} = {column[int(unknown[0])].as_py()!r} is not among the "
            f"{len(ids):,} members; add the member, or take the row out"
        )
    return numbers


def _whole_numbers(table: FileTable, name: str) -> Ints:
    values = table.numbers(name)
    if len(broken := np.flatnonzero(values != np.floor(values))):
        raise InputError(
            f"{table.where(int(broken[0]))}: {name} = {values[broken[0]]} is no step; steps are whole numbers"
        )
    return values.astype(np.int64)


def _align(graph: FollowerGraph, follower: Ints, followee: Ints, weights: Floats) -> Floats:
    """Put weights in the order of `graph.followers`; of a pair given twice, that of the first row."""
    place, there = graph.followers.find(followee, follower)
    aligned = np.zeros(graph.links)
    aligned[place[there][::-1]] = weights[there][::-1]
    return aligned


def to_networkx(
    graph: FollowerGraph, ids: Sequence[str] | None = None, columns: Mapping[str, Sequence[Any]] | None = None
) -> Any:
    """Convert to a networkx `DiGraph` with an edge from follower to followee and its step as `since`.

    Nodes are the members' numbers, or their ids; `columns` give them attributes, a value a member.
    """
    import networkx as nx

    for name, column in {"ids": ids, **(columns or {})}.items():
        if column is not None and len(column) != graph.members:
            raise InputError(
                f"{name} has {len(column)} values for {graph.members} members; give one a member"
            )
    nodes = list(range(graph.members)) if ids is None else list(ids)
    found = nx.DiGraph()
    found.add_nodes_from(nodes)
    for name, column in (columns or {}).items():
        nx.set_node_attributes(found, dict(zip(nodes, np.asarray(column).tolist(), strict=True)), name)
    links = graph.following
    rows = zip(links.owners().tolist(), links.member.tolist(), links.since.tolist(), strict=True)
    found.add_edges_from((nodes[a], nodes[b], {"since": step}) for a, b, step in rows)
    return found


def write_network(
    path: Path,
    graph: FollowerGraph,
    ids: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[Any]] | None = None,
) -> None:
    """Write a follower graph as GraphML or GEXF, by the path's ending; see `to_networkx` for what it holds."""
    from openiir.core.claims.formats import GraphForm, graph_text

    forms: dict[str, GraphForm] = {".graphml": "graphml", ".gexf": "gexf"}
    if path.suffix not in forms:
        raise InputError(f"{path} ends in {path.suffix!r}; a network is written as .graphml or .gexf")
    path.write_text(graph_text(to_networkx(graph, ids, columns), forms[path.suffix]), encoding="utf-8")
