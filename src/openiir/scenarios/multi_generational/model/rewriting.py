"""Mutations of inherited texts by whoever answers for them: an agent's instruction or bio in other words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.arrays import Floats
from openiir.kit.evolution import Genome, GenomeSpec, TextLocus, rank_agents
from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import Draw, Facts, Id, Question, Record, Source, Stage, order_by

MUTATOR = "mutator"
FARED = (
    "It has worked worse than most.",
    "It has worked about as well as others.",
    "It has worked better than most.",
)
"""How a text has fared, by thirds of its bearers."""


class RewrittenText(ThoughtfulReply):
    """A text that a mutation puts in the place of another."""

    text: str = Field(min_length=1, max_length=4_000, description="the new wording, and nothing else")


@dataclass(frozen=True)
class RewriteFacts(Facts):
    """Facts of a mutation: the text, whose it is, and how it has fared."""

    place: Id
    task: str
    """What is reworded for whom, and what it is good for."""
    what: str
    """What the text is, such as `instruction to somebody who writes posts`."""
    text: str
    fared: str
    """How it has fared, in a sentence; empty where that is unknown."""

    def system(self) -> str:
        return self.task

    def prompt(self) -> str:
        return f"""{self.what[:1].upper()}{self.what[1:]}:
"{self.text}"{f"{chr(10)}{chr(10)}{self.fared}" if self.fared else ""}

Change one thing about it that could make a difference, and leave the rest as it is. Keep its form, its length and any names, and keep it plain. What is the new wording?"""  # noqa: E501


@dataclass(frozen=True)
class RewriteDispositions:
    """What a mutation without a model chooses among."""

    options: Annotated[tuple[str, ...], Source("study")]


@dataclass(frozen=True)
class RewriteText(Question[RewrittenText]):
    """Question to a role that mutates genomes: reword this template, bio or expertise."""

    facts: RewriteFacts
    dispositions: RewriteDispositions
    kind: ClassVar[str] = "evolution.rewrite"
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
        return RewrittenText(text=draw.choose(others) if others else self.facts.text)


async def ask_rewrites(
    stage: Stage,
    spec: GenomeSpec,
    genomes: Sequence[Genome],
    parents: Sequence[int],
    fitness: Floats | None,
    hits: Sequence[tuple[int, str]],
    task: str,
    what: Mapping[str, str],
) -> dict[tuple[int, str], str]:
    """Let whoever answers for mutations, if that is not the behaviour model, reword the texts that mutate.

    `genomes` and `fitness` (None where it is not to be told) are of the parents' generation, `parents` the place there of
    each child's; `hits` are children with loci, as `GenomeSpec.list_rewrites` gives them, and `what` words each locus.
    Returns the texts by hit.
    """
    if stage.offline_alone(MUTATOR, RewriteText.kind):
        return {}
    place = None if fitness is None else order_by(rank_agents(fitness)) * len(FARED) // len(fitness)
    questions = []
    for child, locus in hits:
        text, of = str(genomes[parents[child]].values[locus]), spec.loci[locus]
        options = tuple(of.options.values()) if isinstance(of, TextLocus) else ()
        fared = "" if place is None else FARED[-1 - int(place[parents[child]])]
        facts = RewriteFacts(f"{spec.kind}/{child}/{locus}", task, what[locus], text, fared)
        questions.append((MUTATOR, RewriteText(facts, RewriteDispositions(options))))
    replies = await stage.ask_all(questions)
    if stage.answerer(MUTATOR, RewriteText.kind) == "offline":
        return {}
    return {hit: reply.text for hit, reply in zip(hits, replies, strict=True) if reply}
