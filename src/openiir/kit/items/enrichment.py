"""Enrichment: join attributes and texts of items (directors, plots, posters) to a collection by item id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import model_validator

from openiir.kit.items.dataset import DataSet
from openiir.kit.items.table_files import FileTable, TableFile, digest_of, read_table
from openiir.plugin import InputError, int_sum

UNKNOWN = frozenset({"", "N/A", "n/a", "NA", "NULL", "null", "None", "nan"})
"""Cell values that stand for a missing value."""
_TEXTS = {
    "title": "titles",
    "summary": "summaries",
    "description": "descriptions",
    "caption": "captions",
    "image": "images",
}


class Enrichment(TableFile):
    """A file with further attributes or texts, one row per item, and a map of its columns."""

    key: str
    """Name of the column of item ids, as the data set has them."""
    attributes: dict[str, str] = {}
    """Column name of each attribute (genre, director, actor, year, author, ...)."""
    lists: dict[str, str] = {}
    """Separator of each attribute that has several values in a cell, such as "|" or ", "."""
    title: str = ""
    """Name of the column of titles."""
    summary: str = ""
    """Name of the column with one sentence on each item."""
    description: str = ""
    """Name of the column with two or three sentences on each item."""
    caption: str = ""
    """Name of the column that describes each item's picture in words."""
    image: str = ""
    """Name of the column with the picture's file, relative to the study, or its URL."""

    @model_validator(mode="after")
    def _lists_of_attributes(self) -> "Enrichment":
        for name in self.lists:
            if name not in self.attributes:
                raise ValueError(f"lists names {name!r}, which attributes does not; name its column there")
        return self

    def column_names(self) -> list[str]:
        """List the columns to read from the file."""
        texts = (getattr(self, name) for name in _TEXTS)
        return [self.key, *self.attributes.values(), *(column for column in texts if column)]


def enrich(data: DataSet, enrichment: Enrichment, path: Path) -> DataSet:
    """Join the attributes and texts in the file at `path` to the items of a data set.

    An attribute or a text that is there already stays for the items of which the file says nothing. Items
    without a row, or with an empty field, are kept and counted in `notes`. Raises InputError for a file that
    cannot be read, and for one that has no row for any item or two rows for one.
    """
    table = read_table(enrichment, path, enrichment.column_names())
    row_of = rows_by_id(table, enrichment.key)
    rows = [row_of.get(id) for id in data.collection.ids]
    if all(row is None for row in rows):
        raise InputError(
            f"{path}: none of its {len(table)} values of {enrichment.key} is an item of {data.name}; "
            "name the column that has the data set's own ids"
        )
    old = data.collection
    new = read_item_columns(enrichment, table, rows)

    def fill(column: Sequence[Any], known: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(now or then for now, then in zip(column, known or column, strict=True))

    changed = {name: fill(column, old.attributes.get(name, ())) for name, column in new.attributes.items()}
    texts: dict[str, Any] = {name: fill(column, getattr(old, name)) for name, column in new.texts.items()}
    missing = int_sum(row is None for row in rows)
    return replace(
        data,
        collection=replace(old, attributes={**old.attributes, **changed}, **texts),
        digest=sha256(f"{data.digest} {digest_of([path])}".encode()).hexdigest(),
        missing={**data.missing, path.name: missing} if missing else data.missing,
    )


def enrich_where_found(data: DataSet, enrichments: Sequence[Enrichment], folder: Path) -> DataSet:
    """Join each enrichment whose file exists in the folder."""
    for one in enrichments:
        if (folder / one.file).is_file():
            data = enrich(data, one, folder / one.file)
    return data


def rows_by_id(table: FileTable, key: str) -> Mapping[str, int]:
    """Map item ids to row numbers. Raises InputError for an id that occurs twice."""
    rows: dict[str, int] = {}
    for n, id in enumerate(table.ids(key).to_pylist()):
        if id in rows:
            raise InputError(
                f"{table.where(n)}: the item {id!r} stands in row "
                f"{table.where(rows[id]).rpartition(' ')[2]} already; keep one row an item"
            )
        rows[id] = n
    return rows


class ItemColumns(NamedTuple):
    """Attributes and texts of a collection's items, by column name."""

    attributes: dict[str, tuple[tuple[str, ...], ...]]
    texts: dict[str, tuple[str, ...]]


def read_item_columns(enrichment: Enrichment, table: FileTable, rows: Sequence[int | None]) -> ItemColumns:
    """Read attributes and texts of items from a file.

    `rows` holds the row of each item, None for an item without one.
    """
    found = ItemColumns({}, {})
    for name, column in enrichment.attributes.items():
        values = table.lists(column, enrichment.lists.get(name, ""))
        known = {
            several: tuple(dict.fromkeys(v for v in several if v not in UNKNOWN)) for several in {*values}
        }
        found.attributes[name] = tuple(() if row is None else known[values[row]] for row in rows)
    for one, many in _TEXTS.items():
        if column := getattr(enrichment, one):
            texts = [text.strip() for text in table.texts(column).to_pylist()]
            found.texts[many] = tuple(
                "" if row is None or texts[row] in UNKNOWN else texts[row] for row in rows
            )
    return found
