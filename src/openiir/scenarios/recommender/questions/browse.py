"""Question about the titles of a page: which to take, why, and how they were (B11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import check_numbers, number_lines
from openiir.plugin import Count, Draw, Question, Record, UnusableAnswer
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.model.choice_model import RatingScales
from openiir.scenarios.recommender.questions.page import (
    MOST,
    CatalogueEntry,
    Fitted,
    Persona,
    Study,
    TitleDispositions,
    TitleShown,
)
from openiir.scenarios.recommender.questions.wording import (
    VERBS,
    insight_words,
    list_near_titles,
    list_under,
    ordinal,
    reaction_to,
    reason_to_pass,
    reason_to_take,
    request_words,
)


class TitleVerdict(Record):
    """A visitor's verdict on one title: taken or not, with rating."""

    number: int = Field(ge=1, le=MOST)
    thoughts: str = Field("", max_length=240, description="what speaks for it or against it, in a few words")
    take: bool
    stars: int | None = Field(None, ge=1, le=5, description="null for one that you pass over")
    how_it_was: str = Field("", max_length=240, description="empty for one that you pass over")

    @property
    def rating(self) -> int | None:
        """Stars of a title taken; None for one passed over."""
        return self.stars if self.take else None


class PageVerdicts(Record):
    """A visitor's verdicts on the titles of a page."""

    verdicts: tuple[TitleVerdict, ...] = Field(min_length=1, max_length=MOST)


@dataclass(frozen=True)
class PageRecall:
    """Memories and insights that a visitor recalls before a page."""

    visit: tuple[str, ...] = ()
    """Memories of this visit in chronological order, always with the page before."""
    learnt: tuple[str, ...] = ()
    """Insights of this visit about the visitor's taste."""
    recalled: tuple[str, ...] = ()
    """Earlier memories: first rated titles similar to those of the page, then others."""

    def words(self, where: str) -> str:
        """Format the memories as paragraphs of a prompt.

        `where` names the titles, such as `the movies below`.
        """
        return (
            list_under("Earlier in this visit:", self.visit)
            + (f"{insight_words(*self.learnt)}\n\n" if self.learnt else "")
            + list_near_titles(where, self.recalled)
        )


