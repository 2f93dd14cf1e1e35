"""The forms of views (table, series, tree, ...), for terminals, notebooks, pictures and the web app."""

import math
from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from openiir.core.html import notebook_table
from openiir.core.records import Record
from openiir.plugin.graph_forms import Cite, Ref

Form = Literal[
    "timeline",
    "dialogue",
    "tree",
    "graph",
    "series",
    "table",
    "matrix",
    "distribution",
    "ranking",
    "cards",
    "report",
]
ColumnKind = Literal["text", "int", "float", "share", "id", "agent", "bool"]
CellValue = str | int | float | bool | None


class Entry(Record):
    """An entry of a timeline or dialogue: who did or said something, and at which step."""

    step: int
    actor: str | None
    """Name of the agent; None for the platform."""
    heading: str = ""
    text: str
    notes: tuple[str, ...] = ()
    """Remarks, one per line."""
    id: str = ""
    """Id of the entry, unique in its view; if given, the entry can be linked to."""
    seq: int = 0
    """Number of the entry's event in the log; 0 if it has no single event."""
    lane: str = ""
    agent: str = ""
    """Id of the actor."""
    kind: str = ""
    cites: tuple[Cite, ...] = ()
    refs: tuple[Ref, ...] = ()
    of: str = ""
    """Place of the question that the entry answers."""
    depth: int = Field(0, ge=0)
    parent: str = ""
    """Id of the entry that this one replies to."""
    side: Literal["", "user", "system"] = ""
    turn: int = 0
    acts: tuple[str, ...] = ()
    """Dialogue acts of an utterance."""
    grade: float | None = None


class Mark(Record):
    """A vertical line in a chart over steps, such as at a configuration change."""

    x: float
    label: str


class Series(Record):
    """A line chart over steps or other whole numbers: (number, value) points by line name."""

    along: str = "step"
    """Label of the horizontal axis."""
    unit: str
    low: float
    """Lower end of the vertical axis, which reaches further down where a value does."""
    high: float
    lines: dict[str, tuple[tuple[int, float], ...]]
    bands: dict[str, tuple[tuple[int, float, float], ...]] = {}
    """Intervals around lines of the same names: (number, low end, high end)."""
    marks: tuple[Mark, ...] = ()

    @model_validator(mode="after")
    def _hold_all_values(self) -> Self:
        values = [value for points in self.lines.values() for _, value in points if math.isfinite(value)]
        for name, end in (("low", min([self.low, *values])), ("high", max([self.high, *values]))):
            object.__setattr__(self, name, end)
        return self


class Column(Record):
    """A column of a table: name, kind of cells, unit."""

    name: str
    kind: ColumnKind | None = None
    """Kind of cells; None infers it from the cells."""
    unit: str = ""
    help: str = ""
    of: str = ""
    """Name of the column whose interval this column is part of."""
    bound: Literal["", "half", "low", "high"] = ""
    """Part of the interval in this column: half-width, low end or high end."""


def half_width(of: str) -> Column:
    """Create a table column for the half-widths of confidence intervals around the column `of`."""
    return Column(name="+-", kind="float", of=of, bound="half")


def interval_ends(of: str) -> tuple[Column, Column]:
    """Create two table columns for the ends of confidence intervals around the column `of`."""
    return Column(name="low", kind="float", of=of, bound="low"), Column(
        name="high", kind="float", of=of, bound="high"
    )


