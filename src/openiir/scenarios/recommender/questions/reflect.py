"""Questions of reflection: insights about one's taste (B13), and follow-up questions to memory (B7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Annotated, ClassVar

from pydantic import Field

from openiir.kit.prompting import join_words, number_lines
from openiir.plugin import Draw, Question, Record, Stars
from openiir.scenarios.recommender.questions.page import Fitted, Study
from openiir.scenarios.recommender.questions.wording import name_kind

INSIGHTS = 3
REMEMBERED = 24
"""Largest number of titles of the visit in a reflection."""
CITED = 12
"""Largest number of titles cited by an insight."""
NAMED = 3
"""Largest number of genres named in an insight."""
WELL = 0.5
"""Distance in stars from which on a genre's mean is called well above or below the usual rating [design]."""
Line = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[int, Field(ge=1, le=REMEMBERED)]
PRIOR = 3.0
"""Number of ratings at the visitor's mean towards which a genre's mean is shrunk [design]."""


class Insight(Record):
    """Something that a visitor learnt about its taste, with the titles as evidence."""

    text: str = Field(min_length=1, max_length=300)
    rests_on: tuple[Number, ...] = Field(
        (), max_length=CITED, description="numbers of the titles that show it"
    )


class Reflection(Record):
    """A visitor's reflection: three questions and three insights."""

    questions: tuple[Line, ...] = Field(
        (), max_length=INSIGHTS, description="what you ask yourself about your taste"
    )
    learnt: tuple[Insight, ...] = Field((), max_length=INSIGHTS, description="none where you learnt nothing")


@dataclass(frozen=True)
class TakenTitle:
    """A title taken (watched, read or listened to) in this visit."""

    title: str
    stars: Stars
    genres: tuple[str, ...]
    words: str = ""
    """Comment of the visitor."""

    def __str__(self) -> str:
        kinds = f" ({', '.join(self.genres).lower()})" if self.genres else ""
        return f"{self.title}{kinds}, {self.stars:g} of 5" + (f': "{self.words}"' if self.words else "")


@dataclass(frozen=True, kw_only=True)
class Reflect(Question[Reflection]):
    """Question to a visitor: what do the titles of this visit say about what you like?"""

    noun: str
    taken: tuple[TakenTitle, ...]
    """Titles taken, the latest last, at most REMEMBERED."""
    learnt: tuple[str, ...] = ()
    """Insights of the previous reflection."""
    usual: Annotated[float, Fitted]
    """Mean rating of the visitor, two decimals."""
    place: Annotated[str, Study]
    """Name of this page in the log."""
    kind: ClassVar[str] = "recommender.reflect"
    example: ClassVar[Record] = Reflection(
        questions=("Do I walk for the view or for the quiet?",),
        learnt=(Insight(text="I go for quiet paths, whatever there is to see.", rests_on=(1, 3)),),
    )

    def prompt(self) -> str:
        learnt = f'After an earlier page you thought: "{" ".join(self.learnt)}"\n\n' if self.learnt else ""
        return f"""You look back on your visit to a {self.noun} recommender so far. You took:
{number_lines(self.taken)}

{learnt}Did you learn anything about your own taste? Ask yourself up to three questions that these \
{self.noun}s bear on most, then answer with up to three sentences, each with the numbers of the {self.noun}s \
that it rests on. None is an answer too."""

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"Insight.rests_on": range(1, len(self.taken) + 1)}

    @property
    def subject(self) -> str:
        return self.place

    def offline(self, draw: Draw) -> Reflection:
        """State insights on the genres whose ratings in this visit differ most from the visitor's mean.

        Genre means are shrunk. It speaks of these titles alone, of each but once where it can: a few of them
        are no taste. What it noticed before is not said again.
        """
        questions: list[str] = []
        learnt: list[Insight] = []
        told: set[int] = set()
        for genres, by, numbers in sorted(self._departures(), key=lambda d: (-abs(d[1]), d[0])):
            text = self._insight(genres, by, len(numbers))
            if told.issuperset(numbers) or len(learnt) == INSIGHTS:
                continue
            told.update(numbers)
            if text not in self.learnt:
                questions.append(
                    f"Do I like {join_words(genres).lower()} {'more' if by > 0 else 'less'} than I thought?"
                )
                learnt.append(Insight.of_own(text=text, rests_on=numbers[-CITED:]))
        return Reflection.of_own(questions=tuple(questions), learnt=tuple(learnt))

    def _departures(self) -> list[tuple[list[str], float, tuple[int, ...]]]:
        """List groups of genres with their titles and difference from the visitor's mean rating.

        Leaves out genres whose mean is the same in whole stars.
        """
        taken, usual = self.taken, self.usual
        by_genre: dict[str, tuple[int, ...]] = {}
        for number, one in enumerate(taken, 1):
            for genre in one.genres:
                by_genre[genre] = (*by_genre.get(genre, ()), number)
        by_titles: dict[tuple[int, ...], list[str]] = {}
        for genre, numbers in by_genre.items():
            by_titles.setdefault(numbers, []).append(genre)
        stars = {numbers: fsum(taken[n - 1].stars for n in numbers) for numbers in by_titles}
        return [
            (genres[:NAMED], (stars[ns] + PRIOR * usual) / (len(ns) + PRIOR) - usual, ns)
            for ns, genres in by_titles.items()
            if int(stars[ns] / len(ns) + 0.5) != int(usual + 0.5)
        ]

    def _insight(self, genres: Sequence[str], by: float, titles: int) -> str:
        apart = ("well " if abs(by) >= WELL else "") + ("above" if by > 0 else "below")
        kind = name_kind(genres, self.noun)
        what = f"The {kind} I took here was" if titles == 1 else f"The {titles} {kind}s I took here were"
        return f"{what}{' on average' if titles > 1 else ''} {apart} what I usually give."


class FollowUps(Record):
    """One to three follow-up questions."""

    questions: tuple[Line, ...] = Field(min_length=1, max_length=3)


@dataclass(frozen=True)
class SelfAsk(Question[FollowUps]):
    """Question to a model: which follow-up questions help to retrieve memories relevant to this question?"""

    query: str
    noun: str
    kind: ClassVar[str] = "recommender.self-ask"
    example: ClassVar[Record] = FollowUps(questions=("Which walks tired me?", "Where was it quiet?"))

    def system(self) -> str:
        return "You help people to remember what bears on a question."

    def prompt(self) -> str:
        return f"""Somebody searches their memory of the {self.noun}s they know with this question:

{self.query}

Write one to three follow-up questions that would bring up further memories that bear on it."""

    @property
    def subject(self) -> str:
        return self.query[:60]

    def offline(self, draw: Draw) -> FollowUps:
        """Ask about titles liked and disliked, since memories are about those."""
        noun = self.noun
        return FollowUps(questions=(f"Which {noun}s did I like?", f"Which {noun}s did I dislike?"))
