"""A run as an artefact: opening one with its integrity checked, closing one with a manifest."""

import json
import os
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import openiir
from openiir.core.errors import InputError
from openiir.core.hashing import sha256
from openiir.core.storage import ContentHash, RunFile, check_run, content_hash, rest_digests
from openiir.core.storage.database import guarded
from openiir.runs.sweep.record import is_sweep

_VERSIONED = ("numpy", "scipy", "scikit-learn", "bm25s", "vaderSentiment", "pydantic", "aiohttp")
_COUNTED = ("step", "event", "call", "transport", "claim", "edge", "chunk", "search")


def open_run(
    folder: Path,
    *,
    finished: bool = False,
    writable: bool = False,
    check: Callable[[RunFile], None] = check_run,
) -> RunFile:
    """A run whose record has been checked; raises DamagedRun, and InputError for one that is not what is asked."""
    if not folder.is_dir():
        what = "is a file, no run's folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {what}; name the folder that `openiir run` printed")
    if is_sweep(folder):
        raise InputError(f"{folder} holds a sweep; name one of its runs, such as {folder / 'cells' / '0001'}")
    run = RunFile.open(folder, writable=writable)
    try:
        check(run)
        if finished and run.state("status") != "done":
            stands = ", ".join(filter(None, (run.state("status"), run.state("reason"))))
            raise InputError(
                f"the run at {folder} has not ended ({stands}); finish it with `openiir resume {folder}`"
            )
    except BaseException:
        run.close()
        raise
    return run


def finish(run: RunFile) -> str:
    """Close a run's log: write the manifest, mark the run done; returns the content hash."""
    run.settle()
    found = content_hash(run.db)
    run.end(found.content, lambda: _write_manifest(run, found))
    run.drop_unnamed()
    return found.content


def _write_manifest(run: RunFile, found: ContentHash) -> str:
    manifest = {
        "format": 2,
        "type": run.study()["type"],
        "name": run.study()["name"],
        "seed": run.study()["seed"],
        "content": found.content,
        "sections": found.sections,
        "rest": rest_digests(run.db),
        "ended": "done",
        "origin": json.loads(run.state("origin") or '{"from": "study"}'),
        "counts": {t: run.db.execute(f"select count(*) from {t}").fetchone()[0] for t in _COUNTED},
        "models": [
            m for (m,) in run.db.execute("select distinct model from call where model <> '' order by 1")
        ],
        "versions": {
            "openiir": openiir.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in _VERSIONED},
        },
        "machine": platform.machine(),
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    with guarded(run.path):
        partial = run.folder / "manifest.json.part"
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(run.folder / "manifest.json")
    return sha256(text)
