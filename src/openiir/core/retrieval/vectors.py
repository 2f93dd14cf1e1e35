"""Text vectors: the embedder interface, cosines, and latent semantic analysis (LSA), which needs no endpoint.

LSA (Deerwester, Dumais, Furnas, Landauer & Harshman, JASIS 41(6), 1990): the truncated singular value
decomposition of the tf-idf matrix of the world itself, so nothing has to be downloaded. Weights are
(1 + ln f) * (ln((1 + N) / (1 + n_t)) + 1), rows of unit length.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.grid import first_largest, order_by, quantise
from openiir.core.retrieval.tokens import tokens
from openiir.core.seeds import Draw

Matrix = NDArray[np.float64]

DIMENSIONS = 100
"""Default number of latent dimensions; docs/reference/retrieval.md compares 100, 200 and 300."""


class Embedder(Protocol):
    """Interface of anything that turns texts into vectors; equal texts get equal vectors."""

    @property
    def name(self) -> str:
        """Name of the model and its version, as recorded in a run."""

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """Embed texts as float64, one row per text, all rows of equal length."""


def unit_rows(matrix: Matrix) -> Matrix:
    """Scale rows to length 1; a row of zeros stays."""
    length = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    return matrix / np.where(length > 0, length, 1.0)[:, None]


def row_cosines(matrix: Matrix, vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the cosine of each row with a vector, in -1..1 on the grid of 2^-20; 0 if either is all zeros.

    Sums in a fixed order (no BLAS), so the result does not depend on the number of threads.
    """
    rows, one = unit_rows(matrix), unit_rows(vector[None, :])[0]
    return quantise(np.einsum("ij,j->i", rows, one))


class LSA:
    """Embedder by latent semantic analysis, fitted to the texts to be searched."""

    def __init__(self, terms: Sequence[str], idf: NDArray[np.float64], directions: Matrix) -> None:
        self._place = {term: i for i, term in enumerate(terms)}
        self._idf = idf
        self._directions = directions

    @classmethod
    def fit(cls, texts: Sequence[str], dimensions: int = DIMENSIONS) -> "LSA":
        """Fit LSA to texts; the number of dimensions is at most the number of texts or terms.

        Directions are rounded to 2^-20, which makes them equal at any thread count and exact in 32 bits.
        """
        documents = [Counter(tokens(text)) for text in texts]
        holders = Counter(term for document in documents for term in document)
        terms = sorted(holders)
        counts = np.array([holders[term] for term in terms], dtype=np.float64)
        lsa = cls(terms, quantise(np.log((1 + len(texts)) / (1 + counts)) + 1), np.zeros((len(terms), 0)))
        lsa._directions = _directions(lsa._weigh(documents), dimensions)
        return lsa

    @property
    def name(self) -> str:
        return f"lsa-{self._directions.shape[1]}"

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """Embed new or known texts; words not in the fitted texts are ignored."""
        return self.project(texts)

    def project(self, texts: Sequence[str]) -> Matrix:
        """Embed texts as `embed` does, for callers that are not coroutines."""
        weights = self._weigh([Counter(tokens(text)) for text in texts])
        return quantise(np.asarray(weights @ self._directions, dtype=np.float64))

    def _weigh(self, documents: Sequence[Counter[str]]) -> Any:
        """Build the sparse tf-idf matrix, one unit-length row per document."""
        from scipy.sparse import csr_matrix

        starts: list[int] = [0]
        columns: list[int] = []
        values: list[NDArray[np.float64]] = []
        for document in documents:
            known = sorted(
                (self._place[term], count) for term, count in document.items() if term in self._place
            )
            row = np.array([(1 + np.log(count)) * self._idf[at] for at, count in known], dtype=np.float64)
            length = np.sqrt(np.einsum("i,i->", row, row)) if known else 1.0
            columns.extend(at for at, _ in known)
            values.append(row / length)
            starts.append(len(columns))
        data = np.concatenate(values) if values else np.zeros(0)
        return csr_matrix((data, columns, starts), shape=(len(documents), len(self._place)))

    def to_bytes(self) -> bytes:
        """Serialise the fitted parts: a line of JSON, idf (f64) and directions (f32), little-endian."""
        head = json.dumps(
            {"format": "openiir-lsa-1", "shape": self._directions.shape, "terms": list(self._place)},
            ensure_ascii=False,
        )
        body = self._idf.astype("<f8").tobytes() + self._directions.astype("<f4").tobytes()
        return head.encode() + b"\n" + body

    @classmethod
    def from_bytes(cls, data: bytes) -> "LSA":
        """Load fitted parts; raises InputError for bytes not written by `to_bytes`."""
        try:
            line, _, body = data.partition(b"\n")
            head = json.loads(line)
            if head["format"] != "openiir-lsa-1":
                raise ValueError(f"the format is {head['format']!r}")
            terms, (rows, dimensions) = head["terms"], head["shape"]
            idf = np.frombuffer(body, "<f8", rows).astype(np.float64)
            directions = np.frombuffer(body, "<f4", rows * dimensions, offset=rows * 8)
            if rows != len(terms) or len(body) != rows * 8 + rows * dimensions * 4:
                raise ValueError("the parts do not fit together")
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"stored LSA parts cannot be read ({error}); fit them anew") from error
        return cls(terms, idf, directions.astype(np.float64).reshape(rows, dimensions))


def _directions(weights: Any, dimensions: int) -> Matrix:
    """Compute right singular vectors as columns, strongest first, each with its largest element positive.

    Vectors of singular value 0, which texts that repeat others leave, are dropped: any rotation of them would
    do.
    """
    from scipy.sparse.linalg import svds
    from threadpoolctl import threadpool_limits

    smaller = min(weights.shape)
    wanted = min(dimensions, smaller)
    if not wanted:
        return np.zeros((weights.shape[1], 0))
    with threadpool_limits(1):
        if wanted == smaller:
            values, rows = np.linalg.svd(weights.toarray(), full_matrices=False)[1:]
        else:
            # ARPACK starts from noise of a fixed name; any start not orthogonal to the directions will do.
            start = Draw(0, "lsa").uniform(item=np.arange(smaller))
            values, rows = svds(weights, k=wanted, v0=start, solver="arpack", return_singular_vectors="vh")[
                1:
            ]
    rows = rows[order_by(-values)][: np.count_nonzero(values > 1e-9 * values.max())]
    peak = np.take_along_axis(rows, first_largest(np.abs(rows), axis=1)[:, None], axis=1)
    return np.ascontiguousarray(quantise((rows * np.sign(peak)).T))  # SciPy copies others a product
