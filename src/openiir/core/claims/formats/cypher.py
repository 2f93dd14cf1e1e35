"""Export of claims as Cypher statements, for Neo4j and other openCypher databases."""

import json
import re
from collections.abc import Mapping, Sequence

from openiir.core.records import Claim, Edge

_NOT_IN_JSON = re.compile("['\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that Cypher has to escape beside those that JSON escapes."""
Value = str | int | float | Sequence[str]


def to_cypher(claims: Sequence[Claim], edges: Sequence[Edge], run: str = "") -> str:
    """Write one MERGE statement per line: nodes Claim, relationships SUPPORTS, COUNTERS, REFINES, QUESTIONS.

    Claims are merged on (run, id), so that several runs can share a database and a second import adds
    nothing.
    """
    lines = [_claim(claim, run) for claim in claims]
    known = {claim.id for claim in claims}
    lines += [_edge(edge, run) for edge in edges if edge.source in known and edge.target in known]
    return "".join(f"{line}\n" for line in lines)


def _claim(claim: Claim, run: str) -> str:
    fields: dict[str, Value] = claim.model_dump(exclude={"id", "cites"})
    fields["side"] = claim.side
    fields["cites"] = [f"{cite.chunk}:{cite.start}-{cite.end}" for cite in claim.cites]
    return f"MERGE (c:Claim {_key(run, claim.id)}) SET c += {_map(fields)};"


def _edge(edge: Edge, run: str) -> str:
    fields: dict[str, Value] = edge.model_dump(exclude={"source", "target", "type"})
    ends = f"MATCH (a:Claim {_key(run, edge.source)}), (b:Claim {_key(run, edge.target)})"
    return f"{ends} MERGE (a)-[r:{edge.type.upper()}]->(b) SET r += {_map(fields)};"


def _key(run: str, identity: str) -> str:
    return _map({"run": run, "id": identity})


def _map(fields: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{key}: {_literal(value)}" for key, value in fields.items()) + "}"


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return f"'{_NOT_IN_JSON.sub(_escape, json.dumps(value, ensure_ascii=False)[1:-1])}'"
    if isinstance(value, (int, float)):
        return repr(value)
    return "[" + ", ".join(_literal(item) for item in value) + "]"


def _escape(match: re.Match[str]) -> str:
    """Escape a character; lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    char = match.group()
    if char == "'":
        return "\\'"
    return "\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}"
