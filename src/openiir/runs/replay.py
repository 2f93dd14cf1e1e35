"""Execute a finished run again from its ledger alone and compare it with the record."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.core.records import Persona
from openiir.core.storage import RunFile
from openiir.runs.engine import Watcher, repeat_run
from openiir.runs.run_io import check_replayable, open_checked
from openiir.runs.settings import Settings
from openiir.runs.verify import changed_outside_content


async def replay(folder: Path, settings: Settings, watcher: Watcher) -> str:
    """Replay a finished run and return its content hash; raises ReplayDifference naming the first difference.

    Nothing is asked of any model, person, endpoint or network; the run folder is not written to. What the
    content hash leaves out has no part in a replay: the watcher is told at the end where it was changed.
    """
    with open_checked(folder, finished=True) as run:
        check_replayable(run)
        await repeat_run(run, settings, watcher)
        if changed := changed_outside_content(run):
            watcher.note(
                "warning: beside the content, something was changed after the run had ended: "
                f"{', '.join(changed)}; `openiir verify {folder}` says what is covered"
            )
        return str(run.state("content"))


def copy_run_inputs(
    recorded: RunFile,
    folder: Path,
    config: Mapping[str, Any] | None = None,
    personas: Sequence[Persona] | None = None,
) -> RunFile:
    """Create a scratch run that starts like a recorded one, perhaps with another configuration or personas.

    Calls are committed together with their step, for speed.
    """
    run = RunFile.create(folder, scratch=True)
    study = recorded.study() if config is None else {**recorded.study(), "config": config}
    start = (personas or recorded.personas(), recorded.chunks(until=0), recorded.fitted_parts())
    run.declare(study, *start, recorded.study_folder())
    return run
