"""Ask the members of a population one question: in arrays, or one by one where somebody else answers."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openiir.core.agents.agent import Agent
from openiir.core.agents.crowd import Crowd
from openiir.core.agents.population import Population
from openiir.core.asking import Columns, CrowdQuestion
from openiir.core.errors import InputError
from openiir.core.records import Record

if TYPE_CHECKING:
    from openiir.core.agents.lane import Lane

Rows = NDArray[np.integer[Any]]


class CrowdAnswers(dict[str, NDArray[Any]]):
    """Answers of many members as columns by name, and the full replies of members asked individually."""

    def __init__(self, columns: Columns, replies: Mapping[int, Record | None]) -> None:
        super().__init__(columns)
        self.replies = replies
        """Replies by the member's row; None where no usable one came."""


async def answer_crowd(
    lane: "Lane",
    question: type[CrowdQuestion[Any]],
    population: Population,
    columns: Columns,
    rows: Rows,
    facts: Callable[[int], Mapping[str, Any]],
    subject: str,
    behaviour: Any,
) -> CrowdAnswers:
    """Ask many members a question, in arrays or (if not answered offline) one by one: `Lane.ask_crowd`."""
    _check_rows(question, population, columns, rows)

    def answer(part: slice) -> Columns:
        taken = {name: column[part] for name, column in columns.items()}
        return question.answer_columns(taken, lane.answer_draw(question, rows[part], subject), behaviour)

    blocks = Crowd(len(rows), population.crowd.spread).each(answer) or [answer(slice(0))]
    answers = {name: _join_column([block[name] for block in blocks]) for name in blocks[0]}
    others = list(_answered_by_others(lane, question.kind, population, rows))
    batch = [(agent, question.for_member(facts(n), columns, n, subject, behaviour)) for n, agent in others]
    replies = {n: reply for (n, _), reply in zip(others, await lane.ask_all(batch), strict=True)}
    nothing = {name: "" if column.dtype == object else 0 for name, column in answers.items()}
    for n, reply in replies.items():
        computed = {name: column[n] for name, column in answers.items()}
        said = nothing if reply is None else question.row_of(reply, computed)
        for name in answers.keys() & said.keys():
            answers[name][n] = said[name]
    return CrowdAnswers(answers, {int(rows[n]): reply for n, reply in replies.items()})


def _join_column(blocks: list[NDArray[Any]]) -> NDArray[Any]:
    """Join a column's blocks; texts become objects, since an array of texts would cut off longer ones."""
    column = np.concatenate(blocks)
    return column.astype(object) if column.dtype.kind == "U" else column


def _answered_by_others(
    lane: "Lane", kind: str, population: Population, rows: Rows
) -> Iterator[tuple[int, Agent]]:
    """Iterate over members for whom not the behaviour model answers, by their place in `rows`."""
    cast = np.array(sorted(population.agents), dtype=np.int64)
    for n in np.flatnonzero(np.isin(rows, cast)).tolist():
        agent = population.agents[int(rows[n])]
        if not lane.answering.at_once(agent.id, kind):
            yield n, agent


def _check_rows(
    question: type[CrowdQuestion[Any]], population: Population, columns: Columns, rows: Rows
) -> None:
    """Raise InputError unless every member is asked once and every column has a row for each."""
    if lengths := {name: len(column) for name, column in columns.items() if len(column) != len(rows)}:
        name, length = next(iter(lengths.items()))
        raise InputError(
            f"{question.kind}: the column {name!r} has {length} rows for {len(rows)} members; give one for "
            "each"
        )
    if len(rows) and not 0 <= rows.min() <= rows.max() < population.size:
        raise InputError(f"{question.kind}: rows of members are 0 to {population.size - 1}")
    asked = np.zeros(population.size, dtype=np.bool_)
    asked[rows] = True
    if asked.sum() != len(rows):
        raise InputError(
            f"{question.kind}: a member is asked twice in one ask_crowd; ask each once, about several things "
            "in columns with a second dimension"
        )
    if not population.present[rows].all():
        row = int(rows[~population.present[rows]][0])
        raise InputError(f"{population.id(row)!r} has left and cannot be asked; take population.rows")
