"""Traits of a persona: age band, occupation, and three levels of each Big Five factor.

Age bands and occupations are those of MovieLens 1M (Harper & Konstan, TiiS 2015), as SimUSER takes them.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from openiir.kit.items.ratings import Ints
from openiir.plugin import InputError, Record, int_sum

Age = Literal["under 18", "18-24", "25-34", "35-44", "45-49", "50-55", "56 or over"]
Occupation = Literal[
    "other or not said",
    "academic or educator",
    "artist",
    "clerical or administrative worker",
    "college or graduate student",
    "customer service worker",
    "doctor or health care worker",
    "executive or manager",
    "farmer",
    "homemaker",
    "school pupil",
    "lawyer",
    "programmer",
    "retired",
    "salesperson or marketer",
    "scientist",
    "self-employed",
    "technician or engineer",
    "tradesperson or craftsperson",
    "unemployed",
    "writer",
]
Level = Annotated[int, Field(ge=1, le=3)]

AGES: tuple[str, ...] = get_args(Age)
BANDS = (18, 25, 35, 45, 50, 56)
"""Ages in years at which the next band begins."""
OCCUPATIONS: tuple[str, ...] = get_args(Occupation)
"""Occupations in the order of the data set's codes 0 to 20."""
_OF_100K = {
    "administrator": 3,
    "artist": 2,
    "doctor": 6,
    "educator": 1,
    "engineer": 17,
    "entertainment": 0,
    "executive": 7,
    "healthcare": 6,
    "homemaker": 9,
    "lawyer": 11,
    "librarian": 0,
    "marketing": 14,
    "none": 19,
    "other": 0,
    "programmer": 12,
    "retired": 13,
    "salesman": 14,
    "scientist": 15,
    "student": 4,
    "technician": 17,
    "writer": 20,
}
"""MovieLens 100K's occupations as indices of OCCUPATIONS; a student under 18 is a school pupil.

Four have no counterpart there: customer service, farmer, self-employed, craft. Librarians and entertainers
are `other`.
"""
FACTORS = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
Height = Literal["low", "medium", "high"]
"""Level of a factor: in the lower, the middle or the upper third of people."""
LEVELS: tuple[Height, ...] = get_args(Height)
CUTS = (1 / 3, 2 / 3)
"""Limits of the levels on a scale of population percentiles, 0 to 1."""
STUDENTS = frozenset({"college or graduate student", "school pupil"})
OFFICE = frozenset(
    {
        "clerical or administrative worker",
        "customer service worker",
        "executive or manager",
        "lawyer",
        "programmer",
        "salesperson or marketer",
        "technician or engineer",
    }
)


class PersonaCandidate(Record):
    """A candidate persona for a rating history, without name, gender or data-set demographics."""

    age: Age
    occupation: Occupation
    openness: Level
    conscientiousness: Level
    extraversion: Level
    agreeableness: Level
    neuroticism: Level

    @classmethod
    def of(cls, age: Any, occupation: Any, levels: Sequence[int]) -> "PersonaCandidate":
        """Build a candidate of this age band and occupation, with a level 1 to 3 for each of FACTORS."""
        return cls.model_validate(
            {"age": age, "occupation": occupation, **dict(zip(FACTORS, levels, strict=True))}
        )

    @property
    def codes(self) -> tuple[int, ...]:
        """Indices of age and occupation, then the five levels as 0 to 2."""
        levels = (level - 1 for level in self.levels)
        return (AGES.index(self.age), OCCUPATIONS.index(self.occupation), *levels)

    @property
    def levels(self) -> tuple[int, ...]:
        """Level of each personality factor, 1 (low) to 3 (high), in the order of FACTORS."""
        return tuple(getattr(self, factor) for factor in FACTORS)

    @property
    def big_five(self) -> Mapping[str, float]:
        """Big Five values, 0 to 1, with each level at the middle of its third."""
        return {name: round((level - 0.5) / 3, 2) for name, level in zip(FACTORS, self.levels, strict=True)}

    def words(self) -> str:
        """Describe the person in one sentence."""
        traits = [words for factor in FACTORS if (words := TEMPERS[factor][getattr(self, factor) - 1])]
        return f"{self.who()}; {', '.join(traits)}." if traits else f"{self.who()}."

    def who(self) -> str:
        """Describe occupation and age, without a full stop.

        The age alone for an occupation that is unknown or does not occur at that age.
        """
        low, _, high = self.age.partition("-")
        age = f"between {low} and {high}" if high else self.age
        if self.occupation == OCCUPATIONS[0] or self.age in _NEVER.get(self.occupation, ()):
            return age
        article = "an" if self.occupation[0] in "aeiou" else "a"
        return f"{_PEOPLE.get(self.occupation, f'{article} {self.occupation}')}, {age}"


TEMPERS = {
    "openness": ("sticks with what they know", "", "drawn to what is new"),
    "conscientiousness": ("lets things slide", "", "likes things in order"),
    "extraversion": ("keeps to themselves", "", "seeks company"),
    "agreeableness": ("blunt", "", "obliging"),
    "neuroticism": ("hardly ever worried", "", "worries easily"),
}
"""Words for the low, middle (nothing to say) and high level of each factor."""
_PEOPLE = {
    "retired": "somebody retired",
    "unemployed": "somebody out of work",
    "self-employed": "somebody self-employed",
}
"""Descriptions of people with occupations that are not nouns."""


_NEVER = {"retired": AGES[:4], "school pupil": AGES[2:]}
"""Age bands at which an occupation does not occur; matching may still draw such pairs, since no class has
probability 0."""


def candidate_of_codes(codes: Ints) -> PersonaCandidate:
    """Build a candidate from its codes (see `PersonaCandidate.codes`)."""
    age, occupation, *levels = codes.tolist()
    return PersonaCandidate.of(AGES[age], OCCUPATIONS[occupation], [level + 1 for level in levels])


def big_five_level(value: float) -> int:
    """Convert a Big Five value, 0 to 1, to a level 1 to 3."""
    return 1 + int_sum(value > cut for cut in CUTS)


def age_band(years: float) -> int:
    """Convert an age in years to an index of AGES."""
    return bisect(BANDS, years)


def occupation_index(name: str, years: float) -> int:
    """Convert an occupation of MovieLens 100K to an index of OCCUPATIONS.

    Raises InputError for another.
    """
    if name not in _OF_100K:
        raise InputError(f"{name!r} is no occupation of MovieLens 100K; it has {', '.join(_OF_100K)}")
    return OCCUPATIONS.index("school pupil") if name == "student" and not age_band(years) else _OF_100K[name]
