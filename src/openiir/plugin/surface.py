"""Views of a run as data; whoever shows them owns the drawing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from openiir.core.asking import Question
from openiir.core.records import Claim, Edge, Persona, Record
from openiir.core.storage import Log

Form = Literal["timeline", "graph", "series", "table", "report"]


class Entry(Record):
    """An entry of a timeline: who said or did what, to whom, resting on what."""

    step: int
    actor: str | None
    """A persona's name; None for the platform."""
    heading: str = ""
    text: str
    notes: tuple[str, ...] = ()
    """Citations and other small print, a line each."""


class Graph(Record):
    """Claims and typed edges; exported to AIF, GraphML and Cypher by whoever shows it."""

    topic: str
    claims: tuple[Claim, ...]
    edges: tuple[Edge, ...]
    strengths: dict[str, float] = {}
    speakers: dict[str, str] = {}
    """Persona ids to names."""


class Series(Record):
    """Lines over steps: a name to (step, value) points."""

    unit: str
    low: float
    high: float
    lines: dict[str, tuple[tuple[int, float], ...]]


class Table(Record):
    """Rows under column names."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class Section(Record):
    """A part of a report: each statement with the ids of the claims it rests on."""

    title: str
    statements: tuple[tuple[str, tuple[str, ...]], ...]


class Report(Record):
    """A report in sections."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Surface:
    """A view: a pure function of the log, which may take `since` (a step) and `agent` (a persona's id)."""

    name: str
    form: Form
    title: str
    view: Callable[..., Entry | Sequence[Entry] | Graph | Series | Table | Report]
    per_agent: bool = False
    """Whether it can be narrowed to one agent by `agent=ID`."""


@dataclass(frozen=True)
class Interview:
    """What a finished run's agents can be asked: a question whose context is built from the log alone."""

    name: str
    title: str
    question: Callable[[Log, Persona, str], Question[Any]]
    statements: Callable[[Log, str], Sequence[tuple[str, str]]]
    """(id, text) of what a persona stated, for its participant to agree or disagree with."""
