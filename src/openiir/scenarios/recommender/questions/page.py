"""A title on a page: its catalogue entry, and the behaviour model's numbers for one visitor."""

from dataclasses import dataclass

from openiir.kit.prompting import join_words
from openiir.plugin import Count, Source, Stars
from openiir.scenarios.recommender.model.choice_model import PICTURE, REVIEW, Feeling
from openiir.scenarios.recommender.model.pictures.image_words import appeal_in

MOST = 20
"""Largest number of titles on a page."""
ACTORS = 3
"""Number of actors named on a page."""
WELL_KNOWN, UNKNOWN = 0.95, 0.1
"""Percentiles of popularity from which on a page calls a title well known, and up to which unknown."""
Persona, Study, Fitted = Source("persona"), Source("study"), Source("fitted")


@dataclass(frozen=True)
class CatalogueEntry:
    """Entry of a title on a page, the same for all visitors; unknown fields are empty or None."""

    title: str
    genres: tuple[str, ...] = ()
    makers: tuple[str, ...] = ()
    """Names of directors, authors or developers."""
    actors: tuple[str, ...] = ()
    average: Stars | None = None
    """Mean training rating of others, one decimal."""
    raters: Count | None = None
    """Number of raters, where the page shows it."""
    review: str = ""
    """Comment shown on the page."""
    summary: str = ""
    picture: str = ""
    """Caption of the title's picture."""
    fame: str = ""
    """Words on how widely the title is known; empty where that is ordinary."""

    def __str__(self) -> str:
        people = f"By {join_words(self.makers)}" if self.makers else ""
        people += f"{'; with' if people else 'With'} {join_words(self.actors)}" if self.actors else ""
        ratings = f"{self.average:.1f} stars from others" if self.average is not None else ""
        if self.raters is not None:
            people_rated = "1 person" if self.raters == 1 else f"{self.raters} people"
            ratings = f"{ratings} ({people_rated})" if ratings else f"Rated by {people_rated}"
        summary, picture = (text.strip().removesuffix(".") for text in (self.summary, self.picture))
        genres = ", ".join(self.genres).capitalize()
        parts = [self.title, genres, people, ratings, self.fame, summary]
        parts += [f"Its picture: {picture}" if self.picture else ""]
        parts += [f'Somebody writes: "{self.review}"' if self.review else ""]
        return ". ".join(filter(None, parts)) + ("" if self.review else ".")


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
    """Numbers of the behaviour model for a title and one visitor."""

    item: str
    """Id of the item in the data set."""
    known: float = 1.0
    """Popularity percentile: the share of titles that fewer people rated."""
    pull: float = 0.0
    """Attraction of the visitor to the title, 0 for an average title."""
    expected: float = 3.0
    """Rating that the visitor expects to give, 1 to 5."""
    tone: str = ""
    """Tone of the comment shown on the page: `positive` or `negative`."""
    near: tuple[RatedTitle, ...] = ()
    """Titles rated by the visitor that are similar to this one, the most similar first."""

    @property
    def novelty(self) -> float:
        return 1 - self.known


@dataclass(frozen=True)
class TitleShown:
    """A title shown to one visitor: its catalogue entry and the behaviour model's numbers."""

    entry: CatalogueEntry
    by: TitleDispositions

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def shift(self) -> float:
        """Shift of the log-odds of watching by comments, number of raters, and picture."""
        many = REVIEW["count"] if (self.entry.raters or 0) > 20 else 0.0
        return many + REVIEW.get(self.by.tone, 0.0) + PICTURE * appeal_in(self.entry.picture)


def popularity_words(known: float) -> str:
    """Say that nearly everybody or hardly anybody knows a title; empty for other titles."""
    if known >= WELL_KNOWN:
        return "Most people know it"
    return "Hardly anybody knows it" if known <= UNKNOWN else ""
