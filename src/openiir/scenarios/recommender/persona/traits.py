"""What a persona is made of: age band, occupation, and the Big Five in three levels each.

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
"""Years at which the next band begins."""
OCCUPATIONS: tuple[str, ...] = get_args(Occupation)
"""In the order of the data set's codes 0..20."""
_OF_100K = {
    "administrator": 3, "artist": 2, "doctor": 6, "educator": 1, "engineer": 17, "entertainment": 0, "executive": 7,
    "healthcare": 6, "homemaker": 9, "lawyer": 11, "librarian": 0, "marketing": 14, "none": 19, "other": 0,
    "programmer": 12, "retired": 13, "salesman": 14, "scientist": 15, "student": 4, "technician": 17, "writer": 20,
}  # fmt: skip
"""MovieLens 100K's occupations as indices of OCCUPATIONS; a student under 18 is a school pupil.

Four have no counterpart there: customer service, farmer, self-employed, craft. Librarians and entertainers
are `other`.
"""
FACTORS = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
Height = Literal["low", "medium", "high"]
"""Of a factor: in the lower, the middle or the upper third of people."""
LEVELS: tuple[Height, ...] = get_args(Height)
CUTS = (1 / 3, 2 / 3)
"""A level is a third of the population, on the scale 0..1 of a population's shares."""
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
    """A persona that may have the history: no name, no gender, nothing that a data set says of its users."""

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
        """Indices of age and occupation, then five levels 0 to 2."""
        return (
            AGES.index(self.age),
            OCCUPATIONS.index(self.occupation),
            *(level - 1 for level in self.levels),
        )

    @property
    def levels(self) -> tuple[int, ...]:
        """1..3, in the order of FACTORS."""
        return tuple(getattr(self, factor) for factor in FACTORS)

    @property
    def big_five(self) -> Mapping[str, float]:
        """0..1, 0.5 the population's middle: a level stands for the middle of its third."""
        return {
            factor: round((level - 0.5) / 3, 2) for factor, level in zip(FACTORS, self.levels, strict=True)
        }

    def words(self) -> str:
        """Describe the person in one sentence."""
        traits = [words for factor in FACTORS if (words := TEMPERS[factor][getattr(self, factor) - 1])]
        return f"{self.who()}; {', '.join(traits)}." if traits else f"{self.who()}."

    def who(self) -> str:
        """Occupation and age, without a stop; the age alone for an occupation that is unknown or does not occur at that age."""
        low, _, high = self.age.partition("-")
        age = f"between {low} and {high}" if high else self.age
        if self.occupation == OCCUPATIONS[0] or self.age in _NEVER.get(self.occupation, ()):
            return age
        what = (
            _PEOPLE.get(self.occupation)
            or f"{'an' if self.occupation[0] in 'aeiou' else 'a'} {self.occupation}"
        )
        return f"{what}, {age}"


TEMPERS = {
    "openness": ("sticks with what they know", "", "drawn to what is new"),
    "conscientiousness": ("lets things slide", "", "likes things in order"),
    "extraversion": ("keeps to themselves", "", "seeks company"),
    "agreeableness": ("blunt", "", "obliging"),
    "neuroticism": ("hardly ever worried", "", "worries easily"),
}
"""By factor: low, in the middle (of which there is nothing to say), high."""
_PEOPLE = {
    "retired": "somebody retired",
    "unemployed": "somebody out of work",
    "self-employed": "somebody self-employed",
}
"""Who somebody with an occupation is that is no noun."""


_NEVER = {"retired": AGES[:4], "school pupil": AGES[2:]}
"""Ages at which nobody is that; matching draws such pairs now and then, since no class is impossible to it."""


def candidate_of_codes(codes: Ints) -> PersonaCandidate:
    """Build the candidate of these codes (see `PersonaCandidate.codes`)."""
    age, occupation, *levels = codes.tolist()
    return PersonaCandidate.of(AGES[age], OCCUPATIONS[occupation], [level + 1 for level in levels])


def level_of(value: float) -> int:
    """Convert a Big Five value on 0..1 to a level 1 to 3."""
    return 1 + int_sum(value > cut for cut in CUTS)


def age_band(years: float) -> int:
    """Look up the index in AGES of an age in years."""
    return bisect(BANDS, years)


def occupation_index(name: str, years: float) -> int:
    """Look up the index in OCCUPATIONS of an occupation of MovieLens 100K; raises InputError for another."""
    if name not in _OF_100K:
        raise InputError(f"{name!r} is no occupation of MovieLens 100K; it has {', '.join(_OF_100K)}")
    return OCCUPATIONS.index("school pupil") if name == "student" and not age_band(years) else _OF_100K[name]
