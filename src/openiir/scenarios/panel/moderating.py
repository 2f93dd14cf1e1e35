"""What the moderator of a talk is asked: who speaks next, on what, or whether it is time to go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, Literal

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer, quantise
from openiir.scenarios.panel.utterances import Focus

TURN_WEIGHTS = {"contrast": 1.0, "wait": 0.8, "addressed": 1.0, "expertise": 0.5, "extraversion": 0.3, "share": 0.45}
"""Weights of the moderator's utility; our design, after turn-taking theory (see SpeakerNext.offline)."""


class Member(Record):
    """A panelist as the moderator sees one."""

    id: str
    name: str
    spoken: int
    waited: int
    """Turns since it last spoke, or since the panel began."""
    leans: float | None
    """Mean stance of its claims so far."""
    expertise: float
    """How far its interests and bio touch the matter at hand, 0 to 1."""
    extraversion: float
    addressed: bool
    """Whether the last utterance answered a claim of its and was no answer to its own last utterance."""


class OpenClaim(Focus):
    """A claim that waits for an answer."""

    to: str = ""
    """Id of whom it was said to; empty for everyone."""


class Turn(Record):
    """The moderator's decision."""

    action: Literal["next", "advance", "end"]
    persona: str = Field("", max_length=64)
    """Id of who speaks next; empty unless action is next."""
    address: str = Field("", max_length=20)
    """Id of the claim to address; empty for the goal of the round."""


@dataclass(frozen=True)
class SpeakerNext(Unsplit[Turn]):
    """Who speaks next, on what; or is it time to go on?"""

    topic: str
    round: str
    goal: str
    turn: int
    cap: int
    members: tuple[Member, ...]
    """Who may speak: budgets not spent, and not who spoke last."""
    seats: int
    """Size of the panel."""
    turns_so_far: int
    """Utterances of everyone since the panel began."""
    claims: tuple[OpenClaim, ...]
    """Open claims, the weightiest first."""
    last_stances: tuple[float, ...]
    """Of the last three utterances."""
    reached: str
    """Why the round may end; empty while it may not."""
    last_round: bool
    kind: ClassVar[str] = "panel.moderate"
    Reply: ClassVar[type[Record]] = Turn

    def system(self) -> str:
        return "You moderate a panel. You are fair, keep to the goal of the round, and let nobody dominate."

    def prompt(self) -> str:
        people = "\n".join(_member_line(m) for m in self.members) or "(nobody: every budget is spent)"
        claims = "\n".join(_claim_line(c) for c in self.claims) or "(none)"
        state = f"The round may end now: {self.reached}." if self.reached else "The round's goal is not met yet."
        last = " It is the last round." if self.last_round else ""
        stances = ", ".join(f"{s:+.2f}" for s in self.last_stances) or "(nobody spoke yet)"
        return f"""Topic: {self.topic}
Round: {self.round}. Goal: {self.goal}
Turn {self.turn} of at most {self.cap}. {state}{last}
{self.seats} people sit on the panel; {self.turns_so_far} turns were taken since it began. Stances of the last \
speakers (-1 against, +1 for): {stances}

Who may speak:
{people}

Claims that wait for an answer, the weightiest first:
{claims}

Decide: action "next" with the id of who speaks next and the id of the claim to address (empty for the goal), \
"advance" to close this round, or "end" to close the panel."""

    def offline(self, draw: Draw) -> Turn:
        """Utility of each candidate, after turn-taking theory: the addressed party tends to speak next.

        Sacks, Schegloff & Jefferson (Language 1974); participation shifts, Gibson (Social Forces 2003). The
        weights are our design, and so is that a reply to a reply does not oblige: a pair that has had its
        exchange gives the floor to others. Whoever was addressed answers the claim put to them, anyone else
        the weightiest open claim that leans the other way, or any where none does. Ties by id.
        """
        if self.reached or not self.members:
            return Turn(action="end" if self.last_round or not self.members else "advance")
        best = min(self.members, key=lambda m: (-self._utility(m), m.id))
        return Turn(action="next", persona=best.id, address=self._claim_for(best))

    def _utility(self, member: Member) -> float:
        w, n = TURN_WEIGHTS, self.seats
        recent = fmean(self.last_stances) if self.last_stances else 0.0
        lean = member.leans if member.leans is not None else 0.0
        share = member.spoken / self.turns_so_far if self.turns_so_far else 1 / n
        return float(
            quantise(
                w["contrast"] * abs(lean - recent) / 2
                + w["wait"] * min(member.waited / n, 2)
                + w["addressed"] * member.addressed
                + w["expertise"] * member.expertise
                + w["extraversion"] * member.extraversion
                - w["share"] * n * max(0.0, share - 1 / n),
                8.0,
            )
        )

    def _claim_for(self, member: Member) -> str:
        others = [c for c in self.claims if c.speaker_id != member.id]
        put_to = [c for c in others if c.to == member.id and member.addressed]
        apart = [c for c in others if (member.leans or 0.0) * c.stance < 0]
        return next((c.id for c in (*put_to, *apart, *others)), "")

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"persona": [m.id for m in self.members], "address": [c.id for c in self.claims]}

    def check(self, reply: Turn) -> None:
        if reply.action == "next" and not reply.persona:
            raise UnusableAnswer("action next needs the id of who speaks; name one of those who may speak")
        if reply.action != "next" and self.turn == 1 and self.members and not self.reached:
            raise UnusableAnswer("nobody has spoken in this round yet; let somebody speak first")


def _member_line(m: Member) -> str:
    leans = "has not taken a side" if m.leans is None else f"leans {m.leans:+.2f} (-1 against, +1 for)"
    addressed = ", was just addressed" if m.addressed else ""
    return (
        f"{m.id} ({m.name}): spoke {m.spoken} times, waited {m.waited} turns, {leans}, "
        f"touches the matter {m.expertise:.2f}, talkative {m.extraversion:.2f}{addressed}"
    )


def _claim_line(c: OpenClaim) -> str:
    to = f", said to {c.to}" if c.to else ""
    return f"{c.id} ({c.speaker}, id {c.speaker_id}{to}, stance {c.stance:+.2f}): {c.text}"
