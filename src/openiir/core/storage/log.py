"""Reading of a run's log (events, claims, edges, tables), from which measures and views are computed."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from openiir.core.clock import CLOCK, timed_label
from openiir.core.errors import UnknownName
from openiir.core.records import Chunk, Claim, Edge, Event, Persona, Record, Search, SearchHit
from openiir.core.storage import tables
from openiir.core.storage.call_rows import PLACE
from openiir.core.storage.database import has_table
from openiir.core.storage.members import Members
from openiir.core.storage.run_file import RunFile

R = TypeVar("R", bound=Record)

_read_json = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
"""Reader of canonical JSON, `(text, 0)` to `(value, end)`; `json.loads` also looks for white space."""


class AnswerCount(NamedTuple):
    """Number of questions of one kind to one asker that one answerer answered."""

    asker: str
    """Agent's id or role that was asked."""
    kind: str
    answerer: str
    """Name of the answerer; empty for questions not asked because the agent had no tokens left."""
    questions: int
    repaired: int
    failed: int
    """Number of questions without a usable answer."""


class CallCount(NamedTuple):
    """Number of calls of models that one endpoint answered in one form, with their tokens."""

    endpoint: str
    """Empty for a single endpoint without a name."""
    form: str
    """Form in which the endpoint took the schema of the reply."""
    calls: int
    prompt_tokens: int
    cached_tokens: int
    reply_tokens: int
    reasoning_tokens: int
    unusable: int
    """Number of replies that did not fit their questions."""
    cut: int
    """Number of replies that reached their limit of tokens."""
    held: float
    """Seconds that they waited for limits shared with other runs, together."""


