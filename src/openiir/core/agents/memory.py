"""Episodic memory of agents: texts with facts, recalled by relevance under a memory policy."""

import copy
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from openiir.core.agents.memory_index import Floats, StemIndex, VectorIndex, Vectors
from openiir.core.errors import InputError
from openiir.core.grid import order_by
from openiir.core.retrieval import Embedder

_GRID = 2.0**20
_WINDOW = re.compile(r"(?:window|recent):([1-9]\d{0,8})")
_DECAYED = re.compile(r"decayed:([1-9]\d{0,8})")
_SHARED = re.compile(r"shared:([a-z0-9][a-z0-9-]{0,40})")
_PLAIN = frozenset((str, int, bool, type(None)))


class FrozenDict(dict[str, Any]):
    """A read-only dictionary that JSON encoders accept."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("facts of a memory are read only; store a new record")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type["FrozenDict"], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


class MemoryRecord(NamedTuple):
    """One stored text with its facts and scores."""

    id: str
    """Record ids m1, m2, ... in the order stored; ids of forgotten records are not reused."""
    text: str
    facts: FrozenDict
    """Structured values stored with the text; read-only, with lists as tuples."""
    score: float = 0.0
    """Relevance to the query at recall, 0 to 1 on a grid of 2^-20; 0 if there was no query."""
    importance: float = 0.0
    """Importance to the agent from 0 to 1, as passed to `store`."""


class MemoryPolicy(NamedTuple):
    """Rules for which records a memory keeps and which it recalls."""

    span: int | None
    """Number of latest records kept; None for all."""
    window: bool
    """Whether recall returns all kept records, whatever the query, instead of the relevant ones."""
    reflects: bool | None
    """Whether the agent reflects on its records; None leaves that to the scenario type."""
    fades: int | None = None
    """Number of records after which one that was never recalled is forgotten; None where none is."""
    shared: str = ""
    """Name of the memory that all agents under this policy write and read; empty for one of their own."""

    @classmethod
    def parse(cls, name: str) -> "MemoryPolicy":
        """Parse a policy name such as `window:20`; raises InputError for an unknown one."""
        if name in ("full", "episodic", "episodic+reflection"):
            return cls(None, window=False, reflects=None if name == "full" else name != "episodic")
        if found := _WINDOW.fullmatch(name):
            return cls(int(found[1]), window=True, reflects=False)
        if found := _DECAYED.fullmatch(name):
            return cls(None, window=False, reflects=False, fades=int(found[1]))
        if found := _SHARED.fullmatch(name):
            return cls(None, window=False, reflects=False, shared=found[1])
        if name == "none":
            return cls(0, window=False, reflects=False)
        raise InputError(
            f"no memory policy is called {name!r}; write none, window:N (the last N records, such as "
            "window:20), decayed:N (what is not recalled fades after N records), shared:NAME (one memory of "
            "all who name it), episodic or episodic+reflection"
        )


class Memory(Protocol):
    """Interface of an agent's memory; iteration yields its current records, oldest first."""

    policy: MemoryPolicy

    def store(self, text: str, importance: float = 0.0, **facts: Any) -> str:
        """Store a record and return its id."""

    def recall(
        self, queries: str | Sequence[str], k: int = 5, skip: Callable[[MemoryRecord], bool] | None = None
    ) -> tuple[MemoryRecord, ...]:
        """Recall the k best records not in `skip`; a memory that is a window returns all, latest first."""

    def fork(self) -> "Memory":
        """Copy the memory; records stored later in one copy do not appear in the other."""

    def dump(self) -> Any:
        """Return the whole state as JSON values, for a checkpoint."""

    async def restore(self, dumped: Any) -> None:
        """Give an empty memory the state that another one dumped."""

    def __iter__(self) -> Iterator[MemoryRecord]: ...

    def __len__(self) -> int: ...


def texts_in_order(records: Iterable[MemoryRecord]) -> tuple[str, ...]:
    """Return the texts of records in storage order, for a prompt."""
    return tuple(one.text for one in sorted(records, key=lambda one: int(one.id[1:])))


