"""Export of claims as an AIF graph (Chesñevar et al., Knowledge Engineering Review 2006) in AIFdb's JSON."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from openiir.core.records import Claim, Edge

OURS = "openiir"
"""Attribute with all fields of the openiir record, for a lossless import."""
SCHEMES: Mapping[str, tuple[str, str]] = {
    "supports": ("RA", "Default Inference"),
    "counters": ("CA", "Default Conflict"),
    "refines": ("MA", "Default Rephrase"),
    "questions": ("TA", "Default Transition"),
}
"""Map from edge type to AIF node type and AIFdb's text for its default scheme."""


def to_aif(claims: Sequence[Claim], edges: Sequence[Edge]) -> dict[str, list[dict[str, Any]]]:
    """Convert claims and edges to `{"nodes", "edges", "locutions"}`, ready for `json.dump`.

    A claim is an I-node, said in an L-node that a YA-node anchors to it. Supports, counters and refines
    become RA-, CA- and MA-nodes between I-nodes; a question is a TA-node from the L-node of what is
    questioned to the L-node of the question. Edges whose ends are not among the claims are left out.
    """
    return _Writer(claims, edges).document()


class _Writer:
    def __init__(self, claims: Sequence[Claim], edges: Sequence[Edge]) -> None:
        self._ids = _fresh_ids({claim.id for claim in claims})
        self._nodes: list[dict[str, Any]] = []
        self._edges: list[dict[str, Any]] = []
        self._locutions: list[dict[str, Any]] = []
        asking = {edge.source for edge in edges if edge.type == "questions"}
        self._said = {claim.id: self._claim(claim, claim.id in asking) for claim in claims}
        for edge in edges:
            if edge.source in self._said and edge.target in self._said:
                self._edge(edge)

    def document(self) -> dict[str, list[dict[str, Any]]]:
        return {"nodes": self._nodes, "edges": self._edges, "locutions": self._locutions}

    def _claim(self, claim: Claim, asks: bool) -> str:
        """Write a claim and return the id of its locution (L-node)."""
        own = claim.model_dump(mode="json", exclude={"id", "text"})
        self._nodes.append({"nodeID": claim.id, "text": claim.text, "type": "I", OURS: own})
        said = self._node(f"{claim.speaker} : {claim.text}", "L")
        anchor = self._node("Questioning" if asks else "Asserting", "YA")
        self._link(said, anchor)
        self._link(anchor, claim.id)
        self._locutions.append({"nodeID": said, "personID": claim.speaker, "start": None})
        return said

    def _edge(self, edge: Edge) -> None:
        kind, scheme = SCHEMES[edge.type]
        node = self._node(scheme, kind, {OURS: edge.model_dump(mode="json")})
        if kind == "TA":
            self._link(self._said[edge.target], node)
            self._link(node, self._said[edge.source])
        else:
            self._link(edge.source, node)
            self._link(node, edge.target)

    def _node(self, text: str, kind: str, more: Mapping[str, Any] | None = None) -> str:
        identity = next(self._ids)
        self._nodes.append({"nodeID": identity, "text": text, "type": kind, **(more or {})})
        return identity

    def _link(self, source: str, target: str) -> None:
        number = str(len(self._edges) + 1)
        self._edges.append({"edgeID": number, "fromID": source, "toID": target, "formEdgeID": None})


def _fresh_ids(taken: set[str]) -> Iterator[str]:
    return (str(number) for number in count(1) if str(number) not in taken)
