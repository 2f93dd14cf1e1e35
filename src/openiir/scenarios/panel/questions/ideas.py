"""Questions and actions of an ideation: pitch an idea, keep or kill one, rank what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.offline_speaker import Passage, key_phrase
from openiir.kit.prompting import ThoughtfulReply, bullet_lines, count_noun, number_lines
from openiir.plugin import Count, Draw, Question, Record, Stance, UnusableAnswer, quantise
from openiir.plugin.arguments import containment, stance, tokens
from openiir.scenarios.panel.model.speaking.citations import check_marks, ids_to_numbers
from openiir.scenarios.panel.model.speaking.reasons import choose_proposal
from openiir.scenarios.panel.questions.prompt_parts import (
    Persona,
    ShownPassage,
    Study,
    cite_words,
    list_notes,
    number_passages,
)

NOTHING_MORE = "No further idea"
"""Title of a reply that pitches no idea."""
IdeaNumber = Annotated[int, Field(ge=1, le=200)]
VOTE_WEIGHTS = {"affinity": 1.2, "support": 0.8, "novelty": 0.5, "threshold": 0.6}
"""Weights of the logit of a vote to keep an idea; our design."""


class Idea(Record):
    """An idea in the pool of an ideation round."""

    id: str
    title: str
    text: str
    cited: bool


class Pitch(ThoughtfulReply):
    """A new idea."""

    title: str = Field(min_length=1, max_length=120)
    text: str = Field(min_length=1, max_length=800)


class Vote(ThoughtfulReply):
    """Keep or kill."""

    reason: str = Field(default="", max_length=400)
    keep: bool = Field(description="true to keep it, false to kill it")


class IdeaRanking(ThoughtfulReply):
    """A ranking of all ideas, best first."""

    order: tuple[IdeaNumber, ...] = Field(
        min_length=1, max_length=200, description="the ideas' numbers, the best first"
    )


def vote_memory(title: str, keep: bool, reason: str) -> str:
    """Word a vote as a memory of its voter."""
    why = f': "{reason}"' if reason else ""
    return f'you voted {"to keep" if keep else "against"} the idea "{title}"{why}'


@dataclass(frozen=True)
class PitchIdea(Question[Pitch]):
    """Question to a panelist: what is your idea?"""

    topic: str
    goal: str
    stands: Stance
    passages: tuple[ShownPassage, ...]
    pool: tuple[str, ...]
    """Ideas pitched so far, which are not to be repeated."""
    notes: tuple[str, ...]
    """The panelist's memories that are relevant to the topic."""
    stance: Annotated[float, Study]
    quotable: Annotated[tuple[Passage, ...], Study]
    """The passages with their ids."""
    kind: ClassVar[str] = "panel.pitch"
    example: ClassVar[Record] = Pitch(
        thoughts="One junction holds up every bus.",
        title="A bus lane over the junction",
        text="Give buses a lane of their own over the junction [1].",
    )

    def prompt(self) -> str:
        passages = f"\n\n{number_passages(self.passages)}" if self.passages else ""
        so_far = "Nobody has pitched an idea yet."
        if self.pool:
            so_far = f"Ideas so far, not to be repeated:\n{bullet_lines(self.pool)}"
        return f"""A panel looks for ideas on the motion: {self.topic}
{self.goal} On the motion you are {self.stands}.

{list_notes(self.notes)}{so_far}{passages}

Pitch one new idea: a short title, and one to three sentences that say what to do and \
why.{cite_words(self.passages)}"""

    def check(self, reply: Pitch) -> None:
        check_marks(reply.text, len(self.passages))

    def offline(self, draw: Draw) -> Pitch:
        """Pitch the best proposal among the passages' sentences, first those that say what should be done."""
        found = choose_proposal(self.topic, self.goal, self.stance, self.quotable, self.pool)
        if not found:
            return Pitch(title=NOTHING_MORE, text="I have nothing to add to what was pitched.")
        title = key_phrase(found) or "An idea"
        text = ids_to_numbers(found, self.quotable)
        return Pitch(title=title[:1].upper() + title[1:], text=text)


