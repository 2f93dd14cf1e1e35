"""Samples of a user's ratings: their description in prompts, and their features."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum

import numpy as np

from openiir.kit.items.collection import Collection, Kind
from openiir.kit.items.ratings import Floats, Scale
from openiir.plugin import Stars, Year, int_sum, quantise

GENRES = (
    "action",
    "adventure",
    "animation",
    "children",
    "comedy",
    "crime",
    "documentary",
    "drama",
    "fantasy",
    "film-noir",
    "horror",
    "musical",
    "mystery",
    "romance",
    "sci-fi",
    "thriller",
    "war",
    "western",
)
"""Genres of MovieLens, the only ones that offline persona matching uses."""
ERAS = (1960, 1970, 1980, 1990)
"""Years in which a new era of release begins."""
FEATURES = (*GENRES, "before 1960", "1960s", "1970s", "1980s", "mean rating", "share liked")
LIKED, DISLIKED = 0.75, 0.25
"""Limits of liked and disliked ratings as shares of the rating scale: from 4 and up to 2 on 1 to 5 (SimUSER,
appendix A)."""

_ERA = len(GENRES)
_COLUMNS = _ERA + len(ERAS) + 1
"""Number of columns that encode an item: genres, then eras, the last one being 1990 and later."""


def genre_index(name: str) -> int | None:
    """Look up a genre's index in GENRES by a collection's name for it; None for another genre."""
    name = name.lower().replace("'s", "")
    return GENRES.index(name) if name in GENRES else None


def genre_names(collection: Collection) -> list[str]:
    """List all genres of a collection, in alphabetical order."""
    return sorted({genre for item in range(len(collection)) for genre in collection.values("genre", item)})


def encode_item(genres: Iterable[str], year: int | None) -> Floats:
    """Encode an item's genres and era as 0 or 1, (23,)."""
    row = np.zeros(_COLUMNS)
    row[[n for n in map(genre_index, genres) if n is not None]] = 1
    if year is not None:
        row[_ERA + int_sum(year >= start for start in ERAS)] = 1
    return row


def history_features(
    marked: Floats, with_genre: Floats, size: Floats, level: Floats, liked: Floats
) -> Floats:
    """Compute features of histories, (histories, FEATURES), from sums over each.

    They are the shares of genres and eras where known, the mean rating, and the share liked. They come from
    sums over each history: of encoded items (histories, 23), of items with a genre, of items, of ratings on
    0..1, and of liked items. NaN where nothing is known. Quantised, so the order of summing does not show.
    """
    eras = marked[:, _ERA:]
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (
            marked[:, :_ERA] / with_genre[:, None],
            eras[:, :-1] / eras.sum(axis=1, keepdims=True),
            (level / size)[:, None],
            (liked / size)[:, None],
        )
        return np.asarray(quantise(np.hstack(parts)))


@dataclass(frozen=True)
class RatedItem:
    """An item with its rating, as prompts describe it."""

    title: str
    genres: tuple[str, ...]
    year: Year | None
    directors: tuple[str, ...]
    rating: Stars

    def words(self) -> str:
        """Describe the item in one line, with the year unless the title has it."""
        year = "" if self.year is None or f"({self.year})" in self.title else f" ({self.year})"
        known = [", ".join(self.genres).lower(), f"by {', '.join(self.directors)}" if self.directors else ""]
        return f"{', '.join([self.title + year, *filter(None, known)])}: {self.rating:g}"


@dataclass(frozen=True)
class RatingSample:
    """A sample of rated items, in the order shown."""

    kind: Kind
    items: tuple[RatedItem, ...]
    scale: Scale

    def level(self, item: RatedItem) -> float:
        """Scale an item's rating to 0 to 1."""
        return (item.rating - self.scale.low) / (self.scale.high - self.scale.low)

    def stars(self, item: RatedItem) -> float:
        """Scale an item's rating to 1 to 5."""
        return 1 + 4 * self.level(item)

    @property
    def liked(self) -> tuple[RatedItem, ...]:
        return tuple(item for item in self.items if self.level(item) >= LIKED)

    @property
    def disliked(self) -> tuple[RatedItem, ...]:
        return tuple(item for item in self.items if self.level(item) <= DISLIKED)

    @property
    def neither(self) -> tuple[RatedItem, ...]:
        return tuple(item for item in self.items if DISLIKED < self.level(item) < LIKED)

    @cached_property
    def features(self) -> Floats:
        """(FEATURES,) features of the sample, as `history_features` computes them."""
        marked = np.array([encode_item(item.genres, item.year) for item in self.items]).reshape(-1, _COLUMNS)
        sums = (
            marked.sum(axis=0),
            np.count_nonzero(marked[:, :_ERA].any(axis=1)),
            len(self.items),
            fsum(map(self.level, self.items)),
            len(self.liked),
        )
        return history_features(*(np.array([part], dtype=np.float64) for part in sums))[0]

    def words(self) -> str:
        """Describe the sample in three lists with ratings: liked, disliked, neither."""
        low, high = self.scale.low, self.scale.high
        return "\n".join(
            [
                f"Ratings run from {low:g} (worst) to {high:g} (best).",
                _word_list(f"{self.kind.capitalize()}s liked", self.liked),
                _word_list(f"{self.kind.capitalize()}s disliked", self.disliked),
                _word_list("Neither liked nor disliked", self.neither),
            ]
        )


def _word_list(heading: str, items: Sequence[RatedItem]) -> str:
    return f"{heading}:\n" + ("\n".join(f"- {item.words()}" for item in items) or "- (none)")
