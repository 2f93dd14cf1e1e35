"""Do you watch these, how do you rate them, how do you feel about them? (B11: one question a page)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import number_lines
from openiir.plugin import Count, Draw, Facts, Question, Record, UnusableAnswer
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.questions.page import (
    MOST,
    Fitted,
    Persona,
    Study,
    TitleDispositions,
    TitleFacts,
    check_numbers,
    shift_of,
)
from openiir.scenarios.recommender.wording import (
    VERBS,
    bullets,
    ordinal,
    reaction_to,
    reason_for,
    request_words,
)


class Verdict(Record):
    """On one title."""

    number: int = Field(ge=1, le=MOST)
    thoughts: str = Field("", max_length=240, description="what speaks for it or against it, in a few words")
    take: bool
    stars: int | None = Field(None, ge=1, le=5, description="null for one that you pass over")
    how_it_was: str = Field("", max_length=240, description="empty for one that you pass over")


class Verdicts(Record):
    """On each title of the page."""

    verdicts: tuple[Verdict, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class Scales:
    """How the behaviour model's expectations spread, and where one rating ends and the next begins."""

    mean: float
    spread: float
    r2: float
    """Share of a rating's variance that what one expects explains."""
    cuts: tuple[float, ...]
    """Standard normal quantiles of the shares of ratings, lowest first."""


@dataclass(frozen=True)
class Remembered:
    """What a visitor has in mind before a page."""

    visit: tuple[str, ...] = ()
    """The pages before in this visit, in their own words."""
    learnt: tuple[str, ...] = ()
    """What the visitor learnt about its taste in this visit."""
    recalled: tuple[str, ...] = ()
    """What else comes to mind at this page, the nearest first."""

    def words(self) -> str:
        """As paragraphs of a prompt."""
        return (
            bullets("Earlier in this visit:", self.visit)
            + bullets("When you looked back:", self.learnt)
            + bullets("What comes to your mind:", self.recalled)
        )


@dataclass(frozen=True)
class BrowseFacts(Facts):
    """A page before a visitor, with what led to it."""

    noun: str
    """What an item is called."""
    titles: tuple[TitleFacts, ...]
    page: Count | None = None
    """Which page of the visit it is; None outside visits, and for one that the visitor went back to."""
    back_on: Count | None = None
    """The page that the visitor went back to."""
    remembered: Remembered = Remembered()
    wanted: tuple[str, ...] = ()
    """Genres that the visitor came for, where it asked for something."""
    like: tuple[str, ...] = ()
    """Titles it wants something like."""
    sought: str = ""
    """The title that the visitor came back for."""
    opened: bool = False
    """Whether the one title is shown with its long description, after a click."""

    def prompt(self) -> str:
        watch, watched = VERBS[self.noun]
        return f"""{self._place()}

{self.remembered.words()}{self._page()}

Which of these do you take to {watch}? Nobody takes everything. Go through them one by one: say what speaks for it or \
against it, then whether you take it. Suppose that by now you have {watched} what you take: give it 1 to 5 stars, as you would, \
and say how it was."""

    def _place(self) -> str:
        where = f"You open a {self.noun} recommender."
        if self.back_on is not None:
            where = f"You went back to the {ordinal(self.back_on)} page of a {self.noun} recommender."
        elif self.page is not None:
            where = (
                f"You opened a {self.noun} recommender. This is the {ordinal(self.page)} page of this visit."
            )
        if self.wanted:
            where += f" You came looking for this: {request_words(self.noun, self.wanted, self.like)}"
        return where + (f" You came back for {self.sought}." if self.sought else "")

    def _page(self) -> str:
        heading = f"You opened this {self.noun} to read more:" if self.opened else "The page:"
        return f"{heading}\n{number_lines(self.titles)}"

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Verdict.number": range(1, len(self.titles) + 1)}

    def check(self, reply: Verdicts) -> None:
        check_numbers([v.number for v in reply.verdicts], len(self.titles), "verdict")
        for verdict in reply.verdicts:
            if verdict.take != (verdict.stars is not None):
                did = "you take it and give no stars" if verdict.take else "you pass it over and give stars"
                raise UnusableAnswer(
                    f"number {verdict.number}: {did}; give stars to what you take, and null to the rest"
                )


@dataclass(frozen=True)
class BrowseDispositions:
    """What the offline visitor decides by."""

    titles: Annotated[tuple[TitleDispositions, ...], Fitted]
    temper: Annotated[brain.Temper, Persona]
    scales: Annotated[Scales, Fitted]
    place: Annotated[str, Study]
    """What the log calls this page."""


@dataclass(frozen=True)
class Browse(Question[Verdicts]):
    """Which titles of this page do you watch, and what do you think of them?"""

    facts: BrowseFacts
    dispositions: BrowseDispositions
    kind: ClassVar[str] = "recommender.browse"
    Reply: ClassVar[type[Record]] = Verdicts
    example: ClassVar[Record] = Verdicts(
        verdicts=(
            Verdict(
                number=1,
                thoughts="A walk around a lake, and I have sat all day.",
                take=True,
                stars=4,
                how_it_was="Windy, and just what I needed.",
            ),
            Verdict(number=2, thoughts="Indoors again.", take=False, stars=None, how_it_was=""),
        )
    )

    @property
    def subject(self) -> str:
        return self.dispositions.place

    def offline(self, draw: Draw) -> Verdicts:
        """Watching by a logit, rating by an ordered probit; see `brain`. Each title's noise is named by the title.

        What one came back for one takes; what one has read more about one decides on anew.
        """
        facts, by = self.facts, self.dispositions
        look = draw.at("reading" if facts.opened else "watch", step=0)
        pairs = zip(facts.titles, by.titles, strict=True)
        return Verdicts.of_own(
            verdicts=tuple([self._verdict(n, t, d, draw, look) for n, (t, d) in enumerate(pairs, 1)])
        )

    def _verdict(self, n: int, title: TitleFacts, by: TitleDispositions, draw: Draw, look: Draw) -> Verdict:
        facts, entry = self.facts, title.entry
        shift = shift_of(title, by)
        if facts.wanted:
            shift += brain.REQUESTED if set(facts.wanted) & set(entry.genres) else -brain.REQUESTED
        p = brain.p_watch(self.dispositions.temper, by.pull, by.novelty, shift)
        why = reason_for(title, by.pull, facts.noun)
        if entry.title != facts.sought and not look.chance(p, item=entry.title):
            return Verdict.of_own(number=n, thoughts=why, take=False, stars=None, how_it_was="")
        stars = self._stars(by.expected, brain.rating_noise(draw, entry.title))
        how = reaction_to(entry.genres, stars, facts.noun)
        return Verdict.of_own(number=n, thoughts=why, take=True, stars=stars, how_it_was=how)

    def _stars(self, expected: float, noise: float) -> int:
        kind = 0.1 * (self.dispositions.temper.agreeableness - 1)
        scales = self.dispositions.scales
        return brain.rated(expected, scales.mean, scales.spread, scales.r2, scales.cuts, noise, kind)
