"""What panelists are asked: where they stand, what to look up, what to say, and what they say of it after the panel."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.quoting import Passage, nearest
from openiir.plugin import Count, Draw, Facts, Question, Record, Source, UnusableAnswer
from openiir.plugin.stances import Stance, stance_word
from openiir.scenarios.panel.config import Act
from openiir.scenarios.panel.utterances import Focus, Saying, say

Thoughts = Annotated[str, Field(max_length=600, description="what goes through your mind, at most 60 words; nobody sees it")]
Persona, Study = Source("persona"), Source("study")
MARK = re.compile(r"\s*\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]")
"""Numbers of passages in brackets, and the blank before them."""


@dataclass(frozen=True)
class Point:
    """A claim of the panel, as one who was there recalls it."""

    speaker: str
    """`You` for one's own."""
    text: str
    asker: str = ""
    """Who asked what it rests on."""

    def __str__(self) -> str:
        asked = f" {self.asker} asked what this rests on." if self.asker else ""
        return f'{self.speaker}: "{self.text}"{asked}'


@dataclass(frozen=True)
class Read:
    """A passage in front of somebody."""

    text: str
    before: bool = False
    """Whether they cited it before."""


def numbered(entries: Sequence[object]) -> str:
    """A list as people number it, from 1."""
    return "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries, 1))


def passages_shown(passages: Sequence[Read]) -> str:
    """Passages with the marks by which they are cited."""
    return "\n".join(
        f"[{number}] {'(you cited this before) ' if one.before else ''}{one.text}" for number, one in enumerate(passages, 1)
    )


def check_marks(text: str, passages: Sequence[Read]) -> None:
    """Refuse marks of passages that are not there."""
    if wrong := [n for marks in MARK.findall(text) for n in map(int, marks.split(",")) if not 1 <= n <= len(passages)]:
        there = f"only [1] to [{len(passages)}] are there" if passages else "there are none"
        raise UnusableAnswer(f"the text cites passage [{wrong[0]}], but {there}; leave the mark out or correct it")


def with_marks(text: str, ids: Sequence[str]) -> str:
    """A text with the passages' ids in the place of their numbers."""
    return MARK.sub(lambda found: "".join(f" [{ids[int(n) - 1]}]" for n in found[1].split(",")), text)


def with_numbers(text: str, ids: Sequence[str]) -> str:
    """A text with the passages' numbers in the place of their ids."""
    return re.sub(r"\[([^\[\]\s]+)\]", lambda found: f"[{ids.index(found[1]) + 1}]" if found[1] in ids else found[0], text)


def without_marks(text: str) -> str:
    """What somebody says, as others hear it: without marks of passages, numbers or ids."""
    return re.sub(r"\s*\[[^\[\]\s]{1,40}\]", "", text)


class Standing(Record):
    """Where somebody stands."""

    thoughts: Thoughts = ""
    where_you_stand: Stance


@dataclass(frozen=True)
class StandFacts(Facts):
    """The motion, before anything was said."""

    topic: str
    seats: Count

    def prompt(self) -> str:
        return f"""You take part in a panel of {self.seats}. It will discuss the motion: {self.topic}

Nobody has spoken yet. Where do you stand on the motion, as you come in?"""


@dataclass(frozen=True)
class Stand(Question[Standing]):
    """Where do you stand before the panel begins?"""

    facts: StandFacts
    dispositions: Annotated[float, Persona]
    """The stance that the persona, or its bio, gives: -1 to 1."""
    kind: ClassVar[str] = "panel.stand"
    Reply: ClassVar[type[Record]] = Standing
    example: ClassVar[Record] = Standing(thoughts="I take the bus every day, so I know what a car-free centre would do.", where_you_stand="leaning in favour")

    def offline(self, draw: Draw) -> Standing:
        """The persona's own stance in words."""
        return Standing(where_you_stand=stance_word(self.dispositions))


class Looking(Record):
    """What to look up before speaking."""

    thoughts: Thoughts = ""
    where: Literal["articles", "web", "nowhere"]
    query: str = Field("", max_length=200, description="what you search for; empty where you look nowhere")
    missing: str = Field("", max_length=600, description="for the web: what is missing in the articles, and what it would change")


