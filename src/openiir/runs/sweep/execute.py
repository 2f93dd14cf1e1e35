"""Run a sweep of a study or resume one, from loading the settings to the end.

`run_sweep` and `resume_sweep` block, and start event loops of their own: within a running one call them
through `runs.edge`.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from openiir.core.errors import DamagedRun, InputError, OpeniirError, UnknownName
from openiir.core.hashing import canonical
from openiir.core.storage import read_manifest, receipts
from openiir.core.storage.database import translate_errors
from openiir.core.storage.folder import LOCK, STUDY, lock_folder, note_study_folder
from openiir.core.storage.transfer import receive_run
from openiir.runs.build import document_permissions
from openiir.runs.edge import run_coroutine
from openiir.runs.execute import LocalOptions, free_folders
from openiir.runs.mirror import finish_mirrored_sweep
from openiir.runs.prepare import SourceOptions
from openiir.runs.progress import sweep_progress
from openiir.runs.settings import Settings, load_settings, run_with_permissions
from openiir.runs.sweep.evolving import SweepGenerations, begin_generations
from openiir.runs.sweep.local import run_local
from openiir.runs.sweep.planning import PlannedSweep, SweepOrder, extend_plan, extend_record, plan_sweep
from openiir.runs.sweep_record import (
    INPUTS,
    PLAN,
    SWEEP,
    Cell,
    CellWatcher,
    SweepProgress,
    SweepRecord,
    is_sweep,
    read_plan,
    read_sweep,
    with_status,
    write_json,
)
from openiir.runs.trust import Permission

Engine = Callable[[Path, Settings, Sequence[Cell], int | None, Callable[[Cell], None]], Awaitable[None]]
"""A function that runs cells of the sweep in a folder on a number of workers (None: as many as there are
processors) and reports each as it ends."""


def run_sweep(
    order: SweepOrder,
    out: Path | None,
    local: LocalOptions,
    *,
    engine: str = "local",
    skip_bad: bool = False,
    fetch: bool = False,
) -> tuple[Path, SweepRecord]:
    """Plan and run a sweep, `local.workers` runs at a time; the same sweep found at `out` is resumed."""
    settings = load_settings(local.settings_file)
    engine_named(engine)
    _check_workers(local)
    if out is not None:
        check_place(out)
    gathering = SourceOptions(skip_bad, fetch, local.tell)
    settings, planned = run_with_permissions(
        settings, local.trust, lambda leave: plan_sweep(order, leave, gathering)
    )
    names = [] if out else [planned.name.replace(" ", "-") + "-sweep"]
    with free_folders(settings.runs, names) as free:
        folder = out or free[0]
        with hold_folder(folder):
            write_or_find_plan(folder, planned)
            _tell_limits(planned, settings, local)
            return folder, _run_with_progress(folder, settings, engine, local)


def resume_sweep(
    folder: Path, recording: Path | None, local: LocalOptions, engine: str = "local"
) -> SweepRecord:
    """Run the unfinished cells of a sweep, on worker processes of this machine or on Ray."""
    if recording is not None:
        raise InputError("a sweep plays no recording; leave --recording out")
    settings = load_settings(local.settings_file)
    engine_named(engine)
    _check_workers(local)
    with hold_folder(folder):
        check_plan(folder)
        return run_with_permissions(
            settings, local.trust, lambda leave: _run_with_progress(folder, leave, engine, local)
        )[1]


def _check_workers(local: LocalOptions) -> None:
    if local.workers is not None and local.workers < 1:
        raise InputError(f"--workers {local.workers}: at least 1 is needed")


def _tell_limits(planned: PlannedSweep, settings: Settings, local: LocalOptions) -> None:
    limits = {name: value for name, value in settings.limits if value is not None}
    if planned.asking:
        each = ", ".join(f"{value:g} {name}" for name, value in limits.items()) or "no limit"
        together = [f"{words} at {one.url}" for one in settings.endpoint for words in one.shared_limits]
        shared = f"; all of them together: {', '.join(together)}" if together else ""
        local.tell(
            f"{planned.asking} runs ask a model; each by itself may use what the settings allow: "
            f"{each}{shared}"
        )


def _run_with_progress(folder: Path, settings: Settings, engine: str, local: LocalOptions) -> SweepRecord:
    with sweep_progress(local.shown) as watcher:
        try:
            descent = begin_generations(read_plan(folder))
            while True:
                work = run_cells(folder, settings, engine_named(engine), local.workers, watcher)
                sweep = run_coroutine(work)
                if descent is None or not _add_generation(folder, descent, sweep, settings):
                    if settings.mirror and (missing := finish_mirrored_sweep(folder, settings.mirror)):
                        local.tell(missing)
                    return sweep
        except KeyboardInterrupt:
            local.tell(f"sweep: {folder}")
            raise


def _add_generation(folder: Path, descent: SweepGenerations, sweep: SweepRecord, settings: Settings) -> bool:
    """Add the next generation's arms to a sweep whose cells are done; false where nothing is left to run."""
    if len(with_status(sweep.cells, "done")) < len(sweep.cells):
        return False
    plan = read_plan(folder)
    descent.measure(folder, sweep)
    known = {canonical(arm) for arm in plan.assigned}
    arms = {key: arm for arm in descent.advance() if (key := canonical(arm)) not in known}
    if arms:
        plan = extend_plan(plan, list(arms.values()), folder, settings)
        write_json(folder / PLAN, plan)
    descent.write(folder, plan)
    write_json(folder / SWEEP, grown := extend_record(sweep, plan))
    return len(grown.cells) > len(sweep.cells)


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Lock a sweep's folder for this process; RunBusy, or InputError for a folder of other content."""
    check_place(folder)
    with translate_errors(folder / SWEEP):
        folder.mkdir(parents=True, exist_ok=True)
    lock = lock_folder(folder)
    try:
        yield
    finally:
        lock.release()


