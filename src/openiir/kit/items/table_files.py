"""Read tables (CSV, Parquet, JSON, JSONL) into columns; errors name file and row."""

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from openiir.core.files import check_column_count, check_size, read_bytes, read_json, read_text
from openiir.kit.arrays import Floats
from openiir.plugin import ConfigTable, InputError, parse_json

_BATCH, _LEAST = 4096, 4
"""Number of rows of a Parquet file read at a time, and smallest number of bytes counted for a value."""
_ONE_SIGN = "\x1f"
"""Character that replaces a separator of several bytes, since the CSV reader accepts only one byte."""
_QUOTED = (",", ";")
"""Separators of files whose values may stand in double quotes."""


class TableFile(ConfigTable):
    """A table in a file: Parquet, JSON or JSONL by its ending, else text with a separator."""

    file: str
    """Path of the file, relative to the study, or `$OPENIIR_DATA/...`."""
    separator: str = Field(",", min_length=1, max_length=8, examples=[";"])
    """Separator of one or several characters, such as "," or "::". Double quotes have a meaning only with ","
    and ";"."""
    encoding: str = Field("utf-8", examples=["latin-1"])
    """Encoding of the file's text."""
    names: tuple[str, ...] = ()
    """Names of the columns, for a file whose first row does not hold them."""


@dataclass(frozen=True, eq=False)
class FileTable:
    """Columns read from a file, with the file and row of each value for error messages."""

    file: Path
    columns: Mapping[str, Any]
    """Arrow arrays by column name."""
    lines: "_Lines | None"
    """Parsed text file behind the columns; None for Parquet and JSON."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def where(self, index: int) -> str:
        """Describe file and row of a value for an error message (rows from 1, header included)."""
        row = index + 1 if self.lines is None else self.lines.row_of(index)
        return f"{self.file}, row {row}"

    def texts(self, name: str) -> Any:
        """Read a column as an Arrow array of strings; missing values become empty strings."""
        import pyarrow as pa
        import pyarrow.compute as pc

        # A bare "" would load pandas.
        return pc.fill_null(self.columns[name].cast(pa.string()), pa.scalar(""))

    def ids(self, name: str) -> Any:
        """Read a column of ids as strings. Raises InputError for a row without one."""
        import pyarrow.compute as pc

        found = self.texts(name)
        empty = pc.index(found, "").as_py()
        if empty >= 0:
            raise InputError(f"{self.where(empty)}: {name} is empty; give the row an id, or take it out")
        return found

    def numbers(self, name: str) -> Floats:
        """Read a column of numbers. Raises InputError naming the first row that holds none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self.columns[name]
        try:
            if pa.types.is_string(column.type):
                column = pc.utf8_trim_whitespace(column)
            found = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
        except pa.ArrowInvalid:
            found = np.array([_number(text) for text in self.texts(name).to_pylist()])
        bad = np.flatnonzero(~np.isfinite(found))
        if len(bad):
            value = self.texts(name)[int(bad[0])].as_py()
            raise InputError(
                f"{self.where(int(bad[0]))}: {name} = {value!r} is no number; mend that row or take it out"
            )
        return found

    def lists(self, name: str, separator: str = "") -> list[tuple[str, ...]]:
        """Read a column with several values in a cell: a Parquet list, or text split at the separator."""
        import pyarrow as pa

        if pa.types.is_list(self.columns[name].type) or pa.types.is_large_list(self.columns[name].type):
            return [
                tuple(str(v) for v in found or () if v is not None)
                for found in self.columns[name].to_pylist()
            ]
        texts = self.texts(name).to_pylist()
        values = {
            text: tuple(filter(None, map(str.strip, text.split(separator) if separator else (text,))))
            for text in dict.fromkeys(texts)
        }
        return [values[text] for text in texts]


def read_table(table: TableFile, path: Path, wanted: Sequence[str] | None = None) -> FileTable:
    """Read the wanted columns (all by default) of the file at `path`.

    Raises InputError for a file that is missing, in another encoding, or without a wanted column, and for a
    row with too few or too many fields.
    """
    if path.suffix == ".parquet":
        return _read_parquet(path, wanted)
    if path.suffix in (".json", ".jsonl"):
        return _read_json(path, table.encoding, wanted)
    lines = _Lines(table, path, read_text(path, table.encoding))
    chosen = _choose_columns(lines.names, wanted, path)
    return FileTable(path, {name: lines.columns[name] for name in chosen}, lines)


def read_separated(
    path: Path,
    separator: str,
    names: tuple[str, ...] = (),
    encoding: str = "utf-8",
    wanted: Sequence[str] | None = None,
) -> FileTable:
    """Read the wanted columns of a publisher's text file, by its separator and column names.

    Errors are those of `read_table`.
    """
    return read_table(
        TableFile(file=path.name, separator=separator, names=names, encoding=encoding), path, wanted
    )


def digest_of(files: Sequence[Path]) -> str:
    """Compute the SHA-256 hash over the names and contents of files, in order of name."""
    whole = hashlib.sha256()
    for path in sorted(files, key=lambda path: (path.name, str(path))):
        whole.update(path.name.encode() + b"\0" + hashlib.sha256(read_bytes(path)).digest())
    return whole.hexdigest()


