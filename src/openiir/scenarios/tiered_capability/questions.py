"""What a member decides in front of a page: which results to open, and whether to search the web as well."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.page_questions import WHICH, OpenedItems, PageQuestion
from openiir.kit.prompting import bullet_lines, join_parts, number_lines
from openiir.plugin import Columns, Count, Draw, Record, Source
from openiir.scenarios.tiered_capability.model.reading import ReadingRule
from openiir.scenarios.tiered_capability.model.search import PLACES


class PageDecision(OpenedItems):
    """The results that a member opens, and whether it lets the web be searched."""

    open: tuple[Annotated[int, Field(ge=1, le=PLACES)], ...] = Field(max_length=PLACES, description=WHICH)
    web: bool = Field(description="true: it shall search the web as well; false: it shall not")


@dataclass(frozen=True)
class OpenResults(PageQuestion[PageDecision]):
    """Which results do you open, and is a web search worth it?"""

    query: str
    remembered: tuple[str, ...]
    on_web: bool
    """Whether this page is the web's, after one that was not enough."""
    page: tuple[str, ...]
    """Title and opening of each result, from the top."""
    searches: Count
    """Number of web searches that are left; 0 as well where they cannot follow."""
    looks: Annotated[tuple[float, ...], Source("drawn")]
    """How useful each place's document looks to this member; EMPTY for a place without one."""
    behaviour: ReadingRule
    kind: ClassVar[str] = "tiered_capability.open"
    example: ClassVar[Record | None] = PageDecision(
        thoughts="The timetable itself is third, and the forum might know of the strike.",
        open=(1, 3),
        web=False,
    )

    def prompt(self) -> str:
        where, left = "the web" if self.on_web else "the collection at hand", "It cannot search any further."
        if self.searches:
            times = f"{self.searches} web searches" if self.searches > 1 else "one web search"
            left = f"It can search the web as well; you have {times} left. Do you want that now?"
        told = {
            "What you looked up before": bullet_lines(self.remembered),
            f"It searches {where} and finds": number_lines(self.page) or "nothing",
        }
        asked = "Which of these do you open?" if self.page else "There is nothing to open."
        return join_parts(f'You ask your search assistant: "{self.query}"', told, f"{asked} {left}")

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: ReadingRule) -> Columns:
        """Read from the top, open what looks useful, and go on until satisfied: `ReadingRule.read`."""
        return behaviour.read(columns["looks"], draw)._asdict()

    @classmethod
    def reply_of(cls, row: Mapping[str, Any]) -> PageDecision:
        return PageDecision(open=tuple((np.flatnonzero(row["open"]) + 1).tolist()), web=bool(row["web"]))

    @classmethod
    def row_of(cls, reply: PageDecision, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**super().row_of(reply, computed), "web": reply.web}
