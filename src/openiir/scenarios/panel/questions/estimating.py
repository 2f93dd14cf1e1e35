"""The question of a Delphi round: an anonymous estimate, with feedback from the previous sweep."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.offline_speaker import Passage
from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import Count, Draw, Question, Record, Stance, UnusableAnswer
from openiir.scenarios.panel.model.beliefs.delphi import revise
from openiir.scenarios.panel.model.speaking.citations import check_marks, ids_to_numbers
from openiir.scenarios.panel.model.speaking.reasons import choose_reason
from openiir.scenarios.panel.questions.prompt_parts import (
    Persona,
    ShownPassage,
    Study,
    cite_words,
    list_notes,
    number_passages,
)

SCALE = 100
"""Top of the scale of estimates, from 0 (the topic is wholly wrong) to 100 (wholly right)."""
SPREAD = 8.0
"""Standard deviation, in points, of a first estimate around the stance it expresses; our design."""


class GroupFeedback(Record):
    """Anonymous feedback on the last iteration of estimates: median, quartiles and reasons."""

    median: Count
    low: Count
    """First quartile of the estimates, rounded to whole points as the others are."""
    high: Count
    """Third quartile of the estimates."""
    reasons: tuple[str, ...] = ()
    """Reasons of the panelists whose estimate lay outside the quartiles."""


class Estimation(ThoughtfulReply):
    """An estimate with its reason."""

    value: int = Field(ge=0, le=SCALE, description="your estimate, 0 wholly wrong to 100 wholly right")
    reason: str = Field(default="", max_length=800)


@dataclass(frozen=True)
class DelphiEstimate(Question[Estimation]):
    """Question to a panelist: how far is the topic right, from 0 to 100?"""

    topic: str
    goal: str
    first: Stance
    """The panelist's stance at the start."""
    own: Count | None
    """The panelist's estimate so far."""
    own_reason: str
    feedback: GroupFeedback | None
    passages: tuple[ShownPassage, ...]
    notes: tuple[str, ...]
    """The panelist's memories that are relevant to the topic."""
    stance: Annotated[float, Study]
    """The panelist's stance before estimating, -1 to 1."""
    interests: Annotated[tuple[str, ...], Persona]
    yielding: Annotated[float, Study]
    """Weight of the group's median in a revision, 0 to 1; smaller for panelists who are more sure."""
    quotable: Annotated[tuple[Passage, ...], Study]
    """The passages with their ids."""
    kind: ClassVar[str] = "panel.estimate"
    example: ClassVar[Record] = Estimation(
        thoughts="Most of my street would come by bus.",
        value=70,
        reason="Where the buses run often, people leave the car [2].",
    )

    def prompt(self) -> str:
        passages = f"{number_passages(self.passages)}\n\n" if self.passages else ""
        return f"""A panel estimates, without names, how far this motion is right: {self.topic}
{self.goal}

You were {self.first} when you came in. {self._so_far()}

{list_notes(self.notes)}{passages}How far is the motion right? 0 is wholly wrong, {SCALE} wholly right. \
Give your reason in one to three sentences.{cite_words(self.passages)} Name nobody."""

    def _so_far(self) -> str:
        if self.feedback is None or self.own is None:
            return "This is the first estimate."
        reasons = "\n".join(f'- "{reason}"' for reason in self.feedback.reasons)
        others = f" Those outside gave these reasons:\n{reasons}" if reasons else ""
        because = f", because: {self.own_reason}" if self.own_reason else "."
        middle = f"half of the panel lies between {self.feedback.low} and {self.feedback.high}"
        return f"""You said {self.own}{because}
The panel's median is {self.feedback.median}; {middle}.{others}
If you stay outside that half, say why."""

    def check(self, reply: Estimation) -> None:
        check_marks(reply.reason, len(self.passages))
        outside = self.feedback and not self.feedback.low <= reply.value <= self.feedback.high
        if outside and not reply.reason.strip():
            raise UnusableAnswer("an estimate outside the middle half needs a reason; give one")

    def offline(self, draw: Draw) -> Estimation:
        """Estimate by the stance with normal noise; later revise to x + w (median - x), w by doubt.

        The revision follows Becker, Brackbill & Centola (PNAS 2017): less accurate members revise more.
        """
        quote = choose_reason(self.topic, " ".join(self.interests), self.stance, self.quotable)
        reason = ids_to_numbers(quote, self.quotable)
        if self.feedback is None or self.own is None:
            value = 50 + 50 * self.stance + draw.normal(0.0, SPREAD)
            return Estimation(value=_round_to_scale(value), reason=reason)
        value = _round_to_scale(float(revise(float(self.own), self.feedback.median, self.yielding)))
        if self.feedback.low <= value <= self.feedback.high:
            return Estimation(value=value)
        return Estimation(value=value, reason=reason or self.own_reason or "My view has not changed.")


def _round_to_scale(value: float) -> int:
    return int(min(SCALE, max(0, round(value))))