class _Lines:
    """A parsed text file: its rows, and its columns as Arrow arrays."""

    def __init__(self, table: TableFile, path: Path, text: str) -> None:
        self.table, self.path, self.text = table, path, text
        self.quoted = table.separator in _QUOTED
        self.names = table.names or self._header()
        self.columns = self._columns()

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Iterate over non-empty rows with their row numbers, header included.

        Slow: only for the header and error messages.
        """
        rows: Iterable[list[str]]
        if self.quoted:
            # A field may be the whole file.
            csv.field_size_limit(max(csv.field_size_limit(), min(len(self.text), 2**31 - 1)))
            rows = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.table.separator)
        else:
            lines = (line.removesuffix("\r") for line in self.text.split("\n"))
            rows = (line.split(self.table.separator) if line.strip("\r") else [] for line in lines)
        yield from ((n, row) for n, row in enumerate(rows, 1) if row)

    def row_of(self, index: int) -> int:
        """Find the row number of an index of the columns."""
        index += not self.table.names
        return next(row for n, (row, _) in enumerate(self.rows()) if n == index)

    def _header(self) -> tuple[str, ...]:
        names = next((tuple(name.strip() for name in row) for _, row in self.rows()), ())
        if not names:
            raise InputError(f"{self.path} is empty; it needs a first row with the names of its columns")
        check_column_count(self.path, len(names))
        if len(set(names)) < len(names):
            raise InputError(f"{self.path} has two columns of one name ({', '.join(names)}); rename one")
        return names

    def _columns(self) -> dict[str, Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow

        sign = self.table.separator if len(self.table.separator.encode()) == 1 else _ONE_SIGN
        data = self.text.replace(self.table.separator, sign).encode()
        if not any(data.strip()):
            return dict.fromkeys(self.names, pa.array([], pa.string()))
        quote = '"' if self.quoted else False
        try:
            found = arrow.read_csv(
                pa.BufferReader(data),
                arrow.ReadOptions(
                    use_threads=False, column_names=self.names, block_size=min(len(data) + 1, 1 << 30)
                ),
                arrow.ParseOptions(delimiter=sign, quote_char=quote, newlines_in_values=self.quoted),
                arrow.ConvertOptions(
                    column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid as error:
            raise self._mistake(str(error)) from None
        first = 0 if self.table.names else 1
        return {name: found.column(name).slice(first) for name in self.names}

    def _mistake(self, reason: str) -> InputError:
        for number, row in self.rows():
            if len(row) != len(self.names):
                return InputError(
                    f"{self.path}, row {number}: {len(row)} fields where there are {len(self.names)} "
                    f"columns ({', '.join(self.names)}), separated by {self.table.separator!r}; mend that "
                    "row or the separator"
                )
        return InputError(
            f"{self.path} cannot be read as rows separated by {self.table.separator!r}: {reason}; mend it"
        )


def _read_parquet(path: Path, wanted: Sequence[str] | None) -> FileTable:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(read_bytes(path)), pre_buffer=False)
        check_column_count(path, file.metadata.num_columns)
        chosen = _choose_columns(tuple(file.schema_arrow.names), wanted, path)
        check_size(path, file.metadata.num_rows * len(chosen) * _LEAST)
        batches, size = [], 0
        for batch in file.iter_batches(_BATCH, columns=list(chosen), use_threads=False):
            size += batch.nbytes  # a few bytes on the disk may stand for any number of rows and letters
            check_size(path, size)
            batches.append(batch)
        found = pa.Table.from_batches(
            batches,
            batches[0].schema if batches else file.read(columns=list(chosen), use_threads=False).schema,
        )
        found.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} is no Parquet file that can be read: {error}; write it anew, or name a CSV file"
        ) from None
    return FileTable(path, {name: found.column(name) for name in chosen}, None)


def _read_json(path: Path, encoding: str, wanted: Sequence[str] | None) -> FileTable:
    """Read a JSON object of records by id, a list of records, or JSONL, with one record a line.

    The keys of an object become the column `id`.
    """
    import pyarrow as pa

    if path.suffix == ".json":
        found = read_json(path, encoding)
    else:
        lines = enumerate(read_text(path, encoding, "json_bytes").split("\n"), 1)
        found = [parse_json(line, f"{path}, row {n}") for n, line in lines if line.strip()]
    if not isinstance(found, dict | list):
        raise InputError(
            f"{path} is neither an object of records by id nor a list of records; write it as one of these"
        )
    records = list(found.values()) if isinstance(found, dict) else found
    if (strange := next((n for n, record in enumerate(records, 1) if not isinstance(record, dict)), 0)) > 0:
        raise InputError(f"{path}: record {strange} is no object; give each item its fields by name")
    names = list(dict.fromkeys(name for record in records for name in record))
    if isinstance(found, dict):
        if "id" in names:
            raise InputError(
                f"{path}: its records have a field 'id' of their own beside the ids they stand under; take "
                "one away"
            )
        names, records = ["id", *names], [{"id": id, **record} for id, record in found.items()]
    columns = {}
    for name in _choose_columns(names, wanted, path):
        values = [record.get(name) for record in records]
        cells = [_texts_in(value, f"{path}, record {n}: {name}") for n, value in enumerate(values, 1)]
        if any(isinstance(value, list) for value in values):
            columns[name] = pa.array(cells, pa.list_(pa.string()))
        else:
            columns[name] = pa.array([cell[0] if cell else None for cell in cells], pa.string())
    return FileTable(path, columns, None)


def _texts_in(value: Any, where: str) -> list[str]:
    """Convert a JSON value, or each in a list, to text; without null."""
    parts = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(part, str | int | float) for part in parts if part is not None):
        raise InputError(f"{where} is neither a text, a number nor a list of these; mend that record")
    return [str(part) for part in parts if part is not None]


def _choose_columns(names: Sequence[str], wanted: Sequence[str] | None, path: Path) -> Sequence[str]:
    if wanted is None:
        return names
    for name in wanted:
        if name not in names:
            raise InputError(f"{path} has no column {name!r}; it has {', '.join(names)}: name one of these")
    return list(dict.fromkeys(wanted))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
