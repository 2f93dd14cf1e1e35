"""What authors, judges, moderators and mutators are asked, and agents of any generation after the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.interviewing import AfterRun, AfterRunAnswer
from openiir.kit.lexical import BM25, nearest_texts
from openiir.kit.prompting import ThoughtfulReply, bullet_lines, number_lines
from openiir.plugin import Count, Draw, Id, Question, Record, Source
from openiir.scenarios.multi_generational.model.credibility.beliefs import Belief, word_belief
from openiir.scenarios.multi_generational.model.credibility.claim_posts import (
    PostOrder,
    ReadPassage,
    write_claim_post,
)
from openiir.scenarios.multi_generational.model.credibility.pairs import pair_of_version

STUDY = Source("study")
Numbers = tuple[float, ...]


def list_passages(found: Sequence[ReadPassage]) -> str:
    """Format the passages of a look-up as a numbered list."""
    heading = "What you found when you looked it up; not all of it need be about this:"
    return f"{heading}\n{number_lines(found)}" if found else "You looked it up and found nothing."


class WrittenClaim(ThoughtfulReply):
    """A post that argues for a claim."""

    text: str = Field(min_length=1, max_length=600, description="your post, in one to five short sentences")
    uses: tuple[Annotated[int, Field(ge=1, le=10)], ...] = Field(
        (), max_length=10, description="numbers of the passages you used; [] if none"
    )


@dataclass(frozen=True, kw_only=True)
class AuthorPost(PostOrder, Question[WrittenClaim]):
    """Question to a producer: write a post for a claim, which may be true or false."""

    version: Id
    manner: tuple[str, ...]
    """How the author goes about it, in words."""
    kind: ClassVar[str] = "claims.author"
    example: ClassVar[Record] = WrittenClaim(
        thoughts="The first page has what I need about the moon. Two plain sentences will do.",
        text="The tide comes in twice a day, and not once. The moon pulls at the water while the earth turns "
        "under it.",
        uses=(1,),
    )

    @property
    def subject(self) -> str:
        return self.version

    def prompt(self) -> str:
        return f"""You write short posts about matters of everyday knowledge. The claims are given to you; \
each post makes the best case for one, in your own voice, whatever you think of it yourself. Some readers \
check posts, and one that they take for false is taken down.

How you go about it; where two of these clash, the one above counts:
{bullet_lines(self.manner)}

{list_passages(self.found)}

The claim: "{self.claim}"

Bring all of it across in your own words. Take any further facts from what you found. What do you post?"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"uses": range(1, len(self.found) + 1)} if self.found else {}

    def lengths(self) -> Mapping[str, int]:
        return {} if self.found else {"uses": 0}

    def offline(self, draw: Draw) -> WrittenClaim:
        """Put claim, quotations and habits together (`model.credibility.claim_posts`); our design.

        Both versions of a pair share their draws, so that an author's habits do not tell them apart.
        """
        written = write_claim_post(self, draw.at(item=pair_of_version(self.version)))
        return WrittenClaim(text=written.text, uses=tuple(n + 1 for n in written.cites))


class PostBelief(ThoughtfulReply):
    """How true a reader takes a post to be."""

    belief: Belief = Field(description="what you make of the post")


@dataclass(frozen=True)
class JudgePost(Question[PostBelief]):
    """Question to a detector: how true is this post?"""

    post_id: Id
    manner: tuple[str, ...]
    post: str
    found: tuple[ReadPassage, ...]
    falsehood: Annotated[float, STUDY]
    """Probability of being false (`model.credibility.beliefs.judge_falsehood`)."""
    kind: ClassVar[str] = "claims.judge"
    example: ClassVar[Record] = PostBelief(
        thoughts="A page bears out the part about the moon; on the rest there is nothing.",
        belief="probably true",
    )

    @property
    def subject(self) -> str:
        return self.post_id

    def prompt(self) -> str:
        return f"""You check posts about matters of everyday knowledge. Some of what you find may itself \
be mistaken.

How you go about it:
{bullet_lines(self.manner)}

The post:
"{self.post}"

{list_passages(self.found)}

All this weighed together, how true do you take the post to be?"""

    def offline(self, draw: Draw) -> PostBelief:
        """Convert the cues of the post and the evidence found to a belief in words (`judge_falsehood`)."""
        return PostBelief(belief=word_belief(self.falsehood))


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
        said = ", ".join(f"{number} {belief}" for belief, number in self.said)
        return f'"{self.text}"\n   Checks: {said or "none"}'


