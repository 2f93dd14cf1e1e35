"""Import of AIF graphs (AIFdb's JSON) as claims and edges; lossless for graphs exported by openiir."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from openiir.core.claims.formats.aif_write import OURS
from openiir.core.errors import InputError
from openiir.core.files import limit_remedy, limits, read_json
from openiir.core.records import Claim, Edge, EdgeType

IMPORTER = "aif-import/1"
UNKNOWN_SPEAKER = "unknown"
_TYPES: dict[str, EdgeType] = {"RA": "supports", "CA": "counters", "MA": "refines"}
_KNOWN = frozenset({"I", "L", "RA", "CA", "MA", "TA", "YA", "PA"})
_ASKING = ("question", "challeng")
_DEEPEST = 1_000
"""Most inferences in a chain of inferences about inferences."""


class ImportedClaims(NamedTuple):
    """Claims and edges imported from an AIF graph."""

    claims: tuple[Claim, ...]
    edges: tuple[Edge, ...]


class _Graph(NamedTuple):
    nodes: dict[str, dict[str, Any]]
    into: dict[str, list[str]]
    out: dict[str, list[str]]

    def near(self, ids: Sequence[str], *kinds: str) -> list[str]:
        return [i for i in ids if self.nodes[i]["type"] in kinds]


def read_aif(path: Path, topic: str = "") -> ImportedClaims:
    """Read an AIF file; raises InputError with the file's name and the error."""
    data = read_json(path)
    try:
        return from_aif(data, topic)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def from_aif(data: Any, topic: str = "") -> ImportedClaims:
    """Convert an AIF document to claims and edges.

    I-nodes are claims. Each premise of an RA-, CA- or MA-node supports, counters or refines its conclusion; a
    conflict with an inference counters the premises of that inference. A transition to a locution that
    questions or challenges is a question. Locutions that repeat another one behind an annotator's name are
    dropped. Defaults for what AIF lacks: stance 0, step 0, confidence 1, extractor `aif-import/1`.
    Raises InputError where the document is no AIF graph.
    """
    graph = _read_graph(data)
    speakers = _speakers(graph, data)
    claims = tuple(_claim(node, speakers, topic) for node in graph.nodes.values() if node["type"] == "I")
    edges: dict[tuple[str, str, str], Edge] = {}
    most = limits().edges
    for number, edge in enumerate(_edges(graph), 1):
        edges.setdefault((edge.source, edge.target, edge.type), edge)
        if number > most:
            raise InputError(f"the graph has more than {most:,} edges; {limit_remedy('edges')}")
    return ImportedClaims(claims, tuple(edges.values()))


def _read_graph(data: Any) -> _Graph:
    if not isinstance(data, dict):
        raise InputError(
            f"an AIF document is an object with nodes and edges, this is a {type(data).__name__}"
        )
    for key in ("nodes", "edges"):
        if not isinstance(data.get(key), list):
            raise InputError(f"an AIF document has a list {key!r}, this one has {data.get(key)!r:.60}")
    graph = _Graph({}, {}, {})
    for i, node in enumerate(data["nodes"]):
        identity = _field(node, "nodeID", f"node {i + 1}")
        if identity in graph.nodes:
            raise InputError(f"two nodes have the nodeID {identity!r}; ids must differ")
        kind = _field(node, "type", f"node {identity!r}")
        if kind not in _KNOWN:
            raise InputError(
                f"node {identity!r} has the type {kind!r}; AIF knows {', '.join(sorted(_KNOWN))}"
            )
        graph.nodes[identity] = {**node, "nodeID": identity, "type": kind}
        graph.into[identity], graph.out[identity] = [], []
    for i, edge in enumerate(data["edges"]):
        ends = [_field(edge, key, f"edge {i + 1}") for key in ("fromID", "toID")]
        for end in ends:
            if end not in graph.nodes:
                raise InputError(f"edge {i + 1} names the node {end!r}, which the document does not have")
        graph.out[ends[0]].append(ends[1])
        graph.into[ends[1]].append(ends[0])
    return graph


def _field(item: Any, key: str, where: str) -> str:
    value = item.get(key) if isinstance(item, dict) else None
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise InputError(f"{where} has no {key}; each node needs nodeID and type, each edge fromID and toID")
    return str(value)


