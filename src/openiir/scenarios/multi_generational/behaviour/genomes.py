"""What producers and detectors inherit, and how it reads to the agent that has inherited it."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from openiir.kit.evolution import Genome, GenomeSpec, NumberLocus, TextLocus
from openiir.plugin import Agent, Persona
from openiir.scenarios.multi_generational.behaviour.judging import Judge
from openiir.scenarios.multi_generational.behaviour.writing import Author
from openiir.scenarios.multi_generational.config import MutationRule
from openiir.scenarios.multi_generational.model.credibility.text_cues import CUES, word_habits, word_weights

Side = Literal["producer", "detector"]
SIDES: tuple[Side, Side] = ("producer", "detector")
VERSION = 1
LONGEST = 400
"""Characters of a template."""
FORMS: Mapping[str, str] = {
    "fact": "State the claim first, as a plain fact, and then what speaks for it.",
    "question": "Open with a question that readers may have had themselves, and answer it with the claim.",
    "myth": "Say that most people have this wrong, and then say how it is.",
    "news": "Write it like a short item of news: first what is new, then what is known.",
    "story": "Begin with something that happened, and come to the claim by way of it.",
    "list": "Write two or three short points, one after the other, the claim among them.",
}
"""Templates of producers by the form of post that the offline author gives them."""
CHECKS: Mapping[str, str] = {
    "lead": "Check the first thing in the post that can be checked, and leave the rest.",
    "mean": "Check every statement of the post, and weigh all of them together.",
    "weakest": "Look for the statement that stands up worst: a post is no better than that one.",
}
"""Templates of detectors by the rule with which the offline judge adds up its sentences."""
EXPERTISE = (
    "a nurse",
    "an engineer",
    "a schoolteacher",
    "a baker",
    "a local historian",
    "nobody in particular",
)
_SWAYS = ("hardly sways you", "sways you somewhat", "sways you a good deal", "settles nearly everything")
_PRIORS = (("You take most of what you read to be true.",), (), ("You doubt most of what you read.",))


def genome_specs(rule: MutationRule, personas: Sequence[Persona]) -> dict[Side, GenomeSpec]:
    """Declare the loci of both sides; the bios that mutation chooses among are those of the study's personas."""
    rate, bios = rule.rate, {one.bio: one.id for one in personas}
    bio = TextLocus(rate=rule.text, options={id: text for text, id in bios.items()}, most=4_000)
    share = NumberLocus(rate=rate, low=0, high=1, size=rule.cue)
    free = NumberLocus(rate=rate, size=rule.weight, span=0.4)
    lookup = {
        "retrieval.depth": NumberLocus(rate=rate, low=1, high=10, size=rule.depth, whole=True),
        "retrieval.mix": share,
    }
    options = {one: one for one in EXPERTISE}
    return {
        "producer": GenomeSpec("producer", VERSION, {
            "template": TextLocus(rate=rule.text, options=FORMS, most=LONGEST),
            **{f"cue.{name}": share for name in CUES},
            **lookup,
            "retrieval.recency": share,
            "bio": bio,
            "bio.boldness": share,
            "bio.expertise": TextLocus(rate=rule.text, options=options, most=60),
        }),
        "detector": GenomeSpec("detector", VERSION, {
            "template": TextLocus(rate=rule.text, options=CHECKS, most=LONGEST),
            **{f"weight.{name}": free for name in CUES},
            "weight.evidence": NumberLocus(rate=rate, low=0, size=rule.weight),
            "weight.posts": share,
            **lookup,
            "bio": bio,
            "bio.suspicion": free,
        }),
    }  # fmt: skip


class Player(NamedTuple):
    """An agent with its genome and its place in its generation, by which its draws are named."""

    agent: Agent
    genome: Genome
    slot: int

    @property
    def depth(self) -> int:
        """Number of passages that it reads."""
        return int(self.genome.values["retrieval.depth"])

    def as_author(self, told: bool) -> Author:
        """Return the producer as an author, who is told of its habits if somebody else may answer for it."""
        values = self.genome.values
        return Author(
            self.agent, self.slot, nearest_option(str(values["template"]), FORMS),
            tuple(float(values[f"cue.{name}"]) for name in CUES), float(values["bio.boldness"]), str(values["bio.expertise"]),
            self.depth, float(values["retrieval.mix"]), float(values["retrieval.recency"]),
            describe_genome(self.genome) if told else (),
        )  # fmt: skip

    def as_judge(self, told: bool) -> Judge:
        """Return the detector as a judge, likewise."""
        values = self.genome.values
        return Judge(
            self.agent, nearest_option(str(values["template"]), CHECKS),
            np.array([float(values[f"weight.{name}"]) for name in CUES]), float(values["bio.suspicion"]),
            float(values["weight.evidence"]), float(values["weight.posts"]), self.depth,
            float(values["retrieval.mix"]), describe_genome(self.genome) if told else (),
        )  # fmt: skip


def nearest_option(text: str, options: Mapping[str, str]) -> str:
    """Find the option whose words a template shares most, so that a rewritten one still has an offline reading."""
    own = set(text.lower().split())

    def overlap(name: str) -> float:
        words = set(options[name].lower().split())
        return len(own & words) / len(own | words)

    return max(options, key=overlap)


def describe_genome(genome: Genome) -> tuple[str, ...]:
    """Write a genome, without its bio, as instructions that its bearer reads; what makes little difference is left out."""
    values = genome.values
    depth = int(values["retrieval.depth"])
    way = ("by meaning", "by meaning and by word", "by exact words")[_step(values["retrieval.mix"], 3)]
    reads = f"read {'one passage' if depth == 1 else f'{_NUMBERS[depth - 2]} passages'}"
    if genome.kind == "producer":
        ways = word_habits([float(values[f"cue.{name}"]) for name in CUES])
        newest = ("", "", ", the newest first")[_step(values["retrieval.recency"], 3)]
        bold = ("You use only what bears you out.", "At times you also use what does not quite bear you out.",
                "You use what you find, whether it bears you out or not.")[_step(values["bio.boldness"], 3)]  # fmt: skip
        lookup = f"You look things up {way}{newest}, and {reads}. {bold}"
        return (str(values["template"]), *ways, lookup, f"Readers take you for {values['bio.expertise']}.")
    ways = word_weights([float(values[f"weight.{name}"]) for name in CUES])
    trust = _SWAYS[min(int(float(values["weight.evidence"]) / 0.75), 3)]
    posts = ("hardly count", "count less than pages", "count as pages do")[_step(values["weight.posts"], 3)]
    prior = _PRIORS[int(np.digitize(float(values["bio.suspicion"]), (-0.5, 0.5)))]
    lookup = f"You look things up {way}, and {reads}. What you find {trust}; posts among it {posts}."
    return (str(values["template"]), lookup, *ways, *prior)


_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _step(value: object, steps: int) -> int:
    return min(int(float(value) * steps), steps - 1)  # type: ignore[arg-type]