@dataclass(frozen=True)
class TakeDown(Question[Removal]):
    """Question to the moderator: which posts do you take down?"""

    posts: tuple[ReviewedPost, ...]
    suspicion: Annotated[Numbers, STUDY]
    """Mean probability of being false, over those who checked each post."""
    hazard: Annotated[float, STUDY]
    kind: ClassVar[str] = "claims.moderate"
    example: ClassVar[Record] = Removal(thoughts="All who checked the twelfth call it false.", remove=(12,))

    def system(self) -> str:
        return "You moderate a medium on which people post about matters of everyday knowledge."

    def prompt(self) -> str:
        return f"""These posts are up. Below each is what those who checked it say, and how many say so:
{number_lines(self.posts)}

Taking down what is true harms those who post and read it; leaving up what is false harms those who believe \
it. In doubt you may wait: a post that stays up may come before you again.

Which do you take down now?"""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"remove": range(1, len(self.posts) + 1)}

    def offline(self, draw: Draw) -> Removal:
        """Remove each post with the hazard times its mean probability of being false; our design."""
        chance = self.hazard * np.array(self.suspicion)
        hit = draw.at("hazard").chance(chance, item=np.arange(len(chance)))
        return Removal(remove=tuple(int(n) + 1 for n in np.flatnonzero(hit)))


class RewrittenText(ThoughtfulReply):
    """A text that a mutation puts in the place of another."""

    text: str = Field(min_length=1, max_length=4_000, description="the new wording, and nothing else")


@dataclass(frozen=True)
class RewriteText(Question[RewrittenText]):
    """Question to a role that mutates genomes: reword this template, bio or expertise."""

    place: Id
    task: str
    """What is reworded for whom, and what it is good for."""
    what: str
    """What the text is, such as `instruction to somebody who writes posts`."""
    text: str
    fared: str
    """How it has fared, in a sentence; empty where that is unknown."""
    options: Annotated[tuple[str, ...], Source("study")]
    kind: ClassVar[str] = "evolution.rewrite"
    example: ClassVar[Record] = RewrittenText(
        thoughts="Naming the day would make it easier to follow.",
        text="Tell people on Sunday evening what the week will bring, in three lines.",
    )

    @property
    def subject(self) -> str:
        return self.place

    def system(self) -> str:
        return self.task

    def prompt(self) -> str:
        fared = f"\n\n{self.fared}" if self.fared else ""
        return f"""{self.what[:1].upper()}{self.what[1:]}:
"{self.text}"{fared}

Change one thing about it that could make a difference, and leave the rest as it is. Keep its form, its \
length and any names, and keep it plain. What is the new wording?"""

    def offline(self, draw: Draw) -> RewrittenText:
        """Take another of the declared texts, drawn."""
        others = [one for one in self.options if one != self.text]
        return RewrittenText(text=draw.choose(others) if others else self.text)


@dataclass(frozen=True)
class AfterGeneration(AfterRun):
    """Question after the run to an agent of any generation."""

    kind: ClassVar[str] = "multi_generational.interview"
    example: ClassVar[Record] = AfterRunAnswer(answer="I posted about the tides, and most of it stayed up.")

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Quote up to three memories, those nearest to the question."""
        known = self.remembered
        best = nearest_texts(BM25(known), self.asked, 3).tolist() if known else []
        said = [f"I{known[n].removeprefix('you')}" for n in best or range(min(3, len(known)))]
        return self.answer(" ".join(said) or "I remember nothing that speaks to it.")
