"""List the runs below a folder without verifying their records, for an overview of many runs."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from openiir.core.asking import AnswererChoice
from openiir.core.errors import InputError, OpeniirError, RunBusy, UnknownName
from openiir.core.files import path_text
from openiir.core.records import Record
from openiir.core.storage import RunFile
from openiir.core.storage.folder import DATABASE, LOCK, lock_folder
from openiir.core.storage.live_file import read_live
from openiir.runs.changes import ANSWERS
from openiir.runs.reasons import withhold_addresses
from openiir.runs.setting import differing_keys
from openiir.runs.sweep_record import CELLS, is_sweep, read_sweep, with_status

State = Literal["declared", "running", "finished", "stopped", "failed", "killed", "damaged"]
_BY_STATUS: dict[str, State] = {"done": "finished", "stopped": "stopped", "failed": "failed"}


class RunCard(Record):
    """Summary of one run for a list of runs."""

    id: str
    """The run's folder relative to the listed one; for a cell of a sweep, SWEEP/cells/0001."""
    type: str = ""
    name: str = ""
    seed: int | None = None
    state: State
    reason: str = ""
    steps: int = 0
    planned: int | None = None
    """Largest number of steps that the run can take; None if unknown, or if the run has finished."""
    events: int = 0
    calls: int = 0
    rows: int = 0
    """Rows of its tables, in which a type logs what its crowd does."""
    content: str | None = None
    started: str | None = None
    heard: str | None = None
    answers: tuple[str, ...] = ()
    """Who is declared to answer: `offline`, `model NAME`, `human`, ..."""
    changed: tuple[tuple[str, str], ...] = ()
    """Keys that differ from the type's reference study, and those that [[change]] sets; values are JSON.

    Where that study is not known, `reference study` says why."""
    sweep: str | None = None
    """Id of the sweep that the run is a cell of; None for a run outside a sweep."""


def find_run_folders(root: Path, only: str | None = None) -> dict[str, Path]:
    """Find the folders of all runs below `root`, sorted by id; links that lead out of `root` are left out.

    `only` names the one folder below `root` that is looked into.
    """
    found = {
        id: folder
        for id, folder, linked in _candidates(root, only)
        if os.path.lexists(f"{folder}/{DATABASE}")
        and (not linked or folder.resolve().is_relative_to(root.resolve()))
    }
    return dict(sorted(found.items()))


def _candidates(root: Path, only: str | None) -> Iterator[tuple[str, Path, bool]]:
    """List folders that may hold a run with their ids, and whether a link leads to them."""
    for entry in _folders(root):
        name = path_text(entry.name)
        if only in (None, name) and not name.startswith("."):
            folder = root / entry.name
            if is_sweep(folder):
                linked = entry.is_symlink() or (folder / CELLS).is_symlink()
                for cell in _folders(folder / CELLS):
                    yield (
                        f"{name}/{CELLS}/{path_text(cell.name)}",
                        Path(cell.path),
                        linked or cell.is_symlink(),
                    )
            else:
                yield name, folder, entry.is_symlink()


def _folders(place: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            yield from (entry for entry in entries if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return


def run_folder(root: Path, id: str) -> Path:
    """Return the folder of a run by its id, which is looked up, never joined to a path; or UnknownName."""
    folders = find_run_folders(root, id.partition("/")[0])
    if id not in folders:
        raise UnknownName("run", id, find_run_folders(root))
    return folders[id]


def sweep_folder(root: Path, id: str) -> tuple[Path, dict[str, Path]]:
    """Return the folder of a sweep by its id, and those of its runs by theirs, as `run_folder` does.

    Raises UnknownName, or InputError where a run of the sweep is not below its folder.
    """
    cells = find_run_folders(root, id)
    folder = root / id
    if not cells or folder in cells.values():
        listed = find_run_folders(root)
        raise UnknownName(
            "sweep", id, {one.partition(f"/{CELLS}/")[0] for one in listed if f"/{CELLS}/" in one}
        )
    done = {folder / cell.folder for cell in with_status(read_sweep(folder).cells, "done")}
    if missing := done - set(cells.values()):
        raise InputError(
            f"the sweep {id!r} names {len(missing)} runs that are not in its folder; restore them"
        )
    return folder, cells


def read_card(id: str, folder: Path) -> RunCard:
    """Summarise a run for the list; a run that cannot be read has the state `damaged`."""
    sweep = id.partition(f"/{CELLS}/")[0] if f"/{CELLS}/" in id else None
    try:
        with RunFile.open(folder) as run:
            study = run.study()
            live = read_live(folder)
            counts = (
                "coalesce(max(number), 0) from step",
                "coalesce(max(seq), 0) from event",
                "count(lane) from call",
                "coalesce(sum(rows), 0) from part",
            )
            steps, events, calls, rows = (run.db.execute(f"select {count}").fetchone()[0] for count in counts)
            return RunCard(
                id=id,
                type=study["type"],
                name=study["name"],
                seed=study["seed"],
                state=_state_of(run, steps),
                reason=withhold_addresses(run.state("reason") or "", study),
                steps=steps,
                planned=live.planned if live and run.state("status") != "done" else None,
                events=events,
                calls=calls,
                rows=rows,
                content=run.state("content"),
                started=live.started if live else None,
                heard=live.heard if live else None,
                answers=_answers_of(study),
                changed=tuple(
                    (key, json.dumps(value, ensure_ascii=False)) for key, value in differing_keys(run).items()
                ),
                sweep=sweep,
            )
    except (OpeniirError, sqlite3.Error, OSError, KeyError, ValueError) as error:
        return RunCard(id=id, state="damaged", reason=name_by_id(error, id, folder), sweep=sweep)


def name_by_id(error: Exception, id: str, folder: Path) -> str:
    """Return an error's message with the run's id in place of its folder, for users of other machines."""
    return str(error).replace(str(folder), id)


def _is_written(folder: Path) -> bool:
    """Whether a process is writing to a run's folder."""
    with suppress(OpeniirError):
        try:
            if (folder / LOCK).exists():
                lock_folder(folder).release()
        except RunBusy:
            return True
    return False


def _state_of(run: RunFile, steps: int) -> State:
    ended = _BY_STATUS.get(run.state("status") or "")
    if ended:
        return ended
    if _is_written(run.folder):
        return "running"
    return "killed" if run.state("status") == "running" or steps else "declared"


def _answers_of(study: dict[str, Any]) -> tuple[str, ...]:
    """Name who is declared to answer, at the start or after a change; a model by its name as well."""
    changed = [
        str(value)
        for change in study.get("change", ())
        for key, value in change["set"].items()
        if key.split(".")[0] == ANSWERS
    ]
    names = sorted({*AnswererChoice(**study.get("answers", {})).names(), *changed})
    model = (study.get("model") or {}).get("name")
    return tuple(f"model {model}" if name == "model" and model else name for name in names)
