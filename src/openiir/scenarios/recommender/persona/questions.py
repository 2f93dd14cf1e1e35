"""What is asked to match a persona to a history: the taste in it, who may have it, and how well the two
agree.

Each is asked of a role that has no persona, and is what everybody in a crowd goes through: matched offline,
users leave no trace of it in the log, whether through a lane or in arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Draw, Question, Record, Unsplit, quantise
from openiir.scenarios.recommender.persona.inference import Posterior, shipped
from openiir.scenarios.recommender.persona.shown import Shown
from openiir.scenarios.recommender.persona.tasting import taste_in_words
from openiir.scenarios.recommender.persona.traits import AGES, FACTORS, OCCUPATIONS, Candidate, candidate


class TasteSummary(Record):
    """What a user likes and dislikes."""

    summary: str = Field(min_length=1, max_length=1_500)
    """Three to six sentences, in the second person."""


@dataclass(frozen=True)
class Taste(Unsplit[TasteSummary]):
    """What taste do these ratings show?"""

    user: str
    shown: Shown
    kind: ClassVar[str] = "recommender.taste"
    Reply: ClassVar[type[Record]] = TasteSummary
    of_crowd: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        return self.user

    def system(self) -> str:
        return "You read people's tastes from how they rate things, and say no more than the ratings show."

    def prompt(self) -> str:
        return f"""Someone rated these {self.shown.kind}s.
{self.shown.words()}

Describe this person's taste in three to six sentences, speaking to the person as "you": what they go for (genres, \
makers, themes, periods), what they stay away from, and how strict they are. Name a few titles as evidence."""

    def offline(self, draw: Draw) -> TasteSummary:
        """Genres and makers by how often they are there and how much better or worse they are rated than the
        rest.
        """
        return TasteSummary(summary=taste_in_words(self.shown))


@dataclass(frozen=True)
class Guess(Unsplit[Candidate]):
    """Who may have this taste? (one candidate of several)"""

    user: str
    number: int
    """Of the candidate, from 0; not shown, so that candidates are independent of each other."""
    shown: Shown
    taste: str
    """As `Taste` found it; empty to leave it out."""
    kind: ClassVar[str] = "recommender.persona"
    Reply: ClassVar[type[Record]] = Candidate
    of_crowd: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        return f"{self.user}/{self.number}"

    def system(self) -> str:
        return "You picture the person behind a list of likes and dislikes, and think of all sorts of people."

    def prompt(self) -> str:
        taste = f"\n\nTheir taste in short: {self.taste}" if self.taste else ""
        return f"""Someone whom you do not know rated these {self.shown.kind}s.
{self.shown.words()}{taste}

Picture one person who may well have this taste. Give
- age: one of {_listed(AGES)};
- occupation: one of {_listed(OCCUPATIONS)};
- {", ".join(FACTORS)}: 1 (lower than two thirds of people), 2 (in the middle third) or 3 (higher than two thirds)."""

    def offline(self, draw: Draw) -> Candidate:
        """Drawn from the posterior of `inference`: age, occupation given age, each factor by itself."""
        return self.offline_all([self], [draw])[0]

    @classmethod
    def offline_all(
        cls, questions: "Sequence[Question[Candidate]]", draws: Sequence[Draw]
    ) -> list[Candidate]:
        posterior = shipped().posterior(np.array([q.shown.features for q in questions]))  # type: ignore[attr-defined]
        rows = np.arange(len(questions))
        return [
            candidate(codes) for codes in drawn(posterior, rows, np.array([uniforms(draw) for draw in draws]))
        ]


def uniforms(draw: Draw) -> tuple[float, ...]:
    """Seven numbers that decide a candidate: age, occupation, each factor."""
    return tuple(draw.at(part).uniform() for part in ("age", "occupation", *FACTORS))


def drawn(posterior: Posterior, rows: Ints, uniform: Floats) -> Ints:
    """Codes (n, 7) of candidates for the histories of these rows by inversion of seven uniforms each."""
    age = _inverted(posterior.age[rows], uniform[:, 0])
    occupation = _inverted(posterior.occupation[rows, age], uniform[:, 1])
    levels = [_inverted(posterior.levels[rows, n], uniform[:, 2 + n]) for n in range(len(FACTORS))]
    return np.stack([age, occupation, *levels], axis=1)


def _inverted(log_p: Floats, uniform: Floats) -> Ints:
    below = np.asarray(quantise(np.cumsum(np.exp(log_p), axis=1)))
    return np.asarray((below[:, :-1] < uniform[:, None]).sum(axis=1))


class Agreement(Record):
    """How likely someone is to like and dislike what is shown."""

    rating: int = Field(ge=1, le=10)
    """1: not at all likely, 10: as good as certain."""
    reason: str = Field("", max_length=600)
    """In one or two sentences."""


@dataclass(frozen=True)
class Agree(Unsplit[Agreement]):
    """How likely would this persona like and dislike these?"""

    user: str
    number: int
    """Of the candidate."""
    against: str
    """Whose items they are, as `own 0`; not shown."""
    persona: Candidate
    shown: Shown
    taste: str
    """Of the user whom the persona is for; empty to leave it out."""
    kind: ClassVar[str] = "recommender.match"
    Reply: ClassVar[type[Record]] = Agreement
    of_crowd: ClassVar[bool] = True

    @property
    def subject(self) -> str:
        return f"{self.user}/{self.number}/{self.against}"

    def system(self) -> str:
        return (
            "You put yourself in the place of a person you are told about, and answer as that person would."
        )

    def prompt(self) -> str:
        taste = f"\nYour taste in short: {self.taste}" if self.taste else ""
        return f"""This is you: {self.persona.words()}{taste}

Here are {self.shown.kind}s that somebody rated, you or someone else.
{self.shown.words()}

Being who you are, how likely is it that you would like what is liked here and dislike what is disliked here, and \
the same of {self.shown.kind}s like these in times to come? Give a rating from 1 (not at all likely) to 10 (as good \
as certain), and say why in one or two sentences."""

    def offline(self, draw: Draw) -> Agreement:
        """The pointwise mutual information of persona and history; see `inference.Coefficients.rating`."""
        return self.offline_all([self], [draw])[0]

    @classmethod
    def offline_all(
        cls, questions: "Sequence[Question[Agreement]]", draws: Sequence[Draw]
    ) -> list[Agreement]:
        posterior = shipped().posterior(np.array([q.shown.features for q in questions]))  # type: ignore[attr-defined]
        codes = np.array([q.persona.codes for q in questions])  # type: ignore[attr-defined]
        ratings = shipped().rating(posterior, np.arange(len(questions)), codes)
        return [Agreement(rating=rating) for rating in ratings.tolist()]


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)
