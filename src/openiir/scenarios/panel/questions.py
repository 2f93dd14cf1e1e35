"""What panelists and the moderator of a talk are asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from openiir.plugin import Draw, Question, Record, UnusableAnswer, quantise
from openiir.scenarios.panel.config import Act
from openiir.scenarios.panel.utterances import Focus, Passage, Saying, say

TURN_WEIGHTS = {"contrast": 1.0, "wait": 0.8, "addressed": 1.0, "expertise": 0.5, "extraversion": 0.3, "share": 0.45}
"""Weights of the moderator's utility; our design, after turn-taking theory (see SpeakerNext.offline)."""


class Member(Record):
    """A panelist as the moderator sees one."""

    id: str
    name: str
    spoken: int
    waited: int
    """Turns since it last spoke, or since the round began."""
    leans: float | None
    """Mean stance of its claims so far."""
    expertise: float
    """How far its interests and bio touch the matter at hand, 0 to 1."""
    extraversion: float
    addressed: bool
    """Whether the last utterance answered a claim of its."""


class Turn(Record):
    """The moderator's decision."""

    action: Literal["next", "advance", "end"]
    persona: str = Field("", max_length=64)
    """Id of who speaks next; empty unless action is next."""
    address: str = Field("", max_length=20)
    """Id of the claim to address; empty for the goal of the round."""


@dataclass(frozen=True)
class SpeakerNext(Question[Turn]):
    """Who speaks next, on what; or is it time to go on?"""

    topic: str
    round: str
    goal: str
    turn: int
    cap: int
    members: tuple[Member, ...]
    """Who may speak: budgets not spent, and not who spoke last."""
    claims: tuple[Focus, ...]
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
        people = "\n".join(_member_line(m) for m in self.members)
        claims = "\n".join(f"{c.id} ({c.speaker}): {c.text}" for c in self.claims) or "(none)"
        state = f"The round may end now: {self.reached}." if self.reached else "The round's goal is not met yet."
        return f"""Topic: {self.topic}
Round: {self.round}. Goal: {self.goal}
Turn {self.turn} of at most {self.cap}. {state}

Who may speak:
{people}

Claims that wait for an answer, the weightiest first:
{claims}

Decide: action "next" with the id of who speaks next and the id of the claim to address (empty for the goal), \
"advance" to close this round, or "end" to close the panel."""

    def offline(self, draw: Draw) -> Turn:
        """Utility of each candidate, after turn-taking theory: the addressed party tends to speak next.

        Sacks, Schegloff & Jefferson (Language 1974); participation shifts, Gibson (Social Forces 2003). The
        weights are our design. Ties by id.
        """
        if self.reached or not self.members:
            return Turn(action="end" if self.last_round or not self.members else "advance")
        best = min(self.members, key=lambda m: (-self._utility(m), m.id))
        return Turn(action="next", persona=best.id, address=self._claim_for(best))

    def _utility(self, member: Member) -> float:
        w, n = TURN_WEIGHTS, len(self.members)
        recent = sum(self.last_stances) / len(self.last_stances) if self.last_stances else 0.0
        lean = member.leans if member.leans is not None else 0.0
        total = sum(m.spoken for m in self.members)
        share = member.spoken / total if total else 1 / n
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
        return next((c.id for c in self.claims if c.speaker_id != member.id), "")

    def check(self, reply: Turn) -> None:
        ids = [m.id for m in self.members]
        if reply.action == "next" and reply.persona not in ids:
            raise UnusableAnswer(f"persona {reply.persona!r} may not speak now; choose one of: {', '.join(ids)}")
        known = [c.id for c in self.claims]
        if reply.address and reply.address not in known:
            raise UnusableAnswer(f"claim {reply.address!r} is not open; choose one of: {', '.join(known) or 'none'}")


def _member_line(m: Member) -> str:
    leans = "has not taken a side" if m.leans is None else f"leans {m.leans:+.2f} (-1 against, +1 for)"
    addressed = ", was just addressed" if m.addressed else ""
    return (
        f"{m.id} ({m.name}): spoke {m.spoken} times, waited {m.waited} turns, {leans}, "
        f"touches the matter {m.expertise:.2f}, talkative {m.extraversion:.2f}{addressed}"
    )


class Looking(Record):
    """What to look up before speaking."""

    action: Literal["keyword", "search", "none"]
    query: str = Field("", max_length=200)
    justification: str = Field("", max_length=600)
    """Needed for a web search: what is missing, why the corpus does not have it, what the answer would change."""