def check_place(folder: Path) -> None:
    """Raise InputError for a folder that holds something other than a sweep."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name another --out")
    if folder.is_dir() and not is_sweep(folder):
        own = {LOCK, STUDY, PLAN, f"{PLAN}.part", f"{SWEEP}.part"}
        if {path.name for path in folder.iterdir()} - own:
            raise InputError(f"{folder} is not empty and holds no sweep; name another --out")


def write_or_find_plan(folder: Path, planned: PlannedSweep) -> None:
    """Write a sweep's plan into its folder; raises InputError if another plan is there already."""
    if not is_sweep(folder):
        place = note_study_folder(folder, Path(planned.plan.folder))
        write_json(folder / PLAN, planned.plan.model_copy(update={"folder": place}))
        with suppress(InputError):  # the sweep can be run, if not gone on with later
            receipts.write_receipt(folder, Path(planned.plan.folder))
        write_json(folder / SWEEP, planned.sweep)
        return
    receipts.check_has_receipt(folder)
    found = read_sweep(folder)
    if found.study.get("plan") != planned.sweep.study["plan"]:
        raise InputError(
            f"the sweep at {folder} is another one ({_difference(found, planned.sweep)}); `openiir resume "
            f"{folder}` goes on with it, or name another --out"
        )


def check_plan(folder: Path) -> None:
    """Raise DamagedRun for a plan that was changed, and InputError for one from another machine."""
    receipts.check_has_receipt(folder)
    if read_plan(folder).sha256() != read_sweep(folder).study.get("plan"):
        raise DamagedRun(
            f"{folder / PLAN} is not what the sweep began with; restore the folder, or begin another"
        )


def list_plan_permissions(folder: Path) -> tuple[Permission, ...]:
    """List the permissions that the arms of a planned sweep need."""
    plan = read_plan(folder)
    place = receipts.study_folder_of(folder)
    return tuple(dict.fromkeys(one for arm in plan.arms for one in document_permissions(arm.document, place)))


async def run_cells(
    folder: Path, settings: Settings, engine: Engine, workers: int | None, watcher: CellWatcher
) -> SweepRecord:
    """Run the unfinished cells of a sweep; however it ends, `sweep.json` holds the status of each cell.

    Raises Untrusted before any cell is run.
    """
    sweep = read_sweep(folder)
    settings.trust.check(list_plan_permissions(folder), str(folder))
    book = SweepProgress(folder, sweep)
    if (folder / INPUTS).exists():  # machines may have put runs here that their dead head knows nothing of
        study = receipts.study_folder_of(folder)
        for cell in sweep.cells:
            receive_run(folder / cell.folder, study)
    missing = [cell.with_result("waiting") for cell in sweep.cells if not _is_done(folder, cell)]
    for cell in missing:
        book.note(cell)
    watcher.begin(len(sweep.cells), len(sweep.cells) - len(missing))

    def note(cell: Cell) -> None:
        book.note(cell)
        watcher.end_cell(cell)

    try:
        if missing:
            await engine(folder, settings, missing, workers, note)
    finally:
        book.write()
    return book.sweep


def engine_named(name: str) -> Engine:
    """Return the engine that runs cells, `local` or `ray`; InputError for others or a missing Ray."""
    if name == "ray":
        from openiir.runs.sweep.rayed import import_ray, run_ray

        import_ray()
        return run_ray
    if name != "local":
        raise UnknownName("engine", name, ("local", "ray"))
    return run_local


def _is_done(folder: Path, cell: Cell) -> bool:
    """Whether a cell marked done has a run with the same content hash."""
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
        *((key, found.study.get(key), asked.study.get(key)) for key in ("generations", "fitness")),
        ("study", found.study.get("name"), asked.study["name"]),
    ):
        if was != now:
            return f"its {what}: {was}, asked: {now}"
    return "the study, its personas or its sources have changed since"
