"""Questions that every member of a population answers, with a behaviour model that works on columns."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from openiir.core.asking.question import Question
from openiir.core.asking.question_parts import BEHAVIOUR, question_parts
from openiir.core.records import Record
from openiir.core.seeds import Draw

R = TypeVar("R", bound=Record)
Columns = Mapping[str, NDArray[Any]]
"""Arrays by name, each with one entry or row for each member."""


class CrowdQuestion(Question[R]):
    """A question that cast and crowd answer: one behaviour model, for one member and for a million.

    Its dispositions are columns: where thousands are asked, each is an array with a row for each member.
    `Stage.ask_crowd` computes the answers of all for whom the behaviour model answers at once, and asks the
    others.
    """

    of_crowd: ClassVar[bool] = True
    _subject: ClassVar[str] = ""

    @property
    def subject(self) -> str:
        """Id of the one object that all are asked about, as given to `ask_crowd`."""
        return self._subject

    @classmethod
    @abstractmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: Any) -> Columns:
        """Answer for many members by a published behaviour model (cite it), by fields of the reply.

        `columns` are the dispositions by name. The part `agent` of `draw` is the array of the members' rows,
        so that `draw.uniform()` has an entry for each. A member's answer must not depend on who else is in
        the arrays. A field of listed values is a column of their positions; a field that is left out has its
        default.
        """

    def offline(self, draw: Draw) -> R:
        columns = {name: np.array([getattr(self, name)]) for name in question_parts(type(self)).dispositions}
        row = draw.agent if isinstance(draw.agent, str) else np.array([draw.agent])
        answers = self.answer_columns(columns, draw.at(agent=row), getattr(self, BEHAVIOUR, None))
        return self.reply_of({name: np.atleast_1d(column)[0] for name, column in answers.items()})

    @classmethod
    def for_member(
        cls, facts: Mapping[str, Any], columns: Columns, n: int, subject: str, behaviour: Any
    ) -> Self:
        """Build the question for the member in row `n` of the columns."""
        by = {name: _plain(column[n]) for name, column in columns.items()}
        asked = cls(**facts, **by, **({} if behaviour is None else {BEHAVIOUR: behaviour}))
        object.__setattr__(asked, "_subject", subject)
        return asked

    @classmethod
    def reply_of(cls, row: Mapping[str, Any]) -> R:
        """Convert a member's row of answers to a reply; override it and `row_of` if not field by field."""
        listed = _listed_values(cls.Reply)
        values = {n: listed[n][int(one)] if n in listed else _plain(one) for n, one in row.items()}
        return cls.Reply(**values)  # type: ignore[return-value]

    @classmethod
    def row_of(cls, reply: R, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Convert a reply to a row of answers; a value out of a list (Literal) becomes its position in it.

        `computed` is the row that the behaviour model answers for the same member, such as for the length of
        an array.
        """
        listed, said = _listed_values(cls.Reply), {name: getattr(reply, name) for name in computed}
        return {n: listed[n].index(one) if n in listed else one for n, one in said.items()}


def _plain(value: Any) -> Any:
    """Convert an array's element or row to numbers and tuples."""
    found = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    return tuple(map(_plain, found)) if isinstance(found, list) else found


@cache
def _listed_values(reply: type[Record]) -> dict[str, tuple[Any, ...]]:
    """Return the values of each field that is one of several listed values."""
    kinds = {name: field.annotation for name, field in reply.model_fields.items()}
    return {name: get_args(kind) for name, kind in kinds.items() if get_origin(kind) is Literal}
