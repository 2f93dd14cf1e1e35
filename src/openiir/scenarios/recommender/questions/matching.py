"""Questions of persona matching: describe a taste, guess a person with it, score candidates on a history.

Each is asked of a role that has no persona, and is what everybody in a crowd goes through: matched offline,
users leave no trace of it in the log, whether through a lane or in arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.items.ratings import Floats, Ints
from openiir.kit.prompting import check_numbers, number_lines
from openiir.plugin import Draw, Question, Record, Source, quantise
from openiir.scenarios.recommender.model.persona.inference import Posterior, shipped_coefficients
from openiir.scenarios.recommender.model.persona.samples import RatingSample
from openiir.scenarios.recommender.model.persona.taste_words import taste_in_words
from openiir.scenarios.recommender.model.persona.traits import (
    FACTORS,
    LEVELS,
    OCCUPATIONS,
    Age,
    Height,
    Occupation,
    PersonaCandidate,
    candidate_of_codes,
)

Study, Drawn = Source("study"), Source("drawn")
MOST = 100
"""Largest number of candidates scored on a history in one question."""


class TasteSummary(Record):
    """Summary of what a user likes and dislikes."""

    summary: str = Field(min_length=1, max_length=1_500)
    """Three to six sentences, in the second person."""


@dataclass(frozen=True)
class DescribeTaste(Question[TasteSummary]):
    """Question of persona matching: what taste do these ratings show?"""

    shown: RatingSample
    user: Annotated[str, Study]
    """Id of the user in the data set."""
    kind: ClassVar[str] = "recommender.taste"
    example: ClassVar[Record] = TasteSummary(
        summary="You walk by the water whenever you can, such as around the Mill Lake. Towns you leave "
        "to others."
    )
    of_crowd: ClassVar[bool] = True

    def system(self) -> str:
        return "You read people's tastes from how they rate things, and say no more than the ratings show."

    def prompt(self) -> str:
        return f"""Someone rated these {self.shown.kind}s.
{self.shown.words()}

Describe this person's taste in three to six sentences, speaking to the person as "you": what they go for \
(genres, makers, themes, periods), what they stay away from, and what they come back to. Name a few titles \
as evidence."""

    @property
    def subject(self) -> str:
        return self.user

    def offline(self, draw: Draw) -> TasteSummary:
        """Describe the genres and makers that are frequent, or rated higher or lower than the rest."""
        return TasteSummary(summary=taste_in_words(self.shown))


class Portrait(Record):
    """A guessed persona of a user with this taste."""

    thoughts: str = Field("", max_length=600, description="who would have this taste, and why")
    age: Age
    occupation: Occupation
    openness: Height
    conscientiousness: Height
    extraversion: Height
    agreeableness: Height
    neuroticism: Height

    @classmethod
    def of(cls, persona: PersonaCandidate) -> "Portrait":
        heights = dict(zip(FACTORS, (LEVELS[level - 1] for level in persona.levels), strict=True))
        return cls.model_validate({"age": persona.age, "occupation": persona.occupation, **heights})

    @property
    def candidate(self) -> PersonaCandidate:
        levels = [LEVELS.index(getattr(self, factor)) + 1 for factor in FACTORS]
        return PersonaCandidate.of(self.age, self.occupation, levels)


@dataclass(frozen=True)
class Guess(Question[Portrait]):
    """Question of persona matching: who may have this taste? The reply is one candidate of several."""

    shown: RatingSample
    taste: str
    """Taste as `DescribeTaste` found it; empty to leave it out."""
    user: Annotated[str, Study]
    """Id of the user in the data set."""
    number: Annotated[int, Drawn]
    """Number of the candidate, from 0, so that candidates are drawn independently."""
    kind: ClassVar[str] = "recommender.persona"
    example: ClassVar[Record] = Portrait(
        thoughts="So much about boats and weather: somebody who lives by the water.",
        age="56 or over",
        occupation="tradesperson or craftsperson",
        openness="low",
        conscientiousness="high",
        extraversion="medium",
        agreeableness="medium",
        neuroticism="low",
    )
    of_crowd: ClassVar[bool] = True

    def system(self) -> str:
        return "You picture the person behind a list of likes and dislikes, and think of all sorts of people."

    def prompt(self) -> str:
        taste = f"\n\nTheir taste in short: {self.taste}" if self.taste else ""
        return f"""Someone whom you do not know rated these {self.shown.kind}s.
{self.shown.words()}{taste}

Picture one person who may well have this taste: first who that could be, then their age, their occupation, \
and for each of {", ".join(FACTORS)} whether theirs is low, medium or high among people.
Occupations to choose from: {"; ".join(OCCUPATIONS)}."""

    @property
    def subject(self) -> str:
        return f"{self.user}/{self.number}"

    def offline(self, draw: Draw) -> Portrait:
        """Draw a persona from the posterior of `inference`: age, occupation given age, and each factor."""
        posterior = shipped_coefficients().posterior(self.shown.features)
        drawn = draw_candidates(posterior, np.zeros(1, dtype=np.int64), np.array([draw_uniforms(draw)]))
        return Portrait.of(candidate_of_codes(drawn[0]))


