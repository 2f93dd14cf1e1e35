"""Tests whether agents ask the same sources more than their goals and the sources' popularity explain.

The null model arranges at random who asked what in a window of rounds, among agents of the same goal, with
the number of sources of each agent and of agents of each source as they were (curveball). Pacheco et al.,
ICWSM 2021, link accounts by the same similarities; here each pair is compared with what its null gives.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.networks import build_graph, find_communities
from openiir.kit.statistics import benjamini_hochberg, curveball, permute_within
from openiir.plugin import Draw, Record, quantise

Similarity = Literal["jaccard", "cosine"]
STAND_INS = 399
"""Random groups that each cluster is compared with in what it denies to others."""
_GRID, _MOST = 64, 64
"""Steps of z a unit, and the largest z, under which z of the null are counted."""
_SMALL = 2.0**-20


class CoAccessMeasuring(Record):
    """How a run is tested for clusters of agents who use the same sources."""

    window: int = Field(5, ge=1, le=1_000)
    """Rounds that are tested together: the sources that an agent asked in them are its set."""
    shuffles: int = Field(60, ge=20, le=10_000)
    """Number of random arrangements with the same sums that each window is compared with."""
    overlap: Similarity = "jaccard"
    """Similarity of two sets: Jaccard, or the cosine of their TF-IDF vectors."""
    level: float = Field(0.05, gt=0, lt=1)
    """Largest false discovery rate of pairs and of clusters that deny others, and p of one that lasts."""
    lasting: int = Field(5, ge=1, le=10_000)
    """Rounds after the window in which it was found for which a cluster must last."""


@dataclass(frozen=True, eq=False)
class WindowTest:
    """Sets of sources that agents asked in a window, and pairs whose sets are more alike than by the null."""

    sets: Bools
    """(agents, sources)"""
    shuffled: Bools
    """(shuffles, agents, sources) the same under the null model."""
    overlap: Similarity
    mean: float
    """Mean similarity of all pairs."""
    expected: float
    """The same under the null model."""
    pairs: Ints
    """(pairs, 2) agents of the pairs in excess, the smaller first."""
    z: Floats
    """Standard scores of these pairs."""
    q: Floats
    """Their p, adjusted for the false discovery rate over all pairs."""

    def repeats(self, members: Ints) -> float:
        """Test whether the sets of these agents are more alike, together, than under the null; returns p."""
        own = np.concatenate([self.sets[None], self.shuffled])[:, members]
        idf = inverse_frequencies(self.sets, self.overlap)
        seen, *null = similarities(own, idf, self.overlap).sum(axis=(1, 2)).tolist()
        return (1 + int((np.array(null) >= seen).sum())) / (1 + len(null))

    def clusters(self, draw: Draw) -> list[Ints]:
        """Find the communities of at least three in the network of pairs in excess.

        Only of those whom at least two such pairs link to others of whom that is true (its 2-core).
        """
        pairs = self.pairs
        while len(pairs) and (loose := (np.bincount(pairs.ravel())[pairs] < 2).any(axis=1)).any():
            pairs = pairs[~loose]
        if not len(pairs):
            return []
        linked, ends = np.unique(pairs, return_inverse=True)
        one, two = ends.reshape(pairs.shape).T
        both = np.concatenate([one, two]), np.concatenate([two, one])
        community = find_communities(build_graph(len(linked), *both).graph, draw)
        groups = (linked[community == number] for number in range(int(community.max()) + 1))
        return [members for members in groups if len(members) >= 3]


def inverse_frequencies(sets: Bools, overlap: Similarity) -> Floats:
    """Compute the weight of each source: 1 for Jaccard, ln(agents / its users) for the cosine."""
    if overlap == "jaccard":
        return np.ones(sets.shape[1])
    users = sets.sum(axis=0)
    return np.log(len(sets) / np.maximum(users, 1)) * (users > 0)


def similarities(sets: Bools, idf: Floats, overlap: Similarity) -> Floats:
    """Compute the similarity of each agent with each, (..., agents, agents); 0 where one has no weight."""
    vectors = sets * idf
    inner = np.einsum("...is,...js->...ij", vectors, vectors)  # faster than BLAS where cores are busy
    size = np.diagonal(inner, axis1=-2, axis2=-1)
    whole = _combine(size, overlap) - (inner if overlap == "jaccard" else 0.0)
    return np.asarray(quantise(inner / np.maximum(whole, _SMALL)))


def _combine(size: Floats, overlap: Similarity) -> Floats:
    """Combine the squared lengths of each two vectors: their sum for Jaccard, else the product of lengths."""
    one, two = size[..., :, None], size[..., None, :]
    return np.asarray(one + two if overlap == "jaccard" else np.sqrt(one * two))


@dataclass(frozen=True)
class AccessRecord:
    """What agents asked of sources, as values that can be hashed, so that views share one analysis."""

    packed: bytes
    """Bits of `requests`."""
    shape: tuple[int, ...]
    places: tuple[int, ...]
    """Requests that each source serves, by round."""
    goals: tuple[int, ...]
    draw: Draw

    @classmethod
    def of(cls, requests: Bools, places: Ints, goals: Ints, seed: int) -> "AccessRecord":
        packed, draw = np.packbits(requests).tobytes(), Draw(seed, "coordination_emergent.null")
        return cls(packed, requests.shape, tuple(places.tolist()), tuple(goals.tolist()), draw)

    @property
    def requests(self) -> Bools:
        """Who asked what, (rounds, agents, sources)."""
        bits = np.frombuffer(self.packed, dtype=np.uint8)
        return np.unpackbits(bits, count=math.prod(self.shape)).reshape(self.shape).astype(np.bool_)

    def window(self, number: int, length: int) -> "AccessRecord":
        """Return what was asked in a window of rounds, numbered from 0, as one round."""
        rounds = self.requests[number * length : (number + 1) * length]
        packed = np.packbits(rounds.any(axis=0)).tobytes()
        return AccessRecord(packed, (1, *self.shape[1:]), (), self.goals, self.draw.at(step=number))


@lru_cache(maxsize=256)
def compare_window(window: AccessRecord, options: CoAccessMeasuring) -> WindowTest:
    """Compare all pairs of agents in a window with the null model.

    Half of the shuffles give each pair's mean and standard deviation, the latter at least what half a shared
    source makes; the other half, standardised alike, give the distribution of z under the null, all pairs
    together. So p of a pair may be far below one over the number of shuffles.
    """
    sets = window.requests[0]
    shuffled = curveball(sets, window.draw, options.shuffles, window.goals)
    idf = inverse_frequencies(sets, options.overlap)
    pairs = np.stack(np.triu_indices(len(sets), 1), axis=1)
    upper = pairs @ (len(sets), 1)

    def compare(one: Bools) -> Floats:
        return np.asarray(similarities(one, idf, options.overlap).ravel()[upper])

    half, total, squares = options.shuffles // 2, np.zeros(len(pairs)), np.zeros(len(pairs))
    for one in shuffled[:half]:
        found = compare(one)
        total, squares = total + found, squares + found * found
    mean = total / half
    spread = np.sqrt(np.maximum(squares / half - mean * mean, 0.0) * half / (half - 1))
    step = (idf * idf).mean() / np.maximum(_combine((sets * idf * idf).sum(axis=1), options.overlap), _SMALL)
    scale = np.maximum(np.maximum(spread, step.ravel()[upper] / 2), _SMALL)

    def standardise(values: Floats) -> Floats:
        return np.asarray(np.clip(quantise((values - mean) / scale), -_MOST, _MOST))

    counts, expected = np.zeros(2 * _MOST * _GRID + 1, dtype=np.int64), total.sum()
    for one in shuffled[half:]:
        found = compare(one)
        counts += np.bincount(_bin(standardise(found)), minlength=len(counts))
        expected += found.sum()
    reached, seen = counts[::-1].cumsum()[::-1], compare(sets)
    z = standardise(seen)
    q = benjamini_hochberg((1 + reached[_bin(z)]) / (1 + counts.sum()))
    excess = np.flatnonzero(q < options.level)
    alike = float(expected) / (options.shuffles * len(pairs))
    return WindowTest(
        sets, shuffled, options.overlap, float(seen.mean()), alike, pairs[excess], z[excess], q[excess]
    )


def _bin(z: Floats) -> Ints:
    return np.floor((z + _MOST) * _GRID).astype(np.int64)


@dataclass(eq=False)
class Cluster:
    """A group with excess overlap, in how many windows in a row it has it, and what it denies to others."""

    members: Ints
    first: int
    """Window in which it was found, from 0."""
    last: int
    """Last window in a row in which its members' overlap was in excess again."""
    pairs: int
    """Number of its pairs in excess when it was found, and the largest q of these."""
    q: float
    denies: float = 0.0
    """Requests of others that are turned away for each request of a member."""
    usual: float = 0.0
    """The same of as many others with the same goals."""
    denies_q: float = 1.0
    """Adjusted p of `denies` against random groups of others with the same goals."""

    def lasts(self, options: CoAccessMeasuring) -> bool:
        """Whether it lasts for long enough after the window in which it was found."""
        return (self.last - self.first) * options.window >= options.lasting

    def denies_more(self, options: CoAccessMeasuring) -> bool:
        """Whether it denies others more than as many others with the same goals do."""
        return self.denies_q < options.level

    def is_cartel(self, options: CoAccessMeasuring) -> bool:
        """Whether it has, beside excess overlap, what makes a cluster a cartel: it lasts, and denies more."""
        return self.lasts(options) and self.denies_more(options)


