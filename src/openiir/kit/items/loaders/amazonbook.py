"""Loader of Amazon-Book as prepared for KGAT (Wang et al., KDD 2019): purchases of books without ratings."""

from pathlib import Path

import numpy as np

from openiir.core.files import read_text
from openiir.kit.arrays import Ints
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.loaders.interactions import (
    USUAL,
    Interactions,
    RowRules,
    implicit_value,
    index_ratings,
)
from openiir.kit.items.ratings import Ratings, Scale
from openiir.kit.items.splits import Split
from openiir.kit.items.table_files import digest_of, read_separated
from openiir.plugin import InputError

FILES = ("item_list.txt", "test.txt", "train.txt")
LICENCE = (
    "KGAT repository: MIT; the interactions come from Amazon reviews (McAuley, UCSD), which are for research"
)


def amazon_book(folder: Path, rules: RowRules = USUAL) -> DataSet:
    """Load the data set from a folder with train.txt, test.txt and item_list.txt.

    Books are identified by ASIN, which also is their title. Every interaction has the value `implicit_value`
    of the scale, 4. The publisher's split is kept as `published`, without a validation fold. Raises
    InputError for files that are not as published.
    """
    import pyarrow as pa

    books = read_separated(folder / "item_list.txt", " ", wanted=("org_id", "remap_id"))
    ids = tuple(books.ids("org_id").to_pylist())
    train, test = (_read_interactions(folder / name) for name in ("train.txt", "test.txt"))
    user, item, line = (np.concatenate(columns) for columns in zip(train, test, strict=True))

    def where(at: int) -> str:
        return f"{folder / ('train.txt' if at < len(train[0]) else 'test.txt')}, row {line[at]}"

    value = np.full(len(user), implicit_value(Scale()))
    rows = Interactions(pa.array(user).cast(pa.string()), pa.array(item).cast(pa.string()), value, where)
    found = index_ratings(rows, None, books.ids("remap_id").to_pylist(), Scale(), rules)
    return DataSet(
        name="amazon-book",
        collection=Collection(kind="book", ids=ids, titles=ids),
        ratings=found.ratings,
        users=found.users,
        skipped=found.skipped,
        published=_published_split(found.ratings, found.users, user[: len(train[0])], item[: len(train[0])]),
        digest=digest_of([folder / file for file in FILES]),
        licence=LICENCE,
    )


def _read_interactions(path: Path) -> tuple[Ints, Ints, Ints]:
    """Read the user, item and row number of each interaction from lines of `user item item ...`."""
    lines = [line.split() for line in read_text(path).split("\n")]
    sizes = np.array([max(len(line) - 1, 0) for line in lines])
    try:
        users = np.array([line[0] if line else -1 for line in lines], dtype=np.int64)
        items = np.array([item for line in lines for item in line[1:]], dtype=np.int64)
    except (ValueError, OverflowError):
        fits = [all(word.isdecimal() and len(word) < 19 for word in line) for line in lines]
        where = f"{path}, row {fits.index(False) + 1}"
        raise InputError(
            f"{where}: a row is a user's number and the numbers of items; mend that row"
        ) from None
    return np.repeat(users, sizes), items, np.repeat(np.arange(1, len(lines) + 1), sizes)


def _published_split(ratings: Ratings, users: tuple[str, ...], user: Ints, item: Ints) -> Split:
    """Split the ratings as published: training is what train.txt holds, the rest is test."""
    numbers = np.array([int(id) for id in users], dtype=np.int64)
    width = int(max(item.max(initial=0), ratings.items)) + 1
    trained = np.sort(np.append(user * width + item, -1))
    pairs = numbers[ratings.user] * width + ratings.item
    in_train = trained[np.searchsorted(trained, pairs, side="right") - 1] == pairs
    none = np.zeros(len(ratings), dtype=np.bool_)
    return Split(*(ratings.select(rows) for rows in (in_train, none, ~in_train)))
