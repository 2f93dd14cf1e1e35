"""Begin a sweep or go on with one."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from openiir.core.errors import DamagedRun, InputError, OpeniirError, UnknownName
from openiir.core.storage import read_manifest
from openiir.core.storage.database import translate_errors
from openiir.core.storage.folder import LOCK, STUDY, find_study_folder, lock_folder, note_study_folder
from openiir.runs.build import document_permissions
from openiir.runs.settings import Settings
from openiir.runs.sweep.local import run_local
from openiir.runs.sweep.planning import PlannedSweep
from openiir.runs.sweep.record import (
    PLAN,
    SWEEP,
    Cell,
    SweepProgress,
    SweepRecord,
    is_sweep,
    read_plan,
    read_sweep,
    write_json,
)
from openiir.runs.trust import Permission

Engine = Callable[[Path, Settings, Sequence[Cell], int, Callable[[Cell], None]], Awaitable[None]]
"""Runs cells of the sweep at a folder on so many workers, telling of each as it ends."""


class CellWatcher:
    """Receives the progress of a sweep, and shows nothing; others derive from it."""

    def begin(self, total: int, kept: int) -> None:
        """So many cells there are, and so many are done already."""

    def ended(self, cell: Cell) -> None:
        """A cell is done, or failed."""


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Lock the sweep's folder for this process; raises RunBusy, and InputError for a folder of something else."""
    check_place(folder)
    with translate_errors(folder / SWEEP):
        folder.mkdir(parents=True, exist_ok=True)
    lock = lock_folder(folder)
    try:
        yield
    finally:
        lock.release()


def check_place(folder: Path) -> None:
    """Raises InputError for a folder where no sweep can begin, and none is."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name another --out")
    if folder.is_dir() and not is_sweep(folder):
        others = {path.name for path in folder.iterdir()} - {
            LOCK,
            STUDY,
            PLAN,
            f"{PLAN}.part",
            f"{SWEEP}.part",
        }
        if others:
            raise InputError(f"{folder} is not empty and holds no sweep; name another --out")


def write_or_find_plan(folder: Path, planned: PlannedSweep) -> None:
    """Write a plan into its folder, or find it there; raises InputError where another is."""
    if not is_sweep(folder):
        place = note_study_folder(folder, Path(planned.plan.folder))
        write_json(folder / PLAN, planned.plan.model_copy(update={"folder": place}))
        write_json(folder / SWEEP, planned.sweep)
        return
    found = read_sweep(folder)
    if found.study.get("plan") != planned.sweep.study["plan"]:
        raise InputError(
            f"the sweep at {folder} is another one ({_difference(found, planned.sweep)}); `openiir resume {folder}` "
            "goes on with it, or name another --out"
        )


def check_plan(folder: Path) -> None:
    """Raises DamagedRun where the plan is not the one that the sweep began with."""
    if read_plan(folder).sha256() != read_sweep(folder).study.get("plan"):
        raise DamagedRun(
            f"{folder / PLAN} is not what the sweep began with; restore the folder, or begin another"
        )


def plan_permissions(folder: Path) -> tuple[Permission, ...]:
    """What the arms of a planned sweep need leave for."""
    plan = read_plan(folder)
    place = find_study_folder(folder, plan.folder)
    return tuple(dict.fromkeys(one for arm in plan.arms for one in document_permissions(arm.document, place)))


async def run_cells(
    folder: Path, settings: Settings, engine: Engine, workers: int, witness: CellWatcher
) -> SweepRecord:
    """Run what a sweep lacks. However it ends, `sweep.json` says how far it came. Raises Untrusted before it begins."""
    sweep = read_sweep(folder)
    settings.trust.check(plan_permissions(folder), str(folder))
    book = SweepProgress(folder, sweep)
    missing = [_waiting(cell) for cell in sweep.cells if not _is_done(folder, cell)]
    for cell in missing:
        book.note(cell)
    witness.begin(len(sweep.cells), len(sweep.cells) - len(missing))

    def told(cell: Cell) -> None:
        book.note(cell)
        witness.ended(cell)

    try:
        if missing:
            await engine(folder, settings, missing, workers, told)
    finally:
        book.write()
    return book.sweep


def engine_named(name: str) -> Engine:
    """`local` or `ray`; raises InputError for another, and for Ray where it is not installed."""
    if name == "ray":
        from openiir.runs.sweep.rayed import ray_installed, run_ray

        ray_installed()
        return run_ray
    if name != "local":
        raise UnknownName("engine", name, ("local", "ray"))
    return run_local


def _waiting(cell: Cell) -> Cell:
    return cell.model_copy(update={"status": "waiting", "content": "", "reason": ""})


def _is_done(folder: Path, cell: Cell) -> bool:
    """Return whether a cell marked done has its run, with the same content."""
    if cell.status != "done":
        return False
    try:
        return bool(read_manifest(folder / cell.folder).get("content") == cell.content)
    except (OpeniirError, OSError):
        return False


def _difference(found: SweepRecord, asked: SweepRecord) -> str:
    for what, was, now in (
        ("design", found.design, asked.design),
        ("axes", found.study.get("axes"), asked.study["axes"]),
        ("seeds", found.seeds, asked.seeds),
        ("study", found.study.get("name"), asked.study["name"]),
    ):
        if was != now:
            return f"its {what}: {was}, asked: {now}"
    return "the study, its personas or its sources have changed since"
