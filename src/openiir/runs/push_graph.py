"""Push the trees and graphs of runs to graph databases."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import openiir
from openiir.core.storage.graph_store import GraphStore, open_graph_store
from openiir.core.storage.run_database import run_id
from openiir.runs.run_io import open_checked
from openiir.runs.sweep_record import is_sweep, read_sweep, with_status
from openiir.runs.views.property_graph import graph_rows


def push_to_graph(folders: Sequence[Path], url: str) -> Iterator[str]:
    """Push finished runs, and those of sweeps, to the graph database at a URL (see `open_graph_store`).

    Yields what was done with each run. Raises InputError for a run that has not ended.
    """
    with open_graph_store(url) as store:
        for folder in folders:
            done = [folder]
            if is_sweep(folder):
                done = [folder / cell.folder for cell in with_status(read_sweep(folder).cells, "done")]
            for one in done:
                yield _push_run(store, one)


def _push_run(store: GraphStore, folder: Path) -> str:
    with open_checked(folder, finished=True) as run:
        id, study = str(run_id(run.db)), run.study()
        fields = {name: study[name] for name in ("type", "name", "seed")}
        about = {"key": id, "run": id, "content": run.state("content"), "openiir": openiir.__version__}
        rows = store.save({**about, **fields}, graph_rows(run, id))
    return f"{folder}: {'there already' if rows is None else f'{rows:,} nodes and links sent'}, id {id}"
