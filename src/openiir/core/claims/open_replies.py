"""Counterarguments and questions that nobody has answered yet."""

from collections.abc import Sequence

from openiir.core.records import Claim, Edge, EdgeType


def unanswered_edges(claims: Sequence[Claim], edges: Sequence[Edge], kind: EdgeType) -> list[Edge]:
    """List edges of one kind (counters or questions) that are unanswered, in input order.

    An edge from a to b is answered when another claim replies to a other than by supporting it, or when a
    claim made after a supports or refines b. A question is also answered by a claim that supports a.
    Relations between claims of one utterance answer nothing.
    """
    place = {claim.id: i for i, claim in enumerate(claims)}
    said = {claim.id: (claim.speaker, claim.utterance) for claim in claims}
    into: dict[str, list[Edge]] = {}
    for edge in edges:
        if edge.source not in said or said[edge.source] != said.get(edge.target):
            into.setdefault(edge.target, []).append(edge)
    return [edge for edge in edges if edge.type == kind and not _is_answered(edge, into, place)]


def _is_answered(edge: Edge, into: dict[str, list[Edge]], place: dict[str, int]) -> bool:
    if any(reply.type != "supports" or edge.type == "questions" for reply in into.get(edge.source, ())):
        return True
    asked = place.get(edge.source, -1)
    return any(
        reply.type in ("supports", "refines") and place.get(reply.source, -1) > asked
        for reply in into.get(edge.target, ())
    )
