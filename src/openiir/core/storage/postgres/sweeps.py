"""Sweeps in a lab's database: their plan, and which run each cell is."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from openiir.core.storage.postgres.connection import lock
from openiir.core.storage.postgres.texts import encode_text


class SweepRow(NamedTuple):
    """A sweep as it is stored; axes, plan and record are JSON."""

    id: str
    name: str
    design: str
    axes: str
    plan: str
    record: str | None = None
    """`sweep.json`; None while the sweep goes on."""


class CellRow(NamedTuple):
    """A planned run of a sweep; the arm is JSON."""

    id: str
    arm: str
    seed: int


def send_sweep(connection: Any, sweep: SweepRow, cells: Sequence[CellRow]) -> None:
    """Send a sweep's plan and record with its cells, in a transaction; cells that are there stay."""
    with connection.transaction():
        lock(connection, sweep.id)
        (known,) = connection.execute(
            "select count(*) from openiir.cell join openiir.sweep using (sweep) where sweep.id = %s",
            (sweep.id,),
        ).fetchone()
        if known == len(cells) and sweep.record is None:
            return
        values = [None if value is None else encode_text(value) for value in sweep]
        (number,) = connection.execute(
            "insert into openiir.sweep (id, name, design, axes, plan, record) "
            "values (%s, %s, %s, %s, %s, %s) on conflict (id) do update "
            "set plan = excluded.plan, record = coalesce(excluded.record, sweep.record) returning sweep",
            values,
        ).fetchone()
        connection.cursor().executemany(
            "insert into openiir.cell (sweep, id, arm, seed) values (%s, %s, %s, %s) on conflict do nothing",
            [(number, cell.id, encode_text(cell.arm), cell.seed) for cell in cells],
        )


def note_cell(connection: Any, sweep: str, cell: str, run: str) -> None:
    """Note that a run, by its id, is a cell of a sweep that was sent."""
    connection.execute(
        "update openiir.cell set run = found.run from openiir.run found, openiir.sweep sent "
        "where sent.id = %s and cell.sweep = sent.sweep and cell.id = %s and found.id = %s "
        "and cell.run is distinct from found.run",
        (sweep, cell, run),
    )


def count_complete(connection: Any, sweep: str) -> int:
    """Count the cells of a sweep whose runs are there to their end."""
    row = connection.execute(
        "select count(run.content) from openiir.sweep sent join openiir.cell using (sweep) "
        "join openiir.run using (run) where sent.id = %s",
        (sweep,),
    ).fetchone()
    return int(row[0])
