"""Columnar logs: one Parquet part a table and step."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from openiir.core.hashing import canonical, chain


def rows_hash(rows: Iterable[dict[str, Any]]) -> str:
    """Hash of rows in canonical form, so that it does not depend on how Parquet is written."""
    return chain(canonical(row) for row in rows)


def write_part(
    folder: Path, table: str, step: int, rows: Sequence[dict[str, Any]]
) -> tuple[str, str, int, int, str]:
    """Write one part; returns (file, table, step, rows, hash) as the run file stores it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = f"{table}-{step:06}.parquet"
    pq.write_table(pa.Table.from_pylist(list(rows)), folder / "tables" / file)
    return file, table, step, len(rows), rows_hash(rows)


def read_part(folder: Path, file: str) -> list[dict[str, Any]]:
    """The rows of one part, in order."""
    import pyarrow.parquet as pq

    return list(pq.read_table(folder / "tables" / file).to_pylist())


def drop_unnamed(folder: Path, named: set[str]) -> None:
    """Delete the parts that are not among `named`."""
    for path in sorted((folder / "tables").glob("*.parquet")):
        if path.name not in named:
            path.unlink()
