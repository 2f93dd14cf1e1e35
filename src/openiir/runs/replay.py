"""Executes a finished run again from its ledger alone and compares it with the record."""

from pathlib import Path

from openiir.core.storage import RunFile
from openiir.runs.artefact import open_run
from openiir.runs.engine import Watcher, repeat
from openiir.runs.settings import Settings
from openiir.runs.verify import changed_rest


async def replay(folder: Path, settings: Settings, watcher: Watcher) -> str:
    """The content hash, equal to the recorded one; raises ReplayDifference naming the first difference.

    Nothing is asked of any model, person, endpoint or network; the run folder is not written to. What the content
    hash leaves out has no part in a replay: the watcher is told at the end where it was changed.
    """
    with open_run(folder, finished=True) as run:
        await repeat(run, settings, watcher)
        if changed := changed_rest(run):
            watcher.note(
                f"warning: beside the content, something was changed after the run had ended: {', '.join(changed)}; "
                f"`openiir verify {folder}` says what is covered"
            )
        return str(run.state("content"))


def copy_of(recorded: RunFile, folder: Path) -> RunFile:
    """A throw-away run declared as a recorded one was; it commits calls with their step, for speed."""
    run = RunFile.create(folder, scratch=True)
    start = (recorded.personas(), recorded.chunks(until=0), recorded.fitted())
    run.declare(recorded.study(), *start, recorded.study_folder())
    return run
