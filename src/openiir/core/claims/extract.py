"""Claims of one utterance, found by rules: no model, no randomness."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from openiir.core.claims.relation import dissents, relate
from openiir.core.claims.similarity import Vector, cosine, tf_idf
from openiir.core.claims.stance import stance
from openiir.core.claims.text import CLAIM_THRESHOLD, claimhood, clean, is_question
from openiir.core.records import EdgeType
from openiir.core.retrieval.sentences import sentences

_MARKS = re.compile(r"(?:\[c\d{3,}[^\]]*\]\s*)+")
EXTRACTOR = "offline-rules/1"
SAME_CLAIM = 0.85
"""TF-IDF cosine from which two sentences are one claim."""
CANDIDATE = 0.25
"""TF-IDF cosine from which an earlier claim may be replied to."""
EDGES_PER_CLAIM = 3
PLAIN_REPLY = 0.3
"""Confidence of the edge that a reply is given when no rule speaks."""


class EarlierClaim(NamedTuple):
    """What an extractor sees of a claim made before."""

    id: str
    text: str


class FoundEdge(NamedTuple):
    """A relation of a found claim to an earlier one, by that one's id."""

    target: str
    type: EdgeType
    confidence: float


class FoundClaim(NamedTuple):
    """A claim as it stands in the utterance: `utterance[start:end]`."""

    text: str
    start: int
    end: int
    stance: float
    confidence: float
    same_as: str | None
    """The earlier claim that this one restates; a restated claim has no edges of its own."""
    edges: tuple[FoundEdge, ...]


def extract(
    utterance: str, topic: str, earlier: Sequence[EarlierClaim], reply_to: str | None = None
) -> list[FoundClaim]:
    """The claims of an utterance in order, each new or a restatement, with edges to earlier claims only.

    `reply_to` is the id of the earlier claim that the utterance says it answers: it is a candidate for an
    edge from each claim, whatever their likeness, and where no rule speaks the first one supports it.
    """
    spans = [_unmarked(utterance, *span) for span in sentences(utterance)]
    spans = [(start, end) for start, end in spans if _may_claim(clean(utterance[start:end]))]
    texts = [clean(utterance[start:end]) for start, end in spans]
    vectors = tf_idf([*(claim.text for claim in earlier), *texts])
    known, own = vectors[: len(earlier)], vectors[len(earlier) :]
    found = []
    for i, (start, end) in enumerate(spans):
        if any(cosine(own[i], own[j]) >= SAME_CLAIM for j in range(i)):
            continue
        likeness = [cosine(own[i], vector) for vector in known]
        same = _restated(texts[i], earlier, likeness)
        edges = () if same else _edges(texts[i], topic, earlier, likeness, reply_to)
        asks = is_question(texts[i])
        if asks and not edges:
            continue
        view = 0.0 if asks else stance(texts[i], topic)
        sure = 0.5 + 0.5 * claimhood(texts[i])
        found.append(FoundClaim(texts[i], start, end, view, sure, same, edges))
    return _answering(found, reply_to) if reply_to and any(c.id == reply_to for c in earlier) else found


def _answering(found: list[FoundClaim], reply_to: str) -> list[FoundClaim]:
    """A reply without a sign of dissent is read as support, with little confidence: the first new claim's."""
    if any(edge.target == reply_to for claim in found for edge in claim.edges):
        return found
    first = next((i for i, claim in enumerate(found) if claim.same_as is None), None)
    if first is not None:
        plain = FoundEdge(reply_to, "supports", PLAIN_REPLY)
        edges = (plain, *found[first].edges[: EDGES_PER_CLAIM - 1])
        found[first] = found[first]._replace(edges=edges)
    return found


def _unmarked(utterance: str, start: int, end: int) -> tuple[int, int]:
    """The span without citation marks at its head: these belong to the sentence before."""
    marks = _MARKS.match(utterance, start, end) if start else None
    return (marks.end() if marks else start), end


def _may_claim(sentence: str) -> bool:
    """Claims, and questions: one that challenges an earlier claim is kept, without a stance of its own."""
    return is_question(sentence) or claimhood(sentence) >= CLAIM_THRESHOLD


def _restated(text: str, earlier: Sequence[EarlierClaim], likeness: Sequence[float]) -> str | None:
    """The most alike earlier claim that says the same; the earliest of equals."""
    alike = [
        i for i, like in enumerate(likeness) if like >= SAME_CLAIM and not dissents(text, earlier[i].text)
    ]
    return earlier[max(alike, key=lambda i: (likeness[i], -i))].id if alike else None


def _edges(
    text: str, topic: str, earlier: Sequence[EarlierClaim], likeness: Sequence[float], reply_to: str | None
) -> tuple[FoundEdge, ...]:
    edges = []
    for claim, like in zip(earlier, likeness, strict=True):
        if like < CANDIDATE and claim.id != reply_to:
            continue
        relation = relate(text, claim.text, topic, replying=claim.id == reply_to)
        if relation is not None:
            edges.append(FoundEdge(claim.id, relation.type, relation.confidence))
    edges.sort(key=lambda edge: (edge.target != reply_to, -edge.confidence, edge.target))
    return tuple(edges[: 1 if is_question(text) else EDGES_PER_CLAIM])


def most_alike(
    text: str, earlier: Sequence[EarlierClaim], limit: int, keep: str | None = None
) -> tuple[EarlierClaim, ...]:
    """At most `limit` earlier claims, the most alike to a text and the one with id `keep`, in their order."""
    if len(earlier) <= limit:
        return tuple(earlier)
    vectors: list[Vector] = tf_idf([*(claim.text for claim in earlier), clean(text)])
    ranked = sorted(
        range(len(earlier)), key=lambda i: (earlier[i].id != keep, -cosine(vectors[i], vectors[-1]), -i)
    )
    return tuple(earlier[i] for i in sorted(ranked[:limit]))
