"""Views of a run as data; whoever shows them owns the drawing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from openiir.core.asking import Question
from openiir.core.records import Claim, Edge, Persona, Record
from openiir.core.storage import Log

Form = Literal["timeline", "graph", "series", "table", "ranking", "report"]


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
    """Lines over steps, or over whole numbers of another meaning: a name to (number, value) points."""

    along: str = "step"
    """What the numbers count."""
    unit: str
    low: float
    high: float
    lines: dict[str, tuple[tuple[int, float], ...]]


class Table(Record):
    """Rows under column names."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class Ranked(Record):
    """An item in its place in the ranked list of one topic."""

    topic: str = Field(min_length=1)
    """What was ranked for: a query, a user, or a user's session."""
    item: str = Field(min_length=1)
    rank: int = Field(ge=1)
    score: float = Field(allow_inf_nan=False)
    tag: str = Field(min_length=1)
    """What ranked it."""


class Ranking(Record):
    """Ranked lists, one a topic; written as a TREC run by whoever shows it.

    A topic's rows stand together, ranks count from 1, no score is above the one before it, and no item comes
    twice: programs that read runs order them by score alone, so any other order would be lost on the way.
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
    """The ids it can be narrowed to, where these are not the personas of the run."""
    counts: str = ""
    """What a number picks the first of, such as "dialogues", where an entry is only a part of it: the view takes `n`."""


@dataclass(frozen=True)
class Interview:
    """What a finished run's agents can be asked: a question whose context is built from the log alone."""

    name: str
    title: str
    question: Callable[[Log, Persona, str], Question[Any]]
    statements: Callable[[Log, str], Sequence[tuple[str, str]]]
    """(id, text) of what a persona stated, for its participant to agree or disagree with."""
