"""Episodic memory: what an agent has lived through, as text beside structure, found again by cosine.

Without other vectors, texts are bags of stems in the weighting lnc.ltc of the SMART notation (Salton & Buckley,
IP&M 24(5), 1988): records by 1 + ln f, queries by (1 + ln f) ln(1 + N / n_t) over the records that this memory
holds, both of unit length. So a record is weighed once, when it is stored, and what every record says counts
little in a query.
"""

import copy
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.retrieval import Embedder, tokens
from openiir.core.retrieval.vectors import unit_rows

Floats = NDArray[np.float64]
Vectors = Callable[[Sequence[str]], Any]
"""Texts to vectors, one row a text; rows need no unit length."""

_GRID = 2.0**20
_RECENT = re.compile(r"recent:([1-9]\d{0,8})")
_PLAIN = frozenset((str, int, bool, type(None)))


class FrozenTable(dict[str, Any]):
    """A dictionary, to JSON and to the log as well, that refuses to change."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("facts of a memory are read only; store a new record")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type["FrozenTable"], tuple[dict[str, Any]]]:
        return FrozenTable, (dict(self),)


class Remembered(NamedTuple):
    """A record of a memory."""

    id: str
    """m1, m2, ... in the order stored; an id is never given twice, whatever is forgotten."""
    text: str
    facts: FrozenTable
    """What was stored beside the text; read only, lists as tuples."""
    score: float = 0.0
    """Cosine with the nearest query, on the grid of 2^-20; 0 where nothing was asked."""


class Memory(Protocol):
    """What an agent stores and recalls; iterating gives all it still holds, oldest first."""

    def store(self, text: str, **facts: Any) -> str:
        """Keep a record; its id."""

    def recall(self, queries: str | Sequence[str], k: int = 5) -> tuple[Remembered, ...]:
        """At most k records, best first."""

    def fork(self) -> "Memory":
        """A memory with the same records that grows apart from this one: for lives that part."""

    def __iter__(self) -> Iterator[Remembered]: ...

    def __len__(self) -> int: ...


def memory_span(policy: str) -> int | None:
    """How many of the latest records a policy keeps: None (all) for `full`, 0 for `none`, N for `recent:N`.

    Raises InputError for any other name.
    """
    if policy in ("full", "none"):
        return 0 if policy == "none" else None
    if found := _RECENT.fullmatch(policy):
        return int(found[1])
    raise InputError(
        f"no memory policy is called {policy!r}; write full, none or recent:N (the last N records, such as recent:20)"
    )


class EpisodicMemory:
    """One agent's records in the order stored, under a policy that may forget the oldest (`memory_span`).

    `vectors` replaces the bag of stems, for instance by `Embedded`.
    """

    def __init__(self, policy: str = "full", vectors: Vectors | None = None) -> None:
        self._span = memory_span(policy)
        self._index: _Sparse | _Dense = _Sparse() if vectors is None else _Dense(vectors)
        self._records: list[Remembered] = []
        self._stored = 0

    def store(self, text: str, **facts: Any) -> str:
        """Keep a record and return its id. Facts are what JSON can say: InputError names one that is not."""
        self._stored += 1
        name = f"m{self._stored}"
        if self._span == 0:
            return name
        frozen = FrozenTable({key: _frozen(value, key) for key, value in facts.items()})
        self._index.add(text)
        self._records.append(Remembered(name, text, frozen))
        if self._span is not None and len(self._records) > self._span:
            del self._records[0]
            self._index.forget()
        return name

    def recall(self, queries: str | Sequence[str], k: int = 5) -> tuple[Remembered, ...]:
        """The at most k records that are nearest to any of the queries, nearest first, older first among equals.

        A record's score is its best over all queries, such as the question itself and one to three that the agent
        asked itself in addition. Records with a cosine of 0 or less are never recalled.
        """
        if k < 1:
            raise InputError(f"recall of k = {k} records was asked for; 1 is the smallest")
        asked = (queries,) if isinstance(queries, str) else tuple(queries)
        if not asked or not self._records:
            return ()
        scores = np.rint(self._index.scores(asked) * _GRID)
        order = np.argsort(-scores, kind="stable")[:k].tolist()
        found = [(self._records[i], float(scores[i])) for i in order]
        return tuple([Remembered(r.id, r.text, r.facts, score / _GRID) for r, score in found if score > 0])

    def fork(self) -> "EpisodicMemory":
        """A memory with the same records, which from now on grows apart from this one."""
        twin = copy.copy(self)
        twin._records = [*self._records]
        twin._index = self._index.fork()
        return twin

    def __iter__(self) -> Iterator[Remembered]:
        return iter(tuple(self._records))

    def __len__(self) -> int:
        return len(self._records)


class Embedded:
    """Vectors of an endpoint for a memory: learn texts first (that waits), then look them up (which does not)."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, Floats] = {}

    async def learn(self, texts: Sequence[str]) -> None:
        """Ask the endpoint, in one batch, for those not known yet: what is about to be stored or asked."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if missing:
            self._rows |= zip(missing, await self._embedder.embed(missing), strict=True)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """One row a text; raises InputError for a text that was never learnt."""
        if unknown := [text for text in texts if text not in self._rows]:
            raise InputError(
                f"no vector was learnt for {unknown[0][:60]!r}; await learn([...]) before storing or recalling it"
            )
        return np.stack([self._rows[text] for text in texts])


class _Places(dict[str, int]):
    """Terms to their numbers; one asked for that is new gets the next."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


