"""What authors of claims, those who judge them, and moderators are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.prompting import ThoughtfulReply, bullet_lines, number_lines
from openiir.plugin import Count, Draw, Facts, Id, Question, Record, Source
from openiir.scenarios.multi_generational.model.credibility.beliefs import Belief, word_belief
from openiir.scenarios.multi_generational.model.credibility.claim_posts import (
    PostOrder,
    ReadPassage,
    write_claim_post,
)
from openiir.scenarios.multi_generational.model.credibility.pairs import name_pair

GENOME, STUDY = Source("drawn"), Source("study")
Numbers = tuple[float, ...]


def list_passages(found: Sequence[ReadPassage]) -> str:
    """Write what a look-up found, numbered."""
    heading = "What you found when you looked it up; not all of it need be about this:"
    return f"{heading}\n{number_lines(found)}" if found else "You looked it up and found nothing."


class WrittenClaim(ThoughtfulReply):
    """A post that argues for a claim."""

    text: str = Field(min_length=1, max_length=600, description="your post, in one to five short sentences")
    uses: tuple[Annotated[int, Field(ge=1, le=10)], ...] = Field(
        (), max_length=10, description="numbers of the passages you used; [] if none"
    )


@dataclass(frozen=True)
class AuthorFacts(Facts):
    """Facts of writing: how one goes about it, what one is to bring across, and what one found."""

    version: Id
    manner: tuple[str, ...]
    claim: str
    found: tuple[ReadPassage, ...]

    def prompt(self) -> str:
        return f"""You write short posts about matters of everyday knowledge. The claims are given to you; each post makes the best case for one, in your own voice, whatever you think of it yourself. Some readers check posts, and one that they take for false is taken down.

How you go about it; where two of these clash, the one above counts:
{bullet_lines(self.manner)}

{list_passages(self.found)}

The claim: "{self.claim}"

Bring all of it across in your own words. Take any further facts from what you found. What do you post?"""  # noqa: E501

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"uses": range(1, len(self.found) + 1)} if self.found else {}

    def lengths(self) -> Mapping[str, int]:
        return {} if self.found else {"uses": 0}


@dataclass(frozen=True)
class AuthorDispositions:
    """A producer's genome in numbers, and how the claim stands to what was found, as words show it."""

    cues: Annotated[Numbers, GENOME]
    boldness: Annotated[float, GENOME]
    form: Annotated[str, GENOME]
    """Template nearest to the producer's own."""
    expertise: Annotated[str, GENOME]
    support: Annotated[Numbers, STUDY]
    """From -1 (a passage speaks against the claim) to 1."""


@dataclass(frozen=True)
class AuthorPost(Question[WrittenClaim]):
    """Question to a producer: write a post for a claim, which may be true or false."""

    facts: AuthorFacts
    dispositions: AuthorDispositions
    kind: ClassVar[str] = "claims.author"
    example: ClassVar[Record] = WrittenClaim(
        thoughts="The first page has what I need about the moon. Two plain sentences will do.",
        text="The tide comes in twice a day, and not once. The moon pulls at the water while the earth turns under it.",
        uses=(1,),
    )

    @property
    def subject(self) -> str:
        return self.facts.version

    @classmethod
    def of(cls, order: PostOrder, version: str, manner: tuple[str, ...]) -> "AuthorPost":
        """Put an order to an author who is told in words what the offline author reads in numbers."""
        facts = AuthorFacts(version, manner, order.claim, tuple(order.passages))
        by = AuthorDispositions(
            tuple(order.cues), order.boldness, order.form, order.expertise, tuple(order.support)
        )
        return cls(facts, by)

    def offline(self, draw: Draw) -> WrittenClaim:
        """Put claim, quotations and habits together (`multi_generational.model.credibility.claim_posts`); our design.

        Both versions of a pair share their draws, so that an author's habits do not tell them apart.
        """
        by, facts = self.dispositions, self.facts
        order = PostOrder(facts.claim, by.form, by.cues, by.boldness, by.expertise, facts.found, by.support)
        written = write_claim_post(order, draw.at(item=name_pair(facts.version)))
        return WrittenClaim(text=written.text, uses=tuple(n + 1 for n in written.cites))


