"""A title on a page: what the page says of it, and what the behaviour model makes of it for one visitor."""

from dataclasses import dataclass

from openiir.kit.prompting import join_words
from openiir.plugin import Count, Source, Stars
from openiir.scenarios.recommender.choice_model import PICTURE, REVIEW
from openiir.scenarios.recommender.perception import appeal_in
from openiir.scenarios.recommender.wording import Feeling

MOST = 20
"""Titles a page can hold."""
ACTORS = 3
"""Actors that a page names."""
WELL_KNOWN, UNKNOWN = 0.95, 0.1
"""Shares of titles that fewer people rated, from which on and up to which a page says so."""
Persona, Study, Fitted = Source("persona"), Source("study"), Source("fitted")


@dataclass(frozen=True)
class CatalogueEntry:
    """What a page says of a title, whoever looks at it; what is not known is empty or None."""

    title: str
    genres: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()
    """Directors, authors or developers."""
    actors: tuple[str, ...] = ()
    average: Stars | None = None
    """Mean training rating of others, one decimal."""
    raters: Count | None = None
    """How many rated it, where the page shows that."""
    review: str = ""
    """A comment that the page shows."""
    summary: str = ""
    picture: str = ""
    """What its picture shows, in words."""
    fame: str = ""
    """How widely it is known, where that says something."""

    def __str__(self) -> str:
        people = f"By {join_words(self.makers)}" if self.makers else ""
        people += f"{'; with' if people else 'With'} {join_words(self.actors)}" if self.actors else ""
        ratings = f"{self.average:.1f} stars from others" if self.average is not None else ""
        if self.raters is not None:
            people_rated = "1 person" if self.raters == 1 else f"{self.raters} people"
            ratings = f"{ratings} ({people_rated})" if ratings else f"Rated by {people_rated}"
        parts = [
            self.title,
            ", ".join(self.genres).capitalize(),
            people,
            ratings,
            self.fame,
            _without_full_stop(self.summary),
        ]
        parts += [f"Its picture: {_without_full_stop(self.picture)}" if self.picture else ""]
        parts += [f'Somebody writes: "{self.review}"' if self.review else ""]
        return ". ".join(filter(None, parts)) + ("" if self.review else ".")


def _without_full_stop(text: str) -> str:
    return text.strip().removesuffix(".")


@dataclass(frozen=True)
class RatedTitle:
    """A title rated in the past, as the visitor remembers it."""

    title: str
    genres: tuple[str, ...]
    stars: Stars
    felt: Feeling

    def __str__(self) -> str:
        kinds = f", {join_words(self.genres).lower()}" if self.genres else ""
        return f"{self.title}{kinds}: {self.stars:g} of 5"


@dataclass(frozen=True)
class TitleDispositions:
    """What the behaviour model makes of a title for one visitor."""

    item: str
    """Its id in the data set."""
    known: float = 1.0
    """How widely known it is: the share of titles that fewer people rated."""
    pull: float = 0.0
    """How it draws the visitor, 0 for an average title."""
    expected: float = 3.0
    """The rating the visitor expects to give, 1 to 5."""
    tone: str = ""
    """Of the comment that the page shows: `positive` or `negative`."""
    near: tuple[RatedTitle, ...] = ()
    """What the visitor rated that comes nearest to it, the nearest first."""

    @property
    def novelty(self) -> float:
        return 1 - self.known


@dataclass(frozen=True)
class TitleShown:
    """A title on a page for one visitor: what the visitor sees, and what its behaviour model uses."""

    entry: CatalogueEntry
    by: TitleDispositions

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def shift(self) -> float:
        """What comments, their number, and what the picture shows add to the log-odds of watching."""
        many = REVIEW["count"] if (self.entry.raters or 0) > 20 else 0.0
        return many + REVIEW.get(self.by.tone, 0.0) + PICTURE * appeal_in(self.entry.picture)


def fame_words(known: float) -> str:
    """Describe a title that most people or hardly anybody knows; empty for others."""
    return (
        "Most people know it"
        if known >= WELL_KNOWN
        else "Hardly anybody knows it"
        if known <= UNKNOWN
        else ""
    )
