"""Question to a simulated user about its dialogues, asked in an interview after the run."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from openiir.kit.interviewing import AfterRun, AfterRunAnswer
from openiir.kit.offline_speaker import nearest_text
from openiir.plugin import Draw, Record, Source


@dataclass(frozen=True)
class AfterDialogues(AfterRun):
    """Question to a simulated user about its dialogues with the systems, after the run."""

    said: Annotated[tuple[str, ...], Source("study")]
    """The user's utterances, which the offline answer quotes."""
    kind: ClassVar[str] = "conversational.after"
    example: ClassVar[Record] = AfterRunAnswer(
        answer="The second one asked me what I wanted to spend; the first one only talked."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Quote the user's utterance that is most similar to the question (TF-IDF cosine)."""
        found = nearest_text(self.asked, self.said)
        if found is None:
            return self.answer("Nothing that I told the services bears on that.")
        return self.answer(f"What I told the services bears on that: {found}")
