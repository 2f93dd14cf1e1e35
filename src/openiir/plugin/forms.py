"""The forms in which views show a run: a closed set, drawn alike in terminals, notebooks, pictures and the web app."""

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
    """An entry of a timeline or a dialogue: who did or said what."""

    step: int
    actor: str | None
    """An agent's name; None for the platform."""
    heading: str = ""
    text: str
    notes: tuple[str, ...] = ()
    """Remarks, one a line."""
    id: str = ""
    """Unique in the view where it is given: the entry can be linked to."""
    seq: int = 0
    """Number of its event in the log; 0 where it stands for no single one."""
    lane: str = ""
    agent: str = ""
    """The actor's id."""
    kind: str = ""
    cites: tuple[Cite, ...] = ()
    refs: tuple[Ref, ...] = ()
    of: str = ""
    """Place of the question that it answers."""
    depth: int = Field(0, ge=0)
    parent: str = ""
    """Id of the entry that it replies to."""
    side: Literal["", "user", "system"] = ""
    turn: int = 0
    acts: tuple[str, ...] = ()
    """Dialogue acts of an utterance."""
    grade: float | None = None


class Mark(Record):
    """A vertical mark in a series, such as a change of the configuration."""

    x: float
    label: str


class Series(Record):
    """Line chart over steps or other whole numbers: names to (number, value) points."""

    along: str = "step"
    """Label of the horizontal axis."""
    unit: str
    low: float
    high: float
    lines: dict[str, tuple[tuple[int, float], ...]]
    bands: dict[str, tuple[tuple[int, float, float], ...]] = {}
    """Intervals about lines of the same names: (number, low end, high end)."""
    marks: tuple[Mark, ...] = ()


class Column(Record):
    """A column of a table: its name and what its cells are."""

    name: str
    kind: ColumnKind | None = None
    """None: told from the cells."""
    unit: str = ""
    help: str = ""
    of: str = ""
    """The column whose interval this one is part of."""
    bound: Literal["", "half", "low", "high"] = ""
    """Which part of that interval: its half-width or an end."""


def half_width(of: str) -> Column:
    """The column of half-widths of the intervals about the column named."""
    return Column(name="+-", kind="float", of=of, bound="half")


def interval_ends(of: str) -> tuple[Column, Column]:
    """The two columns of the ends of the intervals about the column named."""
    return Column(name="low", kind="float", of=of, bound="low"), Column(
        name="high", kind="float", of=of, bound="high"
    )


class Table(Record):
    """Rows under columns; a column may be given by its name alone."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[CellValue, ...], ...]
    sort: str = ""
    """The column by which rows are in order, with a minus for falling values."""

    @field_validator("columns", mode="before")
    @classmethod
    def _name_columns(cls, columns: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(Column(name=one) if isinstance(one, str) else one for one in columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def kind_of(self, number: int) -> ColumnKind:
        """The kind of a column by its number: the one declared, or else told from its cells."""
        if declared := self.columns[number].kind:
            return declared
        cells = [row[number] for row in self.rows if row[number] is not None]
        if cells and all(isinstance(cell, bool) for cell in cells):
            return "bool"
        if any(isinstance(cell, str) for cell in cells) or not cells:
            return "text"
        return "float" if any(isinstance(cell, float) for cell in cells) else "int"

    def _repr_html_(self) -> str:
        return notebook_table(self.names, self.rows, len(self.rows))


class Matrix(Record):
    """Values in rows and columns on one scale, such as a heat map; a cell without a value is None."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    unit: str = ""
    low: float
    high: float
    middle: float | None = None
    """The value at which a diverging scale changes its colour."""

    @model_validator(mode="after")
    def _refuse_ragged(self) -> Self:
        if len(self.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in self.cells):
            raise ValueError(
                f"{len(self.rows)} rows and {len(self.columns)} columns need as many cells; give None where there is no value"
            )
        return self


class Bins(Record):
    """Counts by intervals: one more edge than counts."""

    bins: tuple[float, ...]
    counts: tuple[int, ...]


class Distribution(Record):
    """How values are distributed in groups: as counts by intervals, or as quantiles (share, value)."""

    unit: str
    groups: dict[str, Bins] = {}
    quantiles: dict[str, tuple[tuple[float, float], ...]] = {}


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


class Card(Record):
    """One thing to look at: an item of a feed, an idea, a persona."""

    id: str
    title: str
    text: str = ""
    picture: str = ""
    """A data URL."""
    fields: dict[str, str] = {}
    badge: str = ""


class Cards(Record):
    """Things side by side."""

    items: tuple[Card, ...]


class Section(Record):
    """A part of a report: each statement with the ids of the claims it rests on."""

    title: str
    statements: tuple[tuple[str, tuple[str, ...]], ...]
    counter: tuple[tuple[str, ...], ...] = ()
    """For each statement the ids of the claims against it; empty where none are told."""


class Report(Record):
    """A report in sections."""

    title: str
    sections: tuple[Section, ...]
