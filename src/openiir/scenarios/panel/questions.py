"""What panelists are asked: what to say, and what they say of it after the panel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.prompting import Thoughts, bullet_lines, number_lines
from openiir.kit.quoting import Passage, nearest
from openiir.plugin import Count, Draw, Facts, Question, Record
from openiir.plugin.stances import Stance, stance_word
from openiir.scenarios.panel.config import Act
from openiir.scenarios.panel.prompting import (
    Persona,
    Point,
    Read,
    Study,
    check_marks,
    cite_words,
    passages_shown,
    with_numbers,
)
from openiir.scenarios.panel.utterances import Focus, Saying, say

Does = Literal["opens", "supports", "counters", "makes more exact", "asks", "grants"]
DOES: Mapping[Act, Does] = {
    "assert": "opens",
    "support": "supports",
    "counter": "counters",
    "refine": "makes more exact",
    "question": "asks",
    "concede": "grants",
}


class Utterance(Record):
    """What a panelist says."""

    thoughts: Thoughts = ""
    text: str = Field(min_length=1, max_length=1_500, description="what you say, one to four sentences")
    answers: int = Field(
        0, ge=0, le=20, description="the number of the point you answer; 0 for none in particular"
    )
    does: Does
    where_you_stand: Stance


@dataclass(frozen=True)
class SpeakFacts(Facts):
    """A panelist's turn, as the panelist lives it."""

    topic: str
    seats: Count
    round: str
    goal: str
    acts: tuple[Act, ...]
    """What the round allows."""
    first: Stance
    """Where they stood when they came in."""
    last: Stance | None
    """Where they said they stood when they last spoke."""
    spoke: str
    """What they said then."""
    heard: tuple[Point, ...]
    """What was said since then, in order."""
    notes: tuple[str, ...]
    """What they noted or cited earlier that bears on this, each with when."""
    points: tuple[Point, ...]
    """The point put to them, if there is one, and then other open ones; in the last word, what others said."""
    put: bool
    """Whether the first of the points was put to them."""
    passages: tuple[Read, ...]
    closing: bool
    """Whether this is their last word."""

    def prompt(self) -> str:
        parts = [
            self._place(),
            self._past(),
            self._since(),
            self._remembered(),
            self._turn(),
            passages_shown(self.passages),
            self._task(),
        ]
        return "\n\n".join(part for part in parts if part)

    def _place(self) -> str:
        return f"A panel of {self.seats} discusses the motion: {self.topic}\nThis round is called {self.round}. Its aim: {self.goal}"

    def _past(self) -> str:
        came = f"You came in {self.first}."
        if not self.spoke:
            return f"{came} You have not spoken yet."
        still = "still " if self.last == self.first else ""
        return f'{came} When you last spoke you were {still}{self.last}, and said:\n"{self.spoke}"'

    def _since(self) -> str:
        if not self.heard:
            return "" if self.spoke else "Nobody has spoken yet: you are the first."
        return "\n".join([f"{'Since then' if self.spoke else 'So far'}:", *map(str, self.heard)])

    def _remembered(self) -> str:
        return f"What you remember:\n{bullet_lines(self.notes)}" if self.notes else ""

    def _turn(self) -> str:
        if self.closing:
            last = "This is your last word. Say where you stand now and what weighed most with you, whether it moved you or not."
            return (
                f"{last} If it is one of these points, give its number:\n{number_lines(self.points)}"
                if self.points
                else last
            )
        if not self.points:
            return "The moderator turns to you."
        turn = f"The moderator turns to you. What do you say to point 1{', which was put to you' if self.put else ''}?"
        other = (
            " You may take up another one instead, if you have more to say to it."
            if len(self.points) > 1
            else ""
        )
        return f"{turn}{other}\n{number_lines(self.points)}"

    def _task(self) -> str:
        cite = cite_words(self.passages, "; a sentence that rests on your own experience needs none")
        point = (
            " Do not repeat a point that is already made, unless you add to it."
            if self.heard and not self.closing
            else ""
        )
        return (
            f"Say what you have to say, in one to four sentences, as in a conversation.{cite}{point} Then say where you "
            "stand now; it is no failing to stay where you were."
        )

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        return {"does": [DOES[act] for act in self.acts], "answers": range(len(self.points) + 1)}

    def check(self, reply: Utterance) -> None:
        check_marks(reply.text, self.passages)


