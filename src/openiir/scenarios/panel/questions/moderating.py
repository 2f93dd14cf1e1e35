"""The question to a talk's moderator: who speaks next, on what, or whether to close the round."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, number_lines
from openiir.plugin import Count, Draw, Question, Record, Stance, UnusableAnswer, quantise
from openiir.plugin.arguments import sentences
from openiir.scenarios.panel.model.speaking.utterances import ClaimView
from openiir.scenarios.panel.questions.prompt_parts import PanelPoint, Persona, Study, spent_words

CONTRAST, WAIT, ADDRESSED, EXPERTISE, EXTRAVERSION, SHARE = 1.0, 0.8, 1.0, 0.5, 0.3, 0.45
"""Weights of the moderator's utility; our design, after turn-taking theory (see Moderate.offline)."""

OPEN_CLAIMS = 5
"""Number of weightiest open claims that the offline moderator chooses among."""
FIRST_WORDS = 8
"""Number of words by which a point that was just heard is recalled."""
_CLAUSE = re.compile(r"(?:[^\s,;]+ ){5,}[^\s,;]+(?=[,;] (?:wh|and |but |with ))")
"""Pattern of six words or more before a comma that begins another clause."""


@dataclass(frozen=True)
class SpeakerCandidate:
    """A panelist who can speak next, as the moderator knows them."""

    name: str
    bio: str
    """Description of the panelist in a clause."""
    stands: Stance | None
    """Stance that the panelist last stated."""
    spoke: str
    """How often the panelist spoke and when last, in a sentence."""
    answered: str
    """Name of the panelist who has just answered them; empty for nobody."""

    def __str__(self) -> str:
        stands = f" {self.stands[0].upper()}{self.stands[1:]}." if self.stands else ""
        answered = f" {self.answered} has just answered them." if self.answered else ""
        who = self.bio if self.bio.startswith(self.name) else f"{self.name}. {self.bio}"
        return f"{who}{stands} {self.spoke}{answered}"


def first_clause(bio: str) -> str:
    """Return the first sentence of a bio, up to a comma that begins another clause."""
    start, end = next(iter(sentences(bio)), (0, len(bio)))
    clause = _CLAUSE.match(bio, start, end)
    return f"{clause[0]}." if clause else bio[start:end]


def speaking_history(times: int, ago: int, here: bool) -> str:
    """Describe how often somebody spoke, how many turns ago (1 for the last) and whether in this round."""
    if not times:
        return "Has not spoken yet."
    often = {1: "once", 2: "twice"}.get(times, f"{times} times")
    last = "in the last turn" if ago == 1 else f"{ago} turns ago"
    return f"Spoke {often}{', last' if times > 1 else ''} {last}{'' if here else '; not yet in this round'}."


@dataclass(frozen=True)
class HeardTurn:
    """A turn of the discussion, as everybody heard it."""

    speaker: str
    text: str
    stands: Stance | None
    """Stance that the speaker stated."""
    to: str = ""
    """Name of the panelist who was answered; empty for nobody."""

    def __str__(self) -> str:
        stands = f" ({self.stands})" if self.stands else ""
        return f'{self.speaker}{stands}{f", answering {self.to}" if self.to else ""}: "{self.text}"'


@dataclass(frozen=True)
class CandidateFeatures:
    """Features of a candidate that the offline moderator weighs."""

    id: str
    spoken: int
    waited: int
    """Turns since it last spoke, or since the panel began."""
    leans: float | None
    """Mean stance of its claims so far."""
    expertise: float
    """Overlap of its interests and bio with the subject at hand, 0 to 1."""
    extraversion: float
    addressed: bool
    """Whether the last utterance answered one of its claims, and did not reply to its own last utterance."""


class OpenClaim(ClaimView):
    """A claim that nobody has answered yet."""

    to: str = ""
    """Id of the panelist to whom it was said; empty for everyone."""


class ModeratorDecision(ThoughtfulReply):
    """The moderator's decision."""

    do: Literal["next", "close the round", "close the panel"]
    speaker: int = Field(0, ge=0, le=500, description="the number of who speaks next; 0 where you close")
    point: int = Field(
        0, ge=0, le=500, description="the number of the point they speak to; 0 for the aim of the round"
    )