class EpisodicMemory:
    """Memory of one agent: keeps and recalls records according to a policy (`MemoryPolicy`).

    Records are recalled by relevance, their cosine with what is asked; where `half_life` is given also by
    recency and importance: relevance (1 + recency + importance) / 3, recency being h / (h + records stored
    since). The three are those of Park et al. (UIST 2023), who add them; here they are multiplied, so that
    irrelevant records are not recalled. That memory fades as a power of age is from Anderson & Schooler
    (Psychological Science 2(6), 1991), and so is what the policy `decayed:N` forgets: a record's activation
    is ln of the sum of t^-0.5 over its uses, t being the records stored since it was stored or recalled, and
    it is recalled while that is at least ln N^-0.5. `vectors` replaces the bag of stems, for instance by
    `EmbeddingLookup`.
    """

    def __init__(self, policy: str = "full", vectors: Vectors | None = None, half_life: int = 0) -> None:
        self.policy = MemoryPolicy.parse(policy)
        self._half_life = half_life
        self._vectors = vectors
        self._index: StemIndex | VectorIndex = StemIndex() if vectors is None else VectorIndex(vectors)
        self._records: list[MemoryRecord] = []
        self._uses: list[tuple[int, ...]] = []
        """When each record was stored and recalled, as numbers of records stored; empty unless they fade."""
        self._stored = 0

    def store(self, text: str, importance: float = 0.0, **facts: Any) -> str:
        """Store a record and return its id; raises InputError for a fact that JSON cannot represent."""
        self._stored += 1
        name = f"m{self._stored}"
        span = self.policy.span
        if span != 0:
            self._append(name, text, importance, facts)
        if span is not None and len(self._records) > span:
            del self._records[0]
            self._index.forget()
        return name

    def _append(self, name: str, text: str, importance: float, facts: Mapping[str, Any]) -> None:
        frozen = FrozenDict({key: _freeze(value, key) for key, value in facts.items()})
        self._index.add(text)
        if self.policy.fades:
            self._uses.append((self._stored,))
        self._records.append(MemoryRecord(name, text, frozen, importance=importance))

    def replace_facts(self, id: str, facts: Mapping[str, Any]) -> None:
        """Replace the facts of a record that is still stored, by its id."""
        place = next(n for n, record in enumerate(self._records) if record.id == id)
        frozen = FrozenDict({key: _freeze(value, key) for key, value in facts.items()})
        self._records[place] = self._records[place]._replace(facts=frozen)

    def dump(self) -> Any:
        """Return the number of records stored so far, the records kept, and their uses, as JSON values."""
        records = [[one.id, one.text, one.importance, one.facts] for one in self._records]
        return [self._stored, records, *([self._uses] if self.policy.fades else [])]

    async def restore(self, dumped: Any) -> None:
        """Give an empty memory of the same policy the state that another one dumped."""
        self._stored, records, *uses = dumped
        if isinstance(self._vectors, EmbeddingLookup):
            await self._vectors.learn([text for _, text, *_ in records])
        for record in records:
            self._append(*record)
        self._uses = [tuple(one) for one in uses[0]] if uses else []

    def recall(
        self, queries: str | Sequence[str], k: int = 5, skip: Callable[[MemoryRecord], bool] | None = None
    ) -> tuple[MemoryRecord, ...]:
        """Recall at most k records relevant to any of the queries, best first; ties go to the older record.

        A record's score is its best over all queries, such as the question itself and one to three that the
        agent asked itself in addition. Records with a cosine of 0 or less are never recalled, nor those to
        `skip`, such as those the prompt shows anyway. A window gives all its records, the latest first.
        """
        if k < 1:
            raise InputError(f"recall of k = {k} records was asked for; 1 is the smallest")
        if self.policy.window:
            return tuple([r for r in reversed(self._records) if skip is None or not skip(r)])
        asked = (queries,) if isinstance(queries, str) else tuple(queries)
        if not asked or not self._records:
            return ()
        scores = np.rint(self._index.scores(asked) * self._weights() * _GRID)
        order = order_by(-scores).tolist()
        there = (i for i in order if not self._has_faded(i) and (skip is None or not skip(self._records[i])))
        best = [i for i in islice(there, k) if scores[i] > 0]
        if self.policy.fades:
            for i in best:
                self._uses[i] = (*self._uses[i], self._stored)
        return tuple([self._records[i]._replace(score=float(scores[i]) / _GRID) for i in best])

    def _has_faded(self, number: int) -> bool:
        """Whether a record's activation is below the policy's threshold."""
        if not (span := self.policy.fades):
            return False
        ages = (max(self._stored - use, 1) for use in self._uses[number])
        return math.fsum(1 / math.sqrt(age) for age in ages) < (1 - 1e-12) / math.sqrt(span)

    def _weights(self) -> Floats | float:
        """Compute the factor on each record's cosine: 1, or (1 + recency + importance) / 3."""
        if not self._half_life:
            return 1.0
        age = np.arange(len(self._records))[::-1]
        importance = np.array([record.importance for record in self._records])
        return np.asarray((1.0 + self._half_life / (self._half_life + age) + importance) / 3.0)

    def fork(self) -> "EpisodicMemory":
        """Copy the memory; records stored later in one copy do not appear in the other."""
        twin = copy.copy(self)
        twin._records, twin._uses = [*self._records], [*self._uses]
        twin._index = self._index.fork()
        return twin

    def __iter__(self) -> Iterator[MemoryRecord]:
        return iter(tuple(self._records))

    def __len__(self) -> int:
        return len(self._records)


class EmbeddingLookup:
    """Cache of text embeddings for a memory: fetch them with `learn`, then call the object to get them."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, Floats] = {}

    async def learn(self, texts: Sequence[str]) -> None:
        """Fetch embeddings of uncached texts, in one batch; call it before storing or recalling the texts."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if missing:
            self._rows |= zip(missing, await self._embedder.embed(missing), strict=True)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return the embeddings of texts, one row each; raises InputError for a text not fetched before."""
        if unknown := [text for text in texts if text not in self._rows]:
            raise InputError(
                f"no vector was learnt for {unknown[0][:60]!r}; await learn([...]) before storing or "
                "recalling it"
            )
        return np.stack([self._rows[text] for text in texts])


def _freeze(value: Any, key: str) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.generic):
        return _freeze(value.item(), key)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, list | tuple):
        return tuple([_freeze(each, key) for each in value])
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return FrozenDict({name: _freeze(each, key) for name, each in value.items()})
    raise InputError(
        f"the fact {key} is {value!r:.60}; a memory keeps what JSON can say: texts, finite numbers, true, "
        "false, null, and lists and tables of these"
    )
