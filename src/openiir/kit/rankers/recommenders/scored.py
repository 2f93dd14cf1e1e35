"""A recommender read from a file: lists of (user, item, score) that another program made."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from openiir.kit.items import Collection, Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, Record, read_text

DELIMITERS = {".csv": ",", ".tsv": "\t"}
RUNS = (".run", ".trec", ".txt")
"""Files in the form of TREC runs: topic (the user), Q0, document (the item), rank, score and tag, between blanks."""


class ScoredOptions(Record):
    """Options of `file:PATH`; the columns are those of a CSV, TSV or Parquet file."""

    user: str = "user"
    item: str = "item"
    score: str = "score"
    unknown: Literal["error", "skip"] = "error"
    """Whether a user or item that the data set lacks is an error, or is left out and counted."""
    least: int = Field(default=0, ge=0)
    """Every user of the data set has at least so many items; 0 asks nothing."""


class ScoredLists:
    """What the file says; what it does not name is never recommended. Fitting changes nothing.

    `.csv` and `.tsv` have a header, `.parquet` columns of the same names; `.run`, `.trec` and `.txt` are TREC runs, whose
    ranks are passed over for their scores.
    """

    def __init__(
        self, path: Path, options: ScoredOptions, collection: Collection, users: Sequence[str]
    ) -> None:
        self.name = f"file:{path}"
        self.skipped: dict[str, int] = {}
        """Rows left out, by reason; and `users without a list`."""
        named, items, scores, first = _read(path, options)
        user = self._indices(path, options, first, "user", named, {id: n for n, id in enumerate(users)})
        item = self._indices(path, options, first, "item", items, collection.index)
        self._matrix = self._checked(
            path, options, first, (user, item, scores), (len(users), len(collection)), users
        )

    def fit(self, train: Ratings) -> None:
        """Nothing is learnt: the lists are what they are."""

    def scores(self, users: Ints) -> Floats:
        rows = self._matrix[users]
        found = np.full(rows.shape, -np.inf)
        found[np.repeat(np.arange(len(users)), np.diff(rows.indptr)), rows.indices] = rows.data
        return found

    def _indices(
        self, path: Path, options: ScoredOptions, first: int, what: str, ids: Sequence[str], known: Any
    ) -> Ints:
        """The index of each row's id, -1 where there is none and rows may be skipped."""
        found = np.array([known.get(id, -1) for id in ids], dtype=np.int64)
        missing = np.flatnonzero(found < 0)
        if len(missing) and options.unknown == "error":
            row = int(missing[0])
            raise InputError(
                f"{path}, row {row + first}: the data set has no {what} {ids[row]!r} ({len(missing)} such rows); "
                'mend the file, or leave them out with unknown = "skip"'
            )
        if len(missing):
            self.skipped[f"unknown {what}"] = len(missing)
        return found

    def _checked(
        self,
        path: Path,
        options: ScoredOptions,
        first: int,
        columns: tuple[Ints, Ints, Floats],
        shape: tuple[int, int],
        users: Sequence[str],
    ) -> Any:
        from scipy.sparse import csr_array

        user, item, scores = columns
        kept = np.flatnonzero((user >= 0) & (item >= 0))
        if len(wrong := kept[~np.isfinite(scores[kept])]):
            raise InputError(
                f"{path}, row {wrong[0] + first}: the score is {scores[wrong[0]]}; give a finite number"
            )
        if (row := _repeated(user[kept] * shape[1] + item[kept])) is not None:
            raise InputError(
                f"{path}, row {kept[row] + first}: user {users[user[kept[row]]]!r} has this item already; "
                "a list holds each item once"
            )
        lengths = np.bincount(user[kept], minlength=shape[0])
        if len(short := np.flatnonzero(lengths < options.least)):
            raise InputError(
                f"{path}: user {users[short[0]]!r} has {lengths[short[0]]} items, fewer than least = {options.least} "
                f"({len(short)} such users); write longer lists, or ask for fewer"
            )
        if without := int((lengths == 0).sum()):
            self.skipped["users without a list"] = without
        return csr_array((scores[kept], (user[kept], item[kept])), shape=shape)


def _repeated(pairs: Ints) -> int | None:
    """The first place at which a pair stands that stood before."""
    order = np.argsort(pairs, kind="stable")
    again = order[1:][pairs[order[1:]] == pairs[order[:-1]]]
    return int(again.min()) if len(again) else None


def _read(path: Path, options: ScoredOptions) -> tuple[list[str], list[str], NDArray[np.float64], int]:
    """Users, items and scores as the file has them, and the number of its first row as people count."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file of scored lists")
    if path.suffix in RUNS:
        return _read_run(path)
    if path.suffix in DELIMITERS:
        table, first = _read_delimited(path), 2
    elif path.suffix == ".parquet":
        table, first = _read_parquet(path), 1
    else:
        known = ", ".join((*DELIMITERS, ".parquet", *RUNS))
        raise InputError(f"{path}: scored lists end in {known}; rename the file to what it is")
    for name in (options.user, options.item, options.score):
        if name not in table.column_names:
            raise InputError(
                f"{path}: there is no column {name!r}, only {', '.join(table.column_names)}; name the columns by the "
                "options user, item and score"
            )
    users, items = (_texts(path, table, name, first) for name in (options.user, options.item))
    return users, items, _numbers(path, table.column(options.score).to_pylist(), first), first


def _read_delimited(path: Path) -> Any:
    from pyarrow import ArrowInvalid, csv, string

    parsing = csv.ParseOptions(delimiter=DELIMITERS[path.suffix])
    try:
        header = csv.open_csv(path, parse_options=parsing).schema.names
        converting = csv.ConvertOptions(
            column_types=dict.fromkeys(header, string()), strings_can_be_null=False
        )
        return csv.read_csv(path, parse_options=parsing, convert_options=converting)
    except ArrowInvalid as error:
        raise InputError(f"{path}: cannot be read as {path.suffix[1:].upper()} ({error}); mend it") from None


def _read_parquet(path: Path) -> Any:
    from pyarrow import ArrowInvalid, parquet

    try:
        return parquet.read_table(path)
    except ArrowInvalid as error:
        raise InputError(f"{path}: cannot be read as Parquet ({error}); write it anew") from None


def _read_run(path: Path) -> tuple[list[str], list[str], NDArray[np.float64], int]:
    users, items, scores = [], [], []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        fields = line.split()
        if len(fields) != 6:
            raise InputError(
                f"{path}, row {number}: a TREC run has six fields (user, Q0, item, rank, score, tag), not {len(fields)}"
            )
        users.append(fields[0])
        items.append(fields[2])
        scores.append(fields[4])
    return users, items, _numbers(path, scores, 1), 1


def _texts(path: Path, table: Any, name: str, first: int) -> list[str]:
    values = table.column(name).to_pylist()
    if None in values:
        raise InputError(f"{path}, row {values.index(None) + first}: {name} is empty; give an id")
    return [value if isinstance(value, str) else str(value) for value in values]


def _numbers(path: Path, values: Sequence[Any], first: int) -> NDArray[np.float64]:
    found = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            found[row] = float(value)
        except (TypeError, ValueError):
            raise InputError(f"{path}, row {row + first}: {value!r} is no score; give a number") from None
    return found
