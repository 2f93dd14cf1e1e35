"""Print the last lines of commands that run a study: closing surface, folder and content hash."""

from pathlib import Path

from openiir.core.storage import RunFile
from openiir.runs.post_run import scenario_of
from openiir.runs.settings import load_settings
from openiir.runs.terminal import print_message, print_result
from openiir.runs.views.view_cache import ViewCache

LONG = 20_000
"""Events from which views take seconds to compute, so that they are computed before somebody looks."""


def print_end(folder: Path, content: str, settings_file: Path | None = None) -> None:
    """Print the surface that the type shows at the end of a run, then the run's folder and content hash.

    The views of a long run are computed for `openiir serve`.
    """
    with RunFile.open(folder) as run:  # written by this process, so there is nothing to check
        scenario = scenario_of(run)
        if (run.db.execute("select max(seq) from event").fetchone()[0] or 0) >= LONG:
            print_message("computes the run's views for `openiir serve`")
            ViewCache(load_settings(settings_file).cache).prepare(run)
        if scenario.closing:
            from openiir.cli.surface_output import show_surface  # which loads what draws views

            show_surface(run, scenario.closing, None, None, "text", None)
    print_last_lines(folder, content)


def print_last_lines(folder: Path, content: str) -> None:
    """Print a run's folder and content hash in a form that other programs can read."""
    print_result(f"run: {folder}")
    print_result(f"content: {content}")
