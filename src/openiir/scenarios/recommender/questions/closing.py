"""How satisfied are you? (B14), what an agent tells after the run, and the judge of human-likeness."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit
from openiir.scenarios.recommender import brain


class Satisfied(Record):
    """On leaving."""

    rating: int = Field(ge=1, le=10)
    reason: str = Field("", max_length=600)


@dataclass(frozen=True)
class Interview(Unsplit[Satisfied]):
    """How satisfied are you with the recommender, from 1 to 10?"""

    noun: str
    gains: tuple[float, ...]
    """What each page gave, 0 to 1, three decimals."""
    liked: tuple[str, ...]
    """Titles rated 4 or 5 in this visit, at most ten."""
    watched: int
    shown: int
    insights: tuple[str, ...] = ()
    """The latest."""
    kind: ClassVar[str] = "recommender.interview"
    Reply: ClassVar[type[Record]] = Satisfied

    def prompt(self) -> str:
        gains = ", ".join(f"{gain:.3f}" for gain in self.gains)
        learnt = "\n".join(f"- {insight}" for insight in self.insights)
        return f"""You have left the {self.noun} recommender. It showed you {self.shown} titles on {len(self.gains)} pages, and you \
took {self.watched}. You liked: {"; ".join(self.liked) or "none of them"}.
What each page gave you, from 0 to 1: {gains}. People remember the best moment and the last one.
{"What you learnt about your taste:" if learnt else ""}
{learnt}

How satisfied are you with this recommender, from 1 (not at all) to 10 (fully)? Give your reason."""

    def offline(self, draw: Draw) -> Satisfied:
        """The peak-end rule, rounded."""
        rating = max(1, min(10, round(brain.interview(self.gains))))
        tone = "It knew what I like" if rating >= 7 else "It was a mixed bag" if rating >= 4 else "It hardly knew me"
        best = f", such as {self.liked[0]}" if self.liked else ""
        return Satisfied.of_own(
            rating=rating, reason=f"{tone}: I took {self.watched} of {self.shown} titles{best}."
        )


class Told(Record):
    """An answer after the run."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class VisitTold:
    """One visit, as the record has it."""

    system: str
    pages: int
    shown: int
    watched: int
    liked: tuple[str, ...]
    """At most five titles."""
    satisfaction: int | None
    reason: str


@dataclass(frozen=True)
class AfterVisits(Unsplit[Told]):
    """What do you say, after the run, of your visits?"""

    asked: str
    noun: str
    visits: tuple[VisitTold, ...]
    kind: ClassVar[str] = "recommender.after"
    Reply: ClassVar[type[Record]] = Told

    def prompt(self) -> str:
        told = "\n".join(f"- {visit_words(visit, self.noun)}" for visit in self.visits)
        return f"""You have tried {self.noun} recommenders. This is all that is on record of your visits:
{told or "- nothing"}

You are now asked: {self.asked}
Answer from this record, in one to four sentences. Say so where it does not speak to the question."""

    def offline(self, draw: Draw) -> Told:
        """Tells the visits to the recommenders that the question names; of the best and the worst where it names none."""
        if not self.visits:
            return Told(answer="I cannot tell: there is no record of a visit.")
        named = [v for v in self.visits if v.system in self.asked.lower()]
        ranked = sorted(self.visits, key=lambda v: (-(v.satisfaction or 0), v.system))
        chosen = named or ([ranked[0], ranked[-1]] if len(ranked) > 1 else ranked)
        return Told(answer=" ".join(visit_words(visit, self.noun) for visit in chosen)[:1_500])


def visit_words(visit: VisitTold, noun: str) -> str:
    """A visit in a sentence or two."""
    liked = f" I liked {', '.join(visit.liked)}." if visit.liked else ""
    verdict = f" On leaving I gave it {visit.satisfaction} of 10: {visit.reason}" if visit.satisfaction else ""
    return (
        f"At {visit.system} I saw {visit.shown} {noun}s on {visit.pages} pages and took {visit.watched}.{liked}{verdict}"
    )
