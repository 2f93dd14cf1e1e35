"""What rewrites a genome's text is asked, and interviews after the run."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.interviewing import AfterRunAnswer, AfterRunFacts
from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import Draw, Facts, Id, Question, Record, Source

STUDY = Source("study")


class RewrittenText(ThoughtfulReply):
    """A text that a mutation puts in the place of another."""

    text: str = Field(min_length=1, max_length=400, description="the new wording, and nothing else")


@dataclass(frozen=True)
class RewriteFacts(Facts):
    """Facts of a mutation: the text, whose it is, and how it has fared."""

    place: Id
    what: str
    """What the text is, such as `instruction to somebody who writes posts`."""
    text: str
    fared: str
    """How it has fared, in a sentence; empty where that is unknown."""

    def system(self) -> str:
        return """You reword short texts that people go by who write posts or check them. Those who write do well if their posts are believed and stay up, those who check if they tell true from false."""  # noqa: E501

    def prompt(self) -> str:
        return f"""{self.what[:1].upper()}{self.what[1:]}:
"{self.text}"{f"{chr(10)}{chr(10)}{self.fared}" if self.fared else ""}

Change one thing about it that could make a difference, and leave the rest as it is. Keep its form, its length and any names, and keep it plain. What is the new wording?"""  # noqa: E501


@dataclass(frozen=True)
class RewriteDispositions:
    """What a mutation without a model chooses among."""

    options: Annotated[tuple[str, ...], STUDY]


@dataclass(frozen=True)
class RewriteText(Question[RewrittenText]):
    """Question to a role that mutates genomes: reword this template, bio or expertise."""

    facts: RewriteFacts
    dispositions: RewriteDispositions
    kind: ClassVar[str] = "multi_generational.mutate"
    example: ClassVar[Record] = RewrittenText(
        thoughts="Naming the day would make it easier to follow.",
        text="Tell people on Sunday evening what the week will bring, in three lines.",
    )

    @property
    def subject(self) -> str:
        return self.facts.place

    def offline(self, draw: Draw) -> RewrittenText:
        """Take another of the declared texts, drawn."""
        others = [one for one in self.dispositions.options if one != self.facts.text]
        return RewrittenText(text=draw.choose(others)[:400] if others else self.facts.text)


@dataclass(frozen=True)
class AfterGeneration(Question[AfterRunAnswer]):
    """Question after the run to an agent of any generation."""

    facts: AfterRunFacts
    kind: ClassVar[str] = "multi_generational.interview"
    example: ClassVar[Record] = AfterRunAnswer(answer="I posted about the tides, and most of it stayed up.")

    def offline(self, draw: Draw) -> AfterRunAnswer:
        """Quote up to three memories, those that come first."""
        said = [f"I{memory.removeprefix('you')}" for memory in self.facts.remembered[:3]]
        return AfterRunAnswer(answer=" ".join(said)[:1_500] or "I remember nothing that speaks to it.")
