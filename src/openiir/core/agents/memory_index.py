"""Indexes that score a memory's texts against queries, by bags of stems or by given vectors.

Without other vectors, texts are bags of stems in the weighting lnc.ltc of the SMART notation (Salton &
Buckley, IP&M 24(5), 1988): records by 1 + ln f, queries by (1 + ln f) ln(1 + N / n_t) over the records that
this memory holds, both of unit length. So a record is weighed once, when it is stored, and what every record
says counts little in a query.
"""

import copy
import math
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.retrieval import tokens
from openiir.core.retrieval.vectors import unit_rows

Floats = NDArray[np.float64]
Vectors = Callable[[Sequence[str]], Any]
"""Function that maps texts to vectors, one row per text; rows need not have unit length."""


class _Vocabulary(dict[str, int]):
    """Vocabulary that maps each term to an integer; a new term gets the next integer."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


class StemIndex:
    """Sparse index of all records: parallel arrays of term, record number and weight."""

    def __init__(self) -> None:
        self._place = _Vocabulary()
        self._terms, self._holders, self._weights = array("i"), array("i"), array("d")
        self._sizes = array("i")
        self._first = self._next = 0

    def add(self, text: str) -> None:
        stems, weights = _record_weights(text)
        self._terms.extend(map(self._place.__getitem__, stems))
        self._holders.extend([self._next] * len(stems))
        self._weights.extend(weights)
        self._sizes.append(len(stems))
        self._next += 1

    def fork(self) -> "StemIndex":
        twin = copy.copy(self)
        twin._place = _Vocabulary(self._place)
        twin._terms, twin._holders = self._terms[:], self._holders[:]
        twin._weights, twin._sizes = self._weights[:], self._sizes[:]
        return twin

    def forget(self) -> None:
        size = self._sizes.pop(0)
        del self._terms[:size], self._holders[:size], self._weights[:size]
        self._first += 1

    def scores(self, queries: Sequence[str]) -> Floats:
        """Compute each record's best cosine over the queries, summed in the order of the record's words."""
        n = self._next - self._first
        counts = [_query_counts(query) for query in dict.fromkeys(queries)]
        asked = {stem: 0 for count in counts for stem, _ in count if stem in self._place}
        if not asked:
            return np.zeros(n)
        column = np.zeros(len(self._place), dtype=np.intc)
        column[[self._place[stem] for stem in asked]] = range(1, len(asked) + 1)
        asked = dict(zip(asked, range(1, len(asked) + 1), strict=True))
        columns = column.take(np.frombuffer(self._terms, np.intc))
        hits = columns.nonzero()[0]
        columns, weights = columns.take(hits), np.frombuffer(self._weights).take(hits)
        holders = np.frombuffer(self._holders, np.intc).take(hits) - self._first
        spread = np.bincount(columns, minlength=len(asked) + 1).tolist()
        rarity = [math.log(1 + n / max(records, 1)) for records in (1, *spread[1:])]
        rows = np.array([_query_weights(count, asked, rarity) for count in counts])
        # One sum over all queries and records: the record's number, by n further for each query.
        where = (holders + n * np.arange(len(counts))[:, None]).ravel()
        sums = np.bincount(where, (weights * rows.take(columns, axis=1)).ravel(), minlength=n * len(counts))
        return np.asarray(np.maximum(sums.reshape(-1, n).max(axis=0), 0.0))


def _query_weights(
    count: tuple[tuple[str, float], ...], asked: Mapping[str, int], rarity: Sequence[float]
) -> list[float]:
    """Compute a query's weights per column, at unit length; a stem in no record only adds to the length."""
    weights, square = [0.0] * len(rarity), 0.0
    for stem, weight in count:
        column = asked.get(stem, 0)
        weights[column] = value = weight * rarity[column]
        square += value * value
    length = math.sqrt(square) or 1.0
    return [weight / length for weight in weights]


class VectorIndex:
    """Dense index of given vectors, normalised to unit length."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._rows: list[Floats] = []
        self._matrix = np.zeros((0, 0))

    def add(self, text: str) -> None:
        self._rows.append(self._unit_vectors([text])[0])

    def fork(self) -> "VectorIndex":
        twin = copy.copy(self)
        twin._rows = [*self._rows]
        return twin

    def forget(self) -> None:
        del self._rows[0]
        self._matrix = np.zeros((0, 0))

    def scores(self, queries: Sequence[str]) -> Floats:
        """Compute each record's best cosine over the queries, summed in a fixed order (by einsum)."""
        if len(self._matrix) != len(self._rows):
            self._matrix = np.stack(self._rows)
        return np.asarray(np.einsum("ij,qj->qi", self._matrix, self._unit_vectors(queries)).max(axis=0))

    def _unit_vectors(self, texts: Sequence[str]) -> Floats:
        rows = np.asarray(self._vectors(texts), dtype=np.float64)
        width = len(self._rows[0]) if self._rows else None
        if rows.ndim != 2 or len(rows) != len(texts) or (width or rows.shape[1]) != rows.shape[1]:
            raise InputError(
                f"vectors of {len(texts)} text(s) have the shape {rows.shape}; one row a text is needed, all "
                "as long"
            )
        if not np.isfinite(rows).all():
            raise InputError(f"vectors of {texts[0][:60]!r} hold NaN or infinity")
        return unit_rows(rows)


@lru_cache(maxsize=1_024)
def _query_counts(text: str) -> tuple[tuple[str, float], ...]:
    """List a query's stems in order of first use, each with its weight 1 + ln f."""
    return tuple((stem, 1.0 + math.log(f)) for stem, f in _count_stems(text).items())


@lru_cache(maxsize=65_536)
def _stem_word(word: str) -> tuple[str, ...]:
    """Stem one blank-separated word; cached, since words recur."""
    return tuple(tokens(word))


def _count_stems(text: str) -> Counter[str]:
    """Count each stem of a text, in order of first use."""
    return Counter(chain.from_iterable(map(_stem_word, text.split())))


@lru_cache(maxsize=8_192)
def _record_weights(text: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Compute a record's stems and unit-length weights; cached, since many agents store the same texts."""
    found = _count_stems(text)
    weights = [1.0 if f == 1 else 1.0 + math.log(f) for f in found.values()]
    length = math.sqrt(math.fsum([weight * weight for weight in weights])) or 1.0
    return tuple(found), tuple([weight / length for weight in weights])
