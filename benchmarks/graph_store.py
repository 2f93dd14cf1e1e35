"""Pushing a follower graph to Ladybug compared with Ladybug's own bulk load of the same rows.

    python benchmarks/graph_store.py [--members 10000] [--followees 20] [--batch 10000]

Both begin with an empty database. The bulk load copies nodes and links from Parquet files, whose writing is
counted; it cannot be broken off and repeated, as a push can. A second push and one over a run that was
pushed before are measured as well, and the peak of memory.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measuring import peak_megabytes, run_command, spend
from openiir.core.storage import graph_store
from openiir.core.storage.graph_store import LadybugStore
from openiir.core.storage.graph_tables import LINK, NODE, GraphRows

RUN = {"key": "0" * 32, "run": "0" * 32}


def follower_graph(members: int, followees: int) -> GraphRows:
    """Generate a random follower graph, as a run's network has it."""
    rng = np.random.default_rng(7)
    keys = [f"{RUN['key']}/network/user-{n:06d}" for n in range(members)]
    for n, key in enumerate(keys):
        about = {"key": key, "run": RUN["key"], "id": f"user-{n:06d}", "view": "network"}
        yield NODE, {**about, "label": f"user {n}", "weight": 1.0, "step": 0}
    for n, key in enumerate(keys):
        for other in (np.unique(rng.integers(1, members, followees)) + n) % members:
            ends = {"source": key, "target": keys[other]}
            yield LINK, {**ends, "kind": "follows", "number": 0, "weight": None, "step": 0}


def copy_rows(store: LadybugStore, folder: Path, rows: GraphRows) -> None:
    """Load the same rows in bulk."""
    store.create_tables()
    given = list(rows)
    for table, name in ((NODE, "Node"), (LINK, "LINK")):
        kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
        own = [row for one, row in given if one is table]
        columns = {
            name: pa.array([row.get(name) for row in own], kinds[type])
            for name, type in table.columns.items()
        }
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
        store.execute(f"COPY {name} FROM '{folder}/{name}.parquet'")


def main(members: int = 10_000, followees: int = 20, batch: int = graph_store.BATCH) -> None:
    graph_store.BATCH = batch
    rows = list(follower_graph(members, followees))
    links = sum(table is LINK for table, _ in rows)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with LadybugStore(folder / "copied.lbug") as store:
            bulk = spend(lambda: copy_rows(store, folder, rows)).wall
        with LadybugStore(folder / "pushed.lbug") as store:
            pushed = spend(lambda: store.save(RUN, rows)).wall
            there = spend(lambda: store.save(RUN, rows)).wall
            store.execute("MATCH (n:Run) SET n.complete = false")
            again = spend(lambda: store.save(RUN, rows)).wall
            assert store.execute("MATCH (:Node)-[r:LINK]->(:Node) RETURN count(r)") == [[links]]
    print(f"{members:,} nodes and {links:,} links, {batch:,} a transaction")
    print(
        f"pushed in {pushed:.2f} s, {len(rows) / pushed:,.0f} rows/s; bulk load {bulk:.2f} s, "
        f"{len(rows) / bulk:,.0f} rows/s: {pushed / bulk:.1f} times"
    )
    print(f"pushed over what is there in {again:.2f} s; a complete run is passed over in {there:.3f} s")
    print(f"peak of memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    run_command(main)
