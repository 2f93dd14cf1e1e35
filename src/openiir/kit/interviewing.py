"""Interviews after a run: questions that agents answer from their memory of it."""

from dataclasses import dataclass, field

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

    A type derives a class with `kind`, `example` (an AfterRunAnswer), dispositions and `offline`, which ends
    with `answer`, and builds it in the `question` of its `Interview`, from the log alone.
    """

    part: str
    """What the agent took part in, in one to three sentences."""
    remembered: tuple[str, ...]
    """Memory records in chronological order."""
    asked: str
    found: tuple[str, ...] = field(default=(), kw_only=True)
    """Passages that the agent now looks up on the question, best first."""

    def prompt(self) -> str:
        remembered = (
            f"What you remember of it:\n{bullet_lines(self.remembered)}"
            if self.remembered
            else "You remember nothing of it."
        )
        found = f"\n\nYou look it up, and read:\n{bullet_lines(self.found)}" if self.found else ""
        source = "what you remember and have read now" if self.found else "what you remember"
        return f"""{self.part}

{remembered}

Now you are asked: {self.asked}{found}

Answer from {source}, in one to four sentences. Say so where it does not speak to the question."""

    def answer(self, own: str) -> AfterRunAnswer:
        """Build an offline answer of the agent's own words, and the best passage that it found."""
        found = f" I looked it up, and read: {self.found[0]}" if self.found else ""
        return AfterRunAnswer(answer=f"{own}{found}"[:1_500])


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
