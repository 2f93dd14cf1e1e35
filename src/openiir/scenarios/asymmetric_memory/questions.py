"""What a member decides: which source to ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, bullet_lines, number_lines
from openiir.plugin import Columns, Count, CrowdQuestion, Draw, Record, Source, first_largest
from openiir.scenarios.asymmetric_memory.model import MOST_SOURCES

LOOKS = ("not promising at all", "hardly promising", "somewhat promising", "promising", "very promising")
ANSWERS = ("knew nothing of it", "knew hardly anything", "knew a part of it", "knew it well", "knew it all")
TURNED_AWAY = "turned people away, because too many asked"
RULE = "Each of them serves only so many people a day, and turns the others away.\n\n"


class SourceChoice(ThoughtfulReply):
    """The source that a member asks."""

    source: int = Field(ge=1, le=MOST_SOURCES, description="number of the one you ask")


@dataclass(frozen=True)
class ChooseSource(CrowdQuestion[SourceChoice]):
    """Which source do you ask?"""

    day: Count
    need: str
    looks: tuple[str, ...]
    """Name of each source, and how promising it looks today."""
    remembered: tuple[str, ...]
    crowded: bool
    """Whether sources serve only so many."""
    seen: Annotated[tuple[float, ...], Source("drawn")]
    """How good each source seems."""
    value: Annotated[tuple[float, ...], Source("study")]
    """Mean of the answers that the member remembers from each source."""
    weight: Annotated[tuple[float, ...], Source("study")]
    """Weight of memory against what is seen, n / (n + 1) for n answers."""
    kind: ClassVar[str] = "asymmetric_memory.choose"
    example: ClassVar[Record | None] = SourceChoice(thoughts="The baker opens first.", source=1)

    def prompt(self) -> str:
        remembered = f"What you remember:\n{bullet_lines(self.remembered)}\n\n" if self.remembered else ""
        return f"""It is day {self.day}. You follow a matter and want to know more about it today: {self.need}

{remembered}These can be asked today, and this is how they look to you:
{number_lines(self.looks)}

{RULE if self.crowded else ""}You can ask one of them today. Which one do you ask?"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"source": range(1, len(self.looks) + 1)}

    @classmethod
    def answer_columns(cls, columns: Columns, draw: Draw, behaviour: Any) -> Columns:
        """Ask the source with the largest mean of memory, which weighs n / (n + 1), and impression.

        That is the posterior mean of a normal variable whose prior is as precise as one observation (DeGroot,
        Optimal Statistical Decisions, 1970).
        """
        expected = columns["weight"] * columns["value"] + (1 - columns["weight"]) * columns["seen"]
        return {"source": first_largest(expected, axis=1) + 1}
