"""Leak guard: checks that no held-out rating reaches a graph, mean, memory or prompt."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.ratings import Ratings
from openiir.kit.items.splits import Split
from openiir.plugin import OpeniirError


class Leak(OpeniirError):
    """Raised if held-out ratings could reach agents or systems.

    The run fails, since its measures would be invalid.
    """


class Guard:
    """Check that no held-out (user, item) pair is in data that agents or systems see; raises Leak.

    It is for what comes out of the data. What agents do themselves in a run, also with held-out items, is no
    leak.
    """

    def __init__(self, data: DataSet, split: Split) -> None:
        self.data = data
        self.split = split

    @cached_property
    def held_out(self) -> Ints:
        """Held-out (user, item) pairs, each as user * items + item, ascending."""
        return np.sort(np.concatenate([self.split.validation.pairs, self.split.test.pairs]))

    def holds(self, user: Ints, item: Ints) -> Bools:
        """Compute the mask of (user, item) index pairs that are held out."""
        pair = np.asarray(user, dtype=np.int64) * self.split.train.items + np.asarray(item, dtype=np.int64)
        if not len(self.held_out):
            return np.zeros(pair.shape, dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.held_out, pair), len(self.held_out) - 1)
        return np.asarray(self.held_out[at] == pair)

    def check_edges(self, user: Ints, item: Ints) -> None:
        """Raise Leak if user-item edges, given as index arrays (n,), contain held-out pairs."""
        self._refuse(user, item, "the knowledge graph", "build it from the training ratings alone")

    def check_ratings(self, ratings: Ratings, where: str) -> None:
        """Raise Leak if ratings to which a system or an agent's model is fitted contain held-out pairs."""
        self._refuse(ratings.user, ratings.item, where, "fit it to the training ratings alone")

    def check_memory(self, records: Iterable[tuple[int, int]]) -> None:
        """Raise Leak if the (user, item) records that fill memories before the run contain held-out pairs."""
        pairs = np.array([*records], dtype=np.int64).reshape(-1, 2)
        self._refuse(
            pairs[:, 0],
            pairs[:, 1],
            "the memory filled from history",
            "fill it from the training ratings alone",
        )

    def check_prompt(self, user: int, items: Iterable[int], where: str) -> None:
        """Raise Leak if a prompt shows this user's rating of a held-out item."""
        shown = np.array([*items], dtype=np.int64)
        self._refuse(np.full(len(shown), user), shown, where, "show the user's training ratings alone")

    def check_means(self, values: Floats, where: str) -> None:
        """Raise Leak if items' mean ratings differ from the means of the training ratings.

        Values may differ by 2^-18, twice what quantising to the platform's grid can add to a sum of two.
        """
        true = self.split.train.item_means
        wrong = np.flatnonzero(~np.isclose(values, true, rtol=0, atol=2.0**-18, equal_nan=True))
        if not len(wrong):
            return
        item = int(wrong[0])
        held = [fold.user[fold.item == item] for fold in (self.split.test, self.split.validation)]
        users = np.concatenate(held)
        by = (
            f"ratings held out for it are those of user {self._user(int(users[0]))} and {len(users) - 1} more"
            if len(users)
            else "none of its ratings is held out"
        )
        raise Leak(
            f"{where}: item {self._item(item)} has {values[item]:.6g} where the training ratings "
            f"give {true[item]:.6g} "
            f"({len(wrong)} items differ; {by}); compute it from the training ratings alone"
        )

    def _refuse(self, user: Ints, item: Ints, where: str, remedy: str) -> None:
        found = np.flatnonzero(self.holds(user, item))
        if len(found):
            first = int(found[0])
            raise Leak(
                f"{where} holds a held-out rating: user {self._user(int(user[first]))}, item "
                f"{self._item(int(item[first]))} "
                f"({len(found)} of its {len(user)} entries are held out); {remedy}"
            )

    def _user(self, index: int) -> str:
        return repr(self.data.users[index])

    def _item(self, index: int) -> str:
        return f"{self.data.collection.ids[index]!r} ({self.data.collection.titles[index]})"
