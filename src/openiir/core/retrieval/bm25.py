"""BM25 ranking over tokenised texts, with Lucene's formula.

score(q, d) = sum over the query's tokens t of  idf(t) * f / (f + k1 * (1 - b + b * |d| / mean |d|)),
idf(t) = ln(1 + (N - n_t + 0.5) / (n_t + 0.5)), with f the count of t in d and n_t the texts that hold t
(Robertson et al., TREC-3, 1994; the variants side by side: Kamphuis, de Vries, Boytsov & Lin, ECIR 2020). A
token that stands twice in the query counts twice. k1 = 1.2 and b = 0.75 are Lucene's own.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.retrieval.tokens import content_words, tokens
from openiir.core.seeds import quantise

K1, B = 1.2, 0.75


class BM25:
    """BM25 index over texts; score vectors have one element per text, in the order given."""

    def __init__(self, texts: Sequence[str], k1: float = K1, b: float = B) -> None:
        documents = [tokens(text) for text in texts]
        self.size = len(documents)
        self._frequency = Counter(token for document in documents for token in dict.fromkeys(document))
        self._index = _build_index(documents, k1, b) if self._frequency else None

    def idf(self, token: str) -> float:
        """Compute a token's inverse document frequency; largest for a token in no text."""
        holders = self._frequency[token]
        return math.log(1 + (self.size - holders + 0.5) / (holders + 0.5))

    def scores(self, query: str) -> NDArray[np.float64]:
        """Compute the BM25 score of every text for a query, float64 on the grid of 2^-20."""
        asked = [token for token in tokens(query) if token in self._frequency]
        if self._index is None or not asked:
            return np.zeros(self.size)
        return quantise(self._index.get_scores(asked))

    def ceiling(self, query: str) -> float:
        """Compute an upper bound of a query's scores: the summed idf of its tokens, unknown ones included."""
        return math.fsum(self.idf(token) for token in tokens(query))

    def relative_scores(self, query: str) -> NDArray[np.float64]:
        """Compute BM25 scores as a share of their upper bound, from 0 to 1 and comparable between queries.

        A text of mean length that holds every word of the query once has 1 / (1 + k1), 0.45; a query whose
        rarer words stand nowhere stays low however well the rest matches.
        """
        ceiling = self.ceiling(query)
        return quantise(self.scores(query) / ceiling) if ceiling > 0 else np.zeros(self.size)

    def salient(self, text: str, n: int = 5) -> tuple[str, ...]:
        """Select the n content words of `text` with the highest BM25 weight, lower-cased, highest first.

        A word's weight is its idf times its saturated count in `text`, f / (f + k1). Words no indexed text
        holds are left out, since they can find nothing. Ties go to the word that stands first.
        """
        spelled: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for word in content_words(text):
            for token in tokens(word):
                spelled.setdefault(token, word)
                counts[token] += 1
        known = [token for token in spelled if self._frequency[token]]
        weight = {t: quantise(self.idf(t) * counts[t] / (counts[t] + K1)) for t in known}
        return tuple(spelled[t] for t in sorted(known, key=lambda t: -weight[t])[:n])


def _build_index(documents: list[list[str]], k1: float, b: float) -> Any:
    """Build a bm25s index; the NumPy back end fixes the order of additions, with or without numba."""
    import bm25s

    index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64", backend="numpy", csc_backend="numpy")
    vocabulary = {token: i for i, token in enumerate(sorted({t for d in documents for t in d}))}
    ids = [[vocabulary[token] for token in document] for document in documents]
    index.index((ids, vocabulary), show_progress=False)
    return index
