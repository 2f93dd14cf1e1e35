"""Surfaces and measures on a terminal, or in the formats other programs read."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.cli.drawing import draw
from openiir.cli.plotting import ENDINGS, FORMS, is_picture, write_picture
from openiir.cli.writing import format_for, write_out
from openiir.core.claims import graph_measures, strengths
from openiir.core.claims.formats import read_aif, to_aif, to_cypher, to_graphml
from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Measure
from openiir.core.storage import Log, is_writable
from openiir.kit.measures.trec import to_trec
from openiir.plugin import Graph, Ranking
from openiir.runs.after import check_agent, measure, scenario_of, surfaces_of
from openiir.runs.artefact import open_run
from openiir.runs.study import assign
from openiir.runs.terminal import hand_over, note, say

GRAPH_FORMATS: dict[str, Callable[[Graph, str], str]] = {
    "aif": lambda g, run: json.dumps(to_aif(g.claims, g.edges), indent=1, ensure_ascii=False),
    "graphml": lambda g, run: to_graphml(g.claims, g.edges),
    "cypher": lambda g, run: to_cypher(g.claims, g.edges, run),
}
"""Writers of a graph; the second argument names the run, where the format can hold several."""
FORMATS = ("text", "json", "trec", *GRAPH_FORMATS)
FILES = {f".{form}": form for form in FORMATS[1:]} | {".run": "trec"} | dict.fromkeys(ENDINGS, "text")
"""Formats of files by their endings; a picture is drawn in place of the text."""


def show_surface(
    folder: Path, name: str, agent: str | None, n: int | None, form: str, out: Path | None
) -> None:
    """Draw a surface, or write it in a format; without a name, list the surfaces there are."""
    with open_run(folder) as run:
        surfaces = surfaces_of(scenario_of(run))
        if not name:
            widest = max(12, *map(len, surfaces))
            for surface in surfaces.values():
                say(f"{surface.name:{widest}} {surface.title}{'  (--agent ID)' if surface.per_agent else ''}")
            return
        if name not in surfaces:
            raise UnknownName(f"surface of the type {run.study()['type']!r}", name, surfaces)
        if is_picture(out) and surfaces[name].form not in FORMS:
            drawn = ", ".join(s.name for s in surfaces.values() if s.form in FORMS)
            raise InputError(
                f"--out {out}: no picture shows a {surfaces[name].form}; of this run can be drawn: {drawn}"
            )
        narrowed: dict[str, Any] = {}
        if n is not None and surfaces[name].counts:
            narrowed, n = {"n": n}, None
        if agent is not None:
            if not surfaces[name].per_agent:
                raise InputError(f"the surface {name!r} shows the whole run; leave --agent out")
            check_agent(run, surfaces[name], agent)
            narrowed["agent"] = agent
        view = surfaces[name].view(Log(run), **narrowed)
        emit(surfaces[name].title, _last(view, n), form, out, run.state("content") or folder.name)


def show_measures(folder: Path, sets: Sequence[str], form: str) -> None:
    """Print the measures; undefined ones with their reason."""
    if form not in ("text", "json"):
        raise UnknownName("format of measures", form, ("text", "json"))
    settings: dict[str, Any] = {}
    for assignment in sets:
        assign(settings, assignment)
    found = measure(folder, settings)
    if not is_writable(folder):
        note(f"{folder} is read-only: these measures are not kept there")
    if form == "json":
        hand_over(json.dumps({k: m.as_json() for k, m in found.items()}, indent=1) + "\n")
        return
    _print_measures(found)


def _print_measures(found: Mapping[str, Measure]) -> None:
    width = max(map(len, found), default=0)
    for name, one in found.items():
        say(f"{name:{width}}  {one.value:.4f}" if one.defined else f"{name:{width}}  undefined: {one.reason}")


def import_claims(file: Path, topic: str, form: str, out: Path | None) -> None:
    """Show an argument graph made elsewhere, with its measures, or write it in another format."""
    imported = read_aif(file, topic)
    view = Graph(
        topic=topic or file.stem,
        claims=imported.claims,
        edges=imported.edges,
        strengths=strengths(imported.claims, imported.edges),
    )
    emit("Argument graph", view, form, out, file.stem)
    if form in ("", "text") and out is None:
        say()
        _print_measures(graph_measures(imported.claims, imported.edges))


def _last(view: Any, n: int | None) -> Any:
    if n is None:
        return view
    if isinstance(view, list):
        return view[-n:]
    if isinstance(view, Ranking):
        return view.first(n)
    if hasattr(view, "rows"):
        return view.model_copy(update={"rows": view.rows[-n:]})
    return view


def _plain(view: Any) -> Any:
    """As JSON can say it: a number that is none is null."""
    return [_plain(part) for part in view] if isinstance(view, list) else json.loads(view.model_dump_json())


def emit(title: str, view: Any, form: str, out: Path | None, run: str) -> None:
    """Draw a view, or write it in a format, to the terminal or into a file; `run` names it in formats that do so.

    A file that ends in .svg or .png becomes a picture. Without a format the file's ending decides.
    """
    picture, form = is_picture(out), format_for(form, out, FILES)
    if picture and form != "text":
        raise InputError(f"--out {out} names a picture, and --format {form} is none; leave out one of them")
    if form in GRAPH_FORMATS:
        if not isinstance(view, Graph):
            raise InputError(f"{form} is for graphs, and this is none; try json")
        text = GRAPH_FORMATS[form](view, run)
    elif form == "trec":
        if not isinstance(view, Ranking):
            raise InputError("trec is for rankings, and this is none; try json")
        text = to_trec(view)
    elif form == "json":
        text = json.dumps(_plain(view), indent=1, ensure_ascii=False)
    elif form == "text":
        if out is not None and picture:
            write_picture(title, view, out)
        else:
            draw(title, view, out)
        return
    else:
        raise UnknownName("format", form, FORMATS)
    if out is None:
        hand_over(text + "\n")
    else:
        write_out(out, text + "\n")
