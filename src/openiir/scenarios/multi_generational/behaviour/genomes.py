"""What producers and detectors inherit, and how it reads to the agent that has inherited it."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from openiir.kit.evolution import Genome, GenomeSpec, NumberLocus, TextLocus
from openiir.plugin import Agent, Persona
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
    """Declare the loci of both sides' genomes; bios mutate among those of the study's personas."""
    rate, bios = rule.rate, {one.bio: one.id for one in personas}
    bio = TextLocus(rate=rule.text, options={id: text for text, id in bios.items()}, most=4_000)
    share = NumberLocus(rate=rate, low=0, high=1, size=rule.cue)
    free = NumberLocus(rate=rate, size=rule.weight, span=0.4)
    lookup = {
        "retrieval.depth": NumberLocus(rate=rate, low=1, high=10, size=rule.depth, whole=True),
        "retrieval.mix": share,
    }
    producer: Mapping[str, NumberLocus | TextLocus] = {
        "template": TextLocus(rate=rule.text, options=FORMS, most=LONGEST),
        **{f"cue.{name}": share for name in CUES},
        **lookup,
        "retrieval.recency": share,
        "bio": bio,
        "bio.boldness": share,
        "bio.expertise": TextLocus(rate=rule.text, options={one: one for one in EXPERTISE}, most=60),
    }
    detector: Mapping[str, NumberLocus | TextLocus] = {
        "template": TextLocus(rate=rule.text, options=CHECKS, most=LONGEST),
        **{f"weight.{name}": free for name in CUES},
        "weight.evidence": NumberLocus(rate=rate, low=0, size=rule.weight),
        "weight.posts": share,
        **lookup,
        "bio": bio,
        "bio.suspicion": free,
    }
    return {
        "producer": GenomeSpec("producer", VERSION, producer),
        "detector": GenomeSpec("detector", VERSION, detector),
    }


class Player(NamedTuple):
    """A producer or detector with its genome and its index in its generation, which keys its draws."""

    agent: Agent
    genome: Genome
    slot: int

    def read_number(self, locus: str) -> float:
        """Return the value of a numeric locus."""
        return float(self.genome.values[locus])

    @property
    def depth(self) -> int:
        """Number of passages that the agent reads."""
        return int(self.genome.values["retrieval.depth"])

    @property
    def cues(self) -> list[float]:
        """Weight of each of CUES: a producer's use of it, 0 to 1, or a detector's trust in it (log-odds)."""
        locus = "cue" if self.genome.kind == "producer" else "weight"
        return [self.read_number(f"{locus}.{name}") for name in CUES]

    @property
    def option(self) -> str:
        """What the template means offline: a producer's format, or how a detector adds up sentence scores."""
        options = FORMS if self.genome.kind == "producer" else CHECKS
        return nearest_option(str(self.genome.values["template"]), options)


def nearest_option(text: str, options: Mapping[str, str]) -> str:
    """Find the option that shares most words with a (possibly rewritten) template."""
    own = set(text.lower().split())

    def overlap(name: str) -> float:
        words = set(options[name].lower().split())
        return len(own & words) / len(own | words)

    return max(options, key=overlap)


def describe_genome(genome: Genome) -> tuple[str, ...]:
    """Word a genome, without its bio, as instructions to its agent; weak loci are left out."""
    values = genome.values
    numbers = {locus: float(value) for locus, value in values.items() if not isinstance(value, str)}
    depth = int(numbers["retrieval.depth"])
    way = ("by meaning", "by meaning and by word", "by exact words")[_cut(numbers["retrieval.mix"])]
    reads = f"read {'one passage' if depth == 1 else f'{_NUMBERS[depth - 2]} passages'}"
    if genome.kind == "producer":
        ways = word_habits([numbers[f"cue.{name}"] for name in CUES])
        newest = ("", "", ", the newest first")[_cut(numbers["retrieval.recency"])]
        bold = (
            "You use only what bears you out.",
            "At times you also use what does not quite bear you out.",
            "You use what you find, whether it bears you out or not.",
        )[_cut(numbers["bio.boldness"])]
        lookup = f"You look things up {way}{newest}, and {reads}. {bold}"
        return (str(values["template"]), *ways, lookup, f"Readers take you for {values['bio.expertise']}.")
    ways = word_weights([numbers[f"weight.{name}"] for name in CUES])
    trust = _SWAYS[min(int(numbers["weight.evidence"] / 0.75), 3)]
    posts = ("hardly count", "count less than pages", "count as pages do")[_cut(numbers["weight.posts"])]
    prior = _PRIORS[int(np.digitize(numbers["bio.suspicion"], (-0.5, 0.5)))]
    lookup = f"You look things up {way}, and {reads}. What you find {trust}; posts among it {posts}."
    return (str(values["template"]), lookup, *ways, *prior)


_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _cut(share: float) -> int:
    """Return the third, from 0, in which a number from 0 to 1 lies."""
    return min(int(share * 3), 2)
