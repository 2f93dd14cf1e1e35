"""What searchers are asked: which results of a page they open, where the page may answer by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.page_questions import WHICH, OpenedItems, PageQuestion
from openiir.kit.prompting import bullet_lines, join_parts, number_lines
from openiir.plugin import Columns, Draw, Record, Source

Place = Annotated[int, Field(ge=1, le=10)]


class OpenedResults(OpenedItems):
    """The results that a searcher opens."""

    open: tuple[Place, ...] = Field(max_length=10, description=WHICH)


@dataclass(frozen=True)
class SearchPage(PageQuestion[OpenedResults]):
    """Which of these results do you open?"""

    query: str
    remembered: tuple[str, ...]
    answer: str
    """What the page itself says, above its results; empty where it says nothing."""
    page: tuple[str, ...]
    """Title and passage of each result, from the top."""
    attraction: Annotated[tuple[float, ...], Source("drawn")]
    """Chance that each result is opened once it is looked at."""
    taking: Annotated[float, Source("study")]
    """Chance of taking the page's own answer and opening nothing; 0 where it gives none."""
    behaviour: ClickModel
    kind: ClassVar[str] = "feedback_outage.search"
    example: ClassVar[Record | None] = OpenedResults(
        thoughts="The second is by people who do this for a living.", open=(2,)
    )

    def prompt(self) -> str:
        told = {
            "What you remember of earlier searches": bullet_lines(self.remembered),
            "Above the results, the page itself answers": self.answer and f'"{self.answer}"',
            "The results, from the top": number_lines(self.page),
        }
        task = "Which results do you open? Open none if you have what you came for, or if none is worth it."
        return join_parts(f'You want to know something and search for "{self.query}".', told, task)

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: ClickModel) -> Columns:
        """Click by position (Craswell et al., WSDM 2008), or take the page's answer: good abandonment.

        That some searches end on the page because it answered them: Li, Huffman & Tokuda, SIGIR 2009. The
        column `held_back` are the clicks that the answer took the place of.
        """
        attraction = columns["attraction"]
        clicks = SlateReading(behaviour, draw, np.asarray(draw.agent), attraction.shape[1]).read(attraction)
        takes = draw.at("take").chance(columns["taking"])[:, None]
        return {"open": clicks & ~takes, "held_back": clicks & takes}

    @classmethod
    def row_of(cls, reply: OpenedResults, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Who opens nothing holds back what the click model would have opened."""
        would, opened = computed["open"] | computed["held_back"], super().row_of(reply, computed)["open"]
        return {"open": opened, "held_back": would & (not opened.any())}
