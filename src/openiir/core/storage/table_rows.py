"""Buffered rows of one table in one step, added by rows or by columns."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import InputError
from openiir.core.grid import round_array, round_floats
from openiir.core.storage.columns import column_hash, logical_type, table_hash
from openiir.core.sums import int_sum

Column = NDArray[Any] | Sequence[str] | str | float | bool
"""Column values: an array of bool, integers or floats, a sequence of texts, or one value for all rows."""


class TableRows:
    """Buffer of a table's rows that are not yet written, convertible to an Arrow table or a hash."""

    def __init__(self, table: str) -> None:
        self.table = _check_name("table", table, f"the table {table!r}")
        self._pieces: list[Any] = []
        """Rows as lists of dictionaries or as Arrow tables, in the order added."""
        self._hash: str | None = None

    def add_row(self, values: Mapping[str, Any]) -> None:
        """Append one row, its floats rounded; column types are inferred later, on conversion."""
        self._join([[round_floats(dict(values))]])

    def add_columns(self, columns: Mapping[str, Column]) -> None:
        """Append rows as columns of equal length, floats rounded; arrays that may still change are copied.

        Raises InputError naming the table and the column.
        """
        import pyarrow as pa

        if not columns:
            raise InputError(f"the table {self.table!r} is given no columns; give it one at least")
        alike = {
            name: round_floats(one) for name, one in columns.items() if isinstance(one, (str, int, float))
        }
        if len(alike) == len(columns):
            raise InputError(f"the table {self.table!r} is given one value a column; give one column in full")
        taken = {name: self._to_arrow(name, values) for name, values in columns.items() if name not in alike}
        rows = len(next(iter(taken.values())))
        repeated = {name: pa.repeat(pa.scalar(one), rows) for name, one in alike.items()}
        arrays = {name: repeated[name] if name in alike else taken[name] for name in columns}
        for name in alike:
            _check_name("column", name, f"the table {self.table!r}")
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name} {n}" for name, n in lengths.items())
            raise InputError(
                f"the table {self.table!r}: its columns differ in length ({told}); give all the same"
            )
        self._join([pa.table(arrays)])

    def join(self, other: "TableRows") -> None:
        """Append the rows of another buffer of the same table."""
        self._join([list(piece) if isinstance(piece, list) else piece for piece in other._pieces])

    def _join(self, pieces: list[Any]) -> None:
        self._hash = None
        for piece in pieces:
            if isinstance(piece, list) and self._pieces and isinstance(self._pieces[-1], list):
                self._pieces[-1] += piece
            else:
                self._pieces.append(piece)

    def __len__(self) -> int:
        return int_sum(len(piece) for piece in self._pieces)

    def arrow(self) -> Any:
        """Convert all rows to one Arrow table; raises InputError if columns or types differ between rows."""
        import pyarrow as pa

        tables = [self._infer_table(piece) if isinstance(piece, list) else piece for piece in self._pieces]
        types: dict[str, str] = {}
        for table in tables:
            types = merge_types(self.table, types, types_of(self.table, table.schema))
        if len(tables) > 1:
            names = tables[0].column_names
            tables = [table.select(names) for table in tables]
            alike = all(table.schema.equals(tables[0].schema) for table in tables)
            tables = [pa.concat_tables(tables, promote_options="none" if alike else "permissive")]
        self._pieces = tables
        return tables[0] if tables else pa.table({})

    def digest(self) -> str:
        """Hash the rows, column by column; raises InputError as `arrow` does."""
        if self._hash is None:
            table = self.arrow()
            hashes = {}
            for name in table.column_names:
                try:
                    hashes[name] = column_hash(name, table[name])
                except (TypeError, ValueError) as error:
                    raise self._column_error(name, str(error)) from error
            self._hash = table_hash(hashes, len(table))
        return self._hash

    def _infer_table(self, rows: list[dict[str, Any]]) -> Any:
        import pyarrow as pa

        first = rows[0].keys()
        for row in rows:
            for name in sorted(first ^ row.keys()):
                raise InputError(
                    f"the table {self.table!r}: some rows have a column {name!r} and some have not; give "
                    "every row the same columns, None where there is no value"
                )
        arrays = {}
        for name in first:
            _check_name("column", name, f"the table {self.table!r}")
            try:
                arrays[name] = pa.array([row[name] for row in rows])
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                raise self._column_error(name, str(error)) from error
        return pa.table(arrays)

    def _to_arrow(self, name: str, values: Column) -> Any:
        import pyarrow as pa

        _check_name("column", name, f"the table {self.table!r}")
        array = np.asarray(values, dtype=None if isinstance(values, np.ndarray) else object)
        if array.ndim != 1 or isinstance(values, np.ma.MaskedArray):
            raise self._column_error(name, f"it is given {type(values).__name__} of {array.ndim} dimensions")
        kind = array.dtype.kind
        if kind in "OUT":
            try:
                return pa.array(array if kind == "U" else array.tolist(), pa.string())
            except (pa.ArrowException, TypeError, ValueError) as error:
                raise self._column_error(name, str(error)) from error
        if kind not in "biu" and array.dtype.newbyteorder("=") not in (np.float32, np.float64):
            raise self._column_error(name, f"it is given {array.dtype}")
        native = round_array(array.astype(array.dtype.newbyteorder("="), order="C", copy=False))
        copy = np.may_share_memory(native, array) and _may_change(array)
        return pa.array(native.copy() if copy else native, from_pandas=False)

    def _column_error(self, name: str, why: str) -> InputError:
        return InputError(
            f"the table {self.table!r}, column {name!r}: {' '.join(why.split())[:200]}; a column holds "
            "values of one type: bool, integers, float32 or float64, or text"
        )


def types_of(table: str, schema: Any) -> dict[str, str]:
    """Return the logical type of each column; raises InputError for unsupported types."""
    types = {field.name: logical_type(field.type) for field in schema}
    for name, kind in types.items():
        if kind is None:
            raise InputError(
                f"the table {table!r}, column {name!r} holds {schema.field(name).type}; a column holds bool, "
                "integers, float32 or float64, text, or lists and tables of these"
            )
    return {name: kind for name, kind in types.items() if kind is not None}


def merge_types(table: str, known: Mapping[str, str], found: Mapping[str, str]) -> dict[str, str]:
    """Merge the column types known so far (none at first) with the types of further rows.

    Raises InputError where these have other columns or types; a column of missing values alone agrees with
    any.
    """
    if not known:
        return dict(found)
    for name in sorted(known.keys() ^ found.keys()):
        before, now = ("has", "lacks") if name in known else ("lacks", "has")
        raise InputError(
            f"the table {table!r} {before} the column {name!r} in earlier rows and {now} it in later ones; "
            "a table has the same columns throughout"
        )
    merged = {}
    for name, before in known.items():
        now = found[name]
        if "null" not in (before, now) and before != now:
            raise InputError(
                f"the table {table!r}, column {name!r} holds {before} in earlier rows and {now} in later "
                "ones; a column has the same type throughout"
            )
        merged[name] = now if before == "null" else before
    return merged


def _check_name(what: str, name: str, where: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII):
        raise InputError(f"{where}: {name!r} is no name of a {what}; use letters, digits and _ alone")
    return name


def _may_change(array: NDArray[Any]) -> bool:
    """Whether an array's memory can still be written to."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return True
        owner = owner.base
    return owner is not None
