"""Whom members begin to follow, and whom they leave.

A member follows the candidate j with a probability proportional to (followers + 1)^.8 exp(1.5 cosine) (1 +
common), and leaves the author of a post that it is shown with probability .02 if their stances are more than
.8 apart (the pattern of Sasahara et al., J. Comput. Soc. Sci. 2021; the values are defaults without a
published source).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints, number_within
from openiir.kit.networks import FollowerGraph
from openiir.kit.rankers import NONE
from openiir.plugin import ConfigTable, Draw, first_largest, quantise


class FollowRule(ConfigTable):
    """Whom members begin to follow, and when they leave somebody."""

    rate: float = Field(0.05, ge=0, le=1)
    """Chance that whoever likes or reposts something begins to follow an author on the page."""
    popularity: float = Field(0.8, ge=0, le=5)
    """Exponent of a candidate's followers + 1."""
    similarity: float = Field(1.5, ge=0, le=20)
    """Weight of the cosine of member and candidate."""
    leave: float = Field(0.02, ge=0, le=1)
    """Probability of leaving an author on being shown a post beyond the tolerance."""
    tolerance: float = Field(0.8, ge=0, le=2)
    """Distance of stances up to which nobody leaves."""

    def choose(
        self, graph: FollowerGraph, members: Ints, candidates: Ints, cosine: Floats, draw: Draw
    ) -> Ints:
        """Choose for each member one candidate to follow, (B,), out of (B, C) with their cosines (B, C).

        NONE among the candidates, the member itself and whom it follows already are never chosen; NONE where
        nobody is left. The draws are named by member and candidate, so that others among the candidates do
        not change them.
        """
        owner, other = np.repeat(members, candidates.shape[1]), candidates.ravel()
        open_ = np.flatnonzero((other != NONE) & (other != owner))
        open_ = open_[~graph.follows(owner[open_], other[open_])]
        a, b = owner[open_], other[open_]
        utility = self.popularity * np.log(graph.followers.degrees[b] + 1.0)
        utility += self.similarity * cosine.ravel()[open_] + np.log1p(count_common_follows(graph, a, b))
        noisy = np.full(candidates.shape, -np.inf)
        noisy.flat[open_] = quantise(utility + draw.gumbel(agent=a, item=b))
        if not candidates.size:
            return np.full(len(members), NONE)
        best = np.take_along_axis(candidates, first_largest(noisy, axis=1)[:, None], axis=1)[:, 0]
        return np.where(np.isfinite(noisy).any(axis=1), best, NONE)

    def draw_unfollows(self, distance: ArrayLike, draw: Draw, members: Ints, posts: Ints) -> Bools:
        """Draw for each impression whether the member unfollows the author, by distance of stances."""
        leaves = draw.chance(self.leave, agent=members, item=posts)
        return np.asarray((np.asarray(distance) > self.tolerance) & leaves)


def count_common_follows(graph: FollowerGraph, members: Ints, others: Ints) -> Ints:
    """Count for each pair of members the accounts that both follow."""
    row, link = graph.following.expand(members)
    shared = graph.following.find(others[row], graph.following.member[link].astype(np.int64))[1]
    return np.bincount(row[shared], minlength=len(members))


Follows = tuple[Ints, Ints, bool]
"""Members, whom each begins to follow or leaves, and whether it begins."""


class FollowChanges:
    """The follows and unfollows that members decide in a round."""

    def __init__(self, interests: Floats) -> None:
        """`interests` are (N, k) by member; the more two are alike, the likelier one follows the other."""
        self._unit = interests / np.linalg.norm(interests, axis=1, keepdims=True)
        self._changes: list[Follows] = []

    def record_stated(
        self, member: int, authors: Ints, follows: Sequence[int], leaves: Sequence[int]
    ) -> None:
        """Record whom a member says it follows or unfollows, by position on its page, from 1."""
        for places, began in ((follows, True), (leaves, False)):
            whom = np.unique([authors[place - 1] for place in places]).astype(np.int64)
            whom = whom[whom != member]
            self._changes.append((np.full(len(whom), member), whom, began))

    def draw_changes(
        self,
        rule: FollowRule,
        graph: FollowerGraph,
        looks: Mapping[str, NDArray[Any]],
        author: Ints,
        liked: Bools,
        distance: Floats,
        draw: Draw,
    ) -> None:
        """Draw follows and unfollows of readers who looked at posts, by the rule.

        `looks` has the columns reader and post, one row a look, by reader; `author`, `liked` (or reposted)
        and the `distance` of stances are columns of it too. Whom one leaves is drawn by the rule. Who likes
        something considers with the probability `rule.rate` whom to follow, and chooses by the rule among the
        authors of what it looked at.
        """
        reader, post = looks["reader"], looks["post"]
        left = np.flatnonzero(rule.draw_unfollows(distance, draw.at("leave"), reader, post))
        left = left[graph.follows(reader[left], author[left])]
        self._changes.append((reader[left], author[left], False))
        fond = np.unique(reader[liked])
        seeking = np.flatnonzero(np.isin(reader, fond[draw.at("seek").chance(rule.rate, agent=fond)]))
        if len(seeking):
            members, row = np.unique(reader[seeking], return_inverse=True)
            place = number_within(row)
            candidates = np.full((len(members), int(place.max()) + 1), NONE)
            candidates[row, place] = author[seeking]
            cosine = np.einsum("bk,bck->bc", self._unit[members], self._unit[candidates])
            chosen = rule.choose(graph, members, candidates, cosine, draw.at("choose"))
            self._changes.append((members[chosen != NONE], chosen[chosen != NONE], True))

    def take_changes(self, graph: FollowerGraph) -> list[Follows]:
        """Return the changes of the round, follows before unfollows, and clear them for the next round.

        Each pair is listed once, and only if it changes the graph as it was in the round.
        """
        empty = np.zeros(0, dtype=np.int64)
        found = []
        for began in (True, False):
            parts = [(empty, empty), *(change[:2] for change in self._changes if change[2] == began)]
            members, whom = (np.concatenate(side) for side in zip(*parts, strict=True))
            _, first = np.unique(np.column_stack((members, whom)), axis=0, return_index=True)
            kept = np.sort(first)[graph.follows(members, whom)[np.sort(first)] != began]
            found.append((members[kept], whom[kept], began))
        self._changes.clear()
        return found
