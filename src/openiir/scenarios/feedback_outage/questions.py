"""What searchers are asked: which results of a page they open, where the page may answer by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.prompting import ThoughtfulReply, bullet_lines, number_lines
from openiir.plugin import Columns, CrowdQuestion, Draw, Record, Source, UnusableAnswer

Place = Annotated[int, Field(ge=1, le=10)]


class OpenedResults(ThoughtfulReply):
    """The results that a searcher opens."""

    open: tuple[Place, ...] = Field(
        max_length=10, description="the numbers of those you open, each once; [] for none"
    )


@dataclass(frozen=True)
class SearchPage(CrowdQuestion[OpenedResults]):
    """Which of these results do you open?"""

    query: str
    remembered: tuple[str, ...]
    answer: str
    """What the page itself says, above its results; empty where it says nothing."""
    results: tuple[str, ...]
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
            "The results, from the top": number_lines(self.results),
        }
        parts = [f"{title}:\n{words}" for title, words in told.items() if words]
        task = "Which results do you open? Open none if you have what you came for, or if none is worth it."
        return "\n\n".join([f'You want to know something and search for "{self.query}".', *parts, task])

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"open": range(1, len(self.results) + 1)}

    def check(self, reply: OpenedResults) -> None:
        if len(set(reply.open)) < len(reply.open):
            raise UnusableAnswer("open names a number twice; name each once")

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: ClickModel) -> Columns:
        """Click by position (Craswell et al., WSDM 2008), or take the page's answer: good abandonment.

        That some searches end on the page because it answered them: Li, Huffman & Tokuda, SIGIR 2009. The
        column `held_back` are the clicks that the answer took the place of.
        """
        attraction = columns["attraction"]
        reading = SlateReading(behaviour, draw, np.asarray(draw.agent), attraction.shape[1])
        clicks = np.zeros(attraction.shape, dtype=np.bool_)
        for place in range(attraction.shape[1]):
            looks, _ = reading.look(place + 1)
            clicks[:, place] = reading.click(place + 1, looks, attraction[:, place])
        takes = draw.at("take").chance(columns["taking"])[:, None]
        return {"open": clicks & ~takes, "held_back": clicks & takes}

    @classmethod
    def reply_of(cls, row: Mapping[str, Any]) -> OpenedResults:
        return OpenedResults(open=tuple(int(place) + 1 for place in np.flatnonzero(row["open"])))

    @classmethod
    def row_of(cls, reply: OpenedResults, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Who opens nothing holds back what the click model would have opened."""
        would = computed["open"] | computed["held_back"]
        opened = np.isin(np.arange(1, len(would) + 1), reply.open)
        return {"open": opened, "held_back": would & (not opened.any())}