@dataclass(frozen=True)
class LookUpFacts(Facts):
    """What somebody is about to speak to, and where they could look."""

    topic: str
    matter: str
    """The claim or goal to speak to."""
    answers: bool
    """Whether the matter is a claim of the panel."""
    searches: Count
    """Web searches that are left."""

    def prompt(self) -> str:
        what = f'answer this point: "{self.matter}"' if self.answers else f"speak to this: {self.matter}"
        times = "once" if self.searches == 1 else f"{self.searches} times"
        web = (
            f" If the articles will not have it, you may search the web instead ({times} in this panel); say then what is "
            "missing, why the articles do not have it, and what it would change."
            if self.searches
            else ""
        )
        return f"""A panel discusses the motion: {self.topic}

You are about to {what}

You can look something up first, in a collection of articles.{web} What do you search for? Look nowhere if you have what you need."""

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"where": ("articles", "web", "nowhere") if self.searches else ("articles", "nowhere")}

    def check(self, reply: Looking) -> None:
        if reply.where != "nowhere" and not reply.query.strip():
            raise UnusableAnswer("a search needs words to search for; write them as query, or look nowhere")


@dataclass(frozen=True)
class LookUpDispositions:
    """What the offline searcher goes by."""

    terms: Annotated[tuple[str, ...], Persona]
    """Words of the matter and of the persona's interests that were not looked up yet, the weightiest first."""
    coverage: Annotated[float, Study]
    """How well the corpus covers them: the best lexical score, 0 to 1."""
    claim: Annotated[str, Study]
    """The id of the claim to answer, which a justification names."""


@dataclass(frozen=True)
class LookUp(Question[Looking]):
    """What do you want to look up before you speak?"""

    facts: LookUpFacts
    dispositions: LookUpDispositions
    kind: ClassVar[str] = "panel.look-up"
    Reply: ClassVar[type[Record]] = Looking
    example: ClassVar[Record] = Looking(thoughts="Somebody must have counted passengers before and after.", where="articles", query="bus passengers before after car-free centre")

    def offline(self, draw: Draw) -> Looking:
        """Keywords of the matter first; the web only where the corpus covers them badly (below 0.3; our design)."""
        by = self.dispositions
        query = " ".join(by.terms[:5])
        if by.coverage < 0.3 and self.facts.searches and by.claim:
            return Looking(
                where="web",
                query=query,
                missing=f"Evidence for or against claim {by.claim} is missing: the corpus covers {query} with "
                f"only {by.coverage:.2f} of 1, and an answer would decide whether I counter or support the claim.",
            )
        return Looking(where="articles" if query else "nowhere", query=query)


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
    answers: int = Field(0, ge=0, le=20, description="the number of the point you answer; 0 for none in particular")
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
        parts = [self._place(), self._past(), self._since(), self._remembered(), self._turn(), self._reading(), self._task()]
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
        return "\n".join(["What you remember:", *(f"- {note}" for note in self.notes)]) if self.notes else ""

    def _turn(self) -> str:
        if self.closing:
            last = "This is your last word. Say where you stand now and what weighed most with you, whether it moved you or not."
            return f"{last} If it is one of these points, give its number:\n{numbered(self.points)}" if self.points else last
        if not self.points:
            return "The moderator turns to you."
        turn = f"The moderator turns to you. What do you say to point 1{', which was put to you' if self.put else ''}?"
        other = " You may take up another one instead, if you have more to say to it." if len(self.points) > 1 else ""
        return f"{turn}{other}\n{numbered(self.points)}"

    def _reading(self) -> str:
        return f"What you have at hand:\n{passages_shown(self.passages)}" if self.passages else ""

    def _task(self) -> str:
        cite = (
            " Put the number of a passage in brackets, as in the list, behind a sentence that rests on it; a sentence that "
            "rests on your own experience needs none."
            if self.passages
            else ""
        )
        point = " Do not repeat a point that is already made, unless you add to it." if self.heard and not self.closing else ""
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
        said = "\n".join(["What you said in it, in order:", *(f"- {text}" for text in self.said)]) if self.said else "You said nothing in it."
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
    example: ClassVar[Record] = Said(answer="I said that the junction is the trouble, and I would say it again.")

    def offline(self, draw: Draw) -> Said:
        """Quotes the panelist's own claim that is most like the question (TF-IDF cosine)."""
        found = nearest(self.facts.asked, self.dispositions)
        if found is None:
            return Said(answer="I did not speak to that in the panel.")
        return Said(answer=f"What I said in the panel bears on that: {found}")
