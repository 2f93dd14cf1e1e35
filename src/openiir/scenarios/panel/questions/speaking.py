"""Questions to panelists: their first stance, what they say, and interviews after the panel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.interviewing import AfterRun, AfterRunAnswer
from openiir.kit.offline_speaker import nearest_text
from openiir.kit.prompting import ThoughtfulReply, number_lines
from openiir.plugin import Count, Draw, Question, Record, Stance, stance_word
from openiir.scenarios.panel.model.speaking.citations import check_marks, ids_to_numbers
from openiir.scenarios.panel.model.speaking.utterances import (
    ClaimView,
    SpeakingContext,
    SpeechAct,
    compose_utterance,
)
from openiir.scenarios.panel.questions.prompt_parts import (
    PanelPoint,
    Persona,
    ShownPassage,
    Study,
    cite_words,
    list_notes,
    number_passages,
    round_words,
    spent_words,
)

ActWord = Literal["opens", "supports", "counters", "makes more exact", "asks", "grants"]
ACT_WORDS: Mapping[SpeechAct, ActWord] = {
    "assert": "opens",
    "support": "supports",
    "counter": "counters",
    "refine": "makes more exact",
    "question": "asks",
    "concede": "grants",
}


class PanelUtterance(ThoughtfulReply):
    """What a panelist says."""

    text: str = Field(min_length=1, max_length=1_500, description="what you say, one to four sentences")
    answers: int = Field(
        0, ge=0, le=20, description="the number of the point you answer; 0 for none in particular"
    )
    does: ActWord
    where_you_stand: Stance


@dataclass(frozen=True)
class PanelSpeech(Question[PanelUtterance]):
    """Question to the panelist whose turn it is: what do you say?"""

    topic: str
    seats: Count
    round: str
    goal: str
    acts: tuple[SpeechAct, ...]
    """Speech acts that the round allows."""
    first: Stance
    """The panelist's stance at the start."""
    last: Stance | None
    """Stance that the panelist stated when it last spoke."""
    spoke: str
    """What the panelist said then."""
    heard: tuple[PanelPoint, ...]
    """Utterances since then, in order."""
    notes: tuple[str, ...]
    """Earlier thoughts and utterances that are relevant now."""
    points: tuple[PanelPoint, ...]
    """The point put to the panelist, if any, then other open points; in the last word, what others said."""
    put: bool
    """Whether the first of the points was put to the panelist."""
    searched: str
    """Words that the panelist searched for before this turn."""
    nothing: bool
    """Whether the search found nothing."""
    passages: tuple[ShownPassage, ...]
    spent: tuple[str, ...]
    """Names of other panelists who cannot speak any more."""
    closing: bool
    """Whether this is the panelist's last word."""
    claims: Annotated[tuple[ClaimView, ...], Study]
    """The points with their ids, stances and strengths."""
    context: Annotated[SpeakingContext, Study]
    """Stance, claims, passages and strengths from which the offline speaker composes an utterance."""
    kind: ClassVar[str] = "panel.speak"
    example: ClassVar[Record] = PanelUtterance(
        thoughts="What does he get wrong about us, and what do I have to give him?",
        text="The buses are not late because of the drivers; they are late because of one junction [1].",
        answers=1,
        does="counters",
        where_you_stand="firmly against",
    )

    @property
    def subject(self) -> str:
        return self.claims[0].id if self.put else ""

    def prompt(self) -> str:
        place = round_words(f"A panel of {self.seats}", self.topic, self.round, self.goal)
        found = " and found nothing" if self.nothing else ""
        looked = f'You looked for "{self.searched}"{found}.' if self.searched else ""
        notes = list_notes(self.notes).rstrip()
        past = [place, self._past(), self._since(), spent_words(self.spent), notes]
        parts = [*past, self._turn(), looked, number_passages(self.passages), self._task()]
        return "\n\n".join(part for part in parts if part)

    def _past(self) -> str:
        came = f"You were {self.first} when you came in."
        if not self.spoke:
            return f"{came} You have not spoken yet." if self.heard else came
        still = "still " if self.last == self.first else ""
        return f'{came} When you last spoke you were {still}{self.last}, and said:\n"{self.spoke}"'

    def _since(self) -> str:
        if not self.heard:
            return "" if self.spoke else "Nobody has spoken yet: you are the first."
        return "\n".join([f"{'Since then' if self.spoke else 'So far'}:", *map(str, self.heard)])

    def _turn(self) -> str:
        points = number_lines(self.points)
        if self.closing:
            last = (
                "This is your last word. Say where you stand now and what weighed most with you, whether it "
                "moved you or not."
            )
            number = f" If it is one of these points, give its number:\n{points}"
            return f"{last}{number if points else ''}"
        if not points:
            return "The moderator turns to you."
        put = ", which was put to you" if self.put else ""
        turn = f"The moderator turns to you. What do you say to point 1{put}?"
        other = " You may take up another one instead, if you have more to say to it."
        return f"{turn}{other if len(self.points) > 1 else ''}\n{points}"

    def _task(self) -> str:
        cite = cite_words(self.passages, "; a sentence that rests on your own experience needs none")
        point = " Do not repeat a point that is already made, unless you add to it."
        said = f"{cite}{point if self.heard and not self.closing else ''}"
        return (
            f"Say what you have to say, in one to four sentences, as in a conversation.{said} Then say where "
            "you stand now; it is no failing to stay where you were."
        )

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        return {"does": [ACT_WORDS[act] for act in self.acts], "answers": range(len(self.points) + 1)}

    def check(self, reply: PanelUtterance) -> None:
        check_marks(reply.text, len(self.passages))

    def offline(self, draw: Draw) -> PanelUtterance:
        """Compose an utterance from passages by maximal marginal relevance; see `compose_utterance`."""
        spoken = compose_utterance(self.context, draw)
        answered = [claim.id for claim in self.claims]
        return PanelUtterance(
            text=ids_to_numbers(spoken.text, self.context.passages),
            answers=answered.index(spoken.address) + 1 if spoken.address in answered else 0,
            does=ACT_WORDS[spoken.act],
            where_you_stand=stance_word(self.context.stance),
        )