@dataclass(frozen=True)
class Moderate(Question[ModeratorDecision]):
    """Question to the moderator: who speaks next, on what, or do you close the round?"""

    topic: str
    seats: Count
    round: str
    goal: str
    turn: Count
    cap: Count
    last: tuple[HeardTurn, ...]
    """The last three turns of the talk."""
    candidates: tuple[SpeakerCandidate, ...]
    """Panelists who can speak: those with budget left, without the last speaker."""
    spent: tuple[str, ...]
    """Names of the panelists whose budget is spent."""
    points: tuple[PanelPoint, ...]
    """Points that nobody has answered."""
    reached: str
    """Why the round may end; empty while it may not."""
    may_close: bool
    """Whether the round may be closed though its aim is not met: everybody had a first word in it."""
    last_round: bool
    members: Annotated[tuple[CandidateFeatures, ...], Persona]
    """Features of the candidates, in the same order."""
    claims: Annotated[tuple[OpenClaim, ...], Study]
    """The points with their ids and stances, in the same order."""
    turns_so_far: Annotated[int, Study]
    """Number of utterances since the panel began."""
    last_stances: Annotated[tuple[float, ...], Study]
    """Stances of the speakers of the last three utterances."""
    kind: ClassVar[str] = "panel.moderate"
    example: ClassVar[Record] = ModeratorDecision(
        thoughts="The driver was asked something and has not answered.", do="next", speaker=3, point=2
    )

    def system(self) -> str:
        motion = f"You moderate a panel of {self.seats} on the motion: {self.topic}"
        return f"{motion}\nYou are fair, keep to the aim of the round, and let nobody dominate."

    def prompt(self) -> str:
        last = "\n".join(map(str, self.last))
        heard = f"The last that was said:\n{last}" if last else "Nobody has spoken yet."
        people = number_lines(self.candidates) or "(nobody: all have said what they can)"
        spent = f"\n\n{spent_words(self.spent)}" if self.spent else ""
        points = ""
        if self.points:
            recalled = number_lines(list(map(self._recall, self.points)))
            points = f"\n\nPoints that nobody has answered:\n{recalled}"
        return f"""This round is called {self.round}; at most {self.cap} turns, and this would be turn \
{self.turn}. Its aim: {self.goal}

{heard}

Who can speak now:
{people}{spent}{points}

{self._task()}"""

    def _recall(self, point: PanelPoint) -> str:
        """Return a point, cut to its first words where it stands in full among the last turns."""
        words = point.text.split()
        if len(words) <= FIRST_WORDS or not any(point.text in spoken.text for spoken in self.last):
            return str(point)
        return str(replace(point, text=f"{' '.join(words[:FIRST_WORDS])} ..."))

    def _task(self) -> str:
        close = "close the panel" if self.last_round else "close the round"
        if not self.candidates:
            return f"Nobody can speak any more, so {close}."
        ask = "Who speaks next, and to which point?" if self.points else "Who speaks next?"
        if self.reached:
            return f"{ask} The aim of the round is met ({self.reached}), so you may {close} instead."
        if self.may_close:
            return f"{ask} If the aim of the round is met, or nothing new comes, {close} instead."
        return f"{ask} The round goes on until everybody who can speak has had a first word."

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        close = ["close the panel"] if self.last_round else ["close the round"]
        free = bool(self.reached or self.may_close or not self.candidates)
        return {
            "do": [*(["next"] if self.candidates else []), *(close if free else [])],
            "speaker": range(0 if free else 1, len(self.candidates) + 1),
            "point": range(len(self.points) + 1),
        }

    def check(self, reply: ModeratorDecision) -> None:
        if reply.do == "next" and not reply.speaker:
            raise UnusableAnswer(f"next needs a speaker; give a number from 1 to {len(self.candidates)}")

    def offline(self, draw: Draw) -> ModeratorDecision:
        """Choose the candidate speaker of highest utility, by turn-taking theory: the addressee speaks next.

        Sacks, Schegloff & Jefferson (Language 1974); participation shifts, Gibson (Social Forces 2003). The
        weights are our design, and so is that a reply to a reply does not oblige: a pair that has had its
        exchange gives the floor to others. Whoever was addressed answers the claim put to them, anyone else
        the weightiest open claim that leans the other way, or any where none does. Ties by id.
        """
        members = self.members
        if self.reached or not members:
            return ModeratorDecision(do="close the panel" if self.last_round else "close the round")
        best = min(range(len(members)), key=lambda n: (-self._utility(n), members[n].id))
        return ModeratorDecision(do="next", speaker=best + 1, point=self._point_for(members[best]))

    def _utility(self, n: int) -> float:
        member, seats = self.members[n], self.seats
        recent = fmean(self.last_stances) if self.last_stances else 0.0
        share = member.spoken / self.turns_so_far if self.turns_so_far else 1 / seats
        utility = (
            CONTRAST * abs((member.leans or 0.0) - recent) / 2
            + WAIT * min(member.waited / seats, 2)
            + ADDRESSED * member.addressed
            + EXPERTISE * member.expertise
            + EXTRAVERSION * member.extraversion
            - SHARE * seats * max(0.0, share - 1 / seats)
        )
        return float(quantise(utility, 8.0))

    def _point_for(self, member: CandidateFeatures) -> int:
        claims = self.claims
        weighty = [c for n, c in enumerate(claims) if n < OPEN_CLAIMS or c.to]
        others = [c for c in weighty if c.speaker_id != member.id]
        put_to = [c for c in others if c.to == member.id and member.addressed]
        apart = [c for c in others if (member.leans or 0.0) * c.stance < 0]
        chosen = next(iter((*put_to, *apart, *others)), None)
        return 0 if chosen is None else claims.index(chosen) + 1
