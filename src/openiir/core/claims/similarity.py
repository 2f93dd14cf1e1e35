"""Similarity of claims: TF-IDF cosine within a debate, and word overlap of two sentences."""

from collections import Counter
from collections.abc import Sequence
from math import fsum, log, sqrt

from openiir.core.claims.text import content_stems
from openiir.core.grid import quantise

Vector = dict[str, float]


def tf_idf(texts: Sequence[str]) -> list[Vector]:
    """Compute TF-IDF unit vectors of texts over stems of content words: tf (ln((1 + n) / (1 + df)) + 1)."""
    counts = [Counter(content_stems(text)) for text in texts]
    spread = Counter(term for count in counts for term in count)
    n = len(texts)
    idf = {term: log((1 + n) / (1 + df)) + 1.0 for term, df in spread.items()}
    return [_unit({term: tf * idf[term] for term, tf in sorted(count.items())}) for count in counts]


def _unit(vector: Vector) -> Vector:
    length = sqrt(fsum(value * value for value in vector.values()))
    return {term: value / length for term, value in vector.items()} if length else vector


def cosine(one: Vector, other: Vector) -> float:
    """Compute the cosine of two unit vectors, 0 if one is empty, rounded to the grid of 2^-20."""
    if len(other) < len(one):
        one, other = other, one
    return quantise(fsum(value * other[term] for term, value in one.items() if term in other))


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Compute the number of shared distinct stems over the geometric mean of both counts, from 0 to 1."""
    a, b = set(one), set(other)
    return quantise(len(a & b) / sqrt(len(a) * len(b))) if a and b else 0.0


def containment(inner: Sequence[str], outer: Sequence[str]) -> float:
    """Compute the share of `inner`'s distinct stems that also occur in `outer`, from 0 to 1."""
    a, b = set(inner), set(outer)
    return quantise(len(a & b) / len(a)) if a else 0.0