class Table(Record):
    """A table: rows under columns; a column may be given by its name alone."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    sort: str = ""
    """Column by which rows are sorted, with a leading minus for descending order."""
    labels: dict[str, str] = {}
    """What is shown for ids in columns of kind `agent`: names, which several may share."""

    @field_validator("columns", mode="before")
    @classmethod
    def _name_columns(cls, columns: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(Column(name=one) if isinstance(one, str) else one for one in columns)

    @model_validator(mode="after")
    def _refuse_loose_intervals(self) -> Self:
        known: set[tuple[str, str]] = set()
        for column in self.columns:
            if column.bound and not {("", column.of), ("low", column.of)} & known:
                raise ValueError(f"an interval of {column.of!r} stands before that column; put it behind")
            if column.bound == "high" and ("low", column.of) not in known:
                raise ValueError(f"the interval of {column.of!r} has no lower end; use interval_ends")
            known.add((column.bound, column.of if column.bound else column.name))
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def kind_of(self, number: int) -> ColumnKind:
        """Return the kind of a column by its number: the declared one, or else inferred from its cells."""
        if declared := self.columns[number].kind:
            return declared
        cells = [row[number] for row in self.rows if row[number] is not None]
        if cells and all(isinstance(cell, bool) for cell in cells):
            return "bool"
        if any(isinstance(cell, str) for cell in cells) or not cells:
            return "text"
        return "float" if any(isinstance(cell, float) for cell in cells) else "int"

    def labelled_rows(self) -> tuple[tuple[CellValue, ...], ...]:
        """Return the rows as they are shown: with labels in place of the ids of agents."""
        agents = {n for n, column in enumerate(self.columns) if column.kind == "agent"}
        return tuple(
            tuple(self.labels.get(str(cell), cell) if n in agents else cell for n, cell in enumerate(row))
            for row in self.rows
        )

    def _repr_html_(self) -> str:
        return notebook_table(self.names, self.labelled_rows(), len(self.rows))


class Matrix(Record):
    """A matrix of values on one scale, such as a heat map; a cell without a value is None."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    unit: str = ""
    low: float
    high: float
    middle: float | None = None
    """Value at which a diverging colour scale changes its colour."""

    @model_validator(mode="after")
    def _refuse_ragged(self) -> Self:
        if len(self.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in self.cells):
            raise ValueError(
                f"{len(self.rows)} rows and {len(self.columns)} columns need as many cells; fill up by None"
            )
        return self


class Bins(Record):
    """A histogram: counts by interval, with one more edge than counts."""

    bins: tuple[float, ...]
    counts: tuple[int, ...]


class Distribution(Record):
    """Distributions of values by group: as histograms, or as quantiles (share, value)."""

    unit: str
    groups: dict[str, Bins] = {}
    quantiles: dict[str, tuple[tuple[float, float], ...]] = {}


class Ranked(Record):
    """One item of a ranked list, like a line of a TREC run."""

    topic: str = Field(min_length=1)
    """Query, user or session that the list is for."""
    item: str = Field(min_length=1)
    rank: int = Field(ge=1)
    score: float = Field(allow_inf_nan=False)
    tag: str = Field(min_length=1)
    """Name of the ranker."""


class Ranking(Record):
    """Ranked lists, one per topic; can be exported as a TREC run.

    A topic's rows stand together, ranks count from 1, no score is above the one before it, and no item comes
    twice: programs that read TREC runs sort by score alone and would lose any other order.
    """

    rows: tuple[Ranked, ...]

    @classmethod
    def of(cls, scored: Iterable[tuple[str, str, float]], tag: str) -> "Ranking":
        """Rank (topic, item, score): topics in the order given, items by falling score, ties by id.

        A topic is a query, user or session, `tag` the ranker's name in TREC runs. Raises ValueError for a
        score that is not finite and for an item that comes twice in a topic.
        """
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
        """Cut each topic's list to its first n items."""
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


class Card(Record):
    """A card that shows one thing: an item of a feed, an idea, a persona."""

    id: str
    title: str
    text: str = ""
    picture: str = ""
    """Picture as a data URL."""
    fields: dict[str, str] = {}
    badge: str = ""


class Cards(Record):
    """Cards shown side by side."""

    items: tuple[Card, ...]


class Section(Record):
    """A section of a report: statements, each with the ids of the claims it rests on."""

    title: str
    statements: tuple[tuple[str, tuple[str, ...]], ...]
    counter: tuple[tuple[str, ...], ...] = ()
    """Ids of the claims against each statement; empty if none are given."""


class Report(Record):
    """A report in sections."""

    title: str
    sections: tuple[Section, ...]
