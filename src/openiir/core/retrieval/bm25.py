"""BM25 ranking over tokenised texts, with Lucene's formula.

score(q, d) = sum over the query's tokens t of  idf(t) * f / (f + k1 * (1 - b + b * |d| / mean |d|)),
idf(t) = ln(1 + (N - n_t + 0.5) / (n_t + 0.5)), with f the count of t in d and n_t the texts that hold t
(Robertson et al., TREC-3, 1994; the variants side by side: Kamphuis, de Vries, Boytsov & Lin, ECIR 2020). A
token that stands twice in the query counts twice. k1 = 1.2 and b = 0.75 are Lucene's own.

The index holds counts alone, and weighs them when it is asked: every added text changes N and the mean
length, and with them all scores.
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.grid import quantise
from openiir.core.retrieval.tokens import content_words, tokens

K1, B = 1.2, 0.75


def saturate(
    times: NDArray[Any], lengths: NDArray[Any], mean: float, k1: float = K1, b: float = B
) -> NDArray[np.float64]:
    """Compute BM25's saturated term frequencies, 0 to 1, from term counts and text lengths."""
    long = k1 * ((1 - b) + b * lengths / mean)
    return np.asarray(times / (long + times), dtype=np.float64)


class BM25:
    """BM25 index over texts, which may grow; score vectors have one element per text, in the order given."""

    def __init__(self, texts: Iterable[str] = (), k1: float = K1, b: float = B) -> None:
        self._k1, self._b = k1, b
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        """Texts that hold each token, and how often."""
        self._lengths = array("i")
        self._tokens = 0
        self.add(texts)

    @property
    def size(self) -> int:
        """Number of texts."""
        return len(self._lengths)

    def add(self, texts: Iterable[str]) -> None:
        """Add texts; scores are then those of an index over all of them."""
        for text in texts:
            counts = Counter(tokens(text))
            for token, count in counts.items():
                if token not in self._postings:
                    self._postings[token] = array("i"), array("i")
                holders, times = self._postings[token]
                holders.append(self.size)
                times.append(count)
            self._lengths.append(counts.total())
            self._tokens += counts.total()

    def idf(self, token: str) -> float:
        """Compute a token's inverse document frequency; largest for a token in no text."""
        holders = len(self._postings[token][0]) if token in self._postings else 0
        return math.log(1 + (self.size - holders + 0.5) / (holders + 0.5))

    def scores(self, query: str) -> NDArray[np.float64]:
        """Compute the BM25 score of every text for a query, float64 on the grid of 2^-20."""
        scores = np.zeros(self.size)
        lengths = np.frombuffer(self._lengths, np.intc)
        for token in tokens(query):
            if token in self._postings:
                holders, times = (np.frombuffer(part, np.intc) for part in self._postings[token])
                part = saturate(times, lengths[holders], self._tokens / self.size, self._k1, self._b)
                scores[holders] += self.idf(token) * part
        return np.asarray(quantise(scores))

    def matches(self, query: str) -> NDArray[np.float64]:
        """Compute the share of a query's different tokens that each text holds, on the grid of 2^-20."""
        asked = dict.fromkeys(tokens(query))
        found = np.zeros(self.size)
        for token in asked.keys() & self._postings.keys():
            found[np.frombuffer(self._postings[token][0], np.intc)] += 1
        return np.asarray(quantise(found / max(len(asked), 1)))

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
        known = [token for token in spelled if token in self._postings]
        weight = {t: quantise(self.idf(t) * counts[t] / (counts[t] + K1)) for t in known}
        return tuple(spelled[t] for t in sorted(known, key=lambda t: -weight[t])[:n])
