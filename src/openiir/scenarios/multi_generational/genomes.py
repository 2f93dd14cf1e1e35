"""What producers and detectors inherit, and how it reads to the agent that has inherited it."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.credibility.text_cues import CUES
from openiir.kit.evolution import Genome, GenomeSpec, NumberLocus, TextLocus
from openiir.kit.prompting import join_words
from openiir.plugin import Persona
from openiir.scenarios.multi_generational.config import MutationRule

Side = Literal["producer", "detector"]
SIDES: tuple[Side, Side] = ("producer", "detector")
VERSION = 1
LONGEST = 400
"""Characters of a template."""
FORMS: Mapping[str, str] = {
    "fact": "State the claim first, as a plain fact, and then what speaks for it.",
    "question": "Open with a question that readers may have had themselves, and answer it with the claim.",
    "myth": "Say that most people have this wrong, and then how it is.",
    "news": "Write it like a short item of news: what is known now, and from where.",
    "story": "Begin with something that happened, and come to the claim by way of it.",
    "list": "Write two or three short points, one after the other, the claim among them.",
}
"""Templates of producers by the form of post that the offline author gives them."""
CHECKS: Mapping[str, str] = {
    "lead": "Find the first thing that the post states, check that, and let it decide.",
    "mean": "Check every sentence of the post, and weigh all of them together.",
    "weakest": "Look for the sentence that stands up worst: a post is no better than that one.",
}
"""Templates of detectors by the rule with which the offline judge adds up its sentences."""
EXPERTISE = ("a nurse", "an engineer", "a schoolteacher", "a baker", "a local historian", "nobody in particular")
HABITS: Mapping[str, tuple[str, str]] = {
    "citation": ("name where you have it from", "names where it has things from"),
    "hedging": ("leave room for doubt", "leaves room for doubt"),
    "numbers": ("give figures", "gives figures"),
    "anecdote": ("tell what happened to yourself", "tells what happened to somebody"),
    "authority": ("point to people who should know", "points to people who should know"),
    "urgency": ("press readers to act or pass it on", "presses people to act or pass it on"),
}
"""Each cue as something a writer does, and as something a post does."""
_OFTEN = ("never", "seldom", "now and then", "often", "nearly always")
_FEELS = ("speaks strongly for it", "speaks for it", "tells you nothing", "speaks against it", "speaks strongly against it")  # fmt: skip


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


def cue_values(genomes: Sequence[Genome], group: str) -> Floats:
    """Return the cues of producers, or the weights that detectors give them, of shape (genomes, cues)."""
    return np.array([[genome.values[f"{group}.{name}"] for name in CUES] for genome in genomes])


def nearest_option(text: str, options: Mapping[str, str]) -> str:
    """Find the option whose words a template shares most, so that a rewritten one still has an offline reading."""
    own = set(text.lower().split())

    def overlap(name: str) -> float:
        words = set(options[name].lower().split())
        return len(own & words) / len(own | words)

    return max(options, key=overlap)


def describe_genome(genome: Genome) -> tuple[str, ...]:
    """Write a genome, without its bio, as instructions that its bearer reads: one line a habit."""
    values = genome.values
    depth = int(values["retrieval.depth"])
    way = ("by meaning", "by meaning and by words", "by exact words")[_step(values["retrieval.mix"], 3)]
    lookup = f"You look things up {way}, and read {'one passage' if depth == 1 else f'{_NUMBERS[depth - 2]} passages'}."
    if genome.kind == "producer":
        habits: dict[str, list[str]] = {}
        for name in CUES:
            habits.setdefault(_OFTEN[_step(values[f"cue.{name}"], 5)], []).append(HABITS[name][0])
        ways = [f"You {often} {join_words(habits[often])}." for often in _OFTEN if often in habits]
        news = ("You do not care how new a source is.", "You like newer sources a little better.",
                "You want the newest there is.")[_step(values["retrieval.recency"], 3)]  # fmt: skip
        bold = ("Where what you find does not bear you out, you keep it out of the post.",
                "Where what you find does not quite bear you out, you still mention it at times.",
                "You use what you find whether it bears you out or not.")[_step(values["bio.boldness"], 3)]  # fmt: skip
        return (str(values["template"]), *ways, lookup, news, bold, f"Readers know you as {values['bio.expertise']}.")
    feels: dict[str, list[str]] = {}
    for name in CUES:
        feels.setdefault(_weigh(float(values[f"weight.{name}"])), []).append(HABITS[name][1])
    ways = [f"That a post {_or_words(feels[one])}, {one}." for one in _FEELS if one in feels]
    trust = ("little", "something", "much", "nearly everything")[min(int(float(values["weight.evidence"]) / 0.75), 3)]
    prior = ("You take most of what you read to be true.", "You begin with an open mind.",
             "You suspect most of what you read.")[int(np.digitize(float(values["bio.suspicion"]), (-0.5, 0.5)))]  # fmt: skip
    posts = ("and you go by pages alone", "and pages count for more than what people post", "be it a page or what somebody posted")[_step(values["weight.posts"], 3)]
    return (str(values["template"]), *ways, lookup, f"What you find counts for {trust}, {posts}.", prior)


_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _step(value: object, steps: int) -> int:
    return min(int(float(value) * steps), steps - 1)  # type: ignore[arg-type]


def _weigh(weight: float) -> str:
    return _FEELS[int(np.digitize(weight, (-1.0, -0.25, 0.25, 1.0)))]


def _or_words(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