@dataclass(frozen=True)
class LookUp(Question[Looking]):
    """What do you want to look up before you speak?"""

    topic: str
    matter: str
    """The claim or goal to speak to."""
    claim: str
    """The claim's id; empty for the goal."""
    terms: tuple[str, ...]
    """Words of the matter and of the persona's interests that were not looked up yet, the weightiest first."""
    coverage: float
    """How well the corpus covers them: the best lexical score, 0 to 1."""
    searches: int
    kind: ClassVar[str] = "panel.look-up"
    Reply: ClassVar[type[Record]] = Looking

    def prompt(self) -> str:
        web = (
            f'You have {self.searches} web searches left; "search" needs a justification that names the claim or fact '
            "that is missing, says why the corpus does not have it, and what the answer would change."
            if self.searches
            else "You have no web searches left."
        )
        return f"""Topic: {self.topic}
You are about to speak to this{f" (claim {self.claim})" if self.claim else ""}: {self.matter}

Words you have not looked up yet: {", ".join(self.terms) or "(none)"}.
The corpus covers them with {self.coverage:.2f} of 1.
Looking up keywords in the corpus is free: action "keyword" with a query. {web} Or action "none"."""

    def offline(self, draw: Draw) -> Looking:
        """Keywords of the matter first; the web only where the corpus covers them badly (below 0.3; our design)."""
        query = " ".join(self.terms[:5])
        if self.coverage < 0.3 and self.searches and self.claim:
            return Looking(
                action="search",
                query=query,
                justification=f"Evidence for or against claim {self.claim} is missing: the corpus covers {query} with "
                f"only {self.coverage:.2f} of 1, and an answer would decide whether I counter or support the claim.",
            )
        return Looking(action="keyword" if query else "none", query=query)


class Utterance(Record):
    """What a panelist says."""

    act: Act
    text: str = Field(min_length=1, max_length=1_500)
    """One to four sentences; end a sentence that rests on a passage with its id in brackets, such as [c0012]."""
    cites: tuple[str, ...] = Field((), max_length=4)
    """Ids of the passages it rests on."""
    stance: int = Field(ge=-10, le=10)
    """Where the speaker stands now: -10 rejects the topic, 10 supports it."""


@dataclass(frozen=True)
class Speak(Question[Utterance]):
    """What do you say?"""

    topic: str
    round: str
    goal: str
    acts: tuple[Act, ...]
    stance: float
    """Where the speaker stands now, -1 to 1."""
    openness: float
    own_strength: float
    """Strength of the best argument on the speaker's side so far, 0 to 1."""
    focus: Focus | None
    """The claim to address; None for the goal of the round."""
    passages: tuple[Passage, ...]
    said: tuple[str, ...]
    """What was said in the panel so far, claim by claim; not to be repeated."""
    number: int
    kind: ClassVar[str] = "panel.speak"
    Reply: ClassVar[type[Record]] = Utterance

    @property
    def subject(self) -> str:
        return self.focus.id if self.focus else ""

    def prompt(self) -> str:
        passages = "\n".join(f"[{p.id}] {p.text}" for p in self.passages) or "(none)"
        said = "\n".join(f"- {text}" for text in self.said) or "(nothing yet)"
        matter = (
            f"{self.focus.speaker} claimed ({self.focus.id}, strength {self.focus.strength:.2f}"
            f"{'' if self.focus.cited else ', without evidence'}): {self.focus.text}"
            if self.focus
            else "the goal of the round"
        )
        return f"""Topic: {self.topic}
Round: {self.round}. Goal: {self.goal}
You stand at {self.stance:+.2f} (-1 against, +1 for); the best argument on your side has strength {self.own_strength:.2f}.
Speak to: {matter}

Passages you found:
{passages}

Said already; do not repeat it:
{said}

This is utterance {self.number}. Say one to four sentences as yourself. Rest what you claim on the passages and mark it \
with their ids, such as [c0012]. Choose one act of: {", ".join(self.acts)}. Give your stance now from -10 to 10."""

    def offline(self, draw: Draw) -> Utterance:
        """Extractive argument construction by maximal marginal relevance; see `utterances.say`."""
        saying = Saying(
            self.topic, self.goal, self.acts, self.stance, self.openness, self.own_strength, self.focus
        )
        spoken = say(saying, self.passages, self.said, self.number, draw)
        return Utterance(
            act=spoken.act, text=spoken.text, cites=spoken.cites, stance=round(self.stance * 10)
        )

    def check(self, reply: Utterance) -> None:
        if reply.act not in self.acts:
            raise UnusableAnswer(f"act {reply.act!r} is not allowed in this round; choose one of: {', '.join(self.acts)}")
        known = [p.id for p in self.passages]
        _check_cites(reply.cites, known)


def _check_cites(cites: Sequence[str], known: Sequence[str]) -> None:
    for cite in cites:
        if cite not in known:
            raise UnusableAnswer(f"passage {cite!r} was not shown; cite only: {', '.join(known) or 'nothing'}")


class Said(Record):
    """An answer after the panel."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class AfterPanel(Question[Said]):
    """What do you say, after the panel, on what you said in it?"""

    topic: str
    asked: str
    utterances: tuple[str, ...]
    """The panelist's own, in order; nothing of the others."""
    claims: tuple[str, ...]
    kind: ClassVar[str] = "panel.interview"
    Reply: ClassVar[type[Record]] = Said

    def prompt(self) -> str:
        said = "\n".join(f"- {text}" for text in self.utterances) or "(you said nothing)"
        return f"""You took part in a panel on: {self.topic}
This is all you said in it:
{said}

You are now asked: {self.asked}
Answer from what you said, in one to four sentences. Say so where you did not speak to it."""

    def offline(self, draw: Draw) -> Said:
        """Quotes the panelist's own claim that is most like the question (TF-IDF cosine)."""
        from openiir.scenarios.panel.utterances import nearest

        found = nearest(self.asked, self.claims)
        if found is None:
            return Said(answer="I did not speak to that in the panel.")
        return Said(answer=f"What I said in the panel bears on that: {found}")
