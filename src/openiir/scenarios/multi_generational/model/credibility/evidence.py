"""How a sentence stands to a passage, from words alone: shared terms and pairs of terms, with signs.

A text is a list of terms: the stem of each content word and, after it, the axis of a word that has an
opposite (`more` and `less` stand on one axis, with the signs + and -). A negation reverses the signs of the
next words. A feature is a term, or an ordered pair of terms at most `WINDOW` apart, with the product of both
signs: a sentence with swapped roles has the terms of a passage, but not its pairs. A term weighs its idf; a
pair weighs the geometric mean of two, divided by `WINDOW`.

Support by one sentence of a passage is the weight of the features that both sentences hold with one sign,
minus that of the features that they hold with opposite signs, as a share of the weight of all features of the
measured sentence and of `PRIOR`. A passage counts by its strongest sentence, for or against. What a passage
says in other words stays unseen: low support is weak evidence against a sentence.
"""

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from openiir.kit.arrays import Floats, Ints
from openiir.plugin import quantise
from openiir.plugin.arguments import NEGATORS, STOP_WORDS, base_forms, split_words, stem_word
from openiir.plugin.arguments import sentences as sentence_spans

Codes = NDArray[np.uint64]
_ORDER = np.uint64(0x9E3779B97F4A7C15)
"""Odd factor that tells the first term of a pair from the second."""

WINDOW = 6
"""Largest distance of the two terms of a pair, in terms."""
SCOPE = 4
"""Number of content words that a negation reverses, at most to the next punctuation mark."""
PRIOR = 2.0
"""Weight added to that of a sentence, in terms that no passage holds: saying little is weak evidence."""
_OPPOSITES = """
    more most big bigger biggest large high increase rise rose raise grow grew growth
    / less least few small little low decrease reduce reduction fall fell decline shrink;
    before early earlier earliest / after late latest; above / below under beneath; left / right;
    inside inner within / outside outer; long / short; hot warm heat / cold cool; hard stiff / soft;
    strong / weak; male man men / female woman women; always / sometimes; fast quick rapid / slow gradual;
    thick / thin thinner; near nearby / far farther distant; wet damp / dry drier;
    better best improve / worse worst worsen; deep / shallow; full / empty;
    cause induce promote enable facilitate / prevent inhibit block hinder; gain / lose lost;
    begin began start / end stop cease; positive / negative; easy easier / difficult; same / different;
    day / night; summer / winter; morning / evening; north northern / south southern;
    east eastern / west western
"""
_AXES = {
    word: (f"/{axis}", sign)
    for axis, sides in enumerate(_OPPOSITES.split(";"))
    for sign, side in zip((1.0, -1.0), sides.split("/"), strict=True)
    for word in side.split()
}
"""Axis and sign of words with an opposite, mostly base forms."""


_Terms = tuple[Codes, Floats]
"""The terms of a text in order, with their signs."""


