"""Executes a finished run again from its ledger alone and compares, step by step and as a whole."""

from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.errors import ReplayDifference
from openiir.core.storage import RunFile
from openiir.runs.artefact import open_run
from openiir.runs.assemble import Sources
from openiir.runs.engine import Watcher, drive
from openiir.runs.settings import Settings


async def replay(folder: Path, settings: Settings, watcher: Watcher) -> str:
    """The content hash, equal to the recorded one; raises ReplayDifference naming the first difference.

    Nothing is asked of any model, person, endpoint or network; the run folder is not written to.
    """
    with open_run(folder, finished=True) as recorded, TemporaryDirectory(prefix="openiir-replay-") as scratch:
        with copy_of(recorded, Path(scratch) / "run") as run:
            content = await drive(run, settings, watcher, sources=Sources(recorded, live=False))
        if content != recorded.state("content"):
            raise ReplayDifference(
                f"every step agrees, but the content hash is {content}, the record has {recorded.state('content')}"
            )
        return content


def copy_of(recorded: RunFile, folder: Path) -> RunFile:
    """A throw-away run declared as a recorded one was; it commits calls with their step, for speed."""
    run = RunFile.create(folder)
    run.commit_each_call = False
    run.db.execute("pragma synchronous = off")
    run.declare(recorded.study(), recorded.personas(), recorded.chunks(until=0), recorded.fitted())
    return run
