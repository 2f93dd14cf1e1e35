"""Conversion of extracted claims into a run's claims and edges, with ids."""

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from openiir.core.claims.extract import ExtractedClaim
from openiir.core.claims.questions import ClaimSource
from openiir.core.grid import round_float
from openiir.core.records import Citation, Claim, Edge

_MARK = re.compile(r"[\[(]\s*(c\d{3,})\b[^\])]*[\])]")
_BETWEEN = re.compile(r"[\s.;,]*")


class GraphAddition(NamedTuple):
    """Claims, edges and restatements that an utterance adds to the argument graph."""

    claims: tuple[Claim, ...]
    edges: tuple[Edge, ...]
    restated: tuple[str, ...]
    """Ids of restated earlier claims, one entry per restatement."""


def settle(
    found: Sequence[ExtractedClaim], said: ClaimSource, step: int, extractor: str, next_number: int = 1
) -> GraphAddition:
    """Convert claims extracted from an utterance to a run's claims and edges, with ids in text order.

    `extractor` is `offline-rules/1` or `model:NAME/1`, and `next_number` that of the next claim's id, such as
    7 for `k007`. A restated claim is replaced by the earlier one; of several relations between two claims the
    first is kept.
    """
    cites = _citations(said.text, [(one.start, one.end) for one in found], said.cites)
    numbers = count(next_number)
    ids = [one.same_as or f"k{next(numbers):03d}" for one in found]
    claims = [
        Claim(
            id=name,
            text=one.text,
            topic=said.topic,
            stance=round_float(one.stance),
            step=step,
            speaker=said.speaker,
            utterance=said.number,
            start=one.start,
            end=one.end,
            cites=cited,
            confidence=round_float(one.confidence),
            extractor=extractor,
        )
        for one, name, cited in zip(found, ids, cites, strict=True)
        if not one.same_as
    ]
    related: dict[frozenset[str], Edge] = {}
    for one, name in zip(found, ids, strict=True):
        for edge in () if one.same_as else one.edges:
            target = ids[edge.target] if isinstance(edge.target, int) else edge.target
            made = Edge(
                source=name,
                target=target,
                type=edge.type,
                confidence=round_float(edge.confidence),
                extractor=extractor,
                step=step,
            )
            if name != target:
                related.setdefault(frozenset((name, target)), made)
    return GraphAddition(
        tuple(claims), tuple(related.values()), tuple(one.same_as for one in found if one.same_as)
    )


def _citations(
    utterance: str, spans: Sequence[tuple[int, int]], cites: tuple[Citation, ...]
) -> list[tuple[Citation, ...]]:
    """Assign citations to claims: those marked (`[c0003]`) in or right after each; without marks all."""
    marks = [(match.start(), match.group(1)) for match in _MARK.finditer(utterance)]
    if not marks:
        return [cites for _ in spans]
    owned: list[tuple[Citation, ...]] = []
    for start, end in spans:
        # A mark lies inside a claim, or nothing but marks lies between the two.
        near = [
            chunk
            for at, chunk in marks
            if start <= at and (at < end or not _BETWEEN.sub("", _MARK.sub("", utterance[end:at])))
        ]
        owned.append(tuple(cite for cite in cites if cite.chunk in near))
    return owned
