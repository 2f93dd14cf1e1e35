"""Which genre is this? Whoever cannot say does not know the item (the test for unknown items)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.kit.items import Collection
from openiir.plugin import Draw, Record, Unsplit
from openiir.plugin.arguments import tokens


class Genre(Record):
    """One genre."""

    genre: str = Field(max_length=64)


@dataclass(frozen=True)
class NameGenre(Unsplit[Genre]):
    """Of which genre is the item with this title?"""

    noun: str
    item: str
    title: str
    genres: tuple[str, ...]
    """To choose from."""
    heard: tuple[tuple[str, int], ...] = ()
    """Genres of other titles that share a word with this one, with how many such titles there are."""
    kind: ClassVar[str] = "recommender.genre"
    Reply: ClassVar[type[Record]] = Genre

    @classmethod
    def of(cls, collection: Collection, item: int, genres: tuple[str, ...]) -> "NameGenre":
        """The question about an item; only its title, and words of other titles, are told."""
        words = _words(collection.titles[item])
        counts: dict[str, int] = {}
        for other, stems in enumerate(_all_words(collection)):
            if other != item and words & stems:
                for genre in collection.values("genre", other):
                    counts[genre] = counts.get(genre, 0) + 1
        heard = tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:8])
        return cls(collection.kind, collection.ids[item], collection.titles[item], genres, heard)

    @property
    def subject(self) -> str:
        return self.item

    def prompt(self) -> str:
        heard = ", ".join(f"{genre} ({n})" for genre, n in self.heard)
        hint = f"Other titles that share a word with it are: {heard}.\n" if heard else ""
        return f"""A {self.noun} is called: {self.title}
{hint}
Which one genre is it? Choose from: {", ".join(self.genres)}."""

    def offline(self, draw: Draw) -> Genre:
        """The genre most heard of among titles that share a word; the first of all where no title does."""
        return Genre(genre=self.heard[0][0] if self.heard else self.genres[0] if self.genres else "")

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"genre": self.genres}


_SEEN: dict[int, tuple[Collection, list[frozenset[str]]]] = {}


def _all_words(collection: Collection) -> list[frozenset[str]]:
    """The words of all titles, made once for a collection."""
    found = _SEEN.get(id(collection))
    if found is None or found[0] is not collection:
        _SEEN.clear()
        _SEEN[id(collection)] = found = (collection, [_words(title) for title in collection.titles])
    return found[1]


def _words(title: str) -> frozenset[str]:
    return frozenset(word for word in tokens(title) if not word.isdigit())
