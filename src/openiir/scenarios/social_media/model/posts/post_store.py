"""Posts in columns: who wrote what in answer to what, when, what it is about, and how many reacted."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Ints
from openiir.kit.lexical import HybridIndex
from openiir.plugin import InputError, quantise
from openiir.scenarios.social_media.model.activity import round_minutes

NO_PARENT = -1
COUNTS = ("likes", "dislikes", "shown", "comments", "reposts")
"""Columns that count; `shown` is to how many members a post was shown."""
_CONTENT = ("valence", "arousal", "novelty")


class PostKind(IntEnum):
    """Kind of a post, as the column `kind` holds it."""

    POST = 0
    """Starts a conversation; has no parent."""
    COMMENT = 1
    REPOST = 2


class Posts:
    """Columnar store of posts, numbered from 0 in order of creation: a post's id is its row.

    `posts["minute"]` is a column: author, parent, root, kind, step, minute, topics (n, k), valence, arousal,
    novelty, and the COUNTS. `root` is the post at which a conversation starts, the post itself where it has
    no parent. Memory doubles when it is full, so that a batch costs no more than its own size on average.
    """

    def __init__(self, topics: int, restored: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Begin without posts, or with the `state` in a checkpoint's arrays."""
        whole = ("author", "parent", "root", "kind", "step", *COUNTS)
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype=np.int64) for name in whole}
        self._columns |= {name: np.zeros(0) for name in ("minute", *_CONTENT)}
        self._columns["topics"] = np.zeros((0, topics))
        self.texts: dict[int, str] = {}
        """Texts of the posts that have one, by id, in ascending order."""
        if restored is not None:
            self._columns = {name: np.array(restored[f"posts.{name}"]) for name in self._columns}
            self.texts = _unpack_texts(*(restored[f"posts.text_{part}"] for part in ("ids", "ends", "bytes")))
        self._rows = len(self._columns["author"])
        self.totals = {name: int(self[name].sum()) for name in COUNTS}
        """Sums of the COUNTS over all posts."""

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column, read-only; rows that are appended later are not in it."""
        values = self._columns[name][: self._rows]
        values.flags.writeable = False
        return values

    def add(
        self,
        author: ArrayLike,
        *,
        step: int,
        minute: ArrayLike,
        topics: ArrayLike,
        kind: ArrayLike = PostKind.POST,
        parent: ArrayLike = NO_PARENT,
        valence: ArrayLike = 0.0,
        arousal: ArrayLike = 0.0,
        novelty: ArrayLike = 0.0,
        texts: Sequence[str | None] = (),
    ) -> Ints:
        """Add a batch of posts, with a value for each or one for all; returns their ids.

        Comments and reposts are counted at their parents. Topic mixes are numbers from 0, valence is from -1
        to 1, arousal and novelty are from 0 to 1; all are rounded to the grid. Raises InputError for a parent
        that is not an earlier post, or not one of an earlier batch.
        """
        authors = np.atleast_1d(np.asarray(author))
        first, rows = len(self), len(authors)
        parents = np.broadcast_to(np.asarray(parent, dtype=np.int64), rows)
        self._check_ids(parents[parents != NO_PARENT])
        kinds = np.broadcast_to(kind, rows)
        roots = np.arange(first, first + rows)
        roots[parents != NO_PARENT] = self["root"][parents[parents != NO_PARENT]]
        content = {"topics": topics, "valence": valence, "arousal": arousal, "novelty": novelty}
        values: dict[str, Any] = dict.fromkeys(COUNTS, 0)
        values |= {"author": authors, "parent": parents, "root": roots, "kind": kinds, "step": step}
        values |= {name: quantise(np.asarray(each, dtype=np.float64)) for name, each in content.items()}
        values["minute"] = round_minutes(np.asarray(minute, dtype=np.float64))
        self._append(rows, values)
        self.texts.update((first + n, text) for n, text in enumerate(texts) if text is not None)
        for counted, name in ((PostKind.COMMENT, "comments"), (PostKind.REPOST, "reposts")):
            self._count_at(name, parents[kinds == counted])
        return np.arange(first, first + rows)

    def repost(self, author: Ints, post: Ints, *, step: int, minute: ArrayLike) -> Ints:
        """Add reposts of posts, whose topics, valence, arousal and novelty they copy; returns their ids."""
        self._check_ids(post)
        content: dict[str, Any] = {name: self[name][post] for name in ("topics", *_CONTENT)}
        return self.add(author, step=step, minute=minute, kind=PostKind.REPOST, parent=post, **content)

    def count_reactions(self, name: str, posts: ArrayLike) -> None:
        """Add one like, dislike or impression (`shown`) to each listed post; posts may repeat."""
        ids = np.atleast_1d(np.asarray(posts, dtype=np.int64))
        self._check_ids(ids)
        self._count_at(name, ids)

    def _count_at(self, name: str, ids: Ints) -> None:
        counted, times = np.unique(ids, return_counts=True)
        self._columns[name][counted] += times
        self.totals[name] += len(ids)

    def _check_ids(self, posts: Ints) -> None:
        if posts.size and (posts.min() < 0 or posts.max() >= len(self)):
            raise InputError(
                f"posts are numbered from 0 to {len(self) - 1}, got {posts.min()} to {posts.max()}; "
                "name earlier posts"
            )

    def _append(self, rows: int, values: Mapping[str, ArrayLike]) -> None:
        end = self._rows + rows
        for name, column in self._columns.items():
            if end > len(column):
                column = np.empty((max(end, 2 * len(column)), *column.shape[1:]), dtype=column.dtype)
                column[: self._rows] = self._columns[name][: self._rows]
                self._columns[name] = column
            column[self._rows : end] = values[name]
        self._rows = end

    def table(self, first: int = 0) -> dict[str, NDArray[Any] | list[str | None]]:
        """List the posts from the id `first` on as columns for `Stage.columns`, without the counts."""
        rows = {name: self[name][first:] for name in self._columns if name not in COUNTS}
        topics = rows.pop("topics")
        rows |= {f"topic_{n}": topics[:, n] for n in range(topics.shape[1])}
        kinds = np.array([kind.name.lower() for kind in PostKind])[rows["kind"]].tolist()
        ids = np.arange(first, len(self))
        return {"id": ids, **rows, "kind": kinds, "text": [self.texts.get(n) for n in ids.tolist()]}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all arrays, by the names that `Stage.keep` stores them under."""
        texts = [text.encode("utf-8", "surrogatepass") for text in self.texts.values()]
        arrays = {name: self[name] for name in self._columns} | {
            "text_ids": np.array([*self.texts], dtype=np.int64),
            "text_ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
            "text_bytes": np.frombuffer(b"".join(texts), np.uint8),
        }
        return {f"posts.{name}": values for name, values in arrays.items()}


def _unpack_texts(ids: Ints, ends: Ints, data: NDArray[np.uint8]) -> dict[int, str]:
    whole = data.tobytes()
    starts = [0, *ends.tolist()]
    return {
        post: whole[start:end].decode("utf-8", "surrogatepass")
        for post, start, end in zip(ids.tolist(), starts, starts[1:], strict=False)
    }


class PostIndex(HybridIndex[int]):
    """Index of the posts that have a text, by id.

    `search` finds the best for a query, of equals the oldest. Results depend on the posts alone, not on when
    they were added, so that an index is built again after a restart. An embedder (`LSA.fit` on texts of the
    study, or an endpoint's) is needed for the modes `hybrid` and `vector`.
    """

    async def follow(self, posts: Posts) -> None:
        """Add the posts that are not in the index yet."""
        new = [*islice(reversed(posts.texts), len(posts.texts) - len(self.ids))][::-1]
        await self.add(new, [posts.texts[id] for id in new])