class _Sparse:
    """Sparse vectors of all records end to end: a term, its record's number and its weight in each place."""

    def __init__(self) -> None:
        self._place = _Places()
        self._terms, self._holders, self._weights = array("i"), array("i"), array("d")
        self._sizes = array("i")
        self._first = self._next = 0

    def add(self, text: str) -> None:
        stems, weights = _bag(text)
        self._terms.extend(map(self._place.__getitem__, stems))
        self._holders.extend([self._next] * len(stems))
        self._weights.extend(weights)
        self._sizes.append(len(stems))
        self._next += 1

    def fork(self) -> "_Sparse":
        twin = copy.copy(self)
        twin._place = _Places(self._place)
        twin._terms, twin._holders = self._terms[:], self._holders[:]
        twin._weights, twin._sizes = self._weights[:], self._sizes[:]
        return twin

    def forget(self) -> None:
        size = self._sizes.pop(0)
        del self._terms[:size], self._holders[:size], self._weights[:size]
        self._first += 1

    def scores(self, queries: Sequence[str]) -> Floats:
        """The best cosine of each record; sums run in the order of a record's words."""
        n = self._next - self._first
        counts = [_counts(query) for query in dict.fromkeys(queries)]
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
        rows = np.array([_weighed(count, asked, spread, n) for count in counts])
        # One sum over all queries and records: the record's number, by n further for each query.
        where = (holders + n * np.arange(len(counts))[:, None]).ravel()
        sums = np.bincount(where, (weights * rows.take(columns, axis=1)).ravel(), minlength=n * len(counts))
        return np.asarray(np.maximum(sums.reshape(-1, n).max(axis=0), 0.0))


def _weighed(
    count: tuple[tuple[str, float], ...], asked: Mapping[str, int], spread: list[int], n: int
) -> list[float]:
    """A query's weights by column, at unit length; a stem in no record counts into the length alone."""
    weights, square = [0.0] * (len(asked) + 1), 0.0
    for stem, weight in count:
        number = asked.get(stem, 0)
        value = weight * math.log(1 + n / max(spread[number] if number else 1, 1))
        square += value * value
        if number:
            weights[number] = value
    length = math.sqrt(square) or 1.0
    return [weight / length for weight in weights]


class _Dense:
    """Vectors by whoever makes them, as rows of unit length."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._rows: list[Floats] = []
        self._matrix = np.zeros((0, 0))

    def add(self, text: str) -> None:
        self._rows.append(self._unit([text])[0])

    def fork(self) -> "_Dense":
        twin = copy.copy(self)
        twin._rows = [*self._rows]
        return twin

    def forget(self) -> None:
        del self._rows[0]
        self._matrix = np.zeros((0, 0))

    def scores(self, queries: Sequence[str]) -> Floats:
        """The best cosine of each record; by einsum, whose sums have a fixed order."""
        if len(self._matrix) != len(self._rows):
            self._matrix = np.stack(self._rows)
        return np.asarray(np.einsum("ij,qj->qi", self._matrix, self._unit(queries)).max(axis=0))

    def _unit(self, texts: Sequence[str]) -> Floats:
        rows = np.asarray(self._vectors(texts), dtype=np.float64)
        width = len(self._rows[0]) if self._rows else None
        if rows.ndim != 2 or len(rows) != len(texts) or (width or rows.shape[1]) != rows.shape[1]:
            raise InputError(
                f"vectors of {len(texts)} text(s) have the shape {rows.shape}; one row a text is needed, all as long"
            )
        if not np.isfinite(rows).all():
            raise InputError(f"vectors of {texts[0][:60]!r} hold NaN or infinity")
        return unit_rows(rows)


@lru_cache(maxsize=1_024)
def _counts(text: str) -> tuple[tuple[str, float], ...]:
    """A query's stems in the order of their first use, with 1 + ln f."""
    return tuple((stem, 1.0 + math.log(f)) for stem, f in _stemmed(text).items())


@lru_cache(maxsize=65_536)
def _stems(word: str) -> tuple[str, ...]:
    """The tokens of what stands between blanks: no token goes beyond, and few words are new."""
    return tuple(tokens(word))


def _stemmed(text: str) -> Counter[str]:
    """How often each stem is used, in the order of their first use."""
    return Counter(chain.from_iterable(map(_stems, text.split())))


@lru_cache(maxsize=8_192)
def _bag(text: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """A record's stems and their weights at unit length; many agents store the same texts."""
    found = _stemmed(text)
    weights = [1.0 if f == 1 else 1.0 + math.log(f) for f in found.values()]
    length = math.sqrt(math.fsum([weight * weight for weight in weights])) or 1.0
    return tuple(found), tuple([weight / length for weight in weights])


def _frozen(value: Any, key: str) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.generic):
        return _frozen(value.item(), key)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, list | tuple):
        return tuple([_frozen(each, key) for each in value])
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return FrozenTable({name: _frozen(each, key) for name, each in value.items()})
    raise InputError(
        f"the fact {key} is {value!r:.60}; a memory keeps what JSON can say: texts, finite numbers, true, false, "
        "null, and lists and tables of these"
    )
