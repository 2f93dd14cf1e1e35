"""Property-graph schema of runs in graph databases: labels, relationship types, their properties, and Cypher.

Written to Neo4j and to Ladybug, and used by the export as Cypher, so that all three share one vocabulary.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Value = str | int | float | bool | None
GraphRow = Mapping[str, Value]
"""Values by property; nodes have a `key`, relationships the keys of their ends, `source` and `target`."""
Types = Mapping[str, type]


@dataclass(frozen=True)
class NodeTable:
    """Nodes of one label, merged on `key`, which begins with the run's id."""

    label: str
    properties: Types

    @property
    def columns(self) -> Types:
        return {"key": str, **self.properties}

    @property
    def merge(self) -> str:
        """Cypher that merges a `row` of the columns."""
        return f"MERGE (n:{self.label} {{key: row.key}}){_set('n', self.properties)}"


@dataclass(frozen=True)
class LinkTable:
    """Relationships of one type between two labels, merged on their ends and the properties of `identity`."""

    type: str
    source: NodeTable
    target: NodeTable
    identity: Types
    properties: Types

    @property
    def columns(self) -> Types:
        return {"source": str, "target": str, **self.identity, **self.properties}

    @property
    def merge(self) -> str:
        """Cypher that merges a `row` of the columns."""
        fields = ", ".join(f"`{name}`: row.{name}" for name in self.identity)
        own = f" {{{fields}}}" if fields else ""
        return (
            f"MATCH (a:{self.source.label} {{key: row.source}}) "
            f"MATCH (b:{self.target.label} {{key: row.target}}) "
            f"MERGE (a)-[r:{self.type}{own}]->(b){_set('r', self.properties)}"
        )


Table = NodeTable | LinkTable
GraphRows = Iterable[tuple[Table, GraphRow]]
"""Rows with their tables; a relationship comes after its ends."""


def _set(variable: str, names: Iterable[str]) -> str:
    fields = ", ".join(f"{variable}.`{name}` = row.{name}" for name in names)
    return f" SET {fields}" if fields else ""


_OWN: Types = {"run": str, "id": str}
RUN = NodeTable(
    "Run",
    {
        "run": str,
        "content": str,
        "type": str,
        "name": str,
        "seed": int,
        "openiir": str,
        "complete": bool,
    },
)
AGENT = NodeTable("Agent", {**_OWN, "name": str})
CHUNK = NodeTable(
    "Chunk", {**_OWN, "world": str, "source": str, "start": int, "end": int, "text": str, "sha256": str}
)
CLAIM = NodeTable(
    "Claim",
    {
        **_OWN,
        "text": str,
        "topic": str,
        "side": str,
        "stance": float,
        "strength": float,
        "step": int,
        "speaker": str,
        "utterance": int,
        "start": int,
        "end": int,
        "confidence": float,
        "extractor": str,
    },
)
NODE = NodeTable(
    "Node",
    {
        **_OWN,
        "view": str,
        "label": str,
        "kind": str,
        "group": str,
        "state": str,
        "text": str,
        "step": int,
        "weight": float,
        "value": float,
    },
)
NODES = (RUN, AGENT, CHUNK, CLAIM, NODE)

_EDGE: Types = {"confidence": float, "extractor": str, "step": int}
_SPAN: Types = {"start": int, "end": int}
EDGES = {
    kind: LinkTable(kind.upper(), CLAIM, CLAIM, {"number": int}, _EDGE)
    for kind in ("supports", "counters", "refines", "questions")
}
"""Relationships between claims, by type of edge."""
SAID = LinkTable("SAID", AGENT, CLAIM, {}, {})
CITES = LinkTable("CITES", CLAIM, CHUNK, _SPAN, {})
NODE_CITES = LinkTable("CITES", NODE, CHUNK, _SPAN, {})
LINK = LinkTable("LINK", NODE, NODE, {"kind": str, "number": int}, {"weight": float, "step": int})
PARENT = LinkTable("PARENT", NODE, NODE, {}, {})
REFERS_TO = {
    to: LinkTable("REFERS_TO", NODE, there, {}, {}) for to, there in {"agent": AGENT, "claim": CLAIM}.items()
}
"""Relationships from a node of a view to what it stands for or mentions, by the kind of the reference."""
LINKS = (*EDGES.values(), SAID, CITES, NODE_CITES, LINK, PARENT, *REFERS_TO.values())
