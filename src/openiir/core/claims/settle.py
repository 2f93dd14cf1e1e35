"""From an extractor's reply to the records of a run."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from openiir.core.claims.questions import PERCENT, STANCE_STEPS, ClaimReply, ClaimsReply, ExtractClaims
from openiir.core.claims.text import clean
from openiir.core.records import Citation, Claim, Edge

_MARK = re.compile(r"[\[(]\s*(c\d{3,})\b[^\])]*[\])]")
_BETWEEN = re.compile(r"[\s.;,]*")


@dataclass(frozen=True)
class Origin:
    """Where an utterance stands in a run."""

    step: int
    speaker: str
    utterance: int
    extractor: str
    """`offline-rules/1`, or `model:NAME/1`."""
    next_number: int = 1
    """The number of the next claim's id, such as 7 for `k007`."""
    cites: tuple[Citation, ...] = ()
    """What the utterance rests on."""


class Settled(NamedTuple):
    """What an utterance adds to a debate."""

    claims: tuple[Claim, ...]
    edges: tuple[Edge, ...]
    restated: tuple[str, ...]
    """Ids of earlier claims said again, one a time."""


def settle(question: ExtractClaims, reply: ClaimsReply, origin: Origin) -> Settled:
    """The claims and edges of a reply that has passed the question's `check`, ids given in order of the reply."""
    spans = list(_spans(question.utterance, [claim.quote for claim in reply.claims]))
    cites = _citations(question.utterance, spans, origin.cites)
    claims: list[Claim] = []
    edges: list[Edge] = []
    restated: list[str] = []
    for found, span, cited in zip(reply.claims, spans, cites, strict=True):
        if found.same_as:
            restated.append(found.same_as)
            continue
        claim = _claim(found, span, cited, origin, origin.next_number + len(claims), question.topic)
        claims.append(claim)
        edges.extend(_edges(found, claim, origin))
    return Settled(tuple(claims), tuple(edges), tuple(restated))


def _claim(
    found: ClaimReply,
    span: tuple[int, int],
    cites: tuple[Citation, ...],
    origin: Origin,
    number: int,
    topic: str,
) -> Claim:
    return Claim(
        id=f"k{number:03d}",
        text=clean(found.quote) or found.quote.strip(),
        topic=topic,
        stance=found.stance / STANCE_STEPS,
        step=origin.step,
        speaker=origin.speaker,
        utterance=origin.utterance,
        start=span[0],
        end=span[1],
        cites=cites,
        confidence=found.confidence / PERCENT,
        extractor=origin.extractor,
    )


def _edges(found: ClaimReply, claim: Claim, origin: Origin) -> Iterable[Edge]:
    """One edge a target: the first named."""
    seen: list[str] = []
    for edge in found.edges:
        if edge.target not in seen:
            seen.append(edge.target)
            yield Edge(
                source=claim.id,
                target=edge.target,
                type=edge.type,
                confidence=edge.confidence / PERCENT,
                extractor=origin.extractor,
                step=origin.step,
            )


def _spans(utterance: str, quotes: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Where each quote stands, blanks aside; after the one before it where it occurs again there."""
    at = 0
    for quote in quotes:
        pattern = re.compile(r"\s+".join(re.escape(word) for word in quote.split()))
        match = pattern.search(utterance, at) or pattern.search(utterance)
        if match is None:
            raise ValueError(f"the quote {quote!r} is not in the utterance: call the question's check first")
        at = match.end()
        yield match.span()


def _citations(
    utterance: str, spans: Sequence[tuple[int, int]], cites: tuple[Citation, ...]
) -> list[tuple[Citation, ...]]:
    """Each claim's citations: those marked (`[c0003]`) in it or right after it; without any marks, all."""
    marks = [(match.start(), match.group(1)) for match in _MARK.finditer(utterance)]
    if not marks:
        return [cites for _ in spans]
    owned: list[tuple[Citation, ...]] = []
    for start, end in spans:
        near = [chunk for at, chunk in marks if start <= at and _reaches(utterance, end, at)]
        owned.append(tuple(cite for cite in cites if cite.chunk in near))
    return owned


def _reaches(utterance: str, end: int, at: int) -> bool:
    """Whether a mark stands inside a claim that ends at `end`, or after it with nothing but marks between."""
    return at < end or not _BETWEEN.sub("", _MARK.sub("", utterance[end:at]))