class StanceReply(ThoughtfulReply):
    """A panelist's stance on the topic."""

    where_you_stand: Stance


@dataclass(frozen=True)
class Stand(Question[StanceReply]):
    """Question to a panelist: where do you stand before the panel begins?"""

    topic: str
    seats: Count
    stance: Annotated[float, Persona]
    """Stance that the persona, or its bio, gives: -1 to 1."""
    kind: ClassVar[str] = "panel.stand"
    example: ClassVar[Record] = StanceReply(
        thoughts="I take the bus every day, so I know what a car-free centre would do.",
        where_you_stand="leaning in favour",
    )

    def prompt(self) -> str:
        return f"""You take part in a panel of {self.seats}. It will discuss the motion: {self.topic}

Nobody has spoken yet. Where do you stand on the motion, as you come in?"""

    def offline(self, draw: Draw) -> StanceReply:
        """Answer with the persona's own stance in words."""
        return StanceReply(where_you_stand=stance_word(self.stance))


@dataclass(frozen=True)
class AfterPanel(AfterRun):
    """Question to a panelist after the panel, on what it said and heard there."""

    claims: Annotated[tuple[str, ...], Study]
    """The panelist's own claims, from which the offline answer quotes."""
    kind: ClassVar[str] = "panel.interview"
    example: ClassVar[Record] = AfterRunAnswer(
        answer="I said that the junction is the trouble, and I would say it again."
    )

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Quote the panelist's own claim that is most like the question (TF-IDF cosine)."""
        found = nearest_text(self.asked, self.claims)
        if found is None:
            return self.answer("I did not speak to that in the panel.")
        return self.answer(f"What I said in the panel bears on that: {found}")
