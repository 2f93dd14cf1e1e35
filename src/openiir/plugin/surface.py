"""Views of a run as data: what a type declares, which the command line, exports, notebooks and the web app draw."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from openiir.core.asking import Question
from openiir.core.records import Persona
from openiir.core.storage import Log
from openiir.plugin.forms import Cards, Distribution, Entry, Form, Matrix, Ranking, Report, Series, Table
from openiir.plugin.graph_forms import Graph, Network, Tree

SurfaceView = (
    Entry
    | Sequence[Entry]
    | Tree
    | Graph
    | Network
    | Series
    | Table
    | Matrix
    | Distribution
    | Ranking
    | Cards
    | Report
)
FORM_RECORDS: dict[Form, tuple[type, ...]] = {
    "timeline": (Entry,),
    "dialogue": (Entry,),
    "tree": (Tree,),
    "graph": (Graph, Network),
    "series": (Series,),
    "table": (Table,),
    "matrix": (Matrix,),
    "distribution": (Distribution,),
    "ranking": (Ranking,),
    "cards": (Cards,),
    "report": (Report,),
}
"""What a view of each form gives; of timelines and dialogues, a sequence of it."""


@dataclass(frozen=True)
class Surface:
    """A view: a pure function of the log, which may take `agent` (a persona's id) and, if `live` is "append", `since`."""

    name: str
    form: Form
    title: str
    view: Callable[..., SurfaceView]
    per_agent: bool = False
    """Whether it can be narrowed to one agent by `agent=ID`."""
    agents: Callable[[Log], Sequence[str]] | None = None
    """The ids accepted by `agent=ID`, if these are not the personas of the run."""
    counts: str = ""
    """Unit that `n` counts, such as "dialogues", if one entry is only a part of it; the view then takes `n`."""
    help: str = ""
    """A sentence for somebody who sees the view for the first time: what it shows and how to read it."""
    group: Literal["result", "process", "data"] = "result"
    shows: Callable[[Log], bool | str] | None = None
    """Why there is nothing to see in a run, such as the key that was left out; True where there is something."""
    live: Literal["append", "replace", "end"] = "replace"
    """What a committed step does to the view: adds at its end, may change all of it, or nothing before the run ends."""


@dataclass(frozen=True)
class Interview:
    """An interview with agents of a finished run: a question built from the log alone."""

    name: str
    title: str
    question: Callable[[Log, Persona, str], Question[Any]]
    statements: Callable[[Log, str], Sequence[tuple[str, str]]]
    """(id, text) of the statements of a persona, for its participant to agree or disagree with."""
    heard: frozenset[str] = frozenset()
    """Kinds of actions that all agents present perceive, so that a question may mention those of others."""
