"""A page of recommendations: what it says of each title, and what a visitor of its own makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from openiir.kit.prompting import join_words
from openiir.plugin import Count, Source, Stars, UnusableAnswer
from openiir.scenarios.recommender.brain import PICTURE, REVIEW
from openiir.scenarios.recommender.perception import appeal_in

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
            _unended(self.summary),
        ]
        parts += [f"Its picture: {_unended(self.picture)}" if self.picture else ""]
        parts += [f'Somebody writes: "{self.review}"' if self.review else ""]
        return ". ".join(filter(None, parts)) + ("" if self.review else ".")


def _unended(text: str) -> str:
    return text.strip().removesuffix(".")


@dataclass(frozen=True)
class NearTitle:
    """A title that somebody rated and that comes near to one on the page."""

    title: str
    stars: Stars
    """What they gave it."""


@dataclass(frozen=True)
class TitleFacts:
    """A title on a page as one visitor sees it."""

    entry: CatalogueEntry
    near: tuple[NearTitle, ...] = ()
    """What the visitor rated that comes nearest to it."""

    def __str__(self) -> str:
        near = ", ".join(f"{n.title} {n.stars:g}" for n in self.near)
        return f"{self.entry}" + (f" Near to it, you gave {near}." if near else "")


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

    @property
    def novelty(self) -> float:
        return 1 - self.known


@dataclass(frozen=True)
class TitleShown:
    """A title before a visitor: what it sees, and what its behaviour model makes of it."""

    facts: TitleFacts
    by: TitleDispositions

    @property
    def title(self) -> str:
        return self.facts.entry.title

    @property
    def shift(self) -> float:
        """What comments, their number, and what the picture shows add to the log-odds of watching."""
        return shift_of(self.facts, self.by)


def shift_of(facts: TitleFacts, by: TitleDispositions) -> float:
    """See `TitleShown.shift`."""
    many = REVIEW["count"] if (facts.entry.raters or 0) > 20 else 0.0
    return many + REVIEW.get(by.tone, 0.0) + PICTURE * appeal_in(facts.entry.picture)


def fame_words(known: float) -> str:
    """How widely a title is known, by the share of titles that fewer people rated; nothing of those between."""
    return (
        "Most people know it"
        if known >= WELL_KNOWN
        else "Hardly anybody knows it"
        if known <= UNKNOWN
        else ""
    )


def check_numbers(given: Sequence[int], n: int, what: str) -> None:
    """Raises UnusableAnswer unless each number from 1 to n comes once."""
    if sorted(given) != list(range(1, n + 1)):
        raise UnusableAnswer(f"give one {what} for each number from 1 to {n}, each once; these came: {given}")
