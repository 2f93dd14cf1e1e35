"""Views of a run as data, which the command line, exports and notebooks draw."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from openiir.core.asking import Question
from openiir.core.html import notebook_table
from openiir.core.records import Claim, Edge, Persona, Record
from openiir.core.storage import Log

Form = Literal["timeline", "graph", "series", "table", "ranking", "report"]


class Entry(Record):
    """An entry of a timeline: who did or said what, with its citations."""

    step: int
    actor: str | None
    """A persona's name; None for the platform."""
    heading: str = ""
    text: str
    notes: tuple[str, ...] = ()
    """Citations and other remarks, one a line."""


class Graph(Record):
    """An argument graph: claims and typed edges; can be exported as AIF, GraphML and Cypher."""

    topic: str
    claims: tuple[Claim, ...]
    edges: tuple[Edge, ...]
    strengths: dict[str, float] = {}
    speakers: dict[str, str] = {}
    """Persona ids to names."""


class Series(Record):
    """Line chart over steps or other whole numbers: names to (number, value) points."""

    along: str = "step"
    """Label of the horizontal axis."""
    unit: str
    low: float
    high: float
    lines: dict[str, tuple[tuple[int, float], ...]]


class Table(Record):
    """Rows under column names."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]

    def _repr_html_(self) -> str:
        return notebook_table(self.columns, self.rows, len(self.rows))


class Ranked(Record):
    """One item of a ranked list, as a line of a TREC run."""

    topic: str = Field(min_length=1)
    """The query, user or session that the list is for."""
    item: str = Field(min_length=1)
    rank: int = Field(ge=1)
    score: float = Field(allow_inf_nan=False)
    tag: str = Field(min_length=1)
    """Name of the ranker."""


class Ranking(Record):
    """Ranked lists, one a topic; can be exported as a TREC run.

    A topic's rows stand together, ranks count from 1, no score is above the one before it, and no item comes
    twice: programs that read TREC runs sort by score alone and would lose any other order.
    """

    rows: tuple[Ranked, ...]

    @classmethod
    def of(cls, scored: Iterable[tuple[str, str, float]], tag: str) -> "Ranking":
        """Rank (topic, item, score) triples: topics in the order given, items by falling score, ties by id."""
        lists: dict[str, list[tuple[float, str]]] = {}
        for topic, item, score in scored:
            lists.setdefault(topic, []).append((-score, item))
        return cls(
            rows=tuple(
                Ranked(topic=topic, item=item, rank=rank, score=-negative, tag=tag)
                for topic, found in lists.items()
                for rank, (negative, item) in enumerate(sorted(found), 1)
            )
        )

    def first(self, n: int) -> "Ranking":
        """The first n of each list."""
        return Ranking(rows=tuple(row for row in self.rows if row.rank <= n))

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        lists: dict[str, set[str]] = {}
        before: Ranked | None = None
        for row in self.rows:
            follows = before is not None and before.topic == row.topic
            if row.rank != (before.rank + 1 if before is not None and follows else 1):
                raise ValueError(
                    f"rank {row.rank} of topic {row.topic!r} is not the next one; rank with Ranking.of"
                )
            if before is not None and follows and row.score > before.score:
                raise ValueError(f"rank {row.rank} of topic {row.topic!r} scores above the rank before it")
            if row.item in lists.setdefault(row.topic, set()) or (not follows and lists[row.topic]):
                raise ValueError(f"topic {row.topic!r} holds {row.item!r} twice, or stands in two places")
            lists[row.topic].add(row.item)
            before = row
        return self


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
    view: Callable[..., Entry | Sequence[Entry] | Graph | Series | Table | Ranking | Report]
    per_agent: bool = False
    """Whether it can be narrowed to one agent by `agent=ID`."""
    agents: Callable[[Log], Sequence[str]] | None = None
    """The ids accepted by `agent=ID`, if these are not the personas of the run."""
    counts: str = ""
    """Unit that `n` counts, such as "dialogues", if one entry is only a part of it; the view then takes `n`."""


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
