"""Interviews after a run: questions that agents answer from their memory of it."""

from dataclasses import dataclass

from pydantic import Field

from openiir.kit.prompting import bullet_lines
from openiir.plugin import EpisodicMemory, Question, Record, texts_in_order

RECALLED = 12
"""Number of memory records that an agent is reminded of in an interview."""


class AfterRunAnswer(Record):
    """An answer after the run."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class AfterRun(Question[AfterRunAnswer]):
    """Question after a run: what the agent took part in, what it remembers, and what it is asked.

    A type adds kind, example, dispositions and offline answer.
    """

    part: str
    """What the agent took part in, in one to three sentences."""
    remembered: tuple[str, ...]
    """Memory records in chronological order."""
    asked: str

    def prompt(self) -> str:
        remembered = (
            f"What you remember of it:\n{bullet_lines(self.remembered)}"
            if self.remembered
            else "You remember nothing of it."
        )
        return f"""{self.part}

{remembered}

Now you are asked: {self.asked}

Answer from what you remember, in one to four sentences. Say so where it does not speak to the question."""


def look_back(memory: EpisodicMemory, asked: str) -> tuple[str, ...]:
    """Select memory records that bear on an interview question.

    Takes the records relevant to the question first, then the most important and latest ones.
    In the order lived; of a window memory, all.
    """
    found = memory.recall(asked, RECALLED)
    known = {record.id for record in found}
    others = [record for record in memory if record.id not in known]
    others.sort(key=lambda record: (-record.importance, -int(record.id[1:])))
    return texts_in_order((*found, *others[: max(0, RECALLED - len(found))]))
