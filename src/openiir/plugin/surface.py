"""Views of a run as data, declared by a type and drawn by command line, exports, notebooks and web app."""

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
"""Record types of each form's view; timelines and dialogues are sequences of theirs."""


@dataclass(frozen=True)
class Surface:
    """Declaration of a view of a run (a timeline, table or chart), computed from its log alone.

    It may take `agent` (a persona's id) and, if `live` is "append", `since`."""

    name: str
    form: Form
    title: str
    view: Callable[..., SurfaceView]
    per_agent: bool = False
    """Whether the view can be limited to one agent by `agent=ID`."""
    agents: Callable[[Log], Sequence[str]] | None = None
    """Function that lists the ids accepted by `agent=ID`, if these are not the run's personas."""
    counts: str = ""
    """Unit that `n` counts, such as "dialogues", if that is more than one entry; the view then takes `n`."""
    help: str = ""
    """A sentence for first-time viewers: what the view shows and how to read it."""
    group: Literal["result", "process", "data"] = "result"
    shows: Callable[[Log], bool | str] | None = None
    """Function that tells whether a run has something to show: True, or the reason why not."""
    live: Literal["append", "replace", "end"] = "replace"
    """How a step changes the view: adds to its end, may change all of it, or nothing before the end."""
    whole: Callable[[Log], Tree | Graph | Network] | None = None
    """Function that returns all of a tree or graph of which the view draws a part, for graph databases."""


@dataclass(frozen=True)
class Interview:
    """Declaration of interviews with agents of a finished run, with questions built from the log alone."""

    name: str
    title: str
    question: Callable[[Log, Persona, str], Question[Any]]
    statements: Callable[[Log, str], Sequence[tuple[str, str]]]
    """Function that lists a persona's statements as (id, text), for its participant to judge."""
    heard: frozenset[str] = frozenset()
    """Kinds of actions that all agents present perceive, so that a question may mention them."""
