"""Export of claims as an AIF graph (Chesñevar et al., Knowledge Engineering Review 2006) in AIFdb's JSON."""

from collections.abc import Mapping, Sequence
from itertools import count, pairwise
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
    nodes: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    locutions: list[dict[str, Any]] = []
    taken = {claim.id for claim in claims}
    fresh_ids = (str(number) for number in count(1) if str(number) not in taken)

    def add_node(text: str, kind: str, **more: Any) -> str:
        identity = next(fresh_ids)
        nodes.append({"nodeID": identity, "text": text, "type": kind, **more})
        return identity

    def link(*path: str) -> None:
        for source, target in pairwise(path):
            number = str(len(links) + 1)
            links.append({"edgeID": number, "fromID": source, "toID": target, "formEdgeID": None})

    asking, said = {edge.source for edge in edges if edge.type == "questions"}, dict[str, str]()
    for claim in claims:
        own = claim.model_dump(mode="json", exclude={"id", "text"})
        nodes.append({"nodeID": claim.id, "text": claim.text, "type": "I", OURS: own})
        said[claim.id] = add_node(f"{claim.speaker} : {claim.text}", "L")
        link(said[claim.id], add_node("Questioning" if claim.id in asking else "Asserting", "YA"), claim.id)
        locutions.append({"nodeID": said[claim.id], "personID": claim.speaker, "start": None})
    for edge in edges:
        if edge.source in said and edge.target in said:
            kind, scheme = SCHEMES[edge.type]
            node = add_node(scheme, kind, **{OURS: edge.model_dump(mode="json")})
            question = kind == "TA"
            link(
                *(
                    (said[edge.target], node, said[edge.source])
                    if question
                    else (edge.source, node, edge.target)
                )
            )
    return {"nodes": nodes, "edges": links, "locutions": locutions}
