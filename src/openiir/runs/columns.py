"""Read runs and sweeps as Arrow tables: events, calls, claims, logged tables and a sweep's cells."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from openiir.core.errors import UnknownName
from openiir.core.html import MOST_ROWS, notebook_table
from openiir.core.records import Measure
from openiir.core.storage import Log, RunFile, tables
from openiir.core.storage import call_rows as callrows
from openiir.core.storage.database import translate_errors
from openiir.runs.sweep_record import SweepRecord

_TEXT, _WHOLE, _REAL = "string", "int64", "double"
_EVENT = {"seq": _WHOLE, "step": _WHOLE, "lane": _TEXT, "kind": _TEXT, "actor": _TEXT}
_WHOLE_OF_CALLS = ("step", "ordinal", "attempt", "prompt_tokens", "reply_tokens")
_CLAIM = {"id": _TEXT, "text": _TEXT, "topic": _TEXT, "stance": _REAL, "side": _TEXT, "step": _WHOLE}
_CLAIM |= {"speaker": _TEXT, "utterance": _WHOLE, "start": _WHOLE, "end": _WHOLE}
_CLAIM |= {"confidence": _REAL, "extractor": _TEXT}


def event_kinds(run: RunFile) -> list[str]:
    """List the kinds of events in a run's log."""
    return _names(run, "select distinct kind from event order by kind")


def table_names(run: RunFile) -> list[str]:
    """List the names of the tables that a run logged."""
    return _names(run, "select distinct tbl from part order by tbl")


def events(run: RunFile, kind: str | None = None) -> Any:
    """Read the events of a run as a table: all of them, or those of one kind.

    For one kind, each key of the payload is a column; otherwise a column holds the payloads as JSON. Raises
    UnknownName for a kind that is not in this log.
    """
    if kind is not None and kind not in (kinds := event_kinds(run)):
        raise UnknownName(f"kind of event in {run.folder}", kind, kinds)
    found = list(Log(run).events(kind))
    columns: dict[str, list[Any]] = {name: [getattr(event, name) for event in found] for name in _EVENT}
    if kind is None:
        return _table(columns | {"payload": [_json(event.payload) for event in found]}, _EVENT)
    for key in dict.fromkeys(key for event in found for key in event.payload):
        name = f"payload.{key}" if key in _EVENT else key
        columns[name] = [event.payload.get(key) for event in found]
    return _table(columns, _EVENT)


def table(run: RunFile, name: str) -> Any:
    """Read a table that the run logged, with the rows in the order of steps. Raises UnknownName."""
    import pyarrow as pa

    if name not in (names := table_names(run)):
        raise UnknownName(f"table in {run.folder}", name, names)
    parts = [tables.read_part(run.folder, part.name) for part in Log(run).parts(name)]
    return pa.concat_tables(parts, promote_options="permissive")


def calls(run: RunFile) -> Any:
    """Read the ledger of recorded calls as a table sorted by ledger key, requests as canonical JSON."""
    with translate_errors(run.path):
        rows = run.db.execute(
            f"{callrows.SELECT} order by step, lane, asker, kind, subject, ordinal, attempt"
        ).fetchall()
    names = [*callrows.COLUMNS.split(", "), "request"]
    columns = {name: [row[n] for row in rows] for n, name in enumerate(names)}
    columns["usable"] = [bool(usable) for usable in columns["usable"]]
    return _table(
        columns, dict.fromkeys(names, _TEXT) | dict.fromkeys(_WHOLE_OF_CALLS, _WHOLE) | {"usable": "bool"}
    )


def claims(run: RunFile) -> Any:
    """Read the claims extracted in a run as a table, in the order in which they were made."""
    found = Log(run).claims()
    columns = {name: [getattr(claim, name) for claim in found] for name in _CLAIM}
    return _table(
        columns | {"cites": [[cite.model_dump() for cite in claim.cites] for claim in found]}, _CLAIM
    )


def cells(sweep: SweepRecord) -> Any:
    """Read the cells (runs) of a sweep as a table, with a column for each varied key."""
    columns: dict[str, list[Any]] = {"id": [cell.id for cell in sweep.cells]}
    columns |= {axis: [cell.arm.get(axis) for cell in sweep.cells] for axis in sweep.axes}
    for name in ("seed", "status", "content", "reason", "folder"):
        columns[name] = [getattr(cell, name) for cell in sweep.cells]
    return _table(columns, {})


def show_in_notebooks() -> None:
    """Show Arrow tables as HTML tables of rows if this code runs in a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type_by_name("pyarrow.lib", "Table", _html)


def _html(table: Any) -> str:
    rows = (tuple(row.values()) for row in table.slice(0, MOST_ROWS).to_pylist())
    return notebook_table(table.column_names, rows, table.num_rows)


def _names(run: RunFile, sql: str) -> list[str]:
    with translate_errors(run.path):
        return [name for (name,) in run.db.execute(sql)]


def _table(columns: Mapping[str, Sequence[Any]], types: Mapping[str, str]) -> Any:
    """Build an Arrow table; a column without a declared type whose values have several types becomes JSON."""
    import pyarrow as pa

    arrays = []
    for name, values in columns.items():
        try:
            arrays.append(pa.array(values, types.get(name)))
        except (pa.ArrowException, OverflowError):
            arrays.append(pa.array([None if value is None else _json(value) for value in values]))
    return pa.table(arrays, names=list(columns))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


class Measures(dict[str, Measure]):
    """Measures of a run by name, shown in notebooks as a table; an undefined measure has a reason."""

    def _repr_html_(self) -> str:
        rows = ((name, one.value, one.reason or "") for name, one in self.items())
        return notebook_table(("measure", "value", "undefined because"), rows, len(self))
