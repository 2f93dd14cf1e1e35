"""Executes a finished run again from its ledger alone and compares, step by step and as a whole."""

from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from openiir.core.errors import ReplayDifference
from openiir.core.storage import RunFile, content_hash
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
                raise ReplayDifference(f"first difference: {_unseen(recorded, run, content)}")
        return content


def _unseen(recorded: RunFile, run: RunFile, content: str) -> str:
    """What differs where every step agrees: a call that was not made again, or what the run starts from."""
    for was, now in zip_longest(recorded.calls(), run.calls()):
        if was is not None and was != now:
            return f"the record has a call that this run does not make: {was.place}, attempt {was.attempt}"
    was_hashed = content_hash(recorded.db).sections
    differ = [name for name, digest in content_hash(run.db).sections.items() if digest != was_hashed[name]]
    return f"every step agrees, but not {', '.join(differ)}: the content hash is {content}"


def copy_of(recorded: RunFile, folder: Path) -> RunFile:
    """A throw-away run declared as a recorded one was; it commits calls with their step, for speed."""
    run = RunFile.create(folder, scratch=True)
    run.declare(recorded.study(), recorded.personas(), recorded.chunks(until=0), recorded.fitted(), recorded.study_folder())
    return run