def draw_uniforms(draw: Draw) -> tuple[float, ...]:
    """Draw the seven uniform numbers of a candidate: for age, occupation and the five factors."""
    return tuple(draw.at(part).uniform() for part in ("age", "occupation", *FACTORS))


def draw_candidates(posterior: Posterior, rows: Ints, uniform: Floats) -> Ints:
    """Draw candidates as codes, (n, 7), from these rows of the posterior.

    By inversion of seven uniform numbers each.
    """
    age = _invert(posterior.age[rows], uniform[:, 0])
    occupation = _invert(posterior.occupation[rows, age], uniform[:, 1])
    levels = [_invert(posterior.levels[rows, n], uniform[:, 2 + n]) for n in range(len(FACTORS))]
    return np.stack([age, occupation, *levels], axis=1)


def _invert(log_p: Floats, uniform: Floats) -> Ints:
    below = np.asarray(quantise(np.cumsum(np.exp(log_p), axis=1)))
    return np.asarray((below[:, :-1] < uniform[:, None]).sum(axis=1))


class Agreement(Record):
    """A rating of how likely a persona is to like and dislike the items shown."""

    number: int = Field(ge=1, le=MOST, description="of the person")
    thoughts: str = Field("", max_length=300, description="what speaks for it or against it")
    likely: int = Field(ge=1, le=10, description="1 not at all, 10 as good as certain")


class Agreements(Record):
    """Agreement ratings of all candidate personas."""

    people: tuple[Agreement, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class Agree(Question[Agreements]):
    """Question of persona matching: how likely would each of these candidates have rated these items so?"""

    people: tuple[str, ...]
    """Description of each candidate in a sentence."""
    shown: RatingSample
    taste: str
    """Taste of the user for whom the candidates were proposed; empty to leave it out."""
    user: Annotated[str, Study]
    """Id of the user in the data set."""
    against: Annotated[str, Study]
    """Name of the sample that candidates are scored on, such as `own 0`."""
    candidates: Annotated[tuple[PersonaCandidate, ...], Drawn]
    kind: ClassVar[str] = "recommender.match"
    example: ClassVar[Record] = Agreements(
        people=(
            Agreement(number=1, thoughts="Sails every summer; would walk by the water.", likely=8),
            Agreement(number=2, thoughts="Never leaves the town.", likely=3),
        )
    )
    of_crowd: ClassVar[bool] = True

    def system(self) -> str:
        return "You put yourself in the place of people you are told about, and say what each of them would \
like."

    def prompt(self) -> str:
        people = number_lines(self.people)
        taste = f"\nEach of them was told this of their taste: {self.taste}\n" if self.taste else ""
        return f"""These are {len(self.people)} people.
{people}
{taste}
Here are {self.shown.kind}s that somebody rated, one of them or someone else.
{self.shown.words()}

Take the people one by one. Being who they are, how likely is it that they would like what is liked here and \
dislike what is disliked here, and the same of {self.shown.kind}s like these in times to come?"""

    def allowed(self) -> dict[str, Sequence[int]]:
        return {"Agreement.number": range(1, len(self.people) + 1)}

    def lengths(self) -> dict[str, int]:
        return {"people": len(self.people)}

    def check(self, reply: Agreements) -> None:
        check_numbers([one.number for one in reply.people], len(self.people), "answer")

    @property
    def subject(self) -> str:
        return f"{self.user}/{self.against}"

    def offline(self, draw: Draw) -> Agreements:
        """Rate each candidate by its pointwise mutual information with the history.

        See `inference.Coefficients.rating`.
        """
        coefficients = shipped_coefficients()
        codes = np.array([person.codes for person in self.candidates])
        rows = np.zeros(len(codes), dtype=np.int64)
        ratings = coefficients.rating(coefficients.posterior(self.shown.features), rows, codes).tolist()
        return Agreements(people=tuple(Agreement(number=n, likely=one) for n, one in enumerate(ratings, 1)))
