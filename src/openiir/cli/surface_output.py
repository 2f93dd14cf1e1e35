"""Print surfaces and measures of a run, or write them in formats that other programs read."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from openiir.core.records import Measure
from openiir.core.storage import Log, RunFile
from openiir.plugin.answer_notes import answer_summary
from openiir.plugin.definitions import define_measure
from openiir.runs.moments import list_missed
from openiir.runs.post_run import find_surface, scenario_of, surfaces_of
from openiir.runs.run_io import open_checked
from openiir.runs.terminal import print_result
from openiir.runs.views.emit import find_view, name_run, output_view


def show_surface(
    run: RunFile, name: str, agent: str | None, n: int | None, form: str, out: Path | None
) -> None:
    """Draw a view (surface) of a run, or write it in a format; without a name, list the views."""
    log = Log(run)
    if name:
        title, view = find_view(run, name, agent, n, out)
        shows = find_surface(run, name).shows
        if form in ("", "text") and out is None and isinstance(why := shows and shows(log), str):
            print_result(f"{title}: {why}")
            return
        output_view(title, view, form, out, name_run(run), answer_summary(log), whole=n is not None)
        return
    surfaces = surfaces_of(scenario_of(run))
    widest = max([12, *map(len, surfaces)])
    for surface in surfaces.values():
        print_result(
            f"{surface.name:{widest}} {surface.title}{'  (--agent ID)' if surface.per_agent else ''}"
        )
    if log.time_of(len(run.steps())) is not None:
        number, label = log.timed_steps()[-1]
        print_result(f"so far {number} steps, the last one: {label}")
    if run.state("status") == "done":
        for missed in list_missed(run.study(), len(run.steps())):
            print_result(missed)


def print_definitions(folder: Path, names: Iterable[str]) -> None:
    """Print the definition of each of these measures of a run, once for measures that share it."""
    with open_checked(folder) as run:
        definitions = scenario_of(run).definitions
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(define_measure(definitions, name)[1], []).append(name)
    for definition, alike in found.items():
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        print_result(f"{alike[0]}{more}: {definition or 'not defined by the type'}")


def print_measures(found: Mapping[str, Measure]) -> None:
    """Print one line for each measure, undefined ones with the reason."""
    width = max(map(len, found), default=0)
    for name, one in found.items():
        print_result(
            f"{name:{width}}  {one.value:.4f}" if one.defined else f"{name:{width}}  undefined: {one.reason}"
        )
