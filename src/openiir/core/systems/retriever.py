"""Declaration of a world's own retriever: an engine, connected as a system under test, or a TREC run."""

from typing import Any, Literal

from pydantic import Field, model_validator

from openiir.core.grid import quantise
from openiir.core.records import Record, RetrievalMode
from openiir.core.systems import paths, template
from openiir.core.systems.declaration import RESERVED, ConnectorName, SystemSpec
from openiir.core.systems.exchange import Path, Paths
from openiir.core.systems.faults import SystemFault, quote_start
from openiir.core.systems.replies import SystemReply

VALUES = ("query", "k", "world", "persona")
"""Placeholders of a retriever's request: the words, how many passages, the world's name, who searches."""
_LARGEST_SCORE = 2.0**32
"""Magnitude from which a score is refused, since the last places of others beside it would be lost."""
_OF_RUNS = ("run", "topics", "otherwise")
_OF_ENGINES = ("ids", "scores")
_OF_TALKS = ("response", "data", "end")


class RetrieverSpec(SystemSpec):
    """The `[world.retriever]` table: how an engine is asked and where its answer holds ids and scores.

    All keys of a connector (address, request, headers, time-outs) are those of a system under test.
    """

    connector: ConnectorName | Literal["run"]  # type: ignore[assignment]
    """How the engine is reached; `run`, which the key of that name implies, reads a TREC run."""
    response: Paths = (paths.RAW,)
    ids: Path = "ids"
    """Path of the list of ids in an answer, best first."""
    scores: Path = "scores"
    """Path of the list of scores beside them; where an answer has none, a score is 1 / rank."""
    unit: Literal["chunk", "source"] = "chunk"
    """What ids name: passages (such as `c0017`), or sources, each of which gives its best passage by BM25."""
    run: str | None = Field(default=None, min_length=1, max_length=1_000)
    """TREC run, plain or .gz; its topics are query texts unless `topics` has these."""
    topics: str | None = Field(default=None, min_length=1, max_length=1_000)
    """File with a topic's id, a tab and its query text on each line, or `ir_datasets:ID`."""
    otherwise: RetrievalMode | None = None
    """Retrieval mode for queries that are no topic of the run; without one they are an error."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        if "run" in table:
            table = {"connector": "run", **table}
        if table.get("format") == "text":
            table = {"request": "{query}", **table}
        return table

    @model_validator(mode="after")
    def _fits(self) -> "RetrieverSpec":
        reads_run = self.connector == "run"
        unfit = (*_OF_TALKS, *(_OF_ENGINES if reads_run else _OF_RUNS))
        for key in unfit:
            if getattr(self, key) != type(self).model_fields[key].default:
                who = "a TREC run" if reads_run else "a search engine"
                raise ValueError(f"{key} means nothing to {who}; remove it")
        if paths.RAW in (self.ids, self.scores):
            raise ValueError('ids and scores are read from JSON; a key called "text" is "$.text"')
        known = {*VALUES, *RESERVED, *self.keep, *(self.open.keep if self.open else {})}
        for part in (self.url, self.request):
            for name in template.placeholders(part):
                if name not in known:
                    raise ValueError(f"the request asks for {{{name}}}; known there: {', '.join(VALUES)}")
        return self

    @property
    def label(self) -> str:
        """Name of the retriever in messages."""
        return f"retriever {self.run or super().label.removeprefix('system ')}"

    def read_ranking(self, reply: SystemReply, k: int) -> list[tuple[str, float]]:
        """Read the first k ids of an engine's answer with their scores, best first, each id once.

        Scores that do not descend are sorted; equal ones keep the engine's order. Raises SystemFault for an
        answer without a list of ids, and for scores that are not one finite number for each of them.
        """
        data = reply.data
        ids = paths.value_at(data, self.ids)
        if not isinstance(ids, list) or not all(type(one) in (str, int) for one in ids):
            raise SystemFault(
                self.label,
                f"the answer has no list of ids at {self.ids}: {quote_start(reply.raw)}",
                "correct ids in the declaration, or have the engine answer with texts or whole numbers there",
            )
        scores = paths.value_at(data, self.scores)
        if scores is paths.MISSING:
            scores = [1 / rank for rank in range(1, len(ids) + 1)]
        _check_scores(self, ids, scores)
        found: dict[str, float] = {}
        for one, score in zip(map(str, ids), scores, strict=True):
            found.setdefault(one, quantise(float(score)))
        return sorted(found.items(), key=lambda entry: -entry[1])[:k]


class RetrieverReply(Record):
    """What a retriever found for a query, as the ledger keeps it."""

    ids: tuple[str, ...] = ()
    """Ids that the world holds, best first."""
    scores: tuple[float, ...] = ()
    dropped: int = 0
    """Number of ids that the world does not hold."""
    otherwise: RetrievalMode | None = None
    """Retrieval mode that answers instead, for a query that is no topic of a run."""


def _check_scores(spec: RetrieverSpec, ids: list[Any], scores: Any) -> None:
    if not isinstance(scores, list) or len(scores) != len(ids):
        what = f"{len(scores)} scores" if isinstance(scores, list) else "no list of scores"
        raise SystemFault(
            spec.label,
            f"the answer has {len(ids)} ids at {spec.ids} and {what} at {spec.scores}",
            "have the engine answer with one score for each id, or name a path where there is none",
        )
    for one, score in zip(ids, scores, strict=True):
        if type(score) not in (int, float) or not abs(score) < _LARGEST_SCORE:
            saw = f"the score of {one!r} is {quote_start(repr(score))}, which is no number of a usable size"
            raise SystemFault(spec.label, saw, "have the engine answer with a finite number for each id")
