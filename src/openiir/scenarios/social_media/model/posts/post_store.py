"""Posts in columns: who wrote what in answer to what, when, what it is about, and how many reacted."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openiir.kit.arrays import Floats, Ints
from openiir.kit.lexical import HybridIndex
from openiir.plugin import InputError, quantise
from openiir.scenarios.social_media.model.activity import round_minutes

NO_PARENT = -1
COUNTED = ("likes", "dislikes", "shown")
"""Columns that `count_reactions` adds to; `shown` is to how many members a post was shown."""
COUNTS = (*COUNTED, "comments", "reposts")
_RANGES = {"valence": (-1.0, 1.0), "arousal": (0.0, 1.0), "novelty": (0.0, 1.0)}


class PostKind(IntEnum):
    """Kind of a post, as the column `kind` holds it."""

    POST = 0
    """Starts a conversation; has no parent."""
    COMMENT = 1
    REPOST = 2


class GrowingColumns:
    """Columns of one length, by name, to which batches of rows are appended.

    Memory doubles when it is full, so that a batch costs no more than its own size on average.
    """

    def __init__(self, start: Mapping[str, NDArray[Any]]) -> None:
        """Begin with columns of one length, empty ones or those of a checkpoint; they fix the types."""
        self._columns = {name: np.array(values) for name, values in start.items()}
        self._rows = len(next(iter(self._columns.values())))

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column, read-only; rows that are appended later are not in it."""
        values = self._columns[name][: self._rows]
        values.flags.writeable = False
        return values

    def _append(self, rows: int, values: Mapping[str, ArrayLike]) -> None:
        """Append rows; a column is given by a value for each, or one for all."""
        end = self._rows + rows
        for name, column in self._columns.items():
            if end > len(column):
                column = np.empty((max(end, 2 * len(column)), *column.shape[1:]), dtype=column.dtype)
                column[: self._rows] = self._columns[name][: self._rows]
                self._columns[name] = column
            column[self._rows : end] = values[name]
        self._rows = end


