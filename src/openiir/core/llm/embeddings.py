"""Text embeddings: requested from an endpoint in batches, and cached by content hash."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import EndpointError
from openiir.core.hashing import fingerprint
from openiir.core.llm.openai_client import OpenAIClient
from openiir.core.llm.pool import EndpointPool
from openiir.core.llm.response_body import estimated_tokens
from openiir.core.llm.shared_use import RequestSize
from openiir.core.sums import int_sum

Vectors = NDArray[np.float64]


@dataclass(frozen=True)
class EndpointEmbedder:
    """Embedder over OpenAI-compatible endpoints, sharing pool and retries with chat requests."""

    pool: EndpointPool[OpenAIClient]
    name: str
    batch: int = 64
    """Number of texts per call."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in batches; a blank text is sent as one space, since endpoints refuse empty ones."""
        if not texts:
            return np.zeros((0, 0))
        sent = [text if text.strip() else " " for text in texts]
        starts = range(0, len(sent), self.batch)
        parts = await asyncio.gather(*(self._batch(sent[start : start + self.batch]) for start in starts))
        if len({part.shape[1] for part in parts}) > 1:
            raise EndpointError(
                f"asked {self.pool.where} for embeddings by {self.name!r}: its vectors differ in length from "
                f"call to call; choose one embeddings model and build the world anew"
            )
        return np.concatenate(parts)

    async def _batch(self, texts: list[str]) -> Vectors:
        _, rows = await self.pool.call(
            lambda wire: wire.embed(self.name, texts),
            f"embeddings by {self.name!r}",
            lambda: fingerprint([self.name, texts]),
            lambda: RequestSize(int_sum(map(estimated_tokens, texts))),
        )
        return np.asarray(rows, dtype=np.float64)


class VectorStore(Protocol):
    """Interface of a store of embedding vectors (as bytes), by the hash of what was embedded."""

    def get_many(self, hashes: Sequence[str]) -> Mapping[str, bytes]:
        """Return stored vectors by hash, leaving out missing ones."""
        ...

    def put_many(self, vectors: Mapping[str, bytes]) -> None:
        """Store vectors; a hash that is already stored keeps its vector."""
        ...


def vector_key(name: str, text: str) -> str:
    """Compute the hash under which a vector is stored, from the model's name and the text."""
    return fingerprint([name, text])


@dataclass(frozen=True)
class RecordedEmbedder:
    """Embedder of a replay, which fails for every text without a stored vector."""

    name: str

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise EndpointError if there is any text, since a replay requests no vectors."""
        if not texts:
            return np.zeros((0, 0))
        raise EndpointError(
            f"the record holds no vector by {self.name!r} for {len(texts)} text(s), first {texts[0][:60]!r}; "
            f"a replay asks no endpoint, so this run's texts or embeddings model differ from the record's"
        )


@dataclass(frozen=True)
class StoredEmbedder:
    """An embedder with a cache: only texts not in the store are passed to the inner embedder.

    What is kept is float32, little-endian; what is returned is what is kept, so that a replay from the store
    computes with the same numbers as the run that filled it.
    """

    inner: EndpointEmbedder | RecordedEmbedder
    store: VectorStore

    @property
    def name(self) -> str:
        """Name of the inner embedder's model."""
        return self.inner.name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts through the cache; equal texts are requested once."""
        if not texts:
            return np.zeros((0, 0))
        hashes = [vector_key(self.name, text) for text in texts]
        by_hash = dict(zip(hashes, texts, strict=True))
        known = dict(self.store.get_many(list(by_hash)))
        missing = [each for each in by_hash if each not in known]
        if missing:
            rows = await self.inner.embed([by_hash[each] for each in missing])
            fresh = {each: row.astype("<f4").tobytes() for each, row in zip(missing, rows, strict=True)}
            self.store.put_many(fresh)
            known |= self.store.get_many(missing)
        return np.stack([np.frombuffer(known[each], dtype="<f4") for each in hashes]).astype(np.float64)