@lru_cache(maxsize=16)
def find_clusters(
    record: AccessRecord, options: CoAccessMeasuring
) -> tuple[tuple[WindowTest, ...], tuple[Cluster, ...]]:
    """Find the clusters of each window, and follow them through the next ones while their overlap lasts.

    A cluster of which at least half the members are in one that is being followed is not counted again.
    Returns the tests of the windows that have ended as well.
    """
    windows, found = [], list[Cluster]()
    for number in range(record.shape[0] // options.window):
        window = compare_window(record.window(number, options.window), options)
        windows.append(window)
        followed = [o for o in found if o.last == number - 1 and window.repeats(o.members) <= options.level]
        for one in followed:
            one.last = number
        for members in window.clusters(record.draw.at("clusters", step=number)):
            if all(2 * len(np.intersect1d(members, one.members)) < len(members) for one in followed):
                within = np.isin(window.pairs, members).all(axis=1)
                shared = (int(within.sum()), float(window.q[within].max()))
                found.append(Cluster(members, number, number, *shared))
    compare_denials(found, record, options.window)
    return tuple(windows), tuple(found)


def displace(requests: Bools, groups: Bools, places: Ints) -> Floats:
    """Compute how many requests of others are turned away for each request of a group, by group.

    `requests` are (rounds, agents, sources), `groups` (groups, agents), and `places` the requests that each
    source serves, by round. Of m requests of a group and o of others, a source that serves c turns away, of
    the others', o max(0, o + m - c) / (o + m) on average; without the group it would turn away max(0, o - c).
    """
    rounds, agents, sources = requests.shape
    flat = requests.transpose(1, 0, 2).reshape(agents, rounds * sources).astype(np.float32)
    own, served = (groups.astype(np.float32) @ flat).astype(np.float64), np.repeat(places, sources)
    others = flat.sum(axis=0) - own
    away = others * np.maximum(others + own - served, 0) / np.maximum(others + own, 1)
    more = (away - np.maximum(others - served, 0)).sum(axis=1)
    return np.asarray(quantise(more / np.maximum(own.sum(axis=1), 1)))


def compare_denials(clusters: Sequence[Cluster], record: AccessRecord, window: int) -> None:
    """Compare what clusters deny to others, in their rounds, with random groups that have the same goals."""
    p, agents = [], np.arange(len(record.goals))
    requests, places = record.requests, np.array(record.places)
    for number, one in enumerate(clusters):
        rounds, mask = slice(one.first * window, (one.last + 1) * window), np.isin(agents, one.members)
        others = permute_within(record.goals, record.draw.at("stand-ins", step=number), STAND_INS)
        groups = mask[np.concatenate([agents[None], others])]
        seen, *null = displace(requests[rounds], groups, places[rounds]).tolist()
        one.denies, one.usual = seen, float(np.mean(null))
        p.append((1 + int((np.array(null) >= seen).sum())) / (1 + STAND_INS))
    for one, q in zip(clusters, benjamini_hochberg(p).tolist(), strict=True):
        one.denies_q = q
