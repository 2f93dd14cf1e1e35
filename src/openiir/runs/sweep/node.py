"""Run cells of a sweep on a machine of a cluster: in a scratch folder of its own disk, then in the sweep's.

The machine shares nothing but the sweep's folder. The study's files are laid out from the sweep's store.
"""

import asyncio
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any

import openiir
from openiir.core.errors import InputError, OpeniirError, RunBusy
from openiir.core.files import read_toml
from openiir.core.records import Record
from openiir.core.storage import RunFile, is_free, receipts
from openiir.core.storage.folder import lock_folder
from openiir.core.storage.transfer import copy_run, put_run, recover_run
from openiir.core.study_paths import DATA
from openiir.core.toml import validate_record
from openiir.runs.engine import Watcher
from openiir.runs.run_io import VERSIONED, open_checked
from openiir.runs.settings import Settings
from openiir.runs.study_files import hash_file
from openiir.runs.sweep.inputs import SweepInputs, lay_out_inputs
from openiir.runs.sweep.worker import CellRunner
from openiir.runs.sweep_record import ASIDE, PLAN, Cell
from openiir.runs.types import find_origin, find_type

NODE_SETTINGS = "OPENIIR_NODE_SETTINGS"
"""Environment variable of a machine's Ray: a settings file whose keys replace those of the sweep there."""
_OF_NODE = ("endpoint", "embeddings", "search", "systems", "workers", "block", "checkpoint_every", "inputs")
SPILL_SECONDS = 30.0
"""Seconds between two copies of a running cell to the sweep's folder."""
_SHARE_OF_SPILLING = 0.02
_KEPT_SECONDS = 3600.0
"""Age at which a machine's copy of a file that no process uses is deleted."""


class NodeOrder(Record):
    """What a machine is told of a sweep."""

    folder: str
    study: str
    """Folder of the study on the machine that began the sweep."""
    plan: str
    """Hash of the sweep's plan file."""
    types: dict[str, str]
    """The plan's types with the distributions that they come from."""
    versions: dict[str, str]
    """Versions of openiir and the libraries that a content hash depends on."""
    inputs: SweepInputs
    settings: dict[str, Any]
    place: str | None
    """The folder in which the sweep was begun, relative to the study's if it lies within."""
    path: tuple[str, ...]
    """Folders of Python modules within the study's folder, relative to it."""
    joined: bool
    """Whether the machine belongs to a cluster, and so may have settings of its own."""


def list_versions() -> dict[str, str]:
    """List the versions that must be the same on each machine."""
    return {"openiir": openiir.__version__, **{name: version(name) for name in VERSIONED}}


def check_node(order: NodeOrder) -> None:
    """Raise InputError if this machine lacks what a sweep needs: versions, types, the shared folder."""
    lacking = []
    here = list_versions()
    for name, wanted in order.versions.items():
        if here[name] != wanted:
            lacking.append(f"{name} {here[name]} is installed, the sweep began with {wanted}")
    for name, origin in order.types.items():
        try:
            find_type(name)
        except InputError as error:
            lacking.append(f"{error} (it is of {origin}: install that)")
        else:
            if origin and (found := find_origin(name)) != origin:
                lacking.append(f"the type {name} is of {found}, the sweep began with {origin}")
    lacking += _lacking_folder(order)
    if lacking:
        raise InputError("; ".join(lacking))


def _lacking_folder(order: NodeOrder) -> list[str]:
    plan, probe = Path(order.folder) / PLAN, Path(order.folder) / f".{platform.node()}-{os.getpid()}.probe"
    try:
        if hash_file(plan) != order.plan:
            return [f"{plan} is another sweep's here; put the sweep on storage that all machines share"]
        probe.touch()
        probe.unlink()
    except InputError:
        return [f"{plan} is not here; put the sweep on storage that all machines share, at the same path"]
    except OSError as error:
        return [f"{order.folder} cannot be written here: {error.strerror}"]
    return []


