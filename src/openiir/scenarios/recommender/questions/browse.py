"""Do you watch these, how do you rate them, how do you feel about them? (B11: one question a page)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.questions.page import Shown, page_words
from openiir.scenarios.recommender.wording import VERBS, reaction_to, reason_for, request_words

MOST = 20
"""Titles a page can hold."""


class Verdict(Record):
    """On one title."""

    number: int = Field(ge=1, le=MOST)
    watch: Literal["yes", "no"]
    reason: str = Field("", max_length=240)
    rating: int | None = Field(None, ge=1, le=5)
    feeling: str = Field("", max_length=240)


class Verdicts(Record):
    """On each title of the page."""

    verdicts: tuple[Verdict, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class Scales:
    """What a visitor knows of its own ratings: how expectations spread, and where one rating ends and the next begins."""

    mean: float
    spread: float
    r2: float
    """Share of a rating's variance that what one expects explains."""
    cuts: tuple[float, ...]
    """Standard normal quantiles of the shares of ratings, lowest first."""

    def words(self) -> str:
        cuts = ", ".join(f"{cut:+.3f}" for cut in self.cuts)
        return (
            f"What you expect of titles averages {self.mean:.3f} and varies by {self.spread:.3f}. Ratings vary more "
            f"than expectations: of the spread of your ratings {self.r2:.1%} is foreseen, and on that scale "
            f"(standard normal) one rating ends and the next begins at {cuts}."
        )


@dataclass(frozen=True)
class Browse(Unsplit[Verdicts]):
    """Which titles of this page do you watch, and what do you think of them?"""

    noun: str
    """What an item is called."""
    page: int
    items: tuple[Shown, ...]
    temper: brain.Temper
    scales: Scales
    memories: tuple[str, ...] = ()
    """What the visitor remembers that may bear on this page, the nearest first."""
    wanted: tuple[str, ...] = ()
    """Genres that the visitor came for, where it asked for something."""
    like: tuple[str, ...] = ()
    """Titles it wants something like."""
    sought: str = ""
    """The title that the visitor came back for."""
    opened: bool = False
    """Whether the one title is shown with its long description, after a click."""
    kind: ClassVar[str] = "recommender.browse"
    Reply: ClassVar[type[Record]] = Verdicts

    @property
    def subject(self) -> str:
        return f"{self.items[0].item}+{len(self.items)}" if self.opened else f"page {self.page}"

    def prompt(self) -> str:
        watch, watched = VERBS[self.noun]
        wish = request_words(self.noun, self.wanted, self.like) if self.wanted else ""
        came = f"You came looking for this: {wish}\n\n" if wish else ""
        came += f"You came back for {self.sought}.\n\n" if self.sought else ""
        opened = f"You opened this {self.noun} to read more.\n\n" if self.opened else ""
        return f"""You are browsing a {self.noun} recommender.

{came}{opened}{_temper_words(self.temper)}
{self.scales.words()}
{memory_words(self.memories)}
{page_words(self.page, self.items)}

Go through the {self.noun}s one by one. Say whether you would {watch} it, and in a few words why. Rate each that you \
{watch} from 1 to 5 and say in a few words how you felt about it; leave rating and feeling out for one that you pass over.
Give one verdict for each number from 1 to {len(self.items)}."""

    def offline(self, draw: Draw) -> Verdicts:
        """Watching by a logit, rating by an ordered probit; see `brain`. Each title's noise is named by the title.

        What one came back for one takes; what one has read more about one decides on anew.
        """
        look = draw.at("reading" if self.opened else "watch", step=0)
        verdicts = [self._verdict(n, item, draw, look) for n, item in enumerate(self.items, 1)]
        return Verdicts.of_own(verdicts=tuple(verdicts))

    def _verdict(self, n: int, item: Shown, draw: Draw, look: Draw) -> Verdict:
        shift = item.shift
        if self.wanted:
            shift += brain.REQUESTED if set(self.wanted) & set(item.genres) else -brain.REQUESTED
        p = brain.p_watch(self.temper, item.pull, item.novelty, shift)
        why = reason_for(item, self.noun)
        if item.title != self.sought and not look.chance(p, item=item.title):
            return Verdict.of_own(number=n, watch="no", reason=why, rating=None, feeling="")
        rating = self._rating(item, brain.rating_noise(draw, item.title))
        feeling = reaction_to(item, rating, self.noun)
        return Verdict.of_own(number=n, watch="yes", reason=why, rating=rating, feeling=feeling)

    def _rating(self, item: Shown, noise: float) -> int:
        kind = 0.1 * (self.temper.agreeableness - 1)
        scales = self.scales
        return brain.rated(item.expected, scales.mean, scales.spread, scales.r2, scales.cuts, noise, kind)

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Verdict.number": range(1, len(self.items) + 1)}

    def check(self, reply: Verdicts) -> None:
        check_numbers([v.number for v in reply.verdicts], len(self.items), "verdict")
        for verdict in reply.verdicts:
            if (verdict.watch == "yes") != (verdict.rating is not None):
                raise UnusableAnswer(
                    f"number {verdict.number}: watch is {verdict.watch!r} and rating {verdict.rating}; "
                    "rate what you watch, and leave the rating out of what you do not"
                )


class Grade(Record):
    """Of one title."""

    number: int = Field(ge=1, le=MOST)
    rating: int = Field(ge=1, le=5)
    feeling: str = Field("", max_length=240)


class Grades(Record):
    """Of each title."""

    grades: tuple[Grade, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class Rate(Unsplit[Grades]):
    """How would you rate these? Every title gets a rating, watched or not, so that no error hides in what is left out."""

    noun: str
    batch: int
    items: tuple[Shown, ...]
    memories: tuple[str, ...] = ()
    kind: ClassVar[str] = "recommender.rate"
    Reply: ClassVar[type[Record]] = Grades

    @property
    def subject(self) -> str:
        return f"batch {self.batch}"

    def prompt(self) -> str:
        return f"""Suppose you have seen each of these {self.noun}s.

{memory_words(self.memories)}
{page_words(self.batch, self.items)}

Rate every one from 1 to 5 as you would after seeing it, also where you are unsure, and say in a few words how you felt.
Give one grade for each number from 1 to {len(self.items)}."""

    def offline(self, draw: Draw) -> Grades:
        """The rating nearest to what is expected, halves upwards."""
        return Grades(
            grades=tuple(
                Grade(number=n, rating=rating, feeling=reaction_to(item, rating, self.noun))
                for n, item in enumerate(self.items, 1)
                for rating in [min(5, max(1, int(item.expected + 0.5)))]
            )
        )

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Grade.number": range(1, len(self.items) + 1)}

    def check(self, reply: Grades) -> None:
        check_numbers([g.number for g in reply.grades], len(self.items), "grade")


def check_numbers(given: Sequence[int], n: int, what: str) -> None:
    """Raises UnusableAnswer unless each number from 1 to n comes once."""
    if sorted(given) != list(range(1, n + 1)):
        raise UnusableAnswer(f"give one {what} for each number from 1 to {n}, each once; these came: {given}")


def memory_words(memories: Sequence[str]) -> str:
    """What is remembered, as a block of the prompt."""
    if not memories:
        return ""
    return "What comes to your mind:\n" + "\n".join(f"- {memory}" for memory in memories) + "\n"


def _temper_words(temper: brain.Temper) -> str:
    picky = ("not picky", "moderately picky", "extremely picky")[temper.picky]
    engaged = ("seldom", "now and then", "very often")[temper.engaged]
    return f"You are {picky}, and you come here {engaged}."
