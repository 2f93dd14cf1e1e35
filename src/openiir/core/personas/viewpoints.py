"""Extraction of viewpoints from a corpus: theme clusters, each divided by the leaning of its sentences."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.grid import first_largest, first_smallest, quantise
from openiir.core.records import Chunk
from openiir.core.retrieval.sentences import sentences
from openiir.core.retrieval.stem import stem
from openiir.core.retrieval.tokens import STOP_WORDS, tokens, words
from openiir.core.retrieval.vectors import LSA, row_cosines, unit_rows
from openiir.core.sums import int_sum

MOST_THEMES = 24
MOST_CHUNKS = 3_000
_TYPICAL = 40
_HEARD = 5
_PASSAGES = 3
_TERMS = 6
_NUMBERS = """
    one two three four five six seven eight nine ten twelve twenty thirty forty fifty sixty seventy eighty
    ninety hundred hundreds thousand thousands million millions billion first second third half
"""
_IGNORED = STOP_WORDS | frozenset(_NUMBERS.split())
_ROUNDS = 20
_LEANS_ON_OTHERS = re.compile(r"(?:It|This|That|These|Those|They|He|She|Such|However|But|And|Also|Then)\b")
_LONGEST = 600
"""Most characters of a sentence that is kept as a passage; what runs on is cut, a single word too."""
_MARKUP = re.compile(r"\[[^\]]{0,300}\]|&#?\w+;|<[^>]{1,300}>|https?:\S+|www\.\S+")
_CLAIM = re.compile(
    r"\b(?:should|must|can|could|may|will|because|since|although|whereas|while|therefore|more|most|less|better|"
    r"worse|than|only|cannot|not|never|reduces?|increases?|improves?|causes?|leads?|needs?|harms?|benefits?|"
    r"risks?|costs?)\b"
)
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:above|below|section|figure|table|aforementioned|latter|former)\b", re.IGNORECASE
)
_FOREIGN = re.compile(r"[\[\]{}|<>=@#]|https?:|\d\)|\n\s*[-*•]")


@dataclass(frozen=True)
class Viewpoint:
    """A viewpoint in a debate: typical terms, passages and stance."""

    terms: tuple[str, ...]
    """Terms typical of the viewpoint's theme, most typical first."""
    passages: tuple[str, ...]
    """One to three sentences of the corpus, those closest to the stance first."""
    lean: float
    """Stance from -0.9 to 0.9; stances are evenly spaced in the order of the passages' leaning."""


Leaning = Callable[[str], float]
"""Function that scores a sentence's leaning from -1 to 1, which orders viewpoints."""


