"""Find views by name and draw them, or write them as pictures and in formats other programs read."""

import json
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from openiir.core.claims.formats import graph_text, to_aif, to_cypher
from openiir.core.errors import InputError, UnknownName
from openiir.core.storage import Log, RunFile
from openiir.core.storage.run_database import run_id
from openiir.kit.measures.trec import to_trec
from openiir.plugin import Graph, Matrix, Network, Ranking, Series, Table, Tree
from openiir.runs.post_run import check_agent, find_surface, scenario_of, surfaces_of
from openiir.runs.terminal import print_for_program, without_controls
from openiir.runs.views.drawing import draw_view, view_text
from openiir.runs.views.graph_files import build_graph
from openiir.runs.views.plotting import ENDINGS, FORMS, is_picture, view_svg, write_picture
from openiir.runs.views.writing import format_for, write_out

_DRAWN = ("trees and graphs, and this is neither", (Graph, Network, Tree))
_ARGUED = ("argument graphs, and this is none", (Graph,))
WRITERS: dict[str, tuple[str, tuple[type, ...], Callable[[Any, str], str]]] = {
    "json": ("", (object,), lambda view, run: json.dumps(_plain(view), indent=1, ensure_ascii=False)),
    "trec": ("rankings, and this is none", (Ranking,), lambda view, run: to_trec(view)),
    "aif": (*_ARGUED, lambda g, run: json.dumps(to_aif(g.claims, g.edges), indent=1, ensure_ascii=False)),
    "cypher": (
        *_ARGUED,
        lambda g, run: to_cypher(
            g.claims, g.edges, run, strengths=g.strengths, speakers=g.speakers, world=g.world
        ),
    ),
    "graphml": (*_DRAWN, lambda view, run: graph_text(build_graph(view), "graphml")),
    "gexf": (*_DRAWN, lambda view, run: graph_text(build_graph(view), "gexf")),
}
"""By format: what it is for in words, the views it is for, and a function that writes one of a named run."""
FORMATS = ("text", *WRITERS)
FILES = {f".{form}": form for form in FORMATS[1:]} | {".run": "trec"} | dict.fromkeys(ENDINGS, "text")
"""Formats of files by their endings; for a picture's ending the view is drawn instead of written."""


class Drawing:
    """A view of a run that prints as text and shows as a picture or a table in a notebook."""

    def __init__(self, title: str, view: Any, answered: str = "") -> None:
        self.title, self.view, self.answered = title, view, answered

    def __str__(self) -> str:
        return without_controls(view_text(self.title, self.view, self.answered)).removesuffix("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if isinstance(self.view, Series | Matrix):
            with suppress(InputError):  # without numbers it is a text
                return view_svg(self.title, self.view)
        if isinstance(self.view, Table):
            return f"<p><b>{escape(self.title)}</b></p>{self.view._repr_html_()}"
        return f"<pre>{escape(str(self))}</pre>"


def find_view(
    run: RunFile, name: str, agent: str | None = None, n: int | None = None, out: Path | None = None
) -> tuple[str, Any]:
    """Return title and data of a view of a run, for one agent or the first or last n entries if given.

    They are the last n, or the first of rankings and dialogues. Raises UnknownName, and InputError where the
    surface cannot be narrowed so, or cannot be drawn as the picture that `out` names.
    """
    surface = find_surface(run, name)
    if is_picture(out) and surface.form not in FORMS:
        drawn = ", ".join(s.name for s in surfaces_of(scenario_of(run)).values() if s.form in FORMS)
        raise InputError(f"--out {out}: no picture shows a {surface.form}; of this run can be drawn: {drawn}")
    narrowed: dict[str, Any] = {}
    if n is not None and surface.counts:
        narrowed, n = {"n": n}, None
    if agent is not None:
        if not surface.per_agent:
            raise InputError(f"the surface {name!r} shows the whole run; leave --agent out")
        check_agent(run, surface, agent)
        narrowed["agent"] = agent
    return surface.title, _narrow(surface.view(Log(run), **narrowed), n)


def name_run(run: RunFile) -> str:
    """Return the name of a run in exports: its id in databases, or its folder's name before its end."""
    return run_id(run.db) or run.folder.name


def _narrow(view: Any, n: int | None) -> Any:
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
    """Convert a view to JSON values; NaN becomes null."""
    return [_plain(part) for part in view] if isinstance(view, list) else json.loads(view.model_dump_json())


def output_view(
    title: str, view: Any, form: str, out: Path | None, run: str, answered: str = "", whole: bool = False
) -> None:
    """Draw a view, or write it in an export format, to the terminal or a file.

    A file that ends in .svg, .pdf or .png becomes a picture. Without a format the file's ending decides.
    `answered` says who answered in the run, for a view in words; unless `whole`, the terminal shows the
    beginning of a long one.
    """
    picture, form = is_picture(out), format_for(form, out, FILES)
    if picture and form != "text":
        raise InputError(f"--out {out} names a picture, and --format {form} is none; leave out one of them")
    if form not in FORMATS:
        raise UnknownName("format", form, FORMATS)
    if form == "text":
        if out is not None and picture:
            write_picture(title, view, out)
        else:
            draw_view(title, view, out, answered, whole)
        return
    purpose, kinds, write = WRITERS[form]
    if not isinstance(view, kinds):
        raise InputError(f"{form} is for {purpose}; try json")
    text = write(view, run)
    if out is None:
        print_for_program(text + "\n")
    else:
        write_out(out, text + "\n")
