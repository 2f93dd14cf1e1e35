"""What a member decides in front of a page: what to open, in which order, and whether to search the web."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, bullet_lines, number_lines
from openiir.plugin import Columns, Count, CrowdQuestion, Draw, Record, Source, UnusableAnswer
from openiir.scenarios.tiered_capability.model.reading import ReadingRule
from openiir.scenarios.tiered_capability.model.search import PLACES


class PageDecision(ThoughtfulReply):
    """What a member does with a page: the results that it opens, and whether it searches the web."""

    opens: tuple[Annotated[int, Field(ge=1, le=PLACES)], ...] = Field(
        max_length=PLACES, description="numbers of the results that you open, in the order in which you read"
    )
    web: bool = Field(description="true: it shall search the web as well; false: it shall not")


@dataclass(frozen=True)
class OpenResults(CrowdQuestion[PageDecision]):
    """Which results do you open, and is a web search worth it?"""

    query: str
    remembered: tuple[str, ...]
    on_web: bool
    """Whether this page is the web's, after one that was not enough."""
    results: tuple[str, ...]
    searches: Count
    """Number of web searches that are left after this page."""
    looks: Annotated[tuple[float, ...], Source("drawn")]
    """How useful each place's document looks to this member; EMPTY for a place without one."""
    behaviour: ReadingRule
    kind: ClassVar[str] = "tiered_capability.open"
    example: ClassVar[Record | None] = PageDecision(
        thoughts="The timetable itself is third, and the forum might know of the strike.",
        opens=(3, 1),
        web=False,
    )

    def prompt(self) -> str:
        before = f"What you looked up before:\n{bullet_lines(self.remembered)}\n\n" if self.remembered else ""
        where, left = "the web" if self.on_web else "the collection at hand", "It cannot search any further."
        if self.searches:
            times = f"{self.searches} web searches" if self.searches > 1 else "one web search"
            left = f"It can search the web as well; you have {times} left. Do you want that now?"
        asked = (
            "Which of these do you open, and in which order?" if self.results else "Nothing can be opened."
        )
        return f"""{before}You ask your search assistant: "{self.query}"

It searches {where} and finds {"this" if self.results else "nothing"}:

{number_lines(self.results) or "-"}

{asked} {left}"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"opens": range(1, len(self.results) + 1)}

    def check(self, reply: PageDecision) -> None:
        if len(set(reply.opens)) < len(reply.opens):
            raise UnusableAnswer(f"opens has {list(reply.opens)}; name each result once")

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: ReadingRule) -> Columns:
        """Read from the top, open what looks useful, and go on until satisfied: `ReadingRule.read`."""
        return behaviour.read(columns["looks"], draw)._asdict()

    @classmethod
    def reply_of(cls, row: Mapping[str, Any]) -> PageDecision:
        return PageDecision(opens=tuple(row["opens"][row["opens"] > 0].tolist()), web=bool(row["web"]))

    @classmethod
    def row_of(cls, reply: PageDecision, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        opens = np.zeros_like(computed["opens"])
        opens[: len(reply.opens)] = reply.opens
        return {"opens": opens, "web": reply.web}
