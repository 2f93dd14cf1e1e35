"""Argument graphs as rows of a property graph, and their export as Cypher statements."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from openiir.core.records import Chunk, Claim, Edge
from openiir.core.storage.graph_tables import (
    AGENT,
    CHUNK,
    CITES,
    CLAIM,
    EDGES,
    SAID,
    GraphRow,
    GraphRows,
    NodeTable,
    Table,
    Value,
)

_NOT_IN_JSON = re.compile("['\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that Cypher has to escape beside those that JSON escapes."""


def argument_rows(
    claims: Sequence[Claim],
    edges: Sequence[Edge],
    run: str,
    *,
    strengths: Mapping[str, float] = {},
    speakers: Mapping[str, str] = {},
    world: str = "",
    chunks: Mapping[str, Chunk] = {},
) -> GraphRows:
    """Yield agents, claims, cited chunks and the relationships between them, as rows of a property graph.

    Keys are `run/agent`, `run/claim` and `run/world/chunk`. `speakers` has the agents' names, `chunks` the
    texts of the world's chunks where they are known. Edges whose ends are not among the claims are left
    out; parallel edges are told apart by `number`, from 0.
    """
    for speaker in dict.fromkeys(claim.speaker for claim in claims):
        name = speakers.get(speaker, speaker)
        yield AGENT, {"key": f"{run}/{speaker}", "run": run, "id": speaker, "name": name}
    yield from chunk_rows((cite.chunk for claim in claims for cite in claim.cites), run, world, chunks)
    for claim in claims:
        fields = claim.model_dump(exclude={"cites"})
        fields |= {"side": claim.side, "strength": strengths.get(claim.id)}
        yield CLAIM, {"key": f"{run}/{claim.id}", "run": run, **fields}
    for claim in claims:
        yield SAID, {"source": f"{run}/{claim.speaker}", "target": f"{run}/{claim.id}"}
    for claim in claims:
        for cite in dict.fromkeys(claim.cites):
            source, target = f"{run}/{claim.id}", f"{run}/{world}/{cite.chunk}"
            yield CITES, {"source": source, "target": target, "start": cite.start, "end": cite.end}
    known = {claim.id for claim in claims}
    for kind, table in EDGES.items():
        number: Counter[tuple[str, str]] = Counter()
        for edge in edges:
            if edge.type == kind and edge.source in known and edge.target in known:
                ends = edge.source, edge.target
                row = edge.model_dump(exclude={"type"}) | {"number": number[ends]}
                yield table, row | {end: f"{run}/{row[end]}" for end in ("source", "target")}
                number[ends] += 1


def chunk_rows(ids: Iterable[str], run: str, world: str, chunks: Mapping[str, Chunk]) -> GraphRows:
    """Yield a row for each chunk, with its text where it is known."""
    for id in dict.fromkeys(ids):
        fields = chunks[id].model_dump() if id in chunks else {"world": world, "id": id}
        yield CHUNK, {"key": f"{run}/{world}/{id}", "run": run, **fields}


def to_cypher(
    claims: Sequence[Claim],
    edges: Sequence[Edge],
    run: str = "",
    *,
    strengths: Mapping[str, float] = {},
    speakers: Mapping[str, str] = {},
    world: str = "",
) -> str:
    """Write one MERGE statement per line, in the schema of a push to a graph store (see `graph_tables`).

    Nodes are merged on keys that begin with `run`, so that several runs can share a database and a second
    import adds nothing.
    """
    rows = argument_rows(claims, edges, run, strengths=strengths, speakers=speakers, world=world)
    return "".join(f"{_statement(table, row)};\n" for table, row in rows)


def _statement(table: Table, row: GraphRow) -> str:
    own = {name: row[name] for name in table.properties if row.get(name) is not None}
    if isinstance(table, NodeTable):
        return f"MERGE (n:{table.label} {_map({'key': row['key']})}) SET n += {_map(own)}"
    source = f"MATCH (a:{table.source.label} {_map({'key': row['source']})})"
    target = f"MATCH (b:{table.target.label} {_map({'key': row['target']})})"
    identity = f" {_map({name: row[name] for name in table.identity})}" if table.identity else ""
    merge = f"{source} {target} MERGE (a)-[r:{table.type}{identity}]->(b)"
    return f"{merge} SET r += {_map(own)}" if own else merge


def _map(fields: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{key}: {_literal(value)}" for key, value in fields.items()) + "}"


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return f"'{_NOT_IN_JSON.sub(_escape, json.dumps(value, ensure_ascii=False)[1:-1])}'"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _escape(match: re.Match[str]) -> str:
    """Escape a character; lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    char = match.group()
    if char == "'":
        return "\\'"
    return "\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}"
