"""Cost of writing a table part with hashing compared with pyarrow writing the same table.

    python benchmarks/tables.py [--rows 2000000] [--repeats 5]

The table is an impressions log of 12 columns (numbers, one of texts). Both write Parquet with zstd to the
same folder, alternating; the ratio is of the medians of wall time. Reading back and hashing a part, as an
integrity check does, and the peak of memory above that of pyarrow, are measured beside it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measuring import median_spent, peak_megabytes, run_command, spend
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


def main(rows: int = 2_000_000, repeats: int = 5) -> None:
    columns = impressions(rows)
    size = pa.table(columns).nbytes / 2**20

    def batches() -> TableRows:
        made = TableRows("ours")
        made.add_columns(columns)
        return made

    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "tables").mkdir()

        def write() -> None:
            tables.write_part(folder, 1, batches())

        def write_plainly() -> None:
            pq.write_table(pa.table(columns), folder / "tables" / "plain.parquet", compression="zstd")

        write_plainly()
        before = peak_megabytes()
        write()
        above = peak_megabytes() - before
        turns = [(spend(write), spend(write_plainly)) for _ in range(repeats)]
        ours, plain = (median_spent(costs).wall for costs in zip(*turns, strict=True))
        hashed = spend(batches().digest).wall
        checked = spend(lambda: tables.part_hash(folder, "ours-000001.parquet")).wall
    print(f"{rows:,} rows x {len(columns)} columns, {size:.0f} MB as columns")
    print(f"written and hashed in {ours:.2f} s, pyarrow alone {plain:.2f} s: {ours / plain:.2f} times")
    print(f"hashing alone {hashed:.2f} s; reading back and hashing {checked:.2f} s")
    print(f"peak above that of pyarrow writing the same: {above:+.0f} MB ({above / size:.1f} of the table)")


if __name__ == "__main__":
    run_command(main)
