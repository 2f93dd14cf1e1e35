"""What have you learnt about your taste? (B13), and which questions help you remember? (B7, self-ask)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit

INSIGHTS = 3
Line = Annotated[str, Field(min_length=1, max_length=200)]
RecordId = Annotated[str, Field(max_length=16)]
PRIOR = 3.0
"""Ratings that a genre's mean is shrunk towards one's own mean by [design]."""


class Insight(Record):
    """Something learnt, with the records that it rests on."""

    text: str = Field(min_length=1, max_length=300)
    records: tuple[RecordId, ...] = Field((), max_length=12)


class Reflection(Record):
    """Three questions and three insights."""

    questions: tuple[Line, ...] = Field((), max_length=INSIGHTS)
    insights: tuple[Insight, ...] = Field((), max_length=INSIGHTS)


@dataclass(frozen=True)
class Taken:
    """A title watched in this visit, as memory holds it."""

    id: str
    """Of the record."""
    title: str
    rating: int
    genres: tuple[str, ...]


@dataclass(frozen=True)
class Reflect(Unsplit[Reflection]):
    """What do the titles of this visit say about what you like?"""

    noun: str
    page: int
    usual: float
    """The visitor's mean rating, two decimals."""
    watched: tuple[Taken, ...]
    """In this visit, the latest last; at most so many as are shown."""
    kind: ClassVar[str] = "recommender.reflect"
    Reply: ClassVar[type[Record]] = Reflection

    @property
    def subject(self) -> str:
        return f"page {self.page}"

    def prompt(self) -> str:
        lines = "\n".join(f"[{r.id}] {r.title} ({', '.join(r.genres)}): {r.rating}/5" for r in self.watched)
        return f"""You look back on the {self.noun}s that you took from a recommender in this visit. Your ratings usually average \
{self.usual:.2f}.

{lines}

Ask yourself the three questions about your taste that these records bear on most. Then answer with up to three insights, \
each citing the records, by what stands in brackets, that it rests on."""

    def offline(self, draw: Draw) -> Reflection:
        """The genres whose mean, shrunk towards one's own, departs most from it; the records are those of the genre."""
        found = sorted(self._departures(), key=lambda d: (-abs(d[1]), d[0]))[:INSIGHTS]
        return Reflection.of_own(
            questions=tuple(f"Do I like {genre.lower()} more than I thought?" for genre, _, _ in found),
            insights=tuple(
                Insight.of_own(
                    text=f"I rate {genre.lower()} {'above' if by > 0 else 'below' if by < 0 else 'at'} what I usually give"
                    + (f" (by {abs(by):.2f})." if by else "."),
                    records=tuple([record.id for record in records[-12:]]),
                )
                for genre, by, records in found
            ),
        )

    def _departures(self) -> list[tuple[str, float, list[Taken]]]:
        by_genre: dict[str, list[Taken]] = {}
        for record in self.watched:
            for genre in record.genres:
                by_genre.setdefault(genre, []).append(record)
        return [
            (genre, (fsum(r.rating for r in rs) + PRIOR * self.usual) / (len(rs) + PRIOR) - self.usual, rs)
            for genre, rs in by_genre.items()
        ]

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"Insight.records": [r.id for r in self.watched]}


class FollowUps(Record):
    """One to three questions."""

    questions: tuple[Line, ...] = Field(min_length=1, max_length=3)


@dataclass(frozen=True)
class SelfAsk(Unsplit[FollowUps]):
    """Which further questions help to find in memory what bears on this one?"""

    query: str
    noun: str
    kind: ClassVar[str] = "recommender.self-ask"
    Reply: ClassVar[type[Record]] = FollowUps

    @property
    def subject(self) -> str:
        return self.query[:60]

    def prompt(self) -> str:
        return f"""Somebody searches their memory of the {self.noun}s they know with this question:

{self.query}

Write one to three follow-up questions that would bring up further memories that bear on it."""

    def offline(self, draw: Draw) -> FollowUps:
        """Liking and disliking, which is what memories of titles say."""
        return FollowUps(questions=(f"Which {self.noun}s did I like?", f"Which {self.noun}s did I dislike?"))
