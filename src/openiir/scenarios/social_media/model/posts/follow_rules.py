"""Whom members begin to follow, and whom they leave.

A member follows the candidate j with a probability proportional to (followers + 1)^.8 exp(1.5 cosine) (1 + common), and
leaves the author of a post that it is shown with probability .02 if their stances are more than .8 apart (the pattern of
Sasahara et al., J. Comput. Soc. Sci. 2021; the values are defaults without a published source).
"""

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.networks import FollowerGraph
from openiir.kit.rankers import NONE
from openiir.plugin import ConfigTable, Draw, first_largest, quantise


class FollowRule(ConfigTable):
    """Whom members begin to follow, and when they leave somebody."""

    rate: float = Field(0.05, ge=0, le=1)
    """Chance that whoever likes or reposts something begins to follow an author on the page, if there is one to follow."""
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

        NONE among the candidates, the member itself and whom it follows already are never chosen; NONE where nobody is
        left. The draws are named by member and candidate, so that others among the candidates do not change them.
        """
        owner, other = np.repeat(members, candidates.shape[1]), candidates.ravel()
        open_ = np.flatnonzero((other != NONE) & (other != owner))
        open_ = open_[~graph.follows(owner[open_], other[open_])]
        a, b = owner[open_], other[open_]
        utility = self.popularity * np.log(graph.followers.degrees[b] + 1.0)
        utility += self.similarity * cosine.ravel()[open_] + np.log1p(count_common(graph, a, b))
        noisy = np.full(candidates.shape, -np.inf)
        noisy.flat[open_] = quantise(utility + draw.gumbel(agent=a, item=b))
        if not candidates.size:
            return np.full(len(members), NONE)
        best = np.take_along_axis(candidates, first_largest(noisy, axis=1)[:, None], axis=1)[:, 0]
        return np.where(np.isfinite(noisy).any(axis=1), best, NONE)

    def draw_unfollows(self, distance: ArrayLike, draw: Draw, members: Ints, posts: Ints) -> Bools:
        """Draw for each exposure of a member to a post whether it leaves the author; `distance` is of their stances."""
        return np.asarray(
            (np.asarray(distance) > self.tolerance) & draw.chance(self.leave, agent=members, item=posts)
        )


def count_common(graph: FollowerGraph, members: Ints, others: Ints) -> Ints:
    """Count for each pair the members whom both follow."""
    row, link = graph.following.expand(members)
    shared = graph.following.find(others[row], graph.following.member[link].astype(np.int64))[1]
    return np.bincount(row[shared], minlength=len(members))