@dataclass(frozen=True)
class VoteOn(Question[Vote]):
    """Question to a panelist: do you keep or kill this idea?"""

    topic: str
    stands: Stance
    title: str
    text: str
    others: tuple[str, ...]
    """Titles of the other ideas of the pool."""
    notes: tuple[str, ...]
    """The panelist's memories that are relevant to the idea."""
    stance: Annotated[float, Study]
    interests: Annotated[tuple[str, ...], Persona]
    support: Annotated[float, Study]
    """Strength of the claims that the idea makes, 0 to 1."""
    novelty: Annotated[float, Study]
    """1 minus the similarity to the most similar earlier idea."""
    idea: Annotated[str, Study]
    """Id of the idea."""
    kind: ClassVar[str] = "panel.vote"
    example: ClassVar[Record] = Vote(
        thoughts="Cheap, and it goes to the cause.", reason="It takes the trouble where it begins.", keep=True
    )

    def prompt(self) -> str:
        others = f"\n\nThe other ideas: {'; '.join(self.others)}." if self.others else ""
        return f"""A panel sorts ideas on the motion: {self.topic}
On the motion you are {self.stands}.

{list_notes(self.notes)}You vote on this idea:

{self.title}
{self.text}{others}

Keep what would do most to settle the motion, and kill what would not. Give your reason in one sentence, \
then vote."""

    @property
    def subject(self) -> str:
        return self.idea

    def offline(self, draw: Draw) -> Vote:
        """Vote by a logit of affinity, support and novelty (random utility, McFadden 1974; our weights)."""
        liking = idea_utility(self.topic, self.text, self.stance, self.interests, self.support, self.novelty)
        keeps, kills = (draw.gumbel(item=f"{self.idea}/{side}") for side in ("keep", "kill"))
        keep = quantise(liking - VOTE_WEIGHTS["threshold"] + keeps - kills) > 0
        return Vote(keep=bool(keep), reason=self._reason(bool(keep)))

    def _reason(self, keep: bool) -> str:
        """Return the main reason for a vote as a sentence."""
        agreement = self.stance * stance(self.text, self.topic)
        touched = [i for i in self.interests if containment(tokens(i), tokens(self.text)) == 1]
        if keep and touched:
            return f"It bears on {touched[0]}, which I care about."
        if keep and agreement > 0.1:
            return "It moves things the way I think they should go."
        if keep:
            return (
                "It is well supported." if self.support >= 0.6 else "Nobody else proposed anything like it."
            )
        if self.novelty < 0.5:
            return "Something much like it is on the table."
        if agreement < -0.1:
            return "It pulls in the wrong direction."
        apart = self.interests and not touched
        return f"It says nothing on {self.interests[0]}." if apart else "It is not worth a place."


def idea_utility(
    topic: str, text: str, leaning: float, interests: Sequence[str], support: float, novelty: float
) -> float:
    """Compute an idea's utility to a voter by agreement, overlap with interests, support, and novelty."""
    agreement = leaning * stance(text, topic)
    overlap = containment(tokens(" ".join(interests)), tokens(text))
    value = (
        VOTE_WEIGHTS["affinity"] * (0.5 * agreement + 0.5 * overlap)
        + VOTE_WEIGHTS["support"] * support
        + VOTE_WEIGHTS["novelty"] * novelty
    )
    return float(quantise(value, 4.0))


@dataclass(frozen=True)
class RankIdeas(Question[IdeaRanking]):
    """Question to a panelist: in which order do you like these ideas?"""

    topic: str
    stands: Stance
    ideas: tuple[str, ...]
    """Title and text of each idea."""
    approvals: tuple[Count, ...]
    """Number of votes to keep each idea."""
    notes: tuple[str, ...]
    """The panelist's memories that are relevant to the ideas."""
    stance: Annotated[float, Study]
    interests: Annotated[tuple[str, ...], Persona]
    pool: Annotated[tuple[Idea, ...], Study]
    """The ideas with their ids, in the same order."""
    kind: ClassVar[str] = "panel.rank"
    example: ClassVar[Record] = IdeaRanking(thoughts="The lane first; the rest can wait.", order=(2, 1, 3))

    def prompt(self) -> str:
        counted = zip(self.ideas, self.approvals, strict=True)
        kept = [f"{idea} ({count_noun(n, 'vote')} to keep it)" for idea, n in counted]
        return f"""A panel ranks the ideas that it kept, on the motion: {self.topic}
On the motion you are {self.stands}.

{list_notes(self.notes)}The ideas:

{number_lines(kept)}

Rank all {len(self.ideas)} by their numbers, the best first: best is what would do most to settle the \
motion."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"order": range(1, len(self.ideas) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"order": len(self.ideas)}

    def check(self, reply: IdeaRanking) -> None:
        if sorted(reply.order) != list(range(1, len(self.ideas) + 1)):
            raise UnusableAnswer(f"rank each of 1 to {len(self.ideas)} once and nothing else")

    def offline(self, draw: Draw) -> IdeaRanking:
        """Sample a Plackett-Luce ranking by the vote's utilities, with approvals as support (Luce 1959)."""
        most = max(self.approvals, default=0) or 1

        def place(number: int) -> tuple[float, str]:
            idea, support = self.pool[number - 1], self.approvals[number - 1] / most
            utility = idea_utility(self.topic, idea.text, self.stance, self.interests, support, 1.0)
            noise = draw.gumbel(item=f"rank/{idea.id}")
            return -float(quantise(2 * utility + noise, 64.0)), idea.id

        return IdeaRanking(order=tuple(sorted(range(1, len(self.pool) + 1), key=place)))
