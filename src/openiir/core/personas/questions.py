"""Question that drafts a persona from a viewpoint."""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.core.asking.question import Question
from openiir.core.asking.question_parts import Id
from openiir.core.errors import UnusableAnswer
from openiir.core.records import BigFive, Record
from openiir.core.seeds import Draw
from openiir.core.stances import Stance

Percent = Annotated[int, Field(ge=0, le=100)]


class PersonaDraft(Record):
    """A drafted persona; factors are whole numbers up to 100, which endpoints keep in bounds best."""

    thoughts: str = Field("", max_length=600, description="who would speak from these passages, and why")
    bio: str = Field(min_length=1, max_length=1_500)
    interests: tuple[Annotated[str, Field(min_length=1, max_length=48)], ...] = Field(
        min_length=1, max_length=8, description="three to six, in words that stand above"
    )
    openness: Percent
    conscientiousness: Percent
    extraversion: Percent
    agreeableness: Percent
    neuroticism: Percent


@dataclass(frozen=True)
class DraftPersona(Question[PersonaDraft]):
    """Draft a persona for a viewpoint; the offline answer fills a template with the corpus's own words.

    Offline, the five factors are independent normals of mean 0.5 and standard deviation 0.18, cut at 0 and 1:
    the shape of norm-referenced scores, with no claim about correlations between factors.
    """

    id: Id
    topic: str
    name: str
    """Name of the persona, given so that names within a cast are distinct."""
    stance: Stance
    passages: tuple[str, ...]
    """Sentences of the corpus that express the viewpoint (at least one)."""
    terms: tuple[str, ...]
    """Terms typical of the viewpoint."""

    kind: ClassVar[str] = "personas.draft"
    example: ClassVar[Record] = PersonaDraft(
        thoughts="Timetables and night shifts: somebody who drives, and has done so for long.",
        bio="Jo Marsh has driven the night bus for twenty years and speaks for the drivers' union. "
        "Jo holds that a town "
        "which wants fewer cars must first pay for buses that come, because nobody waits an hour in the "
        "rain. Jo argues from what passengers say, and loses patience with figures that nobody on the road "
        "would recognise.",
        interests=("timetables", "night shifts", "fares"),
        openness=35,
        conscientiousness=70,
        extraversion=60,
        agreeableness=40,
        neuroticism=45,
    )

    @property
    def subject(self) -> str:
        return self.id

    def system(self) -> str:
        return "You invent people for simulated debates. They resemble nobody who lives or lived."

    def prompt(self) -> str:
        passages = "\n".join(f"- {passage}" for passage in self.passages)
        terms = f"\nWords that come up often with them: {', '.join(self.terms)}." if self.terms else ""
        return f"""People will debate this motion: {self.topic}

One of them is {self.name}, who is {self.stance} and speaks from these passages:
{passages}{terms}

Who is {self.name}? Write a bio of one paragraph in the third person, 40 to 90 words: what they work on, \
what they hold and why, and how they argue. Then say what interests them, and how high they are in each of \
{", ".join(BigFive.model_fields)}: \
0 is as low as people get, 50 like most people, 100 as high as people get."""

    def check(self, reply: PersonaDraft) -> None:
        if len(reply.bio.split()) < 12:
            raise UnusableAnswer("bio must be a paragraph of at least 12 words")
        if not all(word.strip() for word in reply.interests):
            raise UnusableAnswer("interests must hold no blank words; leave them out")

    def offline(self, draw: Draw) -> PersonaDraft:
        factors = {factor: round(100 * _factor(draw, factor)) for factor in BigFive.model_fields}
        interests = self.terms or tuple(word[:48] for word in self.passages[0].split()[:3])
        return PersonaDraft(bio=self._bio(factors, draw), interests=interests, **factors)

    def _bio(self, factors: dict[str, int], draw: Draw) -> str:
        family = self.name.split()[-1]
        things = [term for term in self.terms if not _MODIFIER.search(term)]
        first, second = (*things, "the question at hand", "its evidence")[:2]
        opening = _OPENINGS[draw.at("opening").below(len(_OPENINGS))].format(
            name=self.name, a=first, b=second
        )
        ground = _GROUNDS[draw.at("ground").below(len(_GROUNDS))].format(name=family)
        topic = self.topic if len(self.topic) <= 300 else f"{self.topic[:297]}..."
        joint = {"against": "", "undecided": " about", "favour": " of"}[self.stance.split()[-1]]
        side = f"{family} is {self.stance}{joint} the motion “{topic}”."
        return f"{opening} {ground}: {self.passages[0]} {side} {_temper(family, factors)}"


def _factor(draw: Draw, factor: str, sd: float = 0.18) -> float:
    """Draw from a normal around 0.5, truncated to 0..1, by inversion of one uniform."""
    from scipy.special import ndtr, ndtri

    low = ndtr(-0.5 / sd)
    return float(0.5 + sd * ndtri(low + (1 - 2 * low) * draw.at(factor).uniform()))


def _temper(family: str, factors: dict[str, int]) -> str:
    """Write one sentence about the most extreme personality factor."""
    factor = min(factors, key=lambda f: (-abs(factors[f] - 50), f))
    low, high = _TEMPERS[factor]
    return (high if factors[factor] >= 50 else low).format(name=family)


_MODIFIER = re.compile(r"(?:ed|ly|ic|al|ous|ive|able|ible|ful|less|est)$")
"""Adjective and adverb endings; such terms are not named as a field of work in a bio."""

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
