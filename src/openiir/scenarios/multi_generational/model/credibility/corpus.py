"""A corpus that many agents search at once: pages that stay, and posts that come and go."""

import re
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.lexical import LSA, saturate, scale_to_best, unit_rows
from openiir.plugin import int_sum, order_by, quantise
from openiir.plugin.arguments import tokens
from openiir.scenarios.multi_generational.model.credibility.evidence import EvidenceIndex

CANDIDATES = 12
"""Passages found for a text before each agent ranks them by its own mixture; more than anybody reads."""
KEPT = 20_000
"""Number of sentences whose scores are kept for another look-up."""
SILENT = 0.05
"""Support below which nothing was found on a sentence."""
NONE = -1
"""Number of no passage."""
_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+|\n\s*\n")
"""What stands between two sentences, or a heading and a sentence."""


@lru_cache(maxsize=65_536)
def split_sentences(text: str) -> tuple[str, ...]:
    """Split a short text after full stops, question marks and exclamation marks.

    Faster than `plugin.arguments.sentences`, which knows abbreviations: a run splits hundreds of thousands of
    posts.
    """
    return tuple(one for one in _END.split(text.strip()) if one)


def deduplicate_texts(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Deduplicate texts; also returns each text's index among the distinct ones."""
    place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
    return list(place), np.array([place[text] for text in texts], dtype=np.int64)


@dataclass(frozen=True)
class CorpusDocument:
    """A passage of a page, or a post."""

    source: str
    text: str
    born: int = NONE
    """When a post was written, such as a generation; -1 for a page."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """Ranked candidate documents for each of many query texts, by words and meaning in equal parts."""

    documents: Ints
    """Numbers of the candidates (texts, candidates); -1 for none."""
    lexical: Floats
    """BM25, added over the text's sentences, as a share of the best for this text (texts, candidates)."""
    similarity: Floats
    """Cosine in the space of latent semantic analysis, likewise."""
    fresh: Floats
    """1 for a post of the last generation, 1/2 for one before that, and so on; 0 for a page."""
    support: Floats
    """How each candidate stands to each sentence of the texts, -1 to 1 (candidates, sentences)."""
    text: Ints
    """Text of each sentence, ascending; each has one at least."""
    pages: int
    """Number of pages; later documents are posts."""

    def read(self, mix: float, recency: float, depth: int) -> Bools:
        """Select the `depth` best candidates of each text, which an agent reads: mask (texts, candidates).

        The score is mix * lexical + (1 - mix) * similarity, plus `recency` times the freshness; of equals the
        first.
        """
        score = quantise(mix * self.lexical + (1 - mix) * self.similarity + recency * self.fresh)
        score -= np.arange(score.shape[1]) * 2.0**-26
        score[self.documents == NONE] = -np.inf
        worst = min(depth, score.shape[1]) - 1
        last = np.partition(-score, worst, axis=1)[:, worst]
        return np.asarray((score >= -last[:, None]) & (self.documents != NONE))

    def mean_support(self) -> Floats:
        """Average each candidate's support of a text over its sentences (texts, candidates), -1 to 1."""
        starts = np.searchsorted(self.text, np.arange(len(self.documents)))
        added = np.add.reduceat(self.support, starts, axis=1)
        return np.asarray((added / np.bincount(self.text)).T)

    def weigh_evidence(self, read: Bools, rule: str, posts: float = 1.0) -> Floats:
        """Aggregate the evidence read on each text, -1 (against) to 1 (for); NaN where there is none.

        What a post says counts `posts` times what a page says. What speaks most for a sentence and what
        speaks most against it are added; sentences on which nothing was found do not count. Of the others
        `lead` takes the first, `mean` all, and `weakest` the one that stands up worst.
        """
        counts = (read * np.where(self.documents < self.pages, 1.0, posts)).T[:, self.text] * self.support
        stands = counts.max(axis=0, initial=0.0) + counts.min(axis=0, initial=0.0)
        starts = np.searchsorted(self.text, np.arange(len(read)))
        checked = np.abs(stands) >= SILENT
        some = np.add.reduceat(checked, starts, dtype=np.int64)
        if rule == "lead":
            first = np.minimum.reduceat(np.where(checked, np.arange(len(stands)), len(stands)), starts)
            weighed = np.append(stands, 0.0)[first]
        elif rule == "weakest":
            weighed = np.minimum.reduceat(np.where(checked, stands, 1.0), starts)
        else:
            weighed = np.add.reduceat(np.where(checked, stands, 0.0), starts) / np.maximum(some, 1)
        return np.asarray(np.where(some > 0, weighed, np.nan))


class _Searched(NamedTuple):
    """Texts as they are searched."""

    words: Any
    """Weights of their terms (texts, terms)."""
    directions: Floats
    """In the space of meanings (texts, dimensions)."""
    evidence: EvidenceIndex


class SharedCorpus:
    """Searchable corpus of a world's pages and agents' posts, queried sentence by sentence.

    Weights of words, the space of meanings and the weights of evidence come from the pages alone, so that
    posts change nothing about what a page scores.
    """

    def __init__(self, pages: Sequence[CorpusDocument]) -> None:
        self.pages = list(pages)
        texts = [one.text for one in pages]
        self._words, self._meaning, self._evidence = WordIndex(texts), LSA.fit(texts), EvidenceIndex(texts)
        self._directions: dict[str, Floats] = {}
        self._scores: dict[str, Floats] = {}
        """How sentences stand to the pages: BM25, cosine and support (3, pages)."""
        self._page_index = self._index(texts)
        self.replace_posts([])

    def copy_with_own_posts(self) -> "SharedCorpus":
        """Build a corpus of the same pages, whose index is shared, with posts of its own."""
        other = copy(self)
        other.replace_posts([])
        return other

    def replace_posts(self, posts: Sequence[CorpusDocument]) -> None:
        """Replace the posts in the corpus by these."""
        self.posts = list(posts)
        self._post_index = self._index([one.text for one in posts])

    @property
    def documents(self) -> list[CorpusDocument]:
        """All documents by number: pages, then posts."""
        return self.pages + self.posts

    def match_words(self, texts: Sequence[str], queries: Sequence[str]) -> Floats:
        """Score texts, which need not be in the corpus, for queries by BM25 (queries, texts)."""
        some, at = deduplicate_texts(texts)
        return self._words.score(self._words.count_terms(queries), self._words.term_weights(some))[:, at]

    def look_up(self, texts: Sequence[str], now: int) -> Lookup:
        """Retrieve candidates for each text among the pages and the present posts.

        Posts are not found for their own words: neither for themselves, nor for a post that repeats them.
        """
        parts = [split_sentences(text) or ("",) for text in texts]
        sentences, number = deduplicate_texts([one for part in parts for one in part])
        lengths = [len(part) for part in parts]
        row = np.repeat(np.arange(len(texts)), lengths)
        holds = _join_rows(number, np.ones(len(number)), lengths, len(sentences))
        lexical, similarity, support = self._score(sentences)
        words, meaning = holds @ lexical, holds @ similarity
        _, at = deduplicate_texts([*texts, *(post.text for post in self.posts)])
        same = np.nonzero(at[: len(texts), None] == at[len(texts) :])
        for found in (words, meaning):
            found[:, len(self.pages) :][same] = 0.0
        share = scale_to_best(words), scale_to_best(meaning)
        score = quantise(share[0] + share[1])
        best = _find_best(score)
        rows = np.arange(len(texts))[:, None]
        born = np.array([one.born for one in self.documents])
        fresh = np.where(born == NONE, 0.0, 1.0 / np.maximum(now - born, 1))
        return Lookup(
            documents=np.where(score[rows, best] > 0, best, NONE),
            lexical=share[0][rows, best],
            similarity=share[1][rows, best],
            fresh=fresh[best],
            support=support[number, best[row].T],
            text=row,
            pages=len(self.pages),
        )

    def _score(self, sentences: list[str]) -> Floats:
        """Score every document for every sentence: BM25, cosine, support (3, sentences, documents)."""
        if len(self._scores) > KEPT:
            self._scores.clear()
            self._directions.clear()
            self._words.clear_cache()
        if new := [one for one in sentences if one not in self._scores]:
            found = np.moveaxis(self._compare(new, self._page_index), 1, 0).copy()
            self._scores |= zip(new, found, strict=True)
        pages = np.moveaxis(np.stack([self._scores[one] for one in sentences]), 1, 0)
        return np.concatenate([pages, self._compare(sentences, self._post_index)], axis=2)

    def _index(self, texts: list[str]) -> _Searched:
        return _Searched(self._words.term_weights(texts), self._point(texts), self._evidence.over(texts))

    def _compare(self, sentences: list[str], texts: _Searched) -> Floats:
        words = self._words.score(self._words.count_terms(sentences), texts.words)
        cosine = np.einsum("ij,kj->ik", self._point(sentences), texts.directions)
        return np.stack([words, np.maximum(quantise(cosine), 0.0), texts.evidence.measure(sentences)])

    def _point(self, texts: Sequence[str]) -> Floats:
        """Give the directions of texts in the space of meanings (texts, dimensions), each computed once."""
        if new := [one for one in texts if one not in self._directions]:
            self._directions |= zip(new, unit_rows(self._meaning.project(new)), strict=True)
        return np.stack([self._directions[one] for one in texts]) if texts else self._meaning.project([])


class WordIndex:
    """BM25 index with idf and mean length fixed by the first texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._place: dict[str, int] = {}
        self._rows: dict[str, tuple[Ints, Floats]] = {}
        counts = self.count_terms(texts)
        counts.sum_duplicates()
        holders = np.bincount(counts.indices, minlength=len(self._place))
        self._idf = np.log1p((len(texts) - holders + 0.5) / (holders + 0.5))
        self._rare = float(np.log1p((len(texts) + 0.5) / 0.5))
        self._mean = counts.sum() / max(len(texts), 1)

    def count_terms(self, texts: Sequence[str]) -> Any:
        """Count the terms of texts: CSR matrix (texts, terms known so far).

        Terms are in each sentence's own order, so that the sums of `score` depend on the query alone, and not
        on which texts were met before.
        """
        parts = [[self._read(one) for one in split_sentences(text)] for text in texts]
        lengths = [int_sum(len(row[0]) for row in part) for part in parts]
        columns, values = (
            np.concatenate([np.zeros(0, kind), *(row[n] for part in parts for row in part)])
            for n, kind in enumerate((np.int64, np.float64))
        )
        return _join_rows(columns, values, lengths, len(self._place))

    def _read(self, sentence: str) -> tuple[Ints, Floats]:
        if sentence not in self._rows:
            counts = Counter(tokens(sentence))
            ids = [self._place.setdefault(term, len(self._place)) for term in counts]
            self._rows[sentence] = np.array(ids, np.int64), np.array(list(counts.values()), np.float64)
        return self._rows[sentence]

    def clear_cache(self) -> None:
        """Clear the cache of tokenised sentences; terms stay."""
        self._rows.clear()

    def term_weights(self, texts: Sequence[str]) -> Any:
        """Compute the BM25 term weights of the texts to be searched (texts, terms)."""
        table = self.count_terms(texts)
        table.sum_duplicates()
        idf = np.append(self._idf, np.full(len(self._place) - len(self._idf), self._rare))
        lengths = np.repeat(table.sum(axis=1), np.diff(table.indptr))
        table.data = idf[table.indices] * saturate(table.data, lengths, self._mean or 1.0)
        return table

    def score(self, asked: Any, weighed: Any) -> Floats:
        """Compute BM25 scores (queries, texts) from query counts and text weights."""
        asked.resize(asked.shape[0], weighed.shape[1])
        return np.asarray(quantise((asked @ weighed.T).toarray()))


def _join_rows(columns: Ints, values: Floats, lengths: Sequence[int], width: int) -> Any:
    """Build a sparse table (rows, width) from the columns and values of its rows, one row after the other."""
    from scipy.sparse import csr_array

    return csr_array((values, columns, np.cumsum([0, *lengths])), shape=(len(lengths), width))


def _find_best(score: Floats) -> Ints:
    """Find the columns of the CANDIDATES highest scores of each row, best first; of equals the first."""
    few, later = min(CANDIDATES, score.shape[1]), np.arange(score.shape[1]) * 2.0**-32
    found = np.argpartition(later - score, few - 1, axis=1)[:, :few]
    order = order_by(-np.take_along_axis(score, found, axis=1), found, axis=1)
    return np.asarray(np.take_along_axis(found, order, axis=1))
