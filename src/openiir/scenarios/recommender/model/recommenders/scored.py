"""A recommender that reads its scores from a file of (user, item, score) made by another program."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items import Collection, Ratings
from openiir.kit.items.table_files import TableFile, read_table
from openiir.kit.measures.trec import read_rows, read_score
from openiir.plugin import InputError, Record

DELIMITERS = {".csv": ",", ".tsv": "\t"}
RUNS = (".run", ".trec", ".txt")
"""Endings of TREC run files, whose fields are topic (the user), Q0, document (the item), rank, score and tag.
"""


class ScoredOptions(Record):
    """Options of the recommender `file:PATH`, with the column names of a CSV, TSV or Parquet file."""

    user: str = "user"
    item: str = "item"
    score: str = "score"
    unknown: Literal["error", "skip"] = "error"
    """Whether a user or an item that the data set lacks is an error, or is skipped and counted."""
    least: int = Field(default=0, ge=0)
    """Smallest number of items that every user of the data set must have in the file."""


class ScoredRows(NamedTuple):
    """Rows of a file of scored items: users, items and scores."""

    users: Sequence[str]
    items: Sequence[str]
    scores: Floats
    where: Callable[[int], str]
    """Function from a row's index to its file and row number, for error messages."""


class ScoredLists:
    """Recommender that scores items by a file; items not in the file are never recommended.

    `.csv` and `.tsv` have a header, `.parquet` columns of the same names; `.run`, `.trec` and `.txt` are TREC
    runs, of which the scores count and the ranks do not.
    """

    def __init__(
        self, path: Path, options: ScoredOptions, collection: Collection, users: Sequence[str]
    ) -> None:
        from scipy.sparse import csr_array

        self.name = f"file:{path}"
        self.skipped: dict[str, int] = {}
        """Numbers of rows left out by reason, and of `users without a list`."""
        rows, skip = _read_rows(path, options), options.unknown == "skip"
        user = self._indices(rows, "user", rows.users, {id: n for n, id in enumerate(users)}, skip)
        item = self._indices(rows, "item", rows.items, collection.index, skip)
        kept = np.flatnonzero((user >= 0) & (item >= 0))
        user, item = user[kept], item[kept]
        _, first = np.unique(user * len(collection) + item, return_index=True)
        if len(again := np.setdiff1d(np.arange(len(kept)), first)):
            raise InputError(
                f"{rows.where(int(kept[again[0]]))}: user {users[user[again[0]]]!r} has this item already; "
                "a list holds each item once"
            )
        lengths = np.bincount(user, minlength=len(users))
        if len(short := np.flatnonzero(lengths < options.least)):
            raise InputError(
                f"{path}: user {users[short[0]]!r} has {lengths[short[0]]} items, fewer than least = "
                f"{options.least} ({len(short)} such users); write longer lists, or ask for fewer"
            )
        if without := int((lengths == 0).sum()):
            self.skipped["users without a list"] = without
        self._matrix = csr_array((rows.scores[kept], (user, item)), shape=(len(users), len(collection)))

    def fit(self, train: Ratings) -> None:
        """Do nothing: the scores are fixed."""

    def scores(self, users: Ints) -> Floats:
        rows = self._matrix[users]
        found = np.full(rows.shape, -np.inf)
        found[np.repeat(np.arange(len(users)), np.diff(rows.indptr)), rows.indices] = rows.data
        return found

    def _indices(
        self, rows: ScoredRows, what: str, ids: Sequence[str], known: Mapping[str, int], skip: bool
    ) -> Ints:
        """Look up the index of each row's id; -1 for an unknown one that may be skipped."""
        found = np.array([known.get(id, -1) for id in ids], dtype=np.int64)
        missing = np.flatnonzero(found < 0)
        if len(missing) and not skip:
            row = int(missing[0])
            raise InputError(
                f"{rows.where(row)}: the data set has no {what} {ids[row]!r} ({len(missing)} such rows); "
                'mend the file, or leave them out with unknown = "skip"'
            )
        if len(missing):
            self.skipped[f"unknown {what}"] = len(missing)
        return found


def _read_rows(path: Path, options: ScoredOptions) -> ScoredRows:
    if path.suffix in RUNS:
        return _read_run(path)
    if path.suffix not in (*DELIMITERS, ".parquet"):
        known = ", ".join((*DELIMITERS, ".parquet", *RUNS))
        raise InputError(f"{path}: scored lists end in {known}; rename the file to what it is")
    file = TableFile(file=path.name, separator=DELIMITERS.get(path.suffix, ","))
    table = read_table(file, path, (options.user, options.item, options.score))
    users, items = (table.ids(name).to_pylist() for name in (options.user, options.item))
    return ScoredRows(users, items, table.numbers(options.score), table.where)


def _read_run(path: Path) -> ScoredRows:
    found = list(read_rows(path, "run", "user Q0 item rank score tag"))
    places, rows = [place for place, _ in found], [row for _, row in found]
    scores = np.array([read_score(row[4], place) for place, row in found], dtype=np.float64)
    return ScoredRows([row[0] for row in rows], [row[2] for row in rows], scores, places.__getitem__)