class PostBelief(ThoughtfulReply):
    """How true a reader takes a post to be."""

    belief: Belief = Field(description="what you make of the post")


@dataclass(frozen=True)
class JudgeFacts(Facts):
    """Facts of judging: how one checks, the post, and what one found."""

    post_id: Id
    manner: tuple[str, ...]
    post: str
    found: tuple[ReadPassage, ...]

    def prompt(self) -> str:
        return f"""You check posts about matters of everyday knowledge. Some of what you find may itself be mistaken.

How you go about it:
{bullet_lines(self.manner)}

The post:
"{self.post}"

{list_passages(self.found)}

All this weighed together, how true do you take the post to be?"""  # noqa: E501


@dataclass(frozen=True)
class JudgeDispositions:
    """What the detector's genome, the post's words and what was found come to."""

    falsehood: Annotated[float, STUDY]
    """Probability of being false (`multi_generational.model.credibility.beliefs.judge_falsehood`)."""


@dataclass(frozen=True)
class JudgePost(Question[PostBelief]):
    """Question to a detector: how true is this post?"""

    facts: JudgeFacts
    dispositions: JudgeDispositions
    kind: ClassVar[str] = "claims.judge"
    example: ClassVar[Record] = PostBelief(
        thoughts="A page bears out the part about the moon; on the rest there is nothing.",
        belief="probably true",
    )

    @property
    def subject(self) -> str:
        return self.facts.post_id

    def offline(self, draw: Draw) -> PostBelief:
        """Say in words what the cues of the post and what was found come to (`judge_falsehood`)."""
        return PostBelief(belief=word_belief(self.dispositions.falsehood))


class Removal(ThoughtfulReply):
    """Which posts a moderator takes down."""

    remove: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(
        max_length=100, description="numbers of the posts you take down; [] if none"
    )


@dataclass(frozen=True)
class ReviewedPost:
    """A post with what those who checked it say."""

    text: str
    said: tuple[tuple[Belief, Count], ...]
    """How many said what."""

    def __str__(self) -> str:
        return f'"{self.text}"\n   Checks: {", ".join(f"{number} {belief}" for belief, number in self.said) or "none"}'


@dataclass(frozen=True)
class TakeDownFacts(Facts):
    """Facts of moderation: posts that stand, and what those who checked them say."""

    posts: tuple[ReviewedPost, ...]

    def system(self) -> str:
        return "You moderate a medium on which people post about matters of everyday knowledge."

    def prompt(self) -> str:
        return f"""These posts are up. Below each is what those who checked it say, and how many say so:
{number_lines(self.posts)}

Taking down what is true harms those who post and read it; leaving up what is false harms those who believe it. In doubt you may wait: a post that stays up may come before you again.

Which do you take down now?"""  # noqa: E501

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"remove": range(1, len(self.posts) + 1)}


@dataclass(frozen=True)
class TakeDownDispositions:
    """What the moderation rule reads."""

    suspicion: Annotated[Numbers, STUDY]
    """Mean probability of being false, over those who checked each post."""
    hazard: Annotated[float, STUDY]


@dataclass(frozen=True)
class TakeDown(Question[Removal]):
    """Question to the moderator: which posts do you take down?"""

    facts: TakeDownFacts
    dispositions: TakeDownDispositions
    kind: ClassVar[str] = "claims.moderate"
    example: ClassVar[Record] = Removal(thoughts="All who checked the twelfth call it false.", remove=(12,))

    def offline(self, draw: Draw) -> Removal:
        """Remove each post with the hazard times its mean probability of being false; our design."""
        chance = self.dispositions.hazard * np.array(self.dispositions.suspicion)
        hit = draw.at("hazard").chance(chance, item=np.arange(len(chance)))
        return Removal(remove=tuple(int(n) + 1 for n in np.flatnonzero(hit)))
