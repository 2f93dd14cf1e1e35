"""Columnar tables: one Parquet file per table and step."""

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from openiir.core.errors import DamagedRun
from openiir.core.files import check_size, limits
from openiir.core.storage.columns import as_array, column_hash, first_unequal, logical_type, table_hash
from openiir.core.storage.gate import create_file, open_file
from openiir.core.storage.table_rows import TableRows, types_of
from openiir.core.sums import int_sum

_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_]*-\d{6,}\.parquet", re.ASCII)
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4}
"""Least bytes of a value in memory by Parquet's type; of others _WIDTH."""
_WIDTH = 8
_LARGE = 1 << 22
"""Size in bytes from which hashing in a separate thread pays off."""


def write_part(folder: Path, step: int, batches: TableRows) -> tuple[str, str, int, int, str]:
    """Write rows as one Parquet file; returns (file, table, step, rows, hash) for the run file.

    A large one is hashed while it is written.
    """
    table = batches.arrow()
    file = f"{batches.table}-{step:06}.parquet"
    if table.nbytes < _LARGE:
        digest = batches.digest()
        write_file(part_path(folder, file), table)
    else:
        with ThreadPoolExecutor(1) as beside:
            hashing = beside.submit(batches.digest)
            write_file(part_path(folder, file), table)
            digest = hashing.result()
    return file, batches.table, step, len(table), digest


def write_file(path: Path, table: Any) -> None:
    """Write an Arrow table as a Parquet file."""
    import pyarrow.parquet as pq

    with create_file(path) as out:  # Arrow itself opens no path that is not UTF-8
        pq.write_table(table, out, compression="zstd", use_dictionary=_dictionary_columns(table.schema))


def _dictionary_columns(schema: Any) -> list[str]:
    """List columns for dictionary encoding (texts and small integers); others get no smaller, only slower."""
    import pyarrow.types as of

    return [
        field.name
        for field in schema
        if logical_type(field.type) == "string" or (of.is_integer(field.type) and field.type.bit_width <= 16)
    ]


def read_part(folder: Path, file: str, names: Sequence[str] | None = None) -> Any:
    """Read one part as an Arrow table, with all columns or those in `names`."""
    with _open_part(folder, file) as part:
        return _read(part, names)


def part_schema(folder: Path, file: str) -> Any:
    """Return the Arrow schema of a part."""
    with _open_part(folder, file) as part:
        return part.schema_arrow


def _read(part: Any, names: Sequence[str] | None) -> Any:
    """Read columns in this thread; one of Arrow's that frees a Python file at its end aborts the process."""
    return part.read(columns=None if names is None else list(names), use_threads=False)


def part_hash(folder: Path, file: str) -> tuple[int, str]:
    """Compute the number of rows and the hash of a part, column by column."""
    with _open_part(folder, file) as part:
        hashes = {name: column_hash(name, _read(part, [name])[name]) for name in part.schema_arrow.names}
        return part.metadata.num_rows, table_hash(hashes, part.metadata.num_rows)


def part_path(folder: Path, file: str) -> Path:
    """Return the path of a part; raises DamagedRun for a name that no part has, such as one with a `/`."""
    if not _PART.fullmatch(file):
        raise DamagedRun(
            f"{folder} names a table part {file!a:.60}, which is no name of one; restore the run"
        )
    return folder / "tables" / file


@contextmanager
def _open_part(folder: Path, file: str) -> Iterator[Any]:
    """Open a part whose rows fit the limit on input files; raises DamagedRun, Unreadable, Arrow's errors."""
    import pyarrow.parquet as pq

    path = part_path(folder, file)
    with open_file(path) as opened, pq.ParquetFile(opened, pre_buffer=False) as part:
        check_size(path, _unpacked_size(part.metadata))
        for name in _repeated_texts(part.metadata):
            check_size(path, _texts_size(opened, name))
        yield part


def _unpacked_size(metadata: Any) -> int:
    """Estimate from a part's metadata alone how many bytes its columns take once unpacked."""
    size = 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group)
        for number in range(rows.num_columns):
            column = rows.column(number)
            values = max(rows.num_rows, column.num_values)
            size += max(column.total_uncompressed_size, values * _WIDTHS.get(column.physical_type, _WIDTH))
    return size


def _repeated_texts(metadata: Any) -> Iterator[str]:
    """Yield the text columns that store each text once and may take too many bytes once it is repeated."""
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            stored_once = column.physical_type == "BYTE_ARRAY" and column.has_dictionary_page
            if stored_once and column.num_values * column.total_uncompressed_size > limits().file_bytes:
                yield column.path_in_schema


def _texts_size(opened: BinaryIO, name: str) -> int:
    """Compute the bytes of a column's texts without repeating them."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    part = pq.ParquetFile(opened, read_dictionary=[name], pre_buffer=False)
    chunks = _read(part, [name]).column(0).chunks
    lengths = (pc.take(pc.binary_length(one.dictionary), one.indices) for one in chunks if len(one))
    return int_sum(pc.sum(length).as_py() or 0 for length in lengths)


def part_types(folder: Path, file: str, table: str) -> dict[str, str]:
    """Return the logical type of each column of a part."""
    return types_of(table, part_schema(folder, file))


def join_columns(folder: Path, files: Sequence[str], names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Read columns from several parts of a table into an array each, opening every part once."""
    wanted = list(dict.fromkeys(names))
    parts = [read_part(folder, file, wanted) for file in files]
    columns = {name: [part[name] for part in parts] for name in wanted}
    del parts  # so that each column is freed as soon as its array is there
    return {name: _join_chunks(columns.pop(name)) for name in wanted}


def _join_chunks(columns: list[Any]) -> NDArray[Any]:
    """Join the chunks of one column, of which those without a value have no type, into one array."""
    is_null = [logical_type(column.type) == "null" for column in columns]
    if not all(is_null):
        known = columns[is_null.index(False)].type
        columns = [c.cast(known) if null else c for c, null in zip(columns, is_null, strict=True)]
    arrays = [as_array(column) for column in columns]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def table_difference(
    folder: Path, file: str | None, batches: TableRows
) -> tuple[int, str | None, str | None, str | None] | None:
    """Find the first difference of new rows from a stored part: row (from 1), column, both values.

    No column is named where a whole row is missing (None on that side), or where the columns are others.
    """
    now = batches.arrow()
    was = now.slice(0, 0) if file is None else read_part(folder, file)
    if not len(batches):
        now = was.slice(0, 0)
    types = types_of(batches.table, was.schema), types_of(batches.table, now.schema)
    if types[0] != types[1]:
        return 1, None, str(types[0]), str(types[1])
    unequal = {name: first_unequal(was[name], now[name]) for name in was.column_names}
    found = [(row, name) for name, row in unequal.items() if row is not None]
    if found:
        row, name = min(found, key=lambda pair: pair[0])
        return row + 1, name, repr(was[name][row].as_py()), repr(now[name][row].as_py())
    if len(was) != len(now):
        row = min(len(was), len(now))
        old, new = (
            str(side.slice(row, 1).to_pylist()[0]) if len(side) > row else None for side in (was, now)
        )
        return row + 1, None, old, new
    return None


def delete_unlisted_parts(folder: Path, named: set[str]) -> None:
    """Delete the Parquet files of a run whose names are not in `named`."""
    for path in sorted((folder / "tables").glob("*.parquet")):
        if path.name not in named:
            path.unlink()
