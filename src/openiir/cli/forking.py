"""What fork does, in words and progress."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from openiir.cli.progress import progress
from openiir.cli.sitting import drive_one, next_free, tell_end, to_the_end
from openiir.cli.trusting import with_leave
from openiir.runs.artefact import open_run
from openiir.runs.fork import Plan, fork
from openiir.runs.settings import load_settings
from openiir.runs.study import parse_assignment
from openiir.runs.terminal import note


def fork_run(
    folder: Path,
    step: int,
    sets: Sequence[str],
    out: Path | None,
    settings_file: Path | None,
    recording: Path | None,
    trust: bool = False,
) -> None:
    """Fork a run and drive the fork to its end; its folder and hash are the last lines."""
    settings = load_settings(settings_file)
    values = dict(parse_assignment(assignment) for assignment in sets)
    with ExitStack() as exits:
        played = exits.enter_context(open_run(recording)) if recording else None
        place = out or next_free(settings.runs, f"{_name(folder)}-fork")
        settings, (forked, plan) = with_leave(
            settings, trust, lambda leave: fork(folder, step, values, place, leave.trust)
        )
        exits.enter_context(forked)
        note(_words(folder, plan))
        with progress() as watch:
            content = to_the_end(drive_one(forked, settings, watch(place.name), played))
    tell_end(place, content)


def _name(folder: Path) -> str:
    with open_run(folder) as run:
        return str(run.study()["name"]).replace(" ", "-")


def _words(parent: Path, plan: Plan) -> str:
    if not plan.set:
        return f"nothing is changed, so all that {parent} has is shared"
    changes = ", ".join(f"{key} = {value}" for key, value in plan.set.items())
    shared = (
        f"steps 1 to {plan.shared} are shared with {parent}"
        if plan.shared
        else f"nothing is shared with {parent}"
    )
    return f"{shared}; from step {plan.step} on {changes}"