def viewpoints(
    chunks: Sequence[Chunk], topic: str, n: int, leaning: Leaning | None = None
) -> tuple[Viewpoint, ...]:
    """Find `n` viewpoints, largest themes first; if `n` exceeds the themes, themes are divided by leaning.

    Themes: spherical k-means (Dhillon & Modha, Machine Learning 2001) over LSA vectors, seeded by the
    farthest-first traversal (Gonzalez, 1985), so nothing is random. Default leaning: VADER's compound
    score (Hutto & Gilbert, ICWSM 2014), the tone, not the topic. Terms: tf-idf with their share in the
    theme. A corpus of more than 3,000 chunks is thinned evenly.
    """
    texts = _sample_texts(
        [chunk.text for chunk in sorted(chunks, key=lambda c: (c.world, c.source, c.start, c.id))]
    )
    if not any(tokens(text) for text in texts):
        raise InputError("the world has no words to derive personas from; add sources with running text")
    lsa = LSA.fit(texts, dimensions=50)
    labels, centres = _cluster_rows(
        unit_rows(lsa.project(texts)), min(n, MOST_THEMES, max(1, len(texts) // 2))
    )
    themes = [[texts[i] for i in np.flatnonzero(labels == k)] for k in range(len(centres))]
    places = sorted(range(len(themes)), key=lambda k: (-len(themes[k]), k))
    terms = _typical_terms(themes, topic)
    leans = leaning or _vader_leaning()
    drafts: list[tuple[tuple[str, ...], list[tuple[float, str]]]] = []
    for turn, k in enumerate(places):
        bands = (n - turn + len(places) - 1) // len(places)
        typical = _typical_sentences(themes[k], lsa, centres[k], topic)
        drafts.extend((terms[k], band) for band in _split_by_leaning(typical, bands, leans))
    return _assign_stances(drafts)


def _sample_texts(texts: list[str]) -> list[str]:
    if len(texts) <= MOST_CHUNKS:
        return texts
    return [texts[i * len(texts) // MOST_CHUNKS] for i in range(MOST_CHUNKS)]


def _cluster_rows(rows: NDArray[np.float64], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cluster unit-length rows; returns labels 0..k-1 and centres, dropping empty clusters."""
    seeds = [0]
    nearest = row_cosines(rows, rows[0])
    while len(seeds) < k and nearest.min() < 1:
        seeds.append(int(first_smallest(nearest)))
        nearest = np.maximum(nearest, row_cosines(rows, rows[seeds[-1]]))
    centres = rows[seeds]
    labels = np.full(len(rows), -1)
    for _ in range(_ROUNDS):
        closest = first_largest(np.stack([row_cosines(rows, centre) for centre in centres], axis=1), axis=1)
        if np.array_equal(closest, labels):
            break
        kept, labels = np.unique(closest, return_inverse=True)
        sums = np.stack([np.add.reduce(rows[labels == i], axis=0) for i in range(len(kept))])
        centres = quantise(unit_rows(sums))
    return labels, centres


def _typical_terms(themes: Sequence[Sequence[str]], topic: str) -> list[tuple[str, ...]]:
    """Select typical terms of each theme, without words of the topic.

    Weight: frequency in the theme * ln(chunks / chunks with the term) * sqrt(share of its uses in the theme),
    pairs of words counted one and a half times.
    """
    said = set(tokens(topic))
    bags = [[Counter(_list_terms(text, said)) for text in theme] for theme in themes]
    overall = reduce(add, (bag for theme in bags for bag in theme), Counter[str]())
    holders = Counter(term for theme in bags for bag in theme for term in bag)
    chunks = int_sum(len(theme) for theme in bags)
    chosen = []
    for theme in bags:
        weight: dict[str, float] = {}
        for term, count in reduce(add, theme, Counter[str]()).items():
            pair = " " in term
            if pair and count < 3:
                continue
            rarity = np.log((chunks + 1) / holders[term]) * np.sqrt(count / overall[term])
            weight[term] = quantise(count * rarity * (1.5 if pair else 1.0), 2.0**10)
        chosen.append(_distinct_terms(sorted(weight, key=lambda t: (-weight[t], t))))
    return chosen


def _list_terms(text: str, said: set[str]) -> list[str]:
    """List content words in lower case, and pairs of adjacent ones."""
    found: list[str] = []
    before = ""
    for word in words(_MARKUP.sub(" . ", text)):
        plain = word.lower().replace("’", "'").removesuffix("'s")
        fits = 3 <= len(plain) <= 20 and plain.isalpha() and plain not in _IGNORED and stem(plain) not in said
        if fits:
            found.append(plain)
            if before:
                found.append(f"{before} {plain}")
        before = plain if fits else ""
    return found


def _distinct_terms(ranked: Sequence[str]) -> tuple[str, ...]:
    """Select the first terms that share no stem."""
    chosen: list[str] = []
    used: set[str] = set()
    for term in ranked:
        stems = {stem(word) for word in term.split()}
        if not stems & used:
            chosen.append(term)
            used |= stems
        if len(chosen) == _TERMS:
            break
    return tuple(chosen)


def _typical_sentences(
    theme: Sequence[str], lsa: LSA, centre: NDArray[np.float64], topic: str
) -> list[tuple[float, str]]:
    """Rank typical sentences of a theme, as (score, sentence), best first.

    Score: cosine to the theme's centre + half the cosine to the topic + 0.25 for a word of claim or
    comparison.
    """
    whole = [" ".join(text[start:end].split())[:_LONGEST] for text in theme for start, end in sentences(text)]
    unique = list(dict.fromkeys(whole))
    quotable = [text for text in unique if _is_quotable(text)] or [
        text for text in unique if len(text.split()) > 3
    ]
    if not quotable:
        quotable = [" ".join(theme[0].split()[:40])[:_LONGEST]]
    rows = lsa.project(quotable)
    claims = np.array([0.25 if _CLAIM.search(text) else 0.0 for text in quotable])
    score = quantise(row_cosines(rows, centre) + 0.5 * row_cosines(rows, lsa.project([topic])[0]) + claims)
    ranked = sorted(zip(score.tolist(), quotable, strict=True), key=lambda one: (-one[0], one[1]))
    return ranked[:_TYPICAL]


def _is_quotable(text: str) -> bool:
    """Whether a sentence is self-contained: complete, 10 to 40 words, without reference to another."""
    return (
        10 <= len(text.split()) <= 40
        and text[0].isupper()
        and text.endswith(".")
        and not _LEANS_ON_OTHERS.match(text)
        and not _FOREIGN.search(text)
        and not _POINTS_ELSEWHERE.search(text)
    )


def _split_by_leaning(
    typical: Sequence[tuple[float, str]], count: int, leans: Leaning
) -> list[list[tuple[float, str]]]:
    """Divide sentences into `count` bands by leaning, lowest first, as (leaning, sentence)."""
    ordered = sorted((quantise(leans(text)), -score, text) for score, text in typical)
    bands = []
    for band in range(count):
        start = min(band * len(ordered) // count, len(ordered) - 1)
        part = ordered[start : max(start + 1, (band + 1) * len(ordered) // count)]
        best = sorted(part, key=lambda one: (one[1], one[2]))[:_HEARD]
        bands.append([(lean, text) for lean, _, text in best])
    return bands


def _vader_leaning() -> Leaning:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    return lambda text: float(analyzer.polarity_scores(text)["compound"])


def _assign_stances(
    drafts: Sequence[tuple[tuple[str, ...], list[tuple[float, str]]]],
) -> tuple[Viewpoint, ...]:
    """Assign evenly spaced stances to drafted viewpoints, in the order of their sentences' mean leaning.

    Each keeps the sentences closest to its stance, closest first.
    """
    means = [fmean(lean for lean, _ in band) for _, band in drafts]
    order = sorted(range(len(drafts)), key=lambda i: (quantise(means[i]), i))
    views: dict[int, Viewpoint] = {}
    for rank, i in enumerate(order):
        terms, band = drafts[i]
        stance = round(-0.9 + 1.8 * rank / (len(drafts) - 1), 2) if len(drafts) > 1 else 0.0
        agreeing = sorted(band, key=lambda one: quantise(abs(stance - one[0]), 2.0))
        views[i] = Viewpoint(terms, tuple(text for _, text in agreeing[:_PASSAGES]), stance)
    return tuple(views[i] for i in range(len(drafts)))