class Posts(GrowingColumns):
    """Posts, numbered from 0 in the order of their making: a post's id is its row.

    `posts["minute"]` is a column: author, parent, root, kind, step, minute, topics (n, k), valence, arousal, novelty, and
    the COUNTS. `root` is the post at which a conversation starts, the post itself where it has no parent.
    """

    def __init__(self, topics: int, restored: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Begin without posts, or with the `state` in a checkpoint's arrays."""
        whole = ("author", "parent", "root", "kind", "step", *COUNTS)
        start: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype=np.int64) for name in whole}
        start |= {name: np.zeros(0) for name in ("minute", *_RANGES)} | {"topics": np.zeros((0, topics))}
        self.texts: dict[int, str] = {}
        """Texts of the posts that have one, by id, in ascending order."""
        if restored is not None:
            start = {name: restored[f"posts.{name}"] for name in start}
            if start["topics"].shape[1] != topics:
                raise InputError(
                    f"the checkpoint has posts of {start['topics'].shape[1]} topics, not of {topics}"
                )
            self.texts = _unpack_texts(*(restored[f"posts.text_{part}"] for part in ("ids", "ends", "bytes")))
        super().__init__(start)
        self.totals = {name: int(self[name].sum()) for name in COUNTS}
        """Sums of the COUNTS over all posts."""

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
        texts: Sequence[str | None] | None = None,
    ) -> Ints:
        """Add a batch of posts, with a value for each or one for all; returns their ids.

        A parent is an existing post or an earlier one of the batch; comments and reposts are counted at their parents.
        Topic mixes are numbers from 0, valence is from -1 to 1, arousal and novelty are from 0 to 1; all are rounded to
        the grid. Raises InputError for values that are none of these, a parent that does not exist or is made later
        than its child, parents that form a cycle, and a kind that does not fit its parent.
        """
        authors = np.atleast_1d(np.asarray(author))
        rows, width = len(authors), self._columns["topics"].shape[1]
        whole = {"author": authors, "parent": parent, "kind": kind, "step": step}
        real = {"minute": minute, "valence": valence, "arousal": arousal, "novelty": novelty}
        columns: dict[str, NDArray[Any]] = {
            **{name: _check_column(name, values, (rows,), "iu") for name, values in whole.items()},
            **{name: _check_column(name, values, (rows,), "iuf") for name, values in real.items()},
            "topics": quantise(_check_column("topics", topics, (rows, width), "iuf")),
        }
        columns["minute"] = round_minutes(columns["minute"])
        for name, (low, high) in _RANGES.items():
            _refuse(
                (columns[name] < low) | (columns[name] > high), f"has a {name} beyond {low:g} to {high:g}"
            )
            columns[name] = quantise(columns[name])
        _refuse((columns["topics"] < 0).any(axis=1), "has a negative share of a topic")
        _refuse(columns["author"] < 0, "has an author below 0")
        replies = columns["parent"] != NO_PARENT
        _refuse(
            ~np.isin(columns["kind"], list(PostKind)), f"has a kind that is none of {[*map(int, PostKind)]}"
        )
        _refuse((columns["kind"] != PostKind.POST) != replies, "is a post with a parent, or a reply without")
        if texts is not None and len(texts) != rows:
            raise InputError(f"{len(texts)} texts for {rows} posts; give one text, or None, for each")
        columns["root"] = self._find_roots(columns["parent"])
        self._check_order(columns["parent"], columns["minute"])
        first = len(self)
        self._append(rows, {**columns, **dict.fromkeys(COUNTS, 0)})
        self.texts.update((first + n, text) for n, text in enumerate(texts or ()) if text is not None)
        for kind_counted, name in ((PostKind.COMMENT, "comments"), (PostKind.REPOST, "reposts")):
            self._count_at(name, columns["parent"][columns["kind"] == kind_counted])
        return np.arange(first, first + rows)

    def repost(self, author: ArrayLike, post: ArrayLike, *, step: int, minute: ArrayLike) -> Ints:
        """Add reposts of existing posts, whose topics, valence, arousal and novelty they copy; returns their ids."""
        authors, parents = np.broadcast_arrays(np.atleast_1d(np.asarray(author)), np.asarray(post))
        self.check_ids(parents)
        content = {name: self[name][parents] for name in ("topics", *_RANGES)}
        return self.add(
            authors, step=step, minute=minute, kind=PostKind.REPOST, parent=parents, texts=None, **content
        )

    def count_reactions(self, name: str, posts: ArrayLike) -> None:
        """Add likes, dislikes or impressions (`shown`), one for each of the posts, which may repeat."""
        if name not in COUNTED:
            raise InputError(
                f"{name!r} cannot be counted; count {', '.join(COUNTED)}, and add comments and reposts"
            )
        ids = np.atleast_1d(np.asarray(posts))
        self.check_ids(ids)
        self._count_at(name, ids)

    def _count_at(self, name: str, ids: Ints) -> None:
        counted, times = np.unique(ids, return_counts=True)
        self._columns[name][counted] += times
        self.totals[name] += len(ids)

    def check_ids(self, posts: NDArray[Any]) -> None:
        """Raise InputError for an id that no post has."""
        if posts.size and (posts.dtype.kind not in "iu" or posts.min() < 0 or posts.max() >= len(self)):
            raise InputError(
                f"posts are numbered from 0 to {len(self) - 1}, got {posts.dtype} from {posts.min()} to {posts.max()}"
            )

    def table(self, first: int = 0) -> dict[str, NDArray[Any] | list[str | None]]:
        """List the posts from the id `first` on as columns of a table, for `Stage.columns`; without the counts."""
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

    def _find_roots(self, parent: Ints) -> Ints:
        """Find the roots of a batch by pointer doubling; refuses unknown parents and cycles."""
        first = len(self)
        ids = np.arange(first, first + len(parent))
        _refuse(
            (parent < NO_PARENT) | (parent > ids.max(initial=-1)),
            f"has a parent that does not exist; there are {first} posts, and ids {first} on in this batch",
        )
        top = np.where(parent == NO_PARENT, ids, parent)
        starts = parent == NO_PARENT
        inside = top >= first
        for _ in range(len(parent).bit_length()):
            top[inside] = top[top[inside] - first]
            inside = top >= first
        inside[inside] = ~starts[top[inside] - first]
        _refuse(inside, "is in a cycle of parents; a conversation starts at a post without one")
        earlier = top < first
        top[earlier] = self["root"][top[earlier]]
        return top

    def _check_order(self, parent: Ints, minute: Floats) -> None:
        """Refuse parents that stand or happen after their children."""
        first = len(self)
        _refuse(
            parent > np.arange(first, first + len(parent)), "stands before its parent; give parents first"
        )
        born = np.full(len(parent), -np.inf)
        old, new = (parent >= 0) & (parent < first), parent >= first
        born[old], born[new] = self["minute"][parent[old]], minute[parent[new] - first]
        _refuse(born > minute, "was made before its parent; mend the minutes")


def _check_column(name: str, values: ArrayLike, shape: tuple[int, ...], kinds: str) -> NDArray[Any]:
    """Convert values to int64 or float64 in a shape; raises InputError for other types, NaN and other shapes."""
    given = np.asarray(values)
    if given.dtype.kind not in kinds and given.size:
        raise InputError(f"the column {name} of posts has values of type {given.dtype}; give numbers")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError(f"the column {name} of posts holds NaN or infinity; give numbers")
    try:
        return np.array(np.broadcast_to(given, shape), dtype=np.int64 if kinds == "iu" else np.float64)
    except ValueError:
        raise InputError(
            f"the column {name} of posts has the shape {given.shape}; {shape} is needed, or one value for all"
        ) from None


def _refuse(wrong: ArrayLike, what: str) -> None:
    """Raise InputError naming the first wrong row of a batch."""
    if len(rows := np.flatnonzero(wrong)):
        raise InputError(f"row {rows[0]} of the batch of posts {what}")


def _unpack_texts(ids: Ints, ends: Ints, data: NDArray[np.uint8]) -> dict[int, str]:
    whole = data.tobytes()
    starts = [0, *ends.tolist()]
    return {
        post: whole[start:end].decode("utf-8", "surrogatepass")
        for post, start, end in zip(ids.tolist(), starts, starts[1:], strict=False)
    }


class PostIndex(HybridIndex[int]):
    """Index of the posts that have a text, by id.

    `search` finds the best for a query, of equals the oldest. Results depend on the posts alone, not on when they were
    added, so that an index is built again after a restart. An embedder (`LSA.fit` on texts of the study, or an
    endpoint's) is needed for the modes `hybrid` and `vector`.
    """

    async def follow(self, posts: Posts) -> None:
        """Add the posts that are not in the index yet."""
        new = [*islice(reversed(posts.texts), len(posts.texts) - len(self.ids))][::-1]
        await self.add(new, [posts.texts[id] for id in new])
