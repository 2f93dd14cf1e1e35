"""What panelists of an ideation are asked: pitch an idea, keep or kill one, rank what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.quoting import Passage, PassageId, matter_of
from openiir.plugin import Action, Citation, Draw, Record, Unsplit, UnusableAnswer, quantise
from openiir.plugin.arguments import containment, stance, tokens
from openiir.scenarios.panel.quoting import proposal_for

NOTHING_MORE = "No further idea"
"""The title of a pitch that pitches nothing."""
IdeaId = Annotated[str, Field(max_length=20)]
VOTE = {"affinity": 1.2, "support": 0.8, "novelty": 0.5, "threshold": 0.6}
"""Weights of the vote's logit; our design."""


class Idea(Record):
    """An idea of the pool."""

    id: str
    title: str
    text: str
    cited: bool


class Pitch(Record):
    """A new idea."""

    title: str = Field(min_length=1, max_length=120)
    text: str = Field(min_length=1, max_length=800)
    cites: tuple[PassageId, ...] = Field(default=(), max_length=4)


class Vote(Record):
    """Keep or kill."""

    keep: bool
    reason: str = Field(default="", max_length=400)


class Ranking(Record):
    """All ideas, the best first."""

    order: tuple[IdeaId, ...] = Field(min_length=1, max_length=200)


class Pitched(Action):
    """An idea was pitched; one that says the same as an earlier one is merged into it."""

    kind: ClassVar[str] = "panel.pitch"
    idea: str
    title: str
    text: str
    cites: tuple[Citation, ...]
    merged_into: str | None


class Voted(Action):
    """A vote on an idea."""

    kind: ClassVar[str] = "panel.vote"
    idea: str
    keep: bool
    reason: str


class Ranked(Action):
    """A panelist's ranking."""

    kind: ClassVar[str] = "panel.rank"
    order: tuple[str, ...]


class Outcome(Action):
    """The ideas that remain, best first, with Borda points; fewer than wanted is said, never padded."""

    kind: ClassVar[str] = "panel.outcome"
    ideas: tuple[str, ...]
    points: tuple[float, ...]
    shortfall: int
    by_coverage: tuple[str, ...]
    """The ideas that a greedy cover of the cited passages would choose."""


@dataclass(frozen=True)
class PitchIdea(Unsplit[Pitch]):
    """What is your idea?"""

    topic: str
    goal: str
    stance: float
    passages: tuple[Passage, ...]
    pool: tuple[str, ...]
    """Ideas pitched so far; not to be repeated."""
    kind: ClassVar[str] = "panel.pitch"
    Reply: ClassVar[type[Record]] = Pitch

    def prompt(self) -> str:
        passages = "\n".join(f"[{p.id}] {p.text}" for p in self.passages) or "(none)"
        pool = "\n".join(f"- {text}" for text in self.pool) or "(none yet)"
        return f"""Topic: {self.topic}
{self.goal}
You stand at {self.stance:+.2f} on the topic (-1 against, +1 for).

Passages you found:
{passages}

Ideas so far; do not repeat them:
{pool}

Pitch one new idea: a short title, and one to three sentences that say what to do and why, resting on the passages \
(mark them with their ids, such as [c0012])."""

    def offline(self, draw: Draw) -> Pitch:
        """The best proposal among the passages' sentences (those that say what could or should be done first)."""
        found = proposal_for(self.topic, self.goal, self.stance, self.passages, self.pool)
        if found is None:
            return Pitch(title=NOTHING_MORE, text="I have nothing to add to what was pitched.")
        text, cites = found
        title = matter_of(text) or "An idea"
        return Pitch(title=title[:1].upper() + title[1:], text=text, cites=cites)

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"cites": [p.id for p in self.passages]}


