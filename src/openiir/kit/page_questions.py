"""Questions in front of a page of items, such as results or a feed: which of them does a person open?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import CrowdQuestion, UnusableAnswer

WHICH = "the numbers of those you open, each once; [] for none"
"""Description of the field `open` of a reply."""


class OpenedItems(ThoughtfulReply):
    """The items that a user opens on a page."""

    open: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(max_length=100, description=WHICH)


R = TypeVar("R", bound=OpenedItems)


@dataclass(frozen=True)
class PageQuestion(CrowdQuestion[R]):
    """A question whose reply has the numbers of the items that somebody opens on a page, from 1.

    The column `open` of answers is a mask, (members, places).
    """

    page: tuple[object, ...]
    """Items of the page, from the top."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"open": range(1, len(self.page) + 1)}

    def check(self, reply: R) -> None:
        if twice := sorted({n for n in reply.open if reply.open.count(n) > 1}):
            raise UnusableAnswer(f"open names number {twice[0]} twice; name each once")

    @classmethod
    def reply_of(cls, row: Mapping[str, Any]) -> R:
        return super().reply_of({"open": np.flatnonzero(row["open"]) + 1})

    @classmethod
    def row_of(cls, reply: R, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"open": np.isin(np.arange(1, len(computed["open"]) + 1), reply.open)}
