"""Open a run with its integrity checked, and finish a run with its manifest."""

import json
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import openiir
from openiir.core.errors import InputError
from openiir.core.hashing import sha256
from openiir.core.storage import ContentHash, RunFile, check_run, content_hash, read_manifest, rest_digests
from openiir.core.storage.content import hash_recipe
from openiir.core.storage.folder import write_whole
from openiir.runs.sweep_record import is_sweep

FORMAT = 3
"""Version of the manifest's format: 2 added `rest`; since 3, prompts state what a person would know."""
VERSIONED = ("numpy", "scipy", "scikit-learn", "vaderSentiment", "pydantic", "aiohttp")
"""Libraries whose versions a manifest has, since a content hash may depend on them."""
_MODELS = "select distinct model from call where model <> '' order by 1"
_COUNTED = ("step", "event", "call", "transport", "claim", "edge", "chunk", "search")


def open_checked(
    folder: Path, *, finished: bool = False, check: Callable[[RunFile], None] = check_run
) -> RunFile:
    """Open a run and verify its record; raises DamagedRun, or InputError for none or an unfinished one."""
    if not folder.is_dir():
        what = "is a file, no run's folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {what}; name the folder that `openiir run` printed")
    if is_sweep(folder):
        raise InputError(f"{folder} holds a sweep; name one of its runs, such as {folder / 'cells' / '0001'}")
    run = RunFile.open(folder)
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


def check_replayable(run: RunFile) -> None:
    """Raise InputError for a finished run whose recorded replies belong to prompts of an earlier release."""
    if run.state("status") != "done":
        return
    manifest = read_manifest(run.folder)
    prompted = "select 1 from call where answerer in ('model', 'human', 'recording') limit 1"
    if manifest.get("format", 0) < FORMAT and run.db.execute(prompted).fetchone():
        release = manifest.get("versions", {}).get("openiir", "an earlier release")
        raise InputError(
            f"the run at {run.folder} was answered to the prompts of openiir {release} (manifest format "
            f"{manifest.get('format')}), and openiir {openiir.__version__} asks in other words; replay, fork "
            "or play it "
            f"with openiir {release}, or run its study anew (`openiir show` and `measure` work on it here)"
        )


def finish_run(run: RunFile) -> str:
    """Close a run's log, write its manifest, mark the run done and return its content hash."""
    run.sync_to_disk()
    found = content_hash(run.db)
    run.end(found.content, lambda: _write_manifest(run, found))
    run.delete_unlisted_files()
    return found.content


def _write_manifest(run: RunFile, found: ContentHash) -> str:
    manifest = {
        "format": FORMAT,
        "type": run.study()["type"],
        "name": run.study()["name"],
        "seed": run.study()["seed"],
        "content": found.content,
        "recipe": hash_recipe(run.db),
        "sections": found.sections,
        "rest": rest_digests(run.db),
        "ended": "done",
        "origin": json.loads(run.state("origin") or '{"from": "study"}'),
        "counts": {t: run.db.execute(f"select count(*) from {t}").fetchone()[0] for t in _COUNTED},
        "models": [m for (m,) in run.db.execute(_MODELS)],
        "versions": {
            "openiir": openiir.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in VERSIONED},
        },
        "machine": platform.machine(),
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    write_whole(run.folder / "manifest.json", text)
    return sha256(text)
