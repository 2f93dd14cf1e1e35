"""Which members were shown, or reacted to, which posts."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Bools, Ints
from openiir.plugin import InputError

_POSTS = 2**31
"""Posts, and members, that a key has room for."""


class SeenPosts:
    """A set of members and posts, to which batches are added: 8 bytes a pair.

    Pairs are sorted keys, by member, in arrays of which each is at least twice as long as the next: adding n pairs one
    batch at a time sorts each about log2(n) times, and a look-up searches as many arrays.
    """

    def __init__(self, keys: Ints | None = None) -> None:
        """Begin with nothing, or with the `state` of a checkpoint."""
        self._runs = [] if keys is None else [np.array(keys)]

    def add(self, members: ArrayLike, posts: ArrayLike) -> None:
        """Add pairs, given as columns; those that are there already change nothing."""
        self._runs.append(_sort_distinct(_make_keys(members, posts).ravel()))
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = _sort_distinct(np.concatenate((self._runs[-1], last)))

    def contains(self, members: ArrayLike, posts: ArrayLike) -> Bools:
        """Tell for each pair of two arrays, which are broadcast, whether it was added; never for a post of -1."""
        keys = _make_keys(members, np.maximum(posts, 0))
        found = np.zeros(keys.shape, dtype=np.bool_)
        for run in filter(len, self._runs):
            found |= run[np.minimum(np.searchsorted(run, keys), len(run) - 1)] == keys
        return found & (np.asarray(posts) >= 0)

    def forget(self, first: int) -> None:
        """Drop the pairs of posts before the id `first`, which nobody is shown any more."""
        self._runs = [run[run % _POSTS >= first] for run in self._runs]

    def state(self) -> NDArray[np.int64]:
        """Return all pairs as one array of keys, for a checkpoint."""
        return _sort_distinct(np.concatenate([np.zeros(0, dtype=np.int64), *self._runs]))


def _sort_distinct(keys: Ints) -> Ints:
    """Sort keys and drop repeated ones (`np.unique` hashes them, which is slow for keys that lie on a grid)."""
    ordered = np.sort(keys)
    return ordered[np.append(True, np.diff(ordered) > 0)[: len(ordered)]]


def _make_keys(members: ArrayLike, posts: ArrayLike) -> Ints:
    who, what = np.broadcast_arrays(np.asarray(members), np.asarray(posts))
    if who.size and not (0 <= who.min() <= who.max() < _POSTS and 0 <= what.min() <= what.max() < _POSTS):
        raise InputError(f"members and posts are numbered from 0 to below {_POSTS:,}; mend the batch")
    return np.asarray(who.astype(np.int64) * _POSTS + what)
