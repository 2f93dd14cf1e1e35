"""Question about a title's genre, which tests whether the answerer knows the item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.items import Collection
from openiir.kit.prompting import Thoughts
from openiir.plugin import Draw, Question, Record
from openiir.plugin.arguments import tokens
from openiir.scenarios.recommender.questions.page import Fitted, Study


class Genre(Record):
    """Reply that names the genre of a title."""

    thoughts: Thoughts = ""
    genre: str = Field(max_length=64)


@dataclass(frozen=True)
class NameGenre(Question[Genre]):
    """Question to the answerer: what is the genre of the item with this title?"""

    noun: str
    title: str
    genres: tuple[str, ...]
    """Genres to choose from."""
    item: Annotated[str, Study]
    """Id of the item."""
    heard: Annotated[tuple[tuple[str, int], ...], Fitted] = ()
    """Genres of other titles that share a word with this one, with the number of such titles."""
    kind: ClassVar[str] = "recommender.genre"
    example: ClassVar[Record] = Genre(
        thoughts="Rivers and boats in the name: it may be about sailing.", genre="Sailing"
    )

    def system(self) -> str:
        return f"You say what you know of {self.noun}s."

    def prompt(self) -> str:
        return f"""These are genres: {", ".join(self.genres)}.

A {self.noun} is called {self.title}. Which one of them is it? Where you do not know it, name the one that \
you think likeliest."""

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"genre": self.genres}

    @classmethod
    def of(cls, collection: Collection, item: int, genres: tuple[str, ...]) -> "NameGenre":
        """Build the question about an item from its title alone.

        The offline answer knows the words of other titles.
        """
        words = _words(collection.titles[item])
        counts: dict[str, int] = {}
        for other, stems in enumerate(_all_words(collection)):
            if other != item and words & stems:
                for genre in collection.values("genre", other):
                    counts[genre] = counts.get(genre, 0) + 1
        heard = tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:8])
        return cls(collection.kind, collection.titles[item], genres, collection.ids[item], heard)

    @property
    def subject(self) -> str:
        return self.item

    def offline(self, draw: Draw) -> Genre:
        """Name the commonest genre of titles that share a word; the first genre where none does."""
        heard, genres = self.heard, self.genres
        return Genre(genre=heard[0][0] if heard else genres[0] if genres else "")


@lru_cache(maxsize=1)
def _all_words(collection: Collection) -> list[frozenset[str]]:
    """Tokenise all titles of a collection; cached."""
    return [_words(title) for title in collection.titles]


def _words(title: str) -> frozenset[str]:
    return frozenset(word for word in tokens(title) if not word.isdigit())