class Log:
    """Log of a run as committed; every call reads the file anew, so that a live page sees new steps.

    `until` bounds it: a schedule that is re-executed must not see what its later steps once wrote.
    `last_event` bounds its events by number, for a first look at the beginning of a long run.
    """

    def __init__(
        self, run: RunFile, until: int = 2**62, measuring: Record | None = None, last_event: int = 2**62
    ) -> None:
        self._run = run
        self.until = until
        self.last_event = last_event
        self.measuring = measuring
        """Settings of the scenario type's measures, if the log is read to compute these."""

    def options(self, measuring: type[R]) -> R:
        """Return the settings of the type's measures, or its defaults where a log was read without any."""
        return self.measuring if isinstance(self.measuring, measuring) else measuring()

    @property
    def study(self) -> dict[str, Any]:
        return self._run.study()

    @property
    def personas(self) -> tuple[Persona, ...]:
        """Personas at the start, then those who joined during the run, in order, including those who left."""
        sql = "select payload from event where kind = 'joined' and step <= ? order by seq"
        joined = self._run.db.execute(sql, (self.until,))
        return (*self._run.personas(), *(Persona.model_validate_json(row[0]) for row in joined))

    def persona_names(self) -> list[tuple[str, str]]:
        """List ids and names of all `personas`, without reading their other fields."""
        sql = (
            "select json_extract(document, '$.id'), json_extract(document, '$.name') from ("
            "select 0 as part, position as place, document from persona union all "
            "select 1, seq, payload from event where kind = 'joined' and step <= ?) order by part, place"
        )
        return list(self._run.db.execute(sql, (self.until,)))

    def persona(self, id: str) -> Persona | None:
        """Find one of `personas` by id."""
        sql = (
            "select document from persona where id = ? union all "
            "select payload from event where +kind = 'joined' and actor = ? and step <= ? limit 1"
        )
        row = self._run.db.execute(sql, (id, id, self.until)).fetchone()
        return Persona.model_validate_json(row[0]) if row else None

    @property
    def members(self) -> Members:
        """Ids and names of all members: of the population if there is one, else of the personas in order."""
        personas = {persona.id: persona for persona in self.personas}
        found = next(self.events("population"), None)
        if found is None:
            return Members(len(personas), "member", dict(enumerate(personas.values())))
        cast = {row: persona.id for row, persona in enumerate(self._run.personas())}
        cast |= {event.payload["row"]: str(event.actor) for event in self.events("promoted")}
        there = {row: personas[id] for row, id in cast.items()}
        return Members(found.payload["size"], found.payload["word"], there)

    def events(
        self, kind: str | None = None, *, actor: str | None = None, since: int = 0, until: int | None = None
    ) -> Iterator[Event]:
        """Iterate over the events of steps after `since` and up to `until`, in order."""
        last = self.until if until is None else min(until, self.until)
        sql = "select seq, step, lane, kind, actor, payload from event"
        sql += " where step > ? and step <= ? and seq <= ?"
        args: list[Any] = [since, last, self.last_event]
        for clause, value in (("kind = ?", kind), ("actor = ?", actor)):
            if value is not None:
                sql += f" and {clause}"
                args.append(value)
        for seq, step, lane, name, who, payload in self._run.db.execute(f"{sql} order by seq", args):
            yield Event.of_own(
                seq=seq, step=step, lane=lane, kind=name, actor=who, payload=_read_json(payload, 0)[0]
            )

    def fields(self, kind: str, *names: str) -> Iterator[tuple[Any, ...]]:
        """Iterate over some fields of the events of one kind, as tuples, without reading the other fields."""
        columns = ", ".join(["json_extract(payload, ?)"] * len(names))
        sql = (
            f"select json_array({columns}) from event where kind = ? and step <= ? and seq <= ? order by seq"
        )
        args = (*(f"$.{name}" for name in names), kind, self.until, self.last_event)
        return (tuple(_read_json(row, 0)[0]) for (row,) in self._run.db.execute(sql, args))

    def claims(self, *, since: int = 0) -> list[Claim]:
        sql = "select document from claim where step > ? and step <= ? order by position"
        return [Claim.model_validate_json(row[0]) for row in self._run.db.execute(sql, (since, self.until))]

    def edges(self, *, since: int = 0) -> list[Edge]:
        sql = (
            "select step, source, target, type, confidence, extractor from edge where step > ? and step <= ?"
        )
        names = ("step", "source", "target", "type", "confidence", "extractor")
        rows = self._run.db.execute(f"{sql} order by position", (since, self.until))
        return [Edge(**dict(zip(names, row, strict=True))) for row in rows]

    def searches(self) -> list[Search]:
        sql = "select lane, asker, step, ordinal, query, justification, refused, hits from search"
        names = ("lane", "asker", "step", "ordinal", "query", "justification", "refused")
        rows = self._run.db.execute(
            f"{sql} where step <= ? order by step, lane, asker, ordinal", (self.until,)
        )
        return [
            Search(
                **dict(zip(names, row[:-1], strict=True)),
                hits=tuple(SearchHit(**hit) for hit in json.loads(row[-1])),
            )
            for row in rows
        ]

    def chunks(self, world: str | None = None) -> list[Chunk]:
        return self._run.chunks(world, self.until)

    def found_chunks(self) -> list[Chunk]:
        """List the passages that searches found, in the order found."""
        return self._run.found_chunks(self.until)

    def table(self, name: str, *, since: int = 0) -> list[dict[str, Any]]:
        """Read the rows of a small columnar table, step by step."""
        files = self._files(name, since)
        return [row for file in files for row in tables.read_part(self._run.folder, file).to_pylist()]

    def columns(
        self, name: str, names: Sequence[str] | None = None, *, since: int = 0
    ) -> dict[str, NDArray[Any]]:
        """Read the columns of a table as arrays, step by step; only the columns in `names` are read.

        Texts are objects; where values are missing, a number is NaN and a text None. A table without rows
        gives no columns; raises UnknownName for a column that the table does not have.
        """
        files, folder = self._files(name, since), self._run.folder
        if not files:
            return {}
        there = list(tables.part_types(folder, files[0], name))
        for wanted in names or ():
            if wanted not in there:
                raise UnknownName(f"column of the table {name}", wanted, there)
        return tables.join_columns(folder, files, there if names is None else names)

    def parts(self, name: str, *, since: int = 0) -> list[Path]:
        """List the paths of a table's Parquet files, step by step, for DuckDB and other readers."""
        return [tables.part_path(self._run.folder, file) for file in self._files(name, since)]

    def _files(self, table: str, since: int) -> list[str]:
        sql = "select file from part where tbl = ? and step > ? and step <= ? order by step"
        return [file for (file,) in self._run.db.execute(sql, (table, since, self.until))]

    def answer_counts(self) -> list[AnswerCount]:
        """Count questions by asker, kind and answerer."""
        outcome, attempts = (f"json_extract(payload, '$.{name}')" for name in ("outcome", "attempts"))
        sql = (
            "select actor, json_extract(payload, '$.question') as question, "
            "coalesce(json_extract(payload, '$.answerer'), '') as answerer, count(*), "
            f"sum({outcome} = 'answered' and {attempts} > 1), sum({outcome} = 'failed') "
            "from event where kind = 'asked' and step <= ? and seq <= ? "
            "group by actor, question, answerer order by 1, 2, 3"
        )
        return [AnswerCount(*row) for row in self._run.db.execute(sql, (self.until, self.last_event))]

    def model_calls(self) -> list[CallCount]:
        """Count the calls of models by endpoint and form; none for runs of earlier releases."""
        if not has_table(self._run.db, "call_details"):
            return []
        sql = (
            "select endpoint, form, count(*), sum(prompt_tokens), sum(cached_tokens), sum(reply_tokens), "
            "sum(reasoning_tokens), sum(not usable), sum(finish = 'length'), sum(held) from call "
            f"join call_details using ({PLACE}, attempt) where step <= ? group by 1, 2 order by 3 desc, 1, 2"
        )
        return [CallCount(*row) for row in self._run.db.execute(sql, (self.until,))]

    def repairs(self, *, since: int = 0) -> dict[tuple[Any, ...], str]:
        """Return the errors of unusable first replies, by (lane, asker, kind, subject, step, ordinal)."""
        sql = f"select {PLACE}, error from call where attempt = 0 and not usable and step > ? and step <= ?"
        return {tuple(place): error for *place, error in self._run.db.execute(sql, (since, self.until))}

    def steps(self) -> list[tuple[int, str]]:
        """List number and label of each committed step."""
        sql = "select number, label from step where number <= ? order by number"
        return list(self._run.db.execute(sql, (self.until,)))

    def timed_steps(self) -> list[tuple[int, str]]:
        """List number and label of each committed step; labels include the simulated time if there is one."""
        times = {event.step: event.payload["minute"] for event in self.events(CLOCK)}
        return [(number, timed_label(label, times.get(number))) for number, label in self.steps()]

    def time_of(self, step: int) -> int | None:
        """Return the simulated minutes since the start at the end of a step; None before any is stated."""
        sql = "select json_extract(payload, '$.minute') from event where kind = ? and step <= ?"
        sql += " order by seq desc limit 1"
        row = self._run.db.execute(sql, (CLOCK, min(step, self.until))).fetchone()
        return row[0] if row else None