@dataclass(frozen=True, kw_only=True)
class VisitBrowse(Question[PageVerdicts]):
    """Question to a visitor: which titles of this page do you take, and how were they?"""

    noun: str
    """Noun for an item."""
    titles: tuple[CatalogueEntry, ...]
    page: Count | None = None
    """Number of the page in the visit; None outside visits, and for a page seen again."""
    back_on: Count | None = None
    """Number of the page that the visitor went back to."""
    remembered: PageRecall = PageRecall()
    wanted: tuple[str, ...] = ()
    """Genres that the visitor asked for; empty without a request."""
    like: tuple[str, ...] = ()
    """Titles in the request that the visitor wants something similar to."""
    opened: bool = False
    """Whether the visitor opened a title, which is then shown alone with its long description."""
    fresh: bool = False
    """Whether nothing on the page was ever taken."""
    looks: Annotated[tuple[TitleDispositions, ...], Fitted]
    """Numbers of the behaviour model for each title."""
    temper: Annotated[choice_model.Temper, Persona]
    scales: Annotated[RatingScales, Fitted]
    place: Annotated[str, Study]
    """Name of this page in the log."""
    usual: Annotated[float, Fitted]
    """Mean rating of the visitor, 1 to 5."""
    sought: Annotated[str, Fitted] = ""
    """Title that the visitor came back for: the most attractive one it passed over on that page."""
    kind: ClassVar[str] = "recommender.browse"
    example: ClassVar[Record] = PageVerdicts(
        verdicts=(
            TitleVerdict(
                number=1,
                thoughts="A walk around a lake, and I have sat all day.",
                take=True,
                stars=4,
                how_it_was="Windy, and just what I needed.",
            ),
            TitleVerdict(number=2, thoughts="Indoors again.", take=False, stars=None, how_it_was=""),
        )
    )

    def prompt(self) -> str:
        watch, watched = VERBS[self.noun]
        return f"""{self._place()}

{self.remembered.words(f"the {self.noun}{'s' if len(self.titles) > 1 else ''} on this page")}{self._page()}

{self._choice(watch, watched)} what speaks for it or against it, then whether you take it. Suppose that by \
now you have {watched} what you take: give it 1 to 5 stars, as you would, and say how it was."""

    def _place(self) -> str:
        where = f"You open a {self.noun} recommender."
        if self.back_on is not None:
            where = f"You went back to the {ordinal(self.back_on)} page of a {self.noun} recommender."
        elif self.page is not None:
            where = f"You {'are on' if self.page > 1 else 'opened'} the {ordinal(self.page)} page of a \
{self.noun} recommender."
        if self.wanted:
            where += f" You came looking for this: {request_words(self.noun, self.wanted, self.like)}"
        return where

    def _choice(self, watch: str, watched: str) -> str:
        one = len(self.titles) == 1
        fresh = f"You have not {watched} {'it' if one else 'any of these'}. " if self.fresh else ""
        if one:
            return f"{fresh}Do you take it to {watch}? Say"
        return f"{fresh}Which of these do you take to {watch}? You may take several, one or none. Go through \
them one by one: say"

    def _page(self) -> str:
        heading = (
            f"You passed this {self.noun} over, then opened it to read more:" if self.opened else "The page:"
        )
        return f"{heading}\n{number_lines(self.titles)}"

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"TitleVerdict.number": range(1, len(self.titles) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"verdicts": len(self.titles)}

    def check(self, reply: PageVerdicts) -> None:
        check_numbers([v.number for v in reply.verdicts], len(self.titles), "verdict")
        for verdict in reply.verdicts:
            if verdict.take and verdict.stars is None:
                raise UnusableAnswer(
                    f"number {verdict.number}: you take it and give no stars; give 1 to 5 to what you take"
                )

    @property
    def subject(self) -> str:
        return self.place

    def offline(self, draw: Draw) -> PageVerdicts:
        """Take titles by a logit model and rate them by an ordered probit (see `choice_model`).

        The noise is keyed by title.
        What one came back for one takes; what one has read more about one decides on anew.
        """
        look = draw.at("reading" if self.opened else "watch", step=0)
        titles = [TitleShown(entry, own) for entry, own in zip(self.titles, self.looks, strict=True)]
        takes = [self._decides_to_take(title, look) for title in titles]
        best, next_best = (
            max(
                (title for title, taken in zip(titles, takes, strict=True) if taken == chosen),
                key=lambda one: one.by.pull,
                default=None,
            )
            for chosen in (True, False)
        )
        verdicts = [
            self._verdict_taken(n, title, draw)
            if taken
            else self._verdict_passed(n, title, best, title is next_best)
            for n, (title, taken) in enumerate(zip(titles, takes, strict=True), 1)
        ]
        return PageVerdicts.of_own(verdicts=tuple(verdicts))

    def _fits(self, title: TitleShown) -> bool:
        """Whether the title has a genre that was asked for."""
        return not set(self.wanted).isdisjoint(title.entry.genres)

    def _decides_to_take(self, title: TitleShown, look: Draw) -> bool:
        shift = title.shift
        if self.wanted:
            shift += choice_model.REQUESTED if self._fits(title) else -choice_model.REQUESTED
        p = choice_model.watch_probability(self.temper, title.by.pull, title.by.novelty, shift)
        return title.title == self.sought or look.chance(p, item=title.title)

    def _verdict_taken(self, n: int, title: TitleShown, draw: Draw) -> TitleVerdict:
        kindness = 0.1 * (self.temper.agreeableness - 1)
        noise = choice_model.rating_noise(draw, title.title)
        stars = self.scales.draw_rating(title.by.expected, noise, kindness)
        why = "It is what I asked for." if self._fits(title) else reason_to_take(title, self.noun)
        how = reaction_to(title.entry.genres, stars, self.usual, self.noun)
        return TitleVerdict.of_own(number=n, thoughts=why, take=True, stars=stars, how_it_was=how)

    def _verdict_passed(
        self, n: int, title: TitleShown, best: TitleShown | None, next_best: bool
    ) -> TitleVerdict:
        """Pass a title over, with a reason.

        Only the most attractive title passed over is compared with the ones taken, since a visitor may take
        several.
        """
        less = best is not None and best.by.pull > title.by.pull
        rather = best.title if best and less and next_best else ""
        off = bool(self.wanted) and not self._fits(title)
        why = "It is not what I asked for." if off else reason_to_pass(title, self.noun, rather, less)
        return TitleVerdict.of_own(number=n, thoughts=why, take=False, stars=None, how_it_was="")
