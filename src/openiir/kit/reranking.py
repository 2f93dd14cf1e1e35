"""Policies that re-rank what a ranker or a look-up found, beside what is relevant."""

from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from openiir.core.world import Hit
from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import ConfigTable, InputError, Record, first_largest, order_by, quantise

Share = Annotated[float, Field(ge=0, le=1)]
Most = Annotated[int, Field(ge=1, le=100)]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of B rankings, best first, with what policies read of them."""

    scores: Floats
    """(B, M) scores, in descending order; NaN after a ranking's last candidate."""
    group: Ints | None = None
    """(B, M) provider, side or other group of each, from 0."""
    trusted: Bools | None = None
    """(B, M) whether its provenance is known and good."""
    harmful: Bools | None = None
    """(B, M) whether it is held to do harm."""
    vectors: Floats | None = None
    """(B, M, d) what each is about, as vectors of unit length."""

    @property
    def relevance(self) -> Floats:
        """(B, M) scores from 0 for a ranking's last candidate to 1 for its first; 1 where all are equal."""
        low = np.nanmin(self.scores, axis=1, keepdims=True, initial=np.inf)
        span = np.nanmax(self.scores, axis=1, keepdims=True, initial=-np.inf) - low
        return np.divide(self.scores - low, span, out=np.ones_like(self.scores), where=span > 0)


Worths = Generator[Floats, Ints, None]
"""Yields what each candidate is worth at the next place, (B, M), and is sent who was put there, (B,)."""


class Policy(Record):
    """A rule by which the places of a ranking are filled, from the first."""

    by: str

    @abstractmethod
    def worths(self, candidates: Candidates) -> Worths:
        """Start to fill the places of these rankings from the first."""

    def order(self, candidates: Candidates, k: int) -> Ints:
        """Return the new order, (B, M) columns: the first `k` by this policy, the rest as they were.

        Ties go to the better ranked. Raises InputError for candidates without what the policy reads.
        """
        rankings, size = candidates.scores.shape
        rows, left = np.arange(rankings), ~np.isnan(candidates.scores)
        worths = self.worths(candidates)
        worth = next(worths)
        place = np.tile(np.arange(k, k + size), (rankings, 1))
        for at in range(min(k, size)):
            picked = first_largest(np.where(left, quantise(worth), -np.inf), axis=1)
            some = left.any(axis=1)
            place[rows[some], picked[some]] = at
            left[rows, picked] = False
            worth = worths.send(picked)
        return order_by(place, axis=1)


class Identity(Policy):
    """Leave the order as it is."""

    by: Literal["none"] = "none"

    def worths(self, candidates: Candidates) -> Worths:
        worth = candidates.relevance
        while True:
            yield worth


class Diversity(Policy):
    """Maximal marginal relevance: penalise what is like something placed before.

    Carbonell & Goldstein, SIGIR 1998: weight * relevance - (1 - weight) * largest cosine.
    """

    by: Literal["mmr"] = "mmr"
    weight: Share = 0.7

    def worths(self, candidates: Candidates) -> Worths:
        vectors, relevance = _read(candidates, "vectors", self), candidates.relevance
        rows, closest = np.arange(len(vectors)), np.zeros(relevance.shape)
        while True:
            picked = yield self.weight * relevance - (1 - self.weight) * closest
            cosines = np.einsum("bmd,bd->bm", vectors, vectors[rows, picked])
            closest = np.maximum(closest, cosines)


class Quota(Policy):
    """Keep a share of each beginning of the ranking for a group, by its best candidates.

    DetGreedy with one protected group: Geyik, Ambler & Kenthapadi, KDD 2019. Where the group has no candidate
    left, the next best follows.
    """

    by: Literal["quota"] = "quota"
    group: int = Field(0, ge=0)
    share: Share = 0.3

    def worths(self, candidates: Candidates) -> Worths:
        own, relevance = _read(candidates, "group", self) == self.group, candidates.relevance
        rows, count, place = np.arange(len(own)), np.zeros(len(own)), 0
        while True:
            place += 1
            owed = count < np.floor(self.share * place + 1e-9)
            picked = yield relevance + 2.0 * (own & owed[:, None])
            count += own[rows, picked]