def _claim(node: dict[str, Any], speakers: dict[str, str], topic: str) -> Claim:
    text = node.get("text")
    if not isinstance(text, str):
        raise InputError(f"the I-node {node['nodeID']!r} has no text")
    own = node.get(OURS)
    if own is None:
        speaker = speakers.get(node["nodeID"], UNKNOWN_SPEAKER)
        said = {"topic": topic, "speaker": speaker, "stance": 0.0, "confidence": 1.0, "extractor": IMPORTER}
        own = said | {"step": 0, "utterance": 0, "start": 0, "end": len(text)}
    return _validate(Claim, own, f"I-node {node['nodeID']!r}", {"id": node["nodeID"], "text": text})


def _validate(record: Any, own: Any, where: str, more: dict[str, Any]) -> Any:
    try:
        return record.model_validate({**own, **more})
    except (ValidationError, TypeError) as error:
        raise InputError(f"the {OURS!r} attribute of {where} is not what openiir writes: {error}") from error


def _edges(graph: _Graph) -> Iterator[Edge]:
    spoken = _claims_by_locution(graph)
    for identity, node in graph.nodes.items():
        if node["type"] in (*_TYPES, "TA") and node.get(OURS) is not None:
            yield _validate(Edge, node[OURS], f"node {identity!r}", {})
        elif node["type"] in _TYPES and (sources := dict.fromkeys(graph.near(graph.into[identity], "I"))):
            targets = _targets(graph, identity)
            for source in sources:
                for target in targets:
                    if source != target:
                        yield _edge(source, target, _TYPES[node["type"]])
        elif node["type"] == "TA":
            later = [spoken[near] for near in graph.near(graph.out[identity], "L") if near in spoken]
            earlier = [spoken[near][0] for near in graph.near(graph.into[identity], "L") if near in spoken]
            asking = dict.fromkeys(claim for claim, asks in later if asks)
            for claim, asked in product(asking, dict.fromkeys(earlier)):
                if claim != asked:
                    yield _edge(claim, asked, "questions")


def _edge(source: str, target: str, kind: EdgeType) -> Edge:
    return Edge(source=source, target=target, type=kind, confidence=1.0, extractor=IMPORTER, step=0)


def _targets(graph: _Graph, inference: str) -> list[str]:
    """List the claims that an inference concludes; for a concluded inference, its premises."""
    found = dict.fromkeys(graph.near(graph.out[inference], "I"))
    seen, waiting = {inference}, graph.near(graph.out[inference], *_TYPES)[::-1]
    while waiting:
        identity = waiting.pop()
        if identity in seen:
            continue
        seen.add(identity)
        if len(seen) > _DEEPEST:
            raise InputError(
                f"node {inference!r} is about more than {_DEEPEST:,} inferences; leave some of them out"
            )
        found |= dict.fromkeys(graph.near(graph.into[identity], "I"))
        waiting += graph.near(graph.into[identity], *_TYPES)[::-1]
    return list(found)


def _claims_by_locution(graph: _Graph) -> dict[str, tuple[str, bool]]:
    """Map each locution (L-node) to the claim that a YA-node anchors to it, and whether it questions it."""
    spoken: dict[str, tuple[str, bool]] = {}
    for identity in _locutions(graph):
        for anchor in graph.near(graph.out[identity], "YA"):
            asks = any(cue in str(graph.nodes[anchor].get("text", "")).lower() for cue in _ASKING)
            for claim in graph.near(graph.out[anchor], "I"):
                spoken.setdefault(identity, (claim, asks))
    return spoken


def _locutions(graph: _Graph) -> list[str]:
    """List locutions (L-nodes), dropping copies that prefix an annotator's name (`Ann: Speaker : text`)."""
    texts = {str(node.get("text", "")).strip() for node in graph.nodes.values() if node["type"] == "L"}
    return [
        identity
        for identity, node in graph.nodes.items()
        if node["type"] == "L" and str(node.get("text", "")).partition(":")[2].strip() not in texts
    ]


def _speakers(graph: _Graph, data: dict[str, Any]) -> dict[str, str]:
    """Map claims (I-nodes) to speakers, from the list of locutions or a locution's text `Speaker : text`."""
    people: dict[str, str] = {}
    entries = data.get("locutions")
    for item in entries if isinstance(entries, list) else []:
        if isinstance(item, dict) and item.get("personID") not in (None, ""):
            people.setdefault(str(item.get("nodeID")), str(item["personID"]))
    for locution, (claim, _) in _claims_by_locution(graph).items():
        name, colon, _ = str(graph.nodes[locution].get("text", "")).partition(":")
        people[claim] = people.get(locution) or (name.strip() if colon and name.strip() else UNKNOWN_SPEAKER)
    return people
