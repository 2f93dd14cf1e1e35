"""Load a data set from any CSV, Parquet or JSON files, by a map of their columns."""

from pathlib import Path

import numpy as np
from pydantic import model_validator

from openiir.kit.items.collection import TEXTS, Collection, Kind
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.enrichment import Enrichment, read_item_columns, rows_by_id
from openiir.kit.items.loaders.interactions import (
    USUAL,
    Interactions,
    RowRules,
    encode_ids,
    implicit_value,
    index_ratings,
)
from openiir.kit.items.ratings import Ratings, Scale
from openiir.kit.items.table_files import TableFile, digest_of, read_table
from openiir.plugin import int_sum


class RatingColumns(TableFile):
    """A file with one rating in a row, and a map of its columns."""

    user: str
    """Column with the id of the user."""
    item: str
    """Column with the id of the item."""
    rating: str = ""
    """Name of the column of ratings. Left out, every row is an interaction without a rating, whose value is
    three quarters up the scale (4 of 5)."""
    time: str = ""
    """Name of a column of numbers that grow with time. It decides which of several ratings of an item by one
    user is the last."""
    scale: tuple[float, float, float] = (1.0, 5.0, 1.0)
    """Lowest rating, highest rating, and the step between two ratings."""

    @model_validator(mode="after")
    def _a_scale(self) -> "RatingColumns":
        low, high, step = self.scale
        if not (low < high and step > 0):
            raise ValueError(
                "scale needs a lowest and a higher highest rating, and a step above 0, such as [1, 5, 1]"
            )
        return self

    def column_names(self) -> list[str]:
        """List the columns to read from the file."""
        return [column for column in (self.user, self.item, self.rating, self.time) if column]


def from_columns(
    name: str,
    kind: Kind,
    ratings: RatingColumns,
    ratings_file: Path,
    items: Enrichment | None = None,
    items_file: Path | None = None,
    rules: RowRules = USUAL,
) -> DataSet:
    """Build a data set from a file of ratings and, if there is one, a file of items.

    Without a file of items, they are those rated, in order of row, and an id is its own title. The file of
    items may be that of the ratings: an item is then what its first row says. Raises InputError for bad rows.
    """
    table = read_table(ratings, ratings_file, ratings.column_names())
    scale = Scale(*ratings.scale)
    values = table.numbers(ratings.rating) if ratings.rating else np.full(len(table), implicit_value(scale))
    time = table.numbers(ratings.time) if ratings.time else None
    rows = Interactions(table.ids(ratings.user), table.ids(ratings.item), values, table.where, time)
    collection, untitled = None, 0
    if items is not None and items_file is not None:
        collection, untitled = _collection(kind, items, items_file, several=items_file == ratings_file)
    found = index_ratings(rows, None, None if collection is None else collection.ids, scale, rules)
    files = {ratings_file, *([items_file] if items_file else [])}
    return DataSet(
        name=name,
        collection=collection or Collection(kind=kind, ids=found.items, titles=found.items),
        ratings=found.ratings,
        users=found.users,
        skipped=found.skipped,
        digest=digest_of(sorted(files)),
        untitled=untitled,
    )


def from_items(name: str, kind: Kind, items: Enrichment, path: Path) -> DataSet:
    """Build a data set without ratings from a file of items. Raises InputError for bad rows."""
    collection, untitled = _collection(kind, items, path, several=False)
    index = np.empty(0, dtype=np.int64)
    ratings = Ratings(users=0, items=len(collection), user=index, item=index, value=np.empty(0))
    return DataSet(
        name=name,
        collection=collection,
        ratings=ratings,
        users=(),
        digest=digest_of([path]),
        untitled=untitled,
    )


def _collection(kind: Kind, items: Enrichment, path: Path, several: bool) -> tuple[Collection, int]:
    """Read a collection from a file of items, with the number of empty titles.

    With `several`, an item may have several rows, of which the first counts.
    """
    table = read_table(items, path, items.column_names())
    if several:
        found_ids, ids = encode_ids(table.ids(items.key))
        rows = np.unique(found_ids, return_index=True)[1].tolist()
    else:
        row_of = rows_by_id(table, items.key)
        ids, rows = tuple(row_of), [*row_of.values()]
    found = read_item_columns(items, table, rows)
    given = found.texts.get("titles", ids)
    titles = tuple(title or id for title, id in zip(given, ids, strict=True))
    texts = {name: found.texts.get(name, ()) for name in TEXTS}
    return Collection(kind=kind, ids=ids, titles=titles, attributes=found.attributes, **texts), int_sum(
        not title for title in given
    )