@dataclass(frozen=True)
class SpeakDispositions:
    """What the offline speaker goes by."""

    stance: Annotated[float, Study]
    """Where the opinion dynamics has the speaker, -1 to 1."""
    first: Annotated[float, Persona]
    openness: Annotated[float, Persona]
    interests: Annotated[tuple[str, ...], Persona]
    own_strength: Annotated[float, Study]
    """Strength of the speaker's own best argument so far, 0 to 1."""
    points: Annotated[tuple[Focus, ...], Study]
    """The points with their ids, stances and strengths."""
    passages: Annotated[tuple[Passage, ...], Study]
    """The passages with their ids."""
    said: Annotated[tuple[str, ...], Study]
    """Every claim so far, not to be repeated."""
    heard: Annotated[tuple[str, ...], Study]
    """The last utterances, whose wordings are not used again at once."""
    weighed: Annotated[Focus | None, Study]
    """The claim of another that did most to the speaker; in the last word only."""
    mine: Annotated[Focus | None, Study]
    """The speaker's own best claim, where nobody countered it; in the last word only."""
    number: Annotated[int, Study]


@dataclass(frozen=True)
class Speak(Question[Utterance]):
    """What do you say?"""

    facts: SpeakFacts
    dispositions: SpeakDispositions
    kind: ClassVar[str] = "panel.speak"
    Reply: ClassVar[type[Record]] = Utterance
    example: ClassVar[Record] = Utterance(
        thoughts="What does he get wrong about us, and what do I have to give him?",
        text="The buses are not late because of the drivers; they are late because of one junction [1].",
        answers=1,
        does="counters",
        where_you_stand="firmly against",
    )

    @property
    def subject(self) -> str:
        return self.dispositions.points[0].id if self.facts.put else ""

    def offline(self, draw: Draw) -> Utterance:
        """Extractive argument construction by maximal marginal relevance; see `utterances.say`."""
        facts, by = self.facts, self.dispositions
        saying = Saying(
            topic=facts.topic,
            interests=by.interests,
            acts=facts.acts,
            stance=by.stance,
            first=by.first,
            openness=by.openness,
            own_strength=by.own_strength,
            focus=by.points[0] if facts.put else None,
            others=by.points[1:] if facts.put else (),
            passages=by.passages,
            said=by.said,
            heard=by.heard,
            closing=facts.closing,
            weighed=by.weighed,
            mine=by.mine,
            number=by.number,
        )
        spoken = say(saying, draw)
        answered = [point.id for point in by.points]
        return Utterance(
            text=with_numbers(spoken.text, [passage.id for passage in by.passages]),
            answers=answered.index(spoken.address) + 1 if spoken.address in answered else 0,
            does=DOES[spoken.act],
            where_you_stand=stance_word(by.stance),
        )


class Said(Record):
    """An answer after the panel."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class AfterFacts(Facts):
    """What a panelist said in the panel, and what is asked."""

    topic: str
    asked: str
    said: tuple[str, ...]
    """All that the panelist said in it, in order."""

    def prompt(self) -> str:
        said = (
            f"What you said in it, in order:\n{bullet_lines(self.said)}"
            if self.said
            else "You said nothing in it."
        )
        return f"""You took part in a panel on the motion: {self.topic}

{said}

Now you are asked: {self.asked}

Answer from what you said, in one to four sentences. Say so where you did not speak to it."""


@dataclass(frozen=True)
class AfterPanel(Question[Said]):
    """What do you say, after the panel, on what you said in it?"""

    facts: AfterFacts
    dispositions: Annotated[tuple[str, ...], Study]
    """The panelist's own claims, from which the offline answer quotes."""
    kind: ClassVar[str] = "panel.interview"
    Reply: ClassVar[type[Record]] = Said
    example: ClassVar[Record] = Said(
        answer="I said that the junction is the trouble, and I would say it again."
    )

    def offline(self, draw: Draw) -> Said:
        """Quotes the panelist's own claim that is most like the question (TF-IDF cosine)."""
        found = nearest(self.facts.asked, self.dispositions)
        if found is None:
            return Said(answer="I did not speak to that in the panel.")
        return Said(answer=f"What I said in the panel bears on that: {found}")