class EvidenceIndex:
    """Scorer of the support of sentences by passages, with idf over the passages' sentences.

    Without passages, all terms weigh the same.
    """

    def __init__(self, passages: Sequence[str] = ()) -> None:
        units = [unit for passage in passages for unit in _read_sentences(passage)]
        row, codes, _ = _join(units)
        held = np.unique(np.rec.fromarrays([codes, row]))["f0"]
        self._known, holders = np.unique(held, return_counts=True)
        holders = np.append(holders, 0)
        self._idf = np.log1p((len(units) - holders + 0.5) / (holders + 0.5))
        """Idf of each known term over the passages' sentences, as BM25 has it, and last that of any other."""
        self._hold(passages)

    def over(self, passages: Sequence[str]) -> "EvidenceIndex":
        """Build an index of other passages with the idf of this one."""
        other = copy(self)
        other._hold(passages)
        return other

    def _hold(self, passages: Sequence[str]) -> None:
        """Take in the features of the passages' sentences; each passage has at least one."""
        read = [_read_sentences(passage) for passage in passages]
        self._passages = len(read)
        self._owner = np.repeat(np.arange(len(read)), [len(found) for found in read])
        row, codes, weights = self._features([unit for found in read for unit in found])
        self._codes, place = np.unique(codes, return_inverse=True)
        shape = (len(self._codes), len(self._owner))
        self._signs = sparse.coo_array((np.sign(weights), (place, row)), shape=shape).tocsr().sign()

    def measure(self, sentences: Sequence[str]) -> Floats:
        """Compute the support of sentences by passages, (sentences, passages), in [-1, 1] on a grid of 2^-20.

        Above 0 the passage speaks for the sentence, below 0 against it; near 0 it says nothing about it.
        """
        texts, passages = len(sentences), self._passages
        row, codes, weights = self._features([_read(text) for text in sentences])
        weights /= (np.bincount(row, np.abs(weights)) + PRIOR * self._idf[-1])[row]
        place = _find(codes, self._codes)
        hit = place >= 0
        claimed = sparse.coo_array((weights[hit], (row[hit], place[hit])), shape=(texts, len(self._codes)))
        by_unit = (claimed.tocsr() @ self._signs).tocsr()
        by_unit.sort_indices()
        cell = np.repeat(np.arange(texts), np.diff(by_unit.indptr)) * passages + self._owner[by_unit.indices]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        support = np.zeros(texts * passages)
        if len(starts):
            high, low = (quantise(part.reduceat(by_unit.data, starts)) for part in (np.maximum, np.minimum))
            support[cell[starts]] = np.where(high >= -low, high, low)
        return support.reshape(texts, passages)

    def _features(self, texts: Sequence[_Terms]) -> tuple[Ints, Codes, Floats]:
        """List the features of texts: position of the text, code, and weight with sign."""
        row, codes, signs = _join(texts)
        idf = self._idf[_find(codes, self._known)]
        parts = [(row, codes, signs * idf)]
        for gap in range(1, WINDOW + 1):
            near = np.flatnonzero((row[gap:] == row[:-gap]) & (codes[gap:] != codes[:-gap]))
            far = near + gap
            weight = np.sqrt(idf[near] * idf[far]) / WINDOW
            parts.append((row[near], codes[near] * _ORDER + codes[far], signs[near] * signs[far] * weight))
        row, codes, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return row, codes, weights


def _find(codes: Codes, among: Codes) -> Ints:
    """Find the places of codes in an ascending array; -1 for those that are not in it."""
    place = np.searchsorted(among, codes)
    return np.where(np.append(among, np.uint64(0))[place] == codes, place, -1)


def _join(texts: Sequence[_Terms]) -> tuple[Ints, Codes, Floats]:
    """Join terms of texts: position of the text, code, and sign."""
    row = np.repeat(np.arange(len(texts)), [len(codes) for codes, _ in texts])
    codes, signs = (np.concatenate(part) for part in zip(_read(""), *texts, strict=True))
    return row, codes, signs


@lru_cache(maxsize=4_096)
def _read_sentences(passage: str) -> list[_Terms]:
    return [_read(passage[start:end]) for start, end in sentence_spans(passage) or [(0, 0)]]


@lru_cache(maxsize=65_536)
def _read(text: str) -> _Terms:
    codes: list[int] = []
    signs: list[float] = []
    reversed_words = 0
    for word in split_words(text):
        if not word[0].isalnum():
            reversed_words = 0
        elif word in NEGATORS:
            reversed_words = 0 if reversed_words else SCOPE
        elif terms := _read_word(word):
            codes += [code for code, _ in terms]
            signs += [-sign if reversed_words else sign for _, sign in terms]
            reversed_words = max(0, reversed_words - 1)
    return np.array(codes, dtype=np.uint64), np.array(signs)


@lru_cache(maxsize=65_536)
def _read_word(word: str) -> tuple[tuple[int, float], ...]:
    """List the codes and signs of a lower-case word's terms: none for a function word without an opposite."""
    content = word not in STOP_WORDS and (len(word) > 1 or word.isdigit())
    axes = [_AXES[form] for form in (word, *base_forms(word)) if form in _AXES]
    terms = [(stem_word(word), 1.0)] * content + axes[:1]
    return tuple(
        (int.from_bytes(blake2b(name.encode(), digest_size=8).digest()), sign) for name, sign in terms
    )
