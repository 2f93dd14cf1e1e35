"""Rule-based extraction of claims from an utterance; deterministic, without a model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from openiir.core.asking.question_parts import Id
from openiir.core.claims.relation import differ_in_meaning, relate
from openiir.core.claims.similarity import cosine, tf_idf
from openiir.core.claims.stance import stance
from openiir.core.claims.text import CLAIM_THRESHOLD, claimhood, is_question, strip_citations
from openiir.core.records import EdgeType
from openiir.core.retrieval.sentences import sentences

_MARKS = re.compile(r"(?:\[c\d{3,}[^\]]*\]\s*)+")
EXTRACTOR = "offline-rules/1"
SAME_CLAIM = 0.85
"""TF-IDF cosine from which two sentences count as the same claim."""
CANDIDATE = 0.25
"""TF-IDF cosine from which an earlier claim may be the target of a reply."""
EDGES_PER_CLAIM = 3
PLAIN_REPLY = 0.3
"""Confidence of a reply's edge if no relation rule applies."""


@dataclass(frozen=True, slots=True)
class EarlierClaim:
    """An earlier claim as shown to a claim extractor."""

    id: Id
    text: str
    speaker: str = ""
    """Name of the claim's speaker."""


class ExtractedEdge(NamedTuple):
    """A relation from an extracted claim to another claim."""

    target: str | int
    """Id of an earlier claim, or index of another claim of the same utterance."""
    type: EdgeType
    confidence: float


class ExtractedClaim(NamedTuple):
    """An extracted claim with its position in the text, `utterance[start:end]`."""

    text: str
    """The claim as a self-contained sentence (model or person), or the quoted words themselves (rules)."""
    start: int
    end: int
    stance: float
    confidence: float
    same_as: str | None
    """Id of the earlier claim that this one restates, or None; a restated claim has no edges of its own."""
    edges: tuple[ExtractedEdge, ...]


def extract_claims(
    utterance: str, topic: str, earlier: Sequence[EarlierClaim], reply_to: str | None = None
) -> list[ExtractedClaim]:
    """Extract the claims of an utterance in order, new or restated, with edges to earlier claims only.

    `reply_to` is the id of the earlier claim that the utterance answers: it is a candidate for an edge from
    each claim, whatever their similarity, and if no rule applies the first one supports it.
    """
    spans = [_skip_marks(utterance, *span) for span in sentences(utterance)]
    pairs = [(span, strip_citations(utterance[slice(*span)])) for span in spans]
    # A question is kept if it challenges an earlier claim.
    pairs = [(span, text) for span, text in pairs if is_question(text) or claimhood(text) >= CLAIM_THRESHOLD]
    spans, texts = [span for span, _ in pairs], [text for _, text in pairs]
    vectors = tf_idf([*(claim.text for claim in earlier), *texts])
    known, own = vectors[: len(earlier)], vectors[len(earlier) :]
    found = []
    for i, (start, end) in enumerate(spans):
        if any(cosine(own[i], own[j]) >= SAME_CLAIM for j in range(i)):
            continue
        likeness = [cosine(own[i], vector) for vector in known]
        same = _find_restated(texts[i], earlier, likeness)
        edges = () if same else _find_edges(texts[i], topic, earlier, likeness, reply_to)
        asks = is_question(texts[i])
        if asks and not edges:
            continue
        view = 0.0 if asks else stance(texts[i], topic)
        sure = 0.5 + 0.5 * claimhood(texts[i])
        found.append(ExtractedClaim(texts[i], start, end, view, sure, same, edges))
    found = _drop_contradictions(found, topic, {claim.id: claim.text for claim in earlier})
    return (
        _support_answered(found, reply_to) if reply_to and any(c.id == reply_to for c in earlier) else found
    )


def _drop_contradictions(
    found: Sequence[ExtractedClaim], topic: str, texts: Mapping[str | int, str]
) -> list[ExtractedClaim]:
    """Drop support of claims of the other side that the same utterance counters.

    A connective inside a sentence, such as `since`, may give a reason for the sentence itself.
    """
    countered = {edge.target for claim in found for edge in claim.edges if edge.type == "counters"}

    def contradicts(claim: ExtractedClaim, edge: ExtractedEdge) -> bool:
        if edge.type != "supports" or edge.target not in countered:
            return False
        return claim.stance * stance(texts[edge.target], topic) < 0

    return [
        claim._replace(edges=tuple(edge for edge in claim.edges if not contradicts(claim, edge)))
        for claim in found
    ]


def _support_answered(found: list[ExtractedClaim], reply_to: str) -> list[ExtractedClaim]:
    """Link the first new claim to the answered claim as weak support, if no other claim relates to it."""
    if any(edge.target == reply_to for claim in found for edge in claim.edges):
        return found
    first = next((i for i, claim in enumerate(found) if claim.same_as is None), None)
    if first is not None:
        plain = ExtractedEdge(reply_to, "supports", PLAIN_REPLY)
        edges = (plain, *found[first].edges[: EDGES_PER_CLAIM - 1])
        found[first] = found[first]._replace(edges=edges)
    return found


def _skip_marks(utterance: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without leading citation marks, which belong to the previous sentence."""
    marks = _MARKS.match(utterance, start, end) if start else None
    return (marks.end() if marks else start), end


def _find_restated(text: str, earlier: Sequence[EarlierClaim], likeness: Sequence[float]) -> str | None:
    """Return the id of the most similar earlier claim with the same meaning; ties go to the earliest."""
    alike = [
        i
        for i, like in enumerate(likeness)
        if like >= SAME_CLAIM and not differ_in_meaning(text, earlier[i].text)
    ]
    return earlier[max(alike, key=lambda i: (likeness[i], -i))].id if alike else None


def _find_edges(
    text: str, topic: str, earlier: Sequence[EarlierClaim], likeness: Sequence[float], reply_to: str | None
) -> tuple[ExtractedEdge, ...]:
    edges = []
    for claim, like in zip(earlier, likeness, strict=True):
        if like < CANDIDATE and claim.id != reply_to:
            continue
        relation = relate(text, claim.text, topic, replying=claim.id == reply_to)
        if relation is not None:
            edges.append(ExtractedEdge(claim.id, relation.type, relation.confidence))
    edges.sort(key=lambda edge: (edge.target != reply_to, -edge.confidence, str(edge.target)))
    return tuple(edges[: 1 if is_question(text) else EDGES_PER_CLAIM])