@dataclass(frozen=True)
class VoteOn(Unsplit[Vote]):
    """Keep or kill this idea?"""

    topic: str
    stance: float
    interests: tuple[str, ...]
    idea: Idea
    support: float
    """Strength of the claims the idea makes, 0 to 1."""
    novelty: float
    """1 minus its likeness to the nearest earlier idea."""
    kind: ClassVar[str] = "panel.vote"
    Reply: ClassVar[type[Record]] = Vote

    @property
    def subject(self) -> str:
        return self.idea.id

    def prompt(self) -> str:
        return f"""Topic: {self.topic}
You stand at {self.stance:+.2f} on the topic and care about: {", ".join(self.interests) or "nothing in particular"}.

Idea {self.idea.id}: {self.idea.title}
{self.idea.text}
Its argument has strength {self.support:.2f} of 1; its novelty among the ideas is {self.novelty:.2f} of 1.

Keep it or kill it? Vote, with a reason of one sentence."""

    def offline(self, draw: Draw) -> Vote:
        """A logit of affinity, support and novelty (random utility, McFadden 1974; weights our design)."""
        logit = appeal(self) - VOTE["threshold"]
        keep = logit + draw.gumbel(item=f"{self.idea.id}/keep") > draw.gumbel(item=f"{self.idea.id}/kill")
        return Vote(keep=bool(keep), reason=_reason(self, bool(keep)))


def appeal(view: "VoteOn") -> float:
    """The idea's utility to a voter: agreement with its stance, overlap with its interests, support, novelty."""
    affinity = 0.5 * _agreement(view) + 0.5 * containment(
        tokens(" ".join(view.interests)), tokens(view.idea.text)
    )
    value = VOTE["affinity"] * affinity + VOTE["support"] * view.support + VOTE["novelty"] * view.novelty
    return float(quantise(value, 4.0))


def _agreement(view: VoteOn) -> float:
    return view.stance * stance(view.idea.text, view.topic)


def _reason(view: VoteOn, keep: bool) -> str:
    """What weighed most, in words."""
    touched = [i for i in view.interests if containment(tokens(i), tokens(view.idea.text)) == 1]
    if keep:
        if touched:
            return f"It bears on {touched[0]}, which I care about."
        if _agreement(view) > 0.1:
            return "It moves things the way I think they should go."
        return "It is well supported." if view.support >= 0.6 else "Nobody else proposed anything like it."
    if view.novelty < 0.5:
        return "Something much like it is on the table."
    if _agreement(view) < -0.1:
        return "It pulls in the wrong direction."
    return (
        f"It says nothing on {view.interests[0]}."
        if view.interests and not touched
        else "It is not worth a place."
    )


@dataclass(frozen=True)
class RankIdeas(Unsplit[Ranking]):
    """In which order do you like these ideas?"""

    topic: str
    stance: float
    interests: tuple[str, ...]
    ideas: tuple[Idea, ...]
    approvals: tuple[int, ...]
    """Votes to keep each of them."""
    kind: ClassVar[str] = "panel.rank"
    Reply: ClassVar[type[Record]] = Ranking

    def prompt(self) -> str:
        ideas = "\n".join(
            f"{idea.id} ({n} approvals): {idea.title}. {idea.text}"
            for idea, n in zip(self.ideas, self.approvals, strict=True)
        )
        return f"""Topic: {self.topic}
You stand at {self.stance:+.2f} on the topic and care about: {", ".join(self.interests) or "nothing in particular"}.

{ideas}

Rank all {len(self.ideas)} ideas by their ids, the best first."""

    def offline(self, draw: Draw) -> Ranking:
        """A Plackett-Luce ranking by the vote's utilities, with approvals as support (Luce 1959)."""
        most = max(self.approvals, default=0) or 1
        scored = []
        for idea, approvals in zip(self.ideas, self.approvals, strict=True):
            view = VoteOn(self.topic, self.stance, self.interests, idea, approvals / most, 1.0)
            noise = draw.gumbel(item=f"rank/{idea.id}")
            scored.append((-float(quantise(2 * appeal(view) + noise, 64.0)), idea.id))
        return Ranking(order=tuple(name for _, name in sorted(scored)))

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"order": [idea.id for idea in self.ideas]}

    def check(self, reply: Ranking) -> None:
        known = sorted(idea.id for idea in self.ideas)
        if sorted(reply.order) != known:
            raise UnusableAnswer(f"rank each of these once and nothing else: {', '.join(known)}")
