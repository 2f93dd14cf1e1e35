"""Cost of writing a table part with hashing compared with pyarrow writing the same table.

    python benchmarks/tables.py [--rows 2000000] [--repeats 5]

The table is an impressions log of 12 columns (numbers, one of texts). Both write Parquet with zstd to the
same folder, alternating; the ratio is of the medians of wall time. Reading back and hashing a part, as an
integrity check does, and the peak of memory above the table itself, are measured beside it, each in this
process.
"""

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from openiir.core.storage import TableRows, tables


def impressions(rows: int) -> dict[str, np.ndarray]:
    """Generate twelve columns of a feed's impressions log."""
    rng = np.random.default_rng(5)
    users, position = np.divmod(np.arange(rows), 10)
    return {
        "week": np.full(rows, 3, np.int16),
        "user": users,
        "session": users * 12 + 3,
        "position": position.astype(np.int8),
        "item": rng.integers(0, 50_000, rows),
        "topic": rng.integers(0, 12, rows).astype(np.int16),
        "score": rng.random(rows),
        "propensity": 0.9 / (1 + position) + 0.002 * (rows % 7),
        "shown": rng.random(rows),
        "dwell": rng.random(rows).astype(np.float32),
        "click": rng.random(rows) < 0.2,
        "arm": np.array(["control", "popular", "similar"], dtype=object)[users % 3],
    }


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def peak() -> float:
    """Return the peak memory of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    columns = impressions(options.rows)
    plain = pa.table(columns)
    size = plain.nbytes / 2**20

    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "tables").mkdir()

        def ours() -> None:
            batches = TableRows("ours")
            batches.add_columns(columns)
            tables.write_part(folder, 1, batches)

        def reference() -> None:
            pq.write_table(pa.table(columns), folder / "tables" / "plain.parquet", compression="zstd")

        reference()
        before = peak()
        ours()
        above = peak() - before
        turns = [(seconds(ours), seconds(reference)) for _ in range(options.repeats)]
        written, bare = (median(turn) for turn in zip(*turns, strict=True))
        batches = TableRows("ours")
        batches.add_columns(columns)
        hashed = seconds(batches.digest)
        checked = seconds(lambda: tables.part_hash(folder, "ours-000001.parquet"))
    print(f"{options.rows:,} rows x {len(columns)} columns, {size:.0f} MB as columns")
    print(f"written and hashed in {written:.2f} s, pyarrow alone {bare:.2f} s: {written / bare:.2f} times")
    print(
        f"hashing alone {hashed:.2f} s ({size / hashed:,.0f} MB/s); reading back and hashing {checked:.2f} s"
    )
    print(f"peak above that of pyarrow writing the same: {above:+.0f} MB ({above / size:.1f} of the table)")


if __name__ == "__main__":
    main()
