"""Who picks what, in few dimensions: the leading singular vectors of the normalised user-item matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.items.ratings import Floats, Ints, Ratings
from openiir.scenarios.recommender.taste.blocks import FactorProduct


@dataclass(frozen=True, eq=False)
class Spectrum(FactorProduct):
    """Singular vectors of the matrix of picks; which films were chosen, not how they were rated.

    PureSVD (Cremonesi, Koren & Turrin, RecSys 2010) with rows and columns divided by the square roots of their
    sums, so that active users and famous items do not fill the first dimensions. The columns of `users` and `items`
    are orthonormal.
    """

    values: Floats
    """(rank,): singular values, descending."""

    @classmethod
    def fit(cls, train: Ratings, rank: int = 50, each: int = 16) -> "Spectrum":
        """At most `rank` dimensions, and one for `each` users and items with ratings, whichever are fewer.

        More dimensions than that rebuild single picks instead of what they have in common: on 300 users and 400
        items 12 dimensions told held-out picks from others with an AUC of .89, 150 with .57.
        Deterministic: no random start.
        """
        from scipy.sparse.linalg import svds

        picks = normalise_picks(train)
        fewer = min(len(np.unique(train.user)), len(np.unique(train.item)))
        rank = min(rank, max(fewer // each, 8), fewer - 1)
        if rank < 1:
            return cls(np.zeros((train.users, 0)), np.zeros((train.items, 0)), np.zeros(0))
        users, values, items = svds(picks, k=rank, v0=np.ones(min(picks.shape)))
        order = np.argsort(-values, kind="stable")
        return cls(users[:, order], items.T[:, order], values[order])

    def block(self, users: Ints) -> Floats:
        """(len(users), items): the picks rebuilt from the leading dimensions."""
        return FactorProduct(self.users * self.values, self.items).block(users)


def normalise_picks(train: Ratings) -> Any:
    """Users x items, CSR: 1 / sqrt(picks of the user x picks of the item) for each pick."""
    rated = np.bincount(train.user, minlength=train.users)
    picks = train.seen.copy()
    of = np.repeat(np.arange(train.users), np.diff(picks.indptr))
    picks.data = 1 / np.sqrt(rated[of] * train.counts[picks.indices])
    return picks