class ExposureCap(Policy):
    """Give no group more than so many of the first places, as long as others are left."""

    by: Literal["cap"] = "cap"
    most: Most = 2

    def worths(self, candidates: Candidates) -> Worths:
        group, relevance = _read(candidates, "group", self), candidates.relevance
        rows, count = np.arange(len(group)), np.zeros(group.shape, dtype=np.int64)
        while True:
            picked = yield relevance - 2.0 * (count >= self.most)
            count += group == group[rows, picked][:, None]


class ProvenanceBoost(Policy):
    """Multiply the relevance of candidates of good provenance by a factor."""

    by: Literal["provenance"] = "provenance"
    factor: float = Field(1.5, ge=1, le=100)

    def worths(self, candidates: Candidates) -> Worths:
        trusted = _read(candidates, "trusted", self)
        worth = candidates.relevance * np.where(trusted, self.factor, 1.0)
        while True:
            yield worth


class DownRank(Policy):
    """Multiply the relevance of harmful candidates by a factor; 0 puts them after all others."""

    by: Literal["down_rank"] = "down_rank"
    factor: Share = 0.3

    def worths(self, candidates: Candidates) -> Worths:
        harmful, relevance = _read(candidates, "harmful", self), candidates.relevance
        worth = np.where(harmful, relevance * self.factor - (self.factor == 0), relevance)
        while True:
            yield worth


POLICIES: Mapping[str, type[Policy]] = {
    each.model_fields["by"].default: each
    for each in (Identity, Diversity, Quota, ExposureCap, ProvenanceBoost, DownRank)
}
"""Policies by the name that studies give them."""


class PolicyChoice(ConfigTable):
    """Keys by which a study chooses a policy; a type adds the key that names a group."""

    by: Literal["none", "mmr", "quota", "cap", "provenance", "down_rank"] = "none"
    """Name of the policy."""
    weight: Share = 0.7
    """Weight of relevance against likeness to what stands higher (mmr)."""
    share: Share = 0.3
    """Share of each beginning of a ranking that goes to the group (quota)."""
    most: Most = 2
    """Largest number of candidates of one group on a page, as long as there are others (cap)."""
    factor: float = Field(0.3, ge=0, le=100)
    """Factor on the relevance of what is harmful (down_rank, 0 to 1; 0 shows it last) or of what has good
    provenance (provenance, 1 or more)."""

    @model_validator(mode="after")
    def _fit_factor(self) -> Self:
        low, high = {"provenance": (1, 100), "down_rank": (0, 1)}.get(self.by, (0, 100))
        if not low <= self.factor <= high:
            raise ValueError(f"factor = {self.factor:g}: with by = {self.by!r} it is {low} to {high}")
        return self

    def build(self, group: int = 0) -> Policy:
        """Build the policy that the keys describe, for the group of this number."""
        policy, keys = POLICIES[self.by], {**dict(self), "group": group}
        return policy(**{name: keys[name] for name in policy.model_fields})


@dataclass(frozen=True, eq=False)
class HitReranker:
    """A policy on look-ups, for `stage.lookup(policy=...)`: told what the policy reads of a passage."""

    policy: Policy
    group: Callable[[Hit], int] | None = None
    trusted: Callable[[Hit], bool] | None = None
    harmful: Callable[[Hit], bool] | None = None
    vectors: Callable[[Hit], Floats] | None = None
    """Function that maps a passage to a vector of unit length."""

    @property
    def name(self) -> str:
        return "" if self.policy == Identity() else self.policy.by

    def __call__(self, hits: Sequence[Hit], k: int) -> list[Hit]:
        reads = {name: getattr(self, name) for name in ("group", "trusted", "harmful", "vectors")}
        told = {name: np.array([[read(hit) for hit in hits]]) for name, read in reads.items() if read}
        if not hits:
            return []
        order = self.policy.order(Candidates(np.array([[hit.score for hit in hits]]), **told), k)
        return [hits[n] for n in order[0, :k].tolist()]


def _read(candidates: Candidates, attribute: str, policy: Policy) -> np.ndarray:
    values: np.ndarray | None = getattr(candidates, attribute)
    if values is None:
        raise InputError(f"the policy {policy.by!r} reads {attribute} of candidates, and these have none")
    return values
