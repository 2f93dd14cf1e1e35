"""What an agent is asked: which sources it asks this round, of all that it sees of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, count_noun, join_words, number_lines
from openiir.plugin import Columns, Count, CrowdQuestion, Draw, Record, Source, UnusableAnswer
from openiir.scenarios.coordination_emergent.model.access import MOST_REQUESTS, AccessChoice
from openiir.scenarios.coordination_emergent.model.sources import MOST_SOURCES


class AskedSources(ThoughtfulReply):
    """The sources that an agent asks."""

    asks: tuple[Annotated[int, Field(ge=1, le=MOST_SOURCES)], ...] = Field(
        max_length=MOST_REQUESTS, description="the numbers of those you ask, each once"
    )


@dataclass(frozen=True)
class AskSources(CrowdQuestion[AskedSources]):
    """Which sources do you ask?"""

    goal: str
    requests: Count
    known: tuple[str, ...]
    """People whom the agent met most where it asked; empty where it cannot see what others ask."""
    sources: tuple[str, ...]
    """What is known of each source: what it offers, what it answered, how busy it was, who used it."""
    value: Annotated[tuple[float, ...], Source("drawn")]
    """Mean worth of each source's answers so far, 0 to 1, with one for how it looks."""
    social: Annotated[tuple[float, ...], Source("drawn")]
    """Recent accesses by others to each source, 1 for the one with most; 0 where they cannot be seen."""
    busy: Annotated[tuple[float, ...], Source("drawn")]
    """Share of requests that each source turned away in the last round."""
    behaviour: AccessChoice
    kind: ClassVar[str] = "coordination_emergent.ask"
    example: ClassVar[Record | None] = AskedSources(
        thoughts="These four bakeries had the bread I like, and hardly a queue.", asks=(3, 1, 7, 4)
    )

    def prompt(self) -> str:
        people = f" Where you ask, you often meet {join_words(self.known)}." if self.known else ""
        return f"""You need to find out {self.goal}. Day by day you ask some of the sources below. Each \
serves only so many people a day and turns the others away, whose question is then lost.{people}

{number_lines(self.sources)}

Which {count_noun(self.requests, "source")} do you ask today?"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"asks": range(1, len(self.sources) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"asks": self.requests}

    def check(self, reply: AskedSources) -> None:
        if len(set(reply.asks)) != self.requests or len(reply.asks) != self.requests:
            raise UnusableAnswer(f"asks has {list(reply.asks)}; name {self.requests} different numbers")

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: AccessChoice) -> Columns:
        """Multinomial logit (McFadden 1974) of worth, others' accesses and congestion, without replacement.

        The sources with the largest utilities plus Gumbel noise are a Plackett-Luce sample (Yellott, J. Math.
        Psychol. 1977).
        """
        value, social, busy = (columns[name] for name in ("value", "social", "busy"))
        noise = draw.gumbel(agent=np.asarray(draw.agent)[:, None], item=np.arange(value.shape[1]))
        return {"asks": behaviour.choose(value, social, busy, noise) + 1}

    @classmethod
    def row_of(cls, reply: AskedSources, computed: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"asks": np.array(reply.asks)}