class NodeRunner:
    """Runner of a sweep's cells in a process of a machine of a cluster. Raises InputError as `check_node`."""

    def __init__(self, order: NodeOrder) -> None:
        check_node(order)
        self.folder = Path(order.folder)
        self.aside = self.folder / ASIDE
        self.scratch, self._lock = _make_scratch()
        study, data = lay_out_inputs(
            self.folder, order.inputs, self.scratch / "inputs", self.scratch.parent / "blobs"
        )
        _delete_unused(self.scratch.parent / "blobs")
        if order.inputs.data:
            os.environ[DATA] = str(data)
        if study and order.place is not None:
            os.chdir(study / order.place)
        for one in reversed(order.path):
            sys.path.insert(0, str((study or data) / one))
        settings = Settings.model_validate(order.settings)
        if order.joined:
            settings = merge_node_settings(settings)
        self.settings = settings.model_copy(update={"receipts": self.scratch / "receipts"})
        place = study or find_type(next(iter(order.types))).reference
        self.runner = CellRunner(self.folder, self.settings, self.scratch, place, Path(order.study))

    async def run(self, cell: Cell) -> Cell:
        """Run a cell, or go on with the run in its folder, and put it there; only a cancellation is raised.

        The run is put there from time to time, and as far as it is if the cell fails or is cancelled.
        """
        own, shared = self.scratch / cell.folder, self.folder / cell.folder
        try:
            ended = await self._run(cell, own, shared)
        except (OpeniirError, OSError) as error:
            ended = cell.with_result("failed", reason=str(error))
        finally:
            shutil.rmtree(own, ignore_errors=True)
        if ended.status != "failed":
            return ended
        reason = ended.reason.replace(str(own), str(shared))
        return cell.with_result("failed", reason=f"{reason} (on {platform.node()})")

    async def _run(self, cell: Cell, own: Path, shared: Path) -> Cell:
        recover_run(shared, self.aside)
        begun = (0, 0, False)
        if not is_free(shared):
            with open_checked(shared) as run:
                self.runner.check_own(run, cell)
                if run.state("status") == "done":
                    return cell.with_result("done", str(run.state("content")))
            own.mkdir(parents=True)
            copy_run(shared, own)
            receipts.write_receipt(own, self.runner.place)
            begun = _progress(own)
        spill = self.runner.watcher = _Spill(lambda: put_run(own, shared, self.aside))
        ticking = asyncio.create_task(spill.tick())
        try:
            return await self.runner.run(cell)
        finally:
            ticking.cancel()
            if _progress(own) > begun:
                put_run(own, shared, self.aside)


class _Spill(Watcher):
    """Watcher that puts a running cell's run into the sweep's folder from time to time."""

    def __init__(self, put: Callable[[], None]) -> None:
        self.put = put
        self._due = time.monotonic() + SPILL_SECONDS

    def step(self, number: int, label: str) -> None:
        if (began := time.monotonic()) < self._due:
            return
        with suppress(OpeniirError, OSError):  # storage that is away may be back the next time
            self.put()
        ended = time.monotonic()
        self._due = ended + max(SPILL_SECONDS, (ended - began) / _SHARE_OF_SPILLING)

    async def tick(self) -> None:
        """Look every second whether it is time, since a step may take hours."""
        while True:
            await asyncio.sleep(1)
            self.step(0, "")


def merge_node_settings(settings: Settings) -> Settings:
    """Replace the keys of a sweep's settings that the machine's own file has; those of its folders stay."""
    named = os.environ.get(NODE_SETTINGS)
    if not named:
        return settings
    values = read_toml(Path(named))
    own = validate_record(Settings, values, named)
    for key in values:
        if key not in _OF_NODE:
            raise InputError(f"{named}: {key} is no setting of a node; known: {', '.join(_OF_NODE)}")
    return settings.model_copy(update={key: getattr(own, key) for key in values})


def _progress(folder: Path) -> tuple[int, int, bool]:
    """Return a run's numbers of steps and calls, and whether it has ended; zeros where there is no run."""
    if is_free(folder):
        return 0, 0, False
    with RunFile.open(folder) as run:
        return len(run.steps()), run.usage(abandoned=True)["calls"], run.state("status") == "done"


def _make_scratch() -> tuple[Path, Any]:
    """Create a locked folder for this process on the machine's own disk; delete those of dead processes."""
    base = Path(gettempdir()) / f"openiir-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    if base.is_symlink() or base.stat().st_uid != os.getuid():
        raise InputError(f"{base} is another user's; set TMPDIR for this machine's Ray")
    for left in base.glob("cells-*"):
        with suppress(RunBusy, OSError, InputError):
            lock = lock_folder(left)
            shutil.rmtree(left, ignore_errors=True)
            lock.release()
    made = Path(mkdtemp(prefix="new-", dir=base))
    lock = lock_folder(made)  # before its name is one that another process deletes
    return made.rename(base / made.name.replace("new-", "cells-", 1)), lock


def _delete_unused(blobs: Path) -> None:
    """Delete the copies of stored files that no process uses, unless they are recent."""
    for blob in blobs.glob("*"):
        with suppress(OSError):
            found = blob.stat()
            if found.st_nlink == 1 and time.time() - found.st_mtime > _KEPT_SECONDS:
                blob.unlink()
