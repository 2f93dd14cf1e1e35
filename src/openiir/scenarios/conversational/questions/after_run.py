"""What a user says of the dialogues once the run is over."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from openiir.kit.interviewing import AfterRunAnswer, AfterRunFacts
from openiir.kit.offline_speaker import nearest_text
from openiir.plugin import Draw, Question, Record, Source


@dataclass(frozen=True)
class AfterDialogues(Question[AfterRunAnswer]):
    """What do you say, after the run, on your dialogues with the services?"""

    facts: AfterRunFacts
    dispositions: Annotated[tuple[str, ...], Source("study")]
    """What the user said in them, from which the offline answer quotes."""
    kind: ClassVar[str] = "conversational.after"
    Reply: ClassVar[type[Record]] = AfterRunAnswer
    example: ClassVar[Record] = AfterRunAnswer(
        answer="The second one asked me what I wanted to spend; the first one only talked."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Quotes what the user said that is most like the question (TF-IDF cosine)."""
        found = nearest_text(self.facts.asked, self.dispositions)
        if found is None:
            return AfterRunAnswer(answer="Nothing that I told the services bears on that.")
        return AfterRunAnswer(answer=f"What I told the services bears on that: {found}"[:1_500])
