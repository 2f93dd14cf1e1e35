"""The question that drafts a persona from a viewpoint."""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.core.asking.question import Unsplit
from openiir.core.errors import UnusableAnswer
from openiir.core.hashing import sha256
from openiir.core.personas.names import NAMES, name
from openiir.core.records import BigFive, Record
from openiir.core.seeds import Draw

Percent = Annotated[int, Field(ge=0, le=100)]


class PersonaDraft(Record):
    """A drafted persona; the five factors in percent, since endpoints keep whole numbers in bounds best."""

    name: str = Field(min_length=1, max_length=80)
    bio: str = Field(min_length=1, max_length=1_500)
    stance: int = Field(ge=-100, le=100)
    interests: tuple[Annotated[str, Field(min_length=1, max_length=48)], ...] = Field(
        min_length=1, max_length=8
    )
    openness: Percent
    conscientiousness: Percent
    extraversion: Percent
    agreeableness: Percent
    neuroticism: Percent


@dataclass(frozen=True)
class DraftPersona(Unsplit[PersonaDraft]):
    """Who would stand at this viewpoint? The offline answer is a template over the corpus's own words.

    Offline, the five factors are independent normals of mean 0.5 and standard deviation 0.18, cut at 0 and 1:
    the shape of norm-referenced scores, with no claim about correlations between factors.
    """

    topic: str
    number: int
    """From 1."""
    of: int
    terms: tuple[str, ...]
    passages: tuple[str, ...]
    lean: float

    kind: ClassVar[str] = "personas.draft"
    Reply: ClassVar[type[Record]] = PersonaDraft

    @property
    def subject(self) -> str:
        return f"p{self.number:04d}"

    def system(self) -> str:
        return (
            "You cast people for simulated debates. You invent them; they resemble nobody who lives or lived."
        )

    def prompt(self) -> str:
        passages = "\n".join(f"- {passage}" for passage in self.passages)
        return (
            f"{self.of} people will debate this proposition: {self.topic}\n"
            f"Describe person {self.number}, who knows these passages best and speaks from them:\n{passages}\n"
            f"Words typical of them: {', '.join(self.terms) or 'none'}.\n"
            f"The person's stance is about {round(100 * self.lean)}, on a scale from -100 (rejects the "
            f"proposition) to 100 (supports it).\n"
            "Give a full name; a bio of one paragraph in the third person, 40 to 90 words, that says what the "
            "person works on, what they hold and why, and how they argue; the stance; three to six interests, "
            "words that occur above; and the five personality factors from 0 to 100, where 50 is ordinary."
        )

    def check(self, reply: PersonaDraft) -> None:
        if len(reply.bio.split()) < 12 or not reply.name.strip():
            raise UnusableAnswer("name must not be blank and bio must be a paragraph of at least 12 words")
        if not all(word.strip() for word in reply.interests):
            raise UnusableAnswer("interests must hold no blank words; leave them out")

    def offline(self, draw: Draw) -> PersonaDraft:
        factors = {factor: round(100 * _factor(draw, factor)) for factor in BigFive.model_fields}
        full_name = name(int(sha256(self.topic)[:8], 16) % NAMES + self.number)
        stance = max(-1.0, min(1.0, self.lean + draw.at("stance").normal(0.0, 0.03)))
        return PersonaDraft(
            name=full_name,
            bio=self._bio(full_name, stance, factors, draw),
            stance=round(100 * stance),
            interests=self.terms or tuple(self.passages[0].split()[:3]),
            **factors,
        )

    def _bio(self, full_name: str, stance: float, factors: dict[str, int], draw: Draw) -> str:
        family = full_name.split()[-1]
        things = [term for term in self.terms if not _MODIFIER.search(term)]
        first, second = (*things, "the question at hand", "its evidence")[:2]
        opening = _OPENINGS[draw.at("opening").below(len(_OPENINGS))].format(
            name=full_name, a=first, b=second
        )
        ground = _GROUNDS[draw.at("ground").below(len(_GROUNDS))].format(name=family)
        topic = self.topic if len(self.topic) <= 300 else f"{self.topic[:297]}..."
        side = _SIDES[min(4, int((stance + 1) / 0.4))].format(name=family)
        return f"{opening} {ground}: {self.passages[0]} {side} the proposition “{topic}”. {_temper(family, factors)}"


def _factor(draw: Draw, factor: str, sd: float = 0.18) -> float:
    """A truncated normal on 0..1 around 0.5, by inversion of one uniform."""
    from scipy.special import ndtr, ndtri

    low = ndtr(-0.5 / sd)
    return float(0.5 + sd * ndtri(low + (1 - 2 * low) * draw.at(factor).uniform()))


def _temper(family: str, factors: dict[str, int]) -> str:
    """One sentence about the factor that stands out most."""
    factor = min(factors, key=lambda f: (-abs(factors[f] - 50), f))
    low, high = _TEMPERS[factor]
    return (high if factors[factor] >= 50 else low).format(name=family)


_MODIFIER = re.compile(r"(?:ed|ly|ic|al|ous|ive|able|ible|ful|less|est)$")
"""How words end that name no thing, so that nobody works on them."""

_OPENINGS = (
    "{name} works on {a} and {b}.",
    "{name} came to this debate through {a} and {b}.",
    "{name} has spent years on {a}, and lately on {b}.",
    "{name} reads everything about {a} and much about {b}.",
)
_GROUNDS = (
    "One point weighs most with {name}",
    "{name} comes back to one point again and again",
    "What {name} argues from is this",
    "{name} would have everybody start from one observation",
)
_SIDES = (
    "{name} rejects",
    "{name} doubts",
    "{name} is undecided about",
    "{name} leans towards",
    "{name} supports",
)
_TEMPERS = {
    "openness": (
        "{name} prefers what has been tried to what is new.",
        "{name} likes an idea before it is proven.",
    ),
    "conscientiousness": (
        "{name} argues from the whole and leaves details to others.",
        "{name} checks every figure twice before using it.",
    ),
    "extraversion": ("{name} listens long and speaks late.", "{name} speaks early and thinks aloud."),
    "agreeableness": (
        "{name} would rather be right than liked.",
        "{name} looks for what both sides could sign.",
    ),
    "neuroticism": (
        "{name} keeps calm when the argument gets heated.",
        "{name} worries first about what could go wrong.",
    ),
}
